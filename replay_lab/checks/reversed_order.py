"""Checks of the published shape of the reversed reduction."""

from __future__ import annotations

import numpy as np

from ..scenarios import REVERSED_REDUCTION
from .check import Check, Finding, states
from .evidence import Evidence

CHECKS: list[Check] = []


@states(
    CHECKS,
    "reversed-first-at-1",
    "Another reduction order changes the weights in the very first step.",
    invariant=False,
)
def _reversed_first(evidence: Evidence) -> Finding:
    first = evidence.rows[REVERSED_REDUCTION].first_weight_mismatch
    return Finding(first == 1, f"first mismatch at {first}")


@states(
    CHECKS, "reversed-never-heals", "From then on no step has the same weights.", invariant=False
)
def _reversed_never_heals(evidence: Evidence) -> Finding:
    count, steps = evidence.rows[REVERSED_REDUCTION].weight_mismatch_steps, evidence.config.steps
    return Finding(count == steps, f"{count} of {steps} steps differ")


@states(CHECKS, "reversed-all-hidden", "The rounded loss log shows it at no step.", invariant=False)
def _reversed_hidden(evidence: Evidence) -> Finding:
    row, steps = evidence.rows[REVERSED_REDUCTION], evidence.config.steps
    hidden = row.hidden_weight_mismatch_steps
    return Finding(hidden == steps, f"{hidden} of {steps} steps are hidden")


@states(
    CHECKS,
    "reversed-is-rounding-only",
    "The difference is above zero and at most 8 ULP of the largest weight.",
    invariant=False,
)
def _reversed_rounding(evidence: Evidence) -> Finding:
    difference = evidence.rows[REVERSED_REDUCTION].maximum_weight_difference
    ulp = float(np.spacing(np.abs(evidence.reference.weights).max()))
    return Finding(0 < difference <= 8 * ulp, f"{difference / ulp:.3g} ULP of the largest weight")
