"""The named checks of a study.

A check states one expectation, can fail, and says in a sentence what it means.
Invariants hold at every valid setting. Checks of the published shape belong to
the default settings; elsewhere an unmet one is "not expected here".
"""

from __future__ import annotations

from . import arithmetic, golden_digest, lost_state, replays, reversed_order
from .check import FAILED, NOT_EXPECTED, PASSED, Check, CheckResult, run
from .evidence import Evidence, study_digest

__all__ = [
    "CHECKS",
    "FAILED",
    "NOT_EXPECTED",
    "PASSED",
    "Check",
    "CheckResult",
    "Evidence",
    "run_checks",
    "study_digest",
]

CHECKS: tuple[Check, ...] = (
    *replays.CHECKS,
    *arithmetic.CHECKS,
    *reversed_order.CHECKS,
    *lost_state.CHECKS,
    *golden_digest.CHECKS,
)


def run_checks(evidence: Evidence) -> tuple[CheckResult, ...]:
    """Run every check, in declared order."""
    return tuple(run(check, evidence) for check in CHECKS)
