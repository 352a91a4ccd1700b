"""A sleep that can be stopped: the one of this Python does not look for an interrupt before its end."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

_SLICE_SECONDS = 0.05
_sleep = time.sleep


def sleep_in_slices(seconds: float, /) -> None:
    """Sleep as `time.sleep` does, with a moment between slices in which an interrupt is heard."""
    end = time.monotonic() + seconds
    _sleep(min(seconds, _SLICE_SECONDS))
    while (left := end - time.monotonic()) > 0:
        _sleep(min(left, _SLICE_SECONDS))


@contextmanager
def stoppable_sleep() -> Iterator[None]:
    """While a cell runs, `time.sleep` is the one that can be stopped."""
    time.sleep = sleep_in_slices
    try:
        yield
    finally:
        time.sleep = _sleep
