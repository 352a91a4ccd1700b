"""The linear model: prediction, sharded gradient and loss.

Only operations whose result IEEE 754 fixes are used: elementwise arithmetic
and sums in a stated order. ``@``, ``dot`` and ``mean`` are not among them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .reduction import ReductionOrder, sum_first_to_last

if TYPE_CHECKING:
    from .dataset import Dataset


ONE = np.float32(1)


class Batch(NamedTuple):
    """What the gradient of one step is taken of.

    Attributes
    ----------
    features : ndarray of shape (batch_size, features), float32
        With `shards` ranks, rank ``s`` holds rows ``s * rows`` to
        ``(s + 1) * rows - 1``.
    targets : ndarray of shape (batch_size,), float32
    weights : ndarray of shape (features,), float32
    shards : int
        Divides the batch size.
    step : int
        The step being taken, 1 for the first.
    scale : float32
        Loss scale, a power of two.
    """

    features: NDArray[np.float32]
    targets: NDArray[np.float32]
    weights: NDArray[np.float32]
    shards: int
    step: int
    scale: np.float32 = ONE


def predict(features: NDArray[np.float32], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return ``features @ weights`` in float32, features added first to last.

    Parameters
    ----------
    features : ndarray of shape (rows, features), float32
    weights : ndarray of shape (features,), float32

    Returns
    -------
    ndarray of shape (rows,), float32
    """
    return sum_first_to_last(np.ascontiguousarray((features * weights).T))


def shard_sums(per_row: NDArray[np.float32], shards: int) -> NDArray[np.float32]:
    """Add per-row gradients inside each shard, rows first to last.

    Parameters
    ----------
    per_row : ndarray of shape (batch_size, features), float32
    shards : int
        Divides the batch size.

    Returns
    -------
    ndarray of shape (shards, features), float32
    """
    by_shard = per_row.reshape(shards, -1, per_row.shape[1])
    return sum_first_to_last(np.ascontiguousarray(by_shard.transpose(1, 0, 2)))


def row_gradients(batch: Batch) -> NDArray[np.float32]:
    """Return ``scale * (x_i . w - y_i) x_i`` for every row of the batch."""
    residuals = (predict(batch.features, batch.weights) - batch.targets) * batch.scale
    return np.asarray(batch.features * residuals[:, np.newaxis])


def mean_gradient(total: NDArray[np.float32], batch: Batch) -> NDArray[np.float32]:
    """Divide a sum over the batch by its size and its loss scale."""
    return np.asarray(total * np.float32(1 / batch.targets.size) * (ONE / batch.scale))


def batch_gradient(batch: Batch, order: ReductionOrder) -> NDArray[np.float32]:
    """Return the gradient of half the mean squared error of one batch.

    Notes
    -----
    ``g = (1 / B) * sum_s sum_{i in s} (x_i . w - y_i) x_i``: the inner sums
    run first to last inside a shard, the outer one in `order`, and the factor
    is one float32 multiplication.
    """
    partial_sums = shard_sums(row_gradients(batch), batch.shards)
    return mean_gradient(order.combine(partial_sums, batch.step), batch)


def full_loss(dataset: Dataset, weights: NDArray[np.float32]) -> float:
    """Return half the mean squared error over all samples, in float64.

    Notes
    -----
    ``math.fsum`` rounds the sum over samples once, so the loss does not
    depend on their order; the sum over features is first to last in float64.
    """
    wide = weights.astype(np.float64)
    predictions = sum_first_to_last(dataset.wide_columns * wide[:, np.newaxis])
    residuals = predictions - dataset.wide_targets
    return 0.5 * math.fsum((residuals * residuals).tolist()) / residuals.size


def logged(loss: float, digits: int) -> float:
    """Round a loss as the log shows it: to `digits` decimals, half to even.

    The rule is applied to the exact binary value and gives a number, never a
    formatted text.
    """
    return round(loss, digits)
