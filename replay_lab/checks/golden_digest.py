"""The check that catches everything, and names nothing."""

from __future__ import annotations

from ..golden import STUDY_DIGEST
from .check import Check, Finding, states
from .evidence import Evidence, study_digest

CHECKS: list[Check] = []


@states(
    CHECKS,
    "golden-digest",
    "Data and traces have the digest that is stored in the package.",
    invariant=False,
)
def _golden(evidence: Evidence) -> Finding:
    found = study_digest(
        evidence.dataset.digest(), evidence.reference.digest(), evidence.trace_digests()
    )
    return Finding(found == STUDY_DIGEST, f"{found[:16]}…, stored {STUDY_DIGEST[:16]}…")
