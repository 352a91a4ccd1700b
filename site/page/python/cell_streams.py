"""What a cell prints, on its way to the page."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any

Send = Callable[[dict[str, Any]], None]

STREAM_LIMIT = 200_000
"""Characters of one stream that a run may send to the page; what comes after is counted only."""


@contextmanager
def streams_to(send: Send) -> Iterator[None]:
    """Send what is printed, standard output and standard error apart but in order."""
    output, errors = Stream("stdout", send), Stream("stderr", send)
    output.before_write = errors.flush
    errors.before_write = output.flush
    try:
        with redirect_stdout(output), redirect_stderr(errors):
            yield
    finally:
        for stream in (output, errors):
            stream.finish()


class Stream(io.TextIOBase):
    """
    Text for the page, in few and not too large notices.

    The first lines are sent at once; a cell that prints much is gathered up for 50 ms or 16 KB.
    """

    _EAGER_LINES = 40
    _GATHER_SECONDS = 0.05
    _GATHER_CHARACTERS = 16_384

    def __init__(self, name: str, send: Send) -> None:
        self._name = name
        self._send = send
        self._parts: list[str] = []
        self._held = 0
        self._sent = 0
        self._eager = self._EAGER_LINES
        self._last_flush = time.perf_counter()
        self._dropped = 0
        self.before_write: Callable[[], None] = lambda: None

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        room = STREAM_LIMIT - self._sent - self._held
        kept = text if len(text) <= room else text[:room]
        self._dropped += len(text) - len(kept)
        if kept:
            if not self._parts:
                self.before_write()
            self._parts.append(kept)
            self._held += len(kept)
            if self._due(kept):
                self.flush()
        return len(text)

    def flush(self) -> None:
        if self._parts:
            self._send({"type": "stream", "name": self._name, "text": "".join(self._parts)})
            self._sent += self._held
            self._parts, self._held = [], 0
            self._last_flush = time.perf_counter()

    def finish(self) -> None:
        """Send what is left, and how much was not sent."""
        self.flush()
        if self._dropped:
            self._send({"type": "cut", "name": self._name, "characters": self._dropped})

    def _due(self, text: str) -> bool:
        if self._held >= self._GATHER_CHARACTERS:
            return True
        if "\n" in text and self._eager > 0:
            self._eager -= 1
            return True
        if time.perf_counter() - self._last_flush > self._GATHER_SECONDS:
            self._eager = self._EAGER_LINES
            return True
        return False
