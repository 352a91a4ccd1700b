"""How far a long run is: told to whoever listens in the context of the caller."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple


class StudyEvent(NamedTuple):
    """Progress: `done` of `total` parts are finished, `running` comes next."""

    done: int
    total: int
    running: str


Listener = Callable[[StudyEvent], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def current_listener() -> Listener | None:
    """Return who hears of runs in this context whose caller named nobody."""
    return _listener.get()


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Let a listener hear of every run in this context.

    For hosts that run other people's code, such as a page that runs the cells of
    a notebook: the code stays free of them.

    Parameters
    ----------
    listener : callable
        Called before each part with a `StudyEvent`.
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
