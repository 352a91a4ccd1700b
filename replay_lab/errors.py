"""The errors of the lab: one base class, one child per reason."""

from __future__ import annotations


class ReplayLabError(Exception):
    """Base class of every error that the lab raises on purpose."""


class ConfigError(ReplayLabError, ValueError):
    """A setting was refused.

    Attributes
    ----------
    field : str
        Name of the setting.
    value : object
        What was given.
    allowed : str
        What would have been accepted.
    """

    def __init__(self, field: str, value: object, allowed: str) -> None:
        self.field = field
        self.value = value
        self.allowed = allowed
        super().__init__(f"{field} = {_shown(value)} is refused: expected {allowed}")


class StateError(ReplayLabError, TypeError):
    """A value cannot be part of a state that is compared bit by bit."""


class CheckpointError(ReplayLabError, ValueError):
    """A checkpoint is damaged, or does not fit the state it is loaded into."""


class ArrayFileError(ReplayLabError, ValueError):
    """A file of arrays cannot be read, or holds something that is not an array."""


class ResultsError(ReplayLabError, ValueError):
    """A results file is not one that this version can read."""


class CheckFailure(ReplayLabError, AssertionError):
    """At least one named check of a study failed.

    Attributes
    ----------
    names : tuple of str
        The failed checks, in the order in which they ran.
    """

    def __init__(self, failures: dict[str, str]) -> None:
        self.names = tuple(failures)
        listed = "; ".join(f"{name}: {detail}" for name, detail in failures.items())
        super().__init__(f"{len(failures)} check(s) failed. {listed}")


class DivergenceError(ReplayLabError, ArithmeticError):
    """Training left the finite numbers, where bits are no longer portable."""


class FiguresUnavailable(ReplayLabError, ImportError):
    """matplotlib is missing; everything but figures works without it."""


def _shown(value: object) -> str:
    """Show a value in a message; Python itself refuses to print huge integers."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):
        return f"a value of type {type(value).__name__} that is too long or too deep to show"
    return text if len(text) <= 120 else f"{text[:100]}… ({len(text)} characters)"
