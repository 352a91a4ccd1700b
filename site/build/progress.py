"""What is happening, told on standard error while it happens."""

from __future__ import annotations

import sys
import time

_SECONDS_BETWEEN_LINES = 2.0
_SECONDS_BETWEEN_REDRAWS = 0.1


def say(text: str) -> None:
    """Tell one step of the build."""
    print(text, file=sys.stderr, flush=True)


def human_size(size_bytes: int) -> str:
    """
    Write a size for people.

    Parameters
    ----------
    size_bytes : int
        Number of bytes.

    Returns
    -------
    str
        Such as `812 B`, `17.9 KB` or `26.7 MB`, with 1 MB = 1,000,000 bytes.
    """
    if size_bytes < 1000:
        return f"{size_bytes} B"
    if size_bytes < 1_000_000:
        return f"{size_bytes / 1000:.1f} KB"
    return f"{size_bytes / 1_000_000:.1f} MB"


class ByteProgress:
    """Bytes of bytes for one download: a redrawn line on a terminal, else a line now and then."""

    def __init__(self, name: str, total_bytes: int | None) -> None:
        self._name = name
        self._total_bytes = total_bytes
        self._redraw = sys.stderr.isatty()
        self._next_report = 0.0

    def update(self, received_bytes: int) -> None:
        """Report how much has arrived, unless the last report was a moment ago."""
        now = time.monotonic()
        if now >= self._next_report:
            pause = _SECONDS_BETWEEN_REDRAWS if self._redraw else _SECONDS_BETWEEN_LINES
            self._next_report = now + pause
            self._write(received_bytes, end="\r" if self._redraw else "\n")

    def finish(self, received_bytes: int) -> None:
        """Report the last count and leave the line."""
        self._write(received_bytes, end="\n")

    def _write(self, received_bytes: int, *, end: str) -> None:
        """One report."""
        total = "" if self._total_bytes is None else f" of {human_size(self._total_bytes)}"
        text = f"  {self._name}: {human_size(received_bytes)}{total}"
        print(f"{text:<78}" if self._redraw else text, end=end, file=sys.stderr, flush=True)
