"""Two traces, bit by bit, as one published row of numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .bits import Array, bit_patterns, canonical_array
from .trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonRow:
    """One scenario against the reference; fields and order as published.

    Attributes
    ----------
    scenario : str
    first_weight_mismatch : int or None
        First step after which a weight differs in at least one bit.
    weight_mismatch_steps : int
        Number of such steps.
    hidden_weight_mismatch_steps : int
        Those among them at which the rounded loss log is the same.
    maximum_weight_difference : float
        Largest absolute difference over all steps and weights, in float64.
    final_loss : float
        Unrounded loss of the weights after the last update.
    """

    scenario: str
    first_weight_mismatch: int | None
    weight_mismatch_steps: int
    hidden_weight_mismatch_steps: int
    maximum_weight_difference: float
    final_loss: float

    def to_json(self) -> dict[str, Any]:
        """Return the row as a JSON object."""
        return asdict(self)


def differing_steps(a: Array, b: Array) -> NDArray[np.bool_]:
    """Return, per step, whether two columns differ in at least one bit.

    Parameters
    ----------
    a, b : ndarray of shape (steps, ...)
        Same dtype and shape.

    Returns
    -------
    ndarray of shape (steps,), bool
    """
    if a.dtype != b.dtype or a.shape != b.shape:
        raise ValueError(f"columns differ in form: {a.dtype} {a.shape} and {b.dtype} {b.shape}")
    unequal = bit_patterns(canonical_array(a)) != bit_patterns(canonical_array(b))
    return np.asarray(unequal.reshape(unequal.shape[0], -1).any(axis=1))


def first_step(found: Array) -> int | None:
    """Return the first step whose entry is true, None if there is none.

    Parameters
    ----------
    found : ndarray of shape (steps,), bool
    """
    return int(found.argmax()) + 1 if found.any() else None


def weight_differences(a: Trace, b: Trace) -> NDArray[np.float64]:
    """Return the largest absolute weight difference of each step, in float64."""
    gap = np.abs(a.weights.astype(np.float64) - b.weights.astype(np.float64))
    return np.asarray(gap.max(axis=1))


def compare_traces(name: str, trace: Trace, reference: Trace) -> ComparisonRow:
    """Compare a scenario's trace with the reference's.

    Notes
    -----
    The logged loss of a step belongs to the weights before its update. A
    fault that first moves the weights at step k can therefore not show in the
    log before step k + 1: it is hidden at k by construction.
    """
    differ = differing_steps(trace.weights, reference.weights)
    log_agrees = ~differing_steps(trace.logged_loss, reference.logged_loss)
    return ComparisonRow(
        scenario=name,
        first_weight_mismatch=first_step(differ),
        weight_mismatch_steps=int(differ.sum()),
        hidden_weight_mismatch_steps=int((differ & log_agrees).sum()),
        maximum_weight_difference=float(weight_differences(trace, reference).max()),
        final_loss=trace.final_loss,
    )
