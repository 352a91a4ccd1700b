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
        From partial sums, float32 of shape (shards, features), to their sum
        of shape (features,), float32.
    """

    name: str
    combine: Callable[[Array], Array]


FORWARD = ReductionOrder(name="first shard to last", combine=sum_first_to_last)

REVERSED = ReductionOrder(
    name="last shard to first",
    combine=lambda partial_sums: sum_first_to_last(partial_sums[::-1]),
)


def _combine_wide(partial_sums: Array) -> Array:
    return sum_first_to_last(partial_sums.astype(np.float64)).astype(np.float32)


WIDE = ReductionOrder(name="float64 accumulator, rounded once", combine=_combine_wide)

WIDE_REVERSED = ReductionOrder(
    name="float64 accumulator, last shard to first",
    combine=lambda partial_sums: _combine_wide(partial_sums[::-1]),
)
