"""Other ways to take the same gradient: regrouped, fused, or subtly wrong."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .model import ONE, Batch, mean_gradient, row_gradients, shard_sums
from .random_streams import draw_words, open_stream
from .recipe import GradientRule
from .reduction import FORWARD, ReductionOrder, sum_first_to_last, sum_tree


def world_of(ranks: int, accumulation: int = 1, *, order: ReductionOrder = FORWARD) -> GradientRule:
    """Split the batch over `ranks`, each adding `accumulation` micro-batches.

    Parameters
    ----------
    ranks, accumulation : int
        Micro-batch ``a`` of rank ``r`` holds the rows of group
        ``r * accumulation + a``. A batch that cannot be cut so stays whole.

    Returns
    -------
    callable
        Each rank adds its micro-batches first to last; ranks are combined in
        `order`. ``world_of(1, 4)`` and ``world_of(4, 1)`` form the same groups
        and add them in the same order; ``world_of(4, 2)`` is another grouping.
    """

    def gradient(batch: Batch) -> NDArray[np.float32]:
        size = batch.targets.size
        groups = ranks * accumulation if size % (ranks * accumulation) == 0 else 1
        per_group = shard_sums(row_gradients(batch), groups)
        by_rank = per_group.reshape(groups // min(accumulation, groups), -1, batch.weights.size)
        partial_sums = sum_first_to_last(np.ascontiguousarray(by_rank.transpose(1, 0, 2)))
        return mean_gradient(order.combine(partial_sums, batch.step), batch)

    return gradient


def ring(batch: Batch) -> NDArray[np.float32]:
    """Combine the shards as a ring all-reduce does: every chunk starts elsewhere.

    The features are cut into as many chunks as there are ranks; chunk c is
    added in the order of ranks c + 1, c + 2, ..., c.
    """
    partial_sums = shard_sums(row_gradients(batch), batch.shards)
    total = np.empty_like(batch.weights)
    for rank in range(batch.shards):
        chunk = slice(
            rank * batch.weights.size // batch.shards,
            (rank + 1) * batch.weights.size // batch.shards,
        )
        if chunk.start < chunk.stop:
            started = np.roll(partial_sums[:, chunk], -rank - 1, axis=0)
            total[chunk] = sum_first_to_last(started)
    return mean_gradient(total, batch)


def arrival_order(arrival_seed: int) -> ReductionOrder:
    """Combine the shards in the order in which they happen to arrive.

    Parameters
    ----------
    arrival_seed : int
        Stands for the timing of the network. It is not the training seed:
        no seed of the training program controls who arrives first.
    """

    def combine(partial_sums: NDArray[np.float32], step: int) -> NDArray[np.float32]:
        return sum_first_to_last(partial_sums[_arrivals(arrival_seed, step, len(partial_sums))])

    return ReductionOrder(name=f"as the shards arrive, timing {arrival_seed}", combine=combine)


def stored_by_rank(arrival_seed: int) -> ReductionOrder:
    """Receive the shards in any order, store each by its rank, add along a tree."""

    def combine(partial_sums: NDArray[np.float32], step: int) -> NDArray[np.float32]:
        arrivals = _arrivals(arrival_seed, step, len(partial_sums))
        slots = np.empty_like(partial_sums)
        for rank, received in zip(arrivals, partial_sums[arrivals]):
            slots[rank] = received
        return sum_tree(slots)

    return ReductionOrder(name=f"tree over ranks, timing {arrival_seed}", combine=combine)


def _arrivals(arrival_seed: int, step: int, shards: int) -> NDArray[np.intp]:
    """Return the ranks in the order in which they arrive at this step."""
    _, times = draw_words(open_stream(arrival_seed, "arrival", step), shards)
    return np.argsort(times, kind="stable")


def split_k(batch: Batch) -> NDArray[np.float32]:
    """Predict with the features cut into two halves that are added at the end.

    A split-K matrix product: two partial sums over the inner dimension.
    """
    products = np.ascontiguousarray((batch.features * batch.weights).T)
    half = products.shape[0] // 2
    predictions = sum_first_to_last(products[:half]) + sum_first_to_last(products[half:])
    return _from_predictions(batch, predictions)


def fused(batch: Batch) -> NDArray[np.float32]:
    """Predict with fused multiply-adds, emulated in float64.

    Notes
    -----
    ``fma(a, b, c)`` rounds ``a * b + c`` once. Here the product of two float32
    is exact in float64, the sum is rounded to float64 and then to float32: an
    emulation that can differ from the instruction where both roundings meet a
    tie.
    """
    features, weights = batch.features.astype(np.float64), batch.weights.astype(np.float64)
    predictions = np.zeros(batch.targets.size, dtype=np.float32)
    for column in range(weights.size):
        wide = features[:, column] * weights[column] + predictions
        predictions = wide.astype(np.float32)
    return _from_predictions(batch, predictions)


def mean_of_uneven_means(batch: Batch) -> NDArray[np.float32]:
    """Average the means of micro-batches of unequal size, as if they were equal.

    The batch is cut after three eighths and after six eighths. The rows of the
    short last micro-batch count for more: a wrong gradient, not a rounding.
    """
    size = batch.targets.size
    per_row = row_gradients(batch)
    cuts = sorted({0, 3 * size // 8, 6 * size // 8, size})
    means = [
        sum_first_to_last(per_row[start:stop]) * np.float32(1 / (stop - start))
        for start, stop in zip(cuts, cuts[1:])
    ]
    total = sum_first_to_last(np.stack(means)) * np.float32(1 / len(means))
    return np.asarray(total * (ONE / batch.scale))


def _from_predictions(batch: Batch, predictions: NDArray[np.float32]) -> NDArray[np.float32]:
    residuals = (predictions - batch.targets) * batch.scale
    per_row = batch.features * residuals[:, np.newaxis]
    partial_sums = shard_sums(per_row, batch.shards)
    return mean_gradient(FORWARD.combine(partial_sums, batch.step), batch)
