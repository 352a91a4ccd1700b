"""A sleep that can be stopped: the one of this Python does not look for an interrupt before its end."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

_SLICE_SECONDS = 0.05
_TURNS = 100
_sleep, _monotonic = time.sleep, time.monotonic


class _Sleeper:
    """Who sleeps now, and whether it was told to stop."""

    asleep = False
    told = False


def sleep_in_slices(seconds: float, /) -> None:
    """Sleep as `time.sleep` does, with a moment between slices in which an interrupt is heard."""
    end = _monotonic() + seconds
    _Sleeper.asleep, _Sleeper.told = True, False
    try:
        _sleep(min(seconds, _SLICE_SECONDS))
        while (left := end - _monotonic()) > 0:
            # This Python looks for an interrupt once in so many turns of a loop.
            for _ in range(_TURNS):
                pass
            # A browser that can switch stacks takes messages while Python sleeps.
            if _Sleeper.told:
                raise KeyboardInterrupt
            _sleep(min(left, _SLICE_SECONDS))
    finally:
        _Sleeper.asleep = False


def wake_to_stop() -> bool:
    """Stop a cell that sleeps; whether one does."""
    _Sleeper.told = _Sleeper.asleep
    return _Sleeper.asleep


@contextmanager
def stoppable_sleep() -> Iterator[None]:
    """While a cell runs, `time.sleep` is the one that can be stopped."""
    time.sleep = sleep_in_slices
    try:
        yield
    finally:
        time.sleep = _sleep
