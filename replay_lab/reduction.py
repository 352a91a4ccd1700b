"""Sums in a stated order.

Float addition is not associative, so the order is part of the result. All
sums of the lab that can round go through this module.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .bits import Array


def sum_first_to_last(terms: Array) -> Array:
    """Add along the first axis, strictly first to last.

    Parameters
    ----------
    terms : ndarray of shape (count, ...), float32 or float64
        C-contiguous, count >= 1.

    Returns
    -------
    ndarray of shape (...)
        ``(((terms[0] + terms[1]) + terms[2]) + ...)`` in the dtype of `terms`.

    Notes
    -----
    numpy reduces an *outer* axis row by row, which is this order; along an
    inner axis it adds pairwise, in an order that is an implementation detail.
    A single trailing element makes the outer axis an inner one, so that case
    uses ``cumsum``, which is sequential by definition. numpy would start from
    +0.0 and lose the sign of a sum of negative zeros; -0.0 + x is x, bit for bit.
    """
    terms = np.ascontiguousarray(terms)
    if terms[0].size == 1:
        return np.asarray(np.cumsum(terms, axis=0, dtype=terms.dtype)[-1])
    return np.asarray(np.add.reduce(terms, axis=0, initial=terms.dtype.type(-0.0)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReductionOrder:
    """How the partial sums of the shards are combined into one gradient.

    Attributes
    ----------
    name : str
        Shown to the reader.
    combine : callable
        From partial sums, float32 of shape (shards, features), and the number
        of the step they belong to, to their sum, float32 of shape (features,).
    """

    name: str
    combine: Callable[[Array, int], Array]


FORWARD = ReductionOrder(
    name="first shard to last",
    combine=lambda partial_sums, step: sum_first_to_last(partial_sums),
)

REVERSED = ReductionOrder(
    name="last shard to first",
    combine=lambda partial_sums, step: sum_first_to_last(partial_sums[::-1]),
)


def sum_wide(terms: Array) -> Array:
    """Add float32 terms in a float64 accumulator, first to last; round once."""
    return sum_first_to_last(terms.astype(np.float64)).astype(np.float32)


def sum_tree(terms: Array) -> Array:
    """Add neighbours pairwise, then the sums pairwise, until one is left."""
    level = list(terms)
    while len(level) > 1:
        pairs = [level[i] + level[i + 1] for i in range(0, len(level) - 1, 2)]
        level = pairs + level[2 * len(pairs) :]
    return np.asarray(level[0])


def sum_kahan(terms: Array) -> Array:
    """Add float32 terms first to last with Kahan's compensation.

    References
    ----------
    W. Kahan: Further remarks on reducing truncation errors, 1965.
    """
    total, lost = terms[0], np.zeros_like(terms[0])
    for term in terms[1:]:
        corrected = term - lost
        new_total = total + corrected
        lost = (new_total - total) - corrected
        total = new_total
    return np.asarray(total)


def sum_neumaier(terms: Array) -> Array:
    """Add float32 terms with Neumaier's improvement of Kahan's sum.

    The correction is taken from whichever operand is smaller, and added once
    at the end.

    References
    ----------
    A. Neumaier: Rundungsfehleranalyse einiger Verfahren zur Summation endlicher
    Summen, 1974.
    """
    total, correction = terms[0], np.zeros_like(terms[0])
    for term in terms[1:]:
        new_total = total + term
        correction = correction + np.where(
            np.abs(total) >= np.abs(term),
            (total - new_total) + term,
            (term - new_total) + total,
        )
        total = new_total
    return np.asarray(total + correction)


def order_of(name: str, add: Callable[[Array], Array], *, reverse: bool = False) -> ReductionOrder:
    """Make an order from a summation, over the shards as they are or reversed."""
    if reverse:
        return ReductionOrder(name=name, combine=lambda parts, step: add(parts[::-1]))
    return ReductionOrder(name=name, combine=lambda parts, step: add(parts))
