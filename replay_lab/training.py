"""The train state, one step, and a run of many steps."""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .bits import Array
from .config import StudyConfig
from .dataset import Dataset
from .errors import DivergenceError
from .model import Batch, full_loss, logged
from .optimizer import AdamState, adam_update, init_adam
from .random_streams import draw_indices, draw_words, open_stream
from .recipe import PLAIN, Extras, Recipe
from .trace import StepRecord, Trace, stack_records


NO_EXTRAS: Extras = MappingProxyType({})


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
    extras : mapping of str to ndarray
        State of the optional pieces of a recipe; empty in the published study.
    """

    step: int
    weights: NDArray[np.float32]
    optimizer: AdamState
    sampler: NDArray[np.uint64]
    extras: Extras = NO_EXTRAS

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
            **self.extras,
        }

    @classmethod
    def from_arrays(cls, arrays: dict[str, Array]) -> TrainState:
        """Rebuild the state from what `arrays` returned."""
        rest = dict(arrays)
        return cls(
            step=int(rest.pop("step")),
            weights=rest.pop("weights"),
            optimizer=AdamState(
                rest.pop("first_moment"),
                rest.pop("second_moment"),
                np.float32(rest.pop("beta1_power")),
                np.float32(rest.pop("beta2_power")),
            ),
            sampler=rest.pop("sampler"),
            extras=rest,
        )


def init_state(config: StudyConfig, recipe: Recipe = PLAIN) -> TrainState:
    """Return the state before step 1: zero weights, zero moments, fresh sampler.

    Zero weights make a one-ulp change of the first gradient visible at step 1.
    """
    return TrainState(
        step=0,
        weights=np.zeros(config.features, dtype=np.float32),
        optimizer=init_adam(config.features),
        sampler=open_stream(config.seed, "sampler"),
        extras=recipe.init_extras(config),
    )


def train_step(
    state: TrainState, dataset: Dataset, config: StudyConfig, recipe: Recipe = PLAIN
) -> tuple[TrainState, StepRecord]:
    """Take one step: log the loss, draw a batch, reduce its gradient, update.

    Parameters
    ----------
    state : TrainState
    dataset : Dataset
    config : StudyConfig
    recipe : Recipe
        How the gradient is taken and which optional pieces take part.

    Returns
    -------
    TrainState, StepRecord
        The state after the update, and what was seen on the way. The loss in
        the record is that of the weights *before* the update.
    """
    step = state.step + 1
    loss = full_loss(dataset, state.weights)
    sampler, _ = draw_words(state.sampler, recipe.draws_before_step(step))
    sampler, data_ids = draw_indices(sampler, config.batch_size, config.samples)
    extras, features = recipe.change_batch(state.extras, dataset.features[data_ids])
    gradient = recipe.gradient(
        Batch(
            features,
            dataset.targets[data_ids],
            state.weights,
            config.shards,
            step,
            recipe.loss_scale(extras),
        )
    )
    extras, rate = recipe.learning_rate(extras, config)
    optimizer, weights = adam_update(state.optimizer, state.weights, gradient, config, rate)
    extras = recipe.after_update(extras, weights)
    record = StepRecord(
        data_ids=data_ids,
        sampler=sampler,
        loss=loss,
        logged_loss=logged(loss, config.logged_digits),
        gradient=gradient,
        first_moment=optimizer.first_moment,
        second_moment=optimizer.second_moment,
        beta1_power=optimizer.beta1_power,
        beta2_power=optimizer.beta2_power,
        extras=extras,
        weights=weights,
    )
    return TrainState(step, weights, optimizer, sampler, extras), record


def train(
    state: TrainState,
    until: int,
    dataset: Dataset,
    config: StudyConfig,
    recipe: Recipe = PLAIN,
) -> tuple[TrainState, list[StepRecord]]:
    """Train from `state` up to and including step `until`."""
    records = []
    while state.step < until:
        state, record = train_step(state, dataset, config, recipe)
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
