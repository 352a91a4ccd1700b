"""A named check and its outcome."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .evidence import Evidence

PASSED = "passed"
FAILED = "failed"
NOT_EXPECTED = "not expected here"


class Finding(tuple[bool, str]):
    """Whether a check holds, and the numbers that say so."""

    def __new__(cls, holds: object, detail: str) -> Finding:
        return super().__new__(cls, (bool(holds), detail))


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A named expectation; `invariant` ones hold at every valid setting."""

    name: str
    meaning: str
    invariant: bool
    test: Callable[[Evidence], Finding]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """The outcome of one check; `status` is one of the three words above."""

    name: str
    meaning: str
    status: str
    detail: str


Test = Callable[[Evidence], Finding]


def states(
    checks: list[Check], name: str, meaning: str, *, invariant: bool
) -> Callable[[Test], Test]:
    """Decorate a test: it becomes the next of these checks."""

    def register(test: Test) -> Test:
        checks.append(Check(name=name, meaning=meaning, invariant=invariant, test=test))
        return test

    return register


def run(check: Check, evidence: Evidence) -> CheckResult:
    """Run one check; away from the default settings only invariants can fail."""
    holds, detail = check.test(evidence)
    unmet = FAILED if check.invariant or evidence.is_default else NOT_EXPECTED
    return CheckResult(
        name=check.name,
        meaning=check.meaning,
        status=PASSED if holds else unmet,
        detail=detail,
    )
