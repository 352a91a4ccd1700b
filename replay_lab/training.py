"""The train state, one step, and a run of many steps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .bits import Array
from .config import StudyConfig
from .dataset import Dataset
from .errors import DivergenceError
from .model import batch_gradient, full_loss, logged
from .optimizer import AdamState, adam_update, init_adam
from .random_streams import draw_indices, open_stream
from .reduction import FORWARD, ReductionOrder
from .trace import StepRecord, Trace, stack_records


class TrainState(NamedTuple):
    """Everything that a replay needs.

    Attributes
    ----------
    step : int
        Completed updates; 0 before any.
    weights : ndarray of shape (features,), float32
    optimizer : AdamState
    sampler : ndarray of shape (6,), uint64
        State of the stream that draws the batches.
    """

    step: int
    weights: NDArray[np.float32]
    optimizer: AdamState
    sampler: NDArray[np.uint64]

    def arrays(self) -> dict[str, Array]:
        """Return the state as named arrays, the form that is saved and hashed."""
        return {
            "step": np.array(self.step, dtype="<i8"),
            "weights": self.weights,
            "first_moment": self.optimizer.first_moment,
            "second_moment": self.optimizer.second_moment,
            "beta1_power": np.asarray(self.optimizer.beta1_power),
            "beta2_power": np.asarray(self.optimizer.beta2_power),
            "sampler": self.sampler,
        }

    @classmethod
    def from_arrays(cls, arrays: dict[str, Array]) -> TrainState:
        """Rebuild the state from what `arrays` returned."""
        return cls(
            step=int(arrays["step"]),
            weights=arrays["weights"],
            optimizer=AdamState(
                arrays["first_moment"],
                arrays["second_moment"],
                np.float32(arrays["beta1_power"]),
                np.float32(arrays["beta2_power"]),
            ),
            sampler=arrays["sampler"],
        )


def init_state(config: StudyConfig) -> TrainState:
    """Return the state before step 1: zero weights, zero moments, fresh sampler.

    Zero weights make a one-ulp change of the first gradient visible at step 1.
    """
    return TrainState(
        step=0,
        weights=np.zeros(config.features, dtype=np.float32),
        optimizer=init_adam(config.features),
        sampler=open_stream(config.seed, "sampler"),
    )


def train_step(
    state: TrainState, dataset: Dataset, config: StudyConfig, order: ReductionOrder
) -> tuple[TrainState, StepRecord]:
    """Take one step: log the loss, draw a batch, reduce its gradient, update.

    Parameters
    ----------
    state : TrainState
    dataset : Dataset
    config : StudyConfig
    order : ReductionOrder
        In which order the shards' partial sums are added.

    Returns
    -------
    TrainState, StepRecord
        The state after the update, and what was seen on the way. The loss in
        the record is that of the weights *before* the update.
    """
    loss = full_loss(dataset, state.weights)
    sampler, data_ids = draw_indices(state.sampler, config.batch_size, config.samples)
    gradient = batch_gradient(
        dataset.features[data_ids],
        dataset.targets[data_ids],
        state.weights,
        config.shards,
        order,
    )
    optimizer, weights = adam_update(state.optimizer, state.weights, gradient, config)
    record = StepRecord(
        data_ids=data_ids,
        loss=loss,
        logged_loss=logged(loss, config.logged_digits),
        gradient=gradient,
        first_moment=optimizer.first_moment,
        second_moment=optimizer.second_moment,
        beta1_power=optimizer.beta1_power,
        beta2_power=optimizer.beta2_power,
        sampler=sampler,
        weights=weights,
    )
    return TrainState(state.step + 1, weights, optimizer, sampler), record


def train(
    state: TrainState,
    until: int,
    dataset: Dataset,
    config: StudyConfig,
    order: ReductionOrder = FORWARD,
) -> tuple[TrainState, list[StepRecord]]:
    """Train from `state` up to and including step `until`."""
    records = []
    while state.step < until:
        state, record = train_step(state, dataset, config, order)
        records.append(record)
    return state, records


def finish(state: TrainState, records: list[StepRecord], dataset: Dataset) -> Trace:
    """Turn the records of a whole run into its trace.

    Raises
    ------
    DivergenceError
        When a weight is not finite: the bits of a NaN depend on the processor.
    """
    trace = stack_records(records, final_loss=full_loss(dataset, state.weights))
    bad = ~np.isfinite(trace.weights).all(axis=1)
    if bad.any():
        raise DivergenceError(
            f"weights are not finite from step {int(bad.argmax()) + 1} on; "
            "choose a smaller learning_rate or a larger epsilon"
        )
    return trace
