"""What a cell prints, on its way to the page."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from time import perf_counter
from typing import Any

from cell_text import PlainText
from kept_output import KeptOutput

Send = Callable[[dict[str, Any]], None]

STREAM_LIMIT = 200_000
"""Characters of one stream that a run may send to the page; what comes after is kept here."""


@contextmanager
def streams_to(send: Send, kept: KeptOutput) -> Iterator[Callable[[], None]]:
    """Send what is printed, standard output and standard error apart but in order; yields what sends all so far."""
    output, errors = Stream("stdout", send, kept), Stream("stderr", send, kept)
    output.before_write = errors.flush
    errors.before_write = output.flush
    typed, sys.stdin = sys.stdin, NothingTyped()

    def flush() -> None:
        output.flush()
        errors.flush()

    try:
        with redirect_stdout(output), redirect_stderr(errors):
            yield flush
    finally:
        sys.stdin = typed
        for stream in (output, errors):
            stream.finish()


class NothingTyped(io.TextIOBase):
    """Standard input of a cell: nobody can type into it."""

    def readable(self) -> bool:
        return True

    def readline(self, size: int | None = -1) -> str:
        raise EOFError("a cell cannot ask for input; write the value into the code")

    read = readline


class Stream(io.TextIOBase):
    """
    Text for the page, in few and not too large notices.

    The first lines are sent at once; a cell that prints much is gathered up for 50 ms or 16 KB.
    Once the page has what it may have, text is only kept, in larger pieces.
    """

    _EAGER_LINES = 40
    _GATHER_SECONDS = 0.05
    _GATHER_CHARACTERS = 16_384
    _KEEP_CHARACTERS = 262_144

    def __init__(self, name: str, send: Send, kept: KeptOutput) -> None:
        self._name = name
        self._send = send
        self._kept = kept
        self._plain = PlainText()
        self._parts: list[str] = []
        self._held = 0
        self._sent = 0
        self._eager = self._EAGER_LINES
        self._last_flush = perf_counter()
        self._unsent = 0
        self.before_write: Callable[[], None] = lambda: None

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if text:
            if not self._parts:
                self.before_write()
            self._parts.append(text)
            self._held += len(text)
            if self._due(text):
                self.flush()
        return len(text)

    def flush(self) -> None:
        if self._parts:
            raw, self._parts, self._held = "".join(self._parts), [], 0
            self._pass_on(self._plain.clean(raw))
            self._last_flush = perf_counter()

    def finish(self) -> None:
        """Send what is left, and how much was not sent."""
        self.flush()
        if self._unsent:
            self._send(self._kept.cut_notice(self._name, self._unsent))

    def _pass_on(self, text: str) -> None:
        """Keep all of a text, send what the page may still have of it."""
        self._kept.add(self._name, text)
        sent = text[: STREAM_LIMIT - self._sent]
        self._unsent += len(text) - len(sent)
        if sent:
            self._sent += len(sent)
            self._send({"type": "stream", "name": self._name, "text": sent})

    def _due(self, text: str) -> bool:
        if self._sent >= STREAM_LIMIT:
            return self._held >= self._KEEP_CHARACTERS
        if self._held >= self._GATHER_CHARACTERS:
            return True
        if "\n" in text and self._eager > 0:
            self._eager -= 1
            return True
        if perf_counter() - self._last_flush > self._GATHER_SECONDS:
            self._eager = self._EAGER_LINES
            return True
        return False
