"""Many runs side by side, on a batch axis, with the bits of one at a time.

Every elementwise operation acts on each run by itself, and every sum runs over
an axis that no two runs share; so a run's bits do not depend on its neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .bits import Array
from .config import StudyConfig
from .dataset import Dataset
from .model import logged
from .random_streams import draw_indices, open_stream
from .reduction import sum_first_to_last
from .trace import Trace


def train_together(
    configs: Sequence[StudyConfig],
    datasets: Sequence[Dataset],
    *,
    reverse: bool,
    with_loss: bool = True,
) -> list[Trace]:
    """Train studies of one size side by side.

    Parameters
    ----------
    configs : sequence of StudyConfig
        Equal in samples, features, steps, batch size and shards.
    datasets : sequence of Dataset
        One for each.
    reverse : bool
        Whether the shards' partial sums are added last to first.
    with_loss : bool
        Without it the losses are zero: what training alone costs.

    Returns
    -------
    list of Trace
        One for each, with the columns ``loss``, ``logged_loss`` and ``weights``.
    """
    first = configs[0]
    runs, steps = len(configs), first.steps
    features = np.stack([dataset.features for dataset in datasets])
    targets = np.stack([dataset.targets for dataset in datasets])
    data_ids = _draw_all(configs)
    adam = _Adam(configs)
    loss = _Losses(datasets) if with_loss else None
    weights = np.zeros((runs, first.features), dtype=np.float32)
    history = np.empty((steps, runs, first.features), dtype=np.float32)
    losses = np.zeros((steps + 1, runs))
    each = np.arange(runs)[:, np.newaxis]
    for step in range(steps):
        if loss is not None:
            losses[step] = loss.of(weights)
        ids = data_ids[step]
        gradient = _gradients(features[each, ids], targets[each, ids], weights, first, reverse)
        weights = adam.update(weights, gradient)
        history[step] = weights
    if loss is not None:
        losses[steps] = loss.of(weights)
    return [
        Trace(
            columns={
                "loss": losses[:steps, run].copy(),
                "logged_loss": np.array(
                    [logged(value, config.logged_digits) for value in losses[:steps, run].tolist()]
                )
                if with_loss
                else np.zeros(steps),
                "weights": history[:, run].copy(),
            },
            final_loss=float(losses[steps, run]),
        )
        for run, config in enumerate(configs)
    ]


def _gradients(
    features: NDArray[np.float32],
    targets: NDArray[np.float32],
    weights: NDArray[np.float32],
    config: StudyConfig,
    reverse: bool,
) -> NDArray[np.float32]:
    """The gradient of `model.batch_gradient`, for every run; shapes begin with the run."""
    products = features * weights[:, np.newaxis, :]
    predictions = sum_first_to_last(np.ascontiguousarray(products.transpose(2, 0, 1)))
    per_row = features * (predictions - targets)[..., np.newaxis]
    by_shard = per_row.reshape(len(weights), config.shards, -1, config.features)
    partial_sums = sum_first_to_last(np.ascontiguousarray(by_shard.transpose(2, 1, 0, 3)))
    total = sum_first_to_last(partial_sums[::-1] if reverse else partial_sums)
    return np.asarray(total * np.float32(1 / config.batch_size))


class _Adam:
    """`optimizer.adam_update` with one setting per run."""

    def __init__(self, configs: Sequence[StudyConfig]) -> None:
        shape = (len(configs), configs[0].features)
        self._rate, self._beta1, self._beta2, self._epsilon = (
            np.array([[getattr(config, name)] for config in configs], dtype=np.float32)
            for name in ("learning_rate", "beta1", "beta2", "epsilon")
        )
        self._first, self._second = np.zeros((2, *shape), dtype=np.float32)
        self._power1 = self._power2 = np.ones((len(configs), 1), dtype=np.float32)

    def update(self, weights: Array, gradient: Array) -> Array:
        """Take one step and return the new weights."""
        one = np.float32(1)
        self._first = self._beta1 * self._first + (one - self._beta1) * gradient
        self._second = self._beta2 * self._second + (one - self._beta2) * (gradient * gradient)
        self._power1 = self._power1 * self._beta1
        self._power2 = self._power2 * self._beta2
        direction = (self._first / (one - self._power1)) / (
            np.sqrt(self._second / (one - self._power2)) + self._epsilon
        )
        return np.asarray(weights - self._rate * direction)


class _Losses:
    """`model.full_loss` of every run."""

    def __init__(self, datasets: Sequence[Dataset]) -> None:
        columns = np.stack([dataset.wide_columns for dataset in datasets], axis=1)
        self._columns = np.ascontiguousarray(columns)
        self._targets = np.stack([dataset.wide_targets for dataset in datasets])

    def of(self, weights: NDArray[np.float32]) -> list[float]:
        """The losses of these weights, one per run."""
        wide = weights.astype(np.float64).T[:, :, np.newaxis]
        residuals = sum_first_to_last(self._columns * wide) - self._targets
        squares = (residuals * residuals).tolist()
        return [0.5 * math.fsum(row) / len(row) for row in squares]


def _draw_all(configs: Sequence[StudyConfig]) -> NDArray[np.int64]:
    """The rows of every step, shape (steps, runs, batch_size): one long draw per run."""
    draws = []
    for config in configs:
        stream = open_stream(config.seed, "sampler")
        ids = draw_indices(stream, config.steps * config.batch_size, config.samples).values
        draws.append(ids.reshape(config.steps, config.batch_size))
    return np.stack(draws, axis=1)
