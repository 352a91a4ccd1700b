"""The published scenarios: one table, and the function that runs an entry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from .checkpoint import load_checkpoint, save_checkpoint
from .config import StudyConfig
from .dataset import Dataset
from .optimizer import init_adam
from .reduction import FORWARD, REVERSED, ReductionOrder
from .trace import Trace
from .training import TrainState, finish, init_state, train

StateEdit = Callable[[TrainState, StudyConfig], TrainState]


def keep(state: TrainState, config: StudyConfig) -> TrainState:
    """Change nothing: a faithful restore."""
    return state


def reset_optimizer(state: TrainState, config: StudyConfig) -> TrainState:
    """Lose the optimizer state: moments to zero, beta powers to one."""
    return state._replace(optimizer=init_adam(config.features))


def reset_sampler(state: TrainState, config: StudyConfig) -> TrainState:
    """Lose the sampler state: its stream starts again from the seed."""
    return state._replace(sampler=init_state(config).sampler)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One way to run the study's training, compared with the reference run.

    Attributes
    ----------
    name : str
        The published name.
    explanation : str
        What is changed, in one sentence.
    order : ReductionOrder
        In which order partial sums are added, at every step.
    after_restore : callable or None
        With None the run is not interrupted. Otherwise it is saved at the
        checkpoint step, loaded into a fresh template, passed through this
        function, and continued.
    """

    name: str
    explanation: str
    order: ReductionOrder = FORWARD
    after_restore: StateEdit | None = None


class ScenarioRun(NamedTuple):
    """A finished scenario.

    Attributes
    ----------
    trace : Trace
    checkpoint : bytes or None
        What was saved at the checkpoint step, if the run was interrupted.
    restored : TrainState or None
        The state right after the restore, before any further step.
    """

    trace: Trace
    checkpoint: bytes | None = None
    restored: TrainState | None = None


RERUN = "Same seed + full state"
FULL_RESTORE = "Full checkpoint"
REVERSED_REDUCTION = "Reversed reduction"
OPTIMIZER_RESET = "Optimizer reset"
SAMPLER_RESET = "Sampler RNG reset"

SCENARIOS = (
    Scenario(
        name=RERUN,
        explanation="The reference run once more, from the same seed.",
    ),
    Scenario(
        name=FULL_RESTORE,
        explanation="Saved at the checkpoint step, loaded, and continued with all state.",
        after_restore=keep,
    ),
    Scenario(
        name=REVERSED_REDUCTION,
        explanation="The shards' partial gradient sums are added last to first.",
        order=REVERSED,
    ),
    Scenario(
        name=OPTIMIZER_RESET,
        explanation="Restored without moments and beta powers.",
        after_restore=reset_optimizer,
    ),
    Scenario(
        name=SAMPLER_RESET,
        explanation="Restored with the sampler's stream back at its start.",
        after_restore=reset_sampler,
    ),
)


def run_reference(dataset: Dataset, config: StudyConfig) -> Trace:
    """Run the training once, uninterrupted: what everything is compared with."""
    state, records = train(init_state(config), config.steps, dataset, config)
    return finish(state, records, dataset)


def run_scenario(scenario: Scenario, dataset: Dataset, config: StudyConfig) -> ScenarioRun:
    """Run one scenario from step 1.

    An interrupted run passes its state through checkpoint bytes and nothing
    else: what the checkpoint does not hold, the continuation does not know.
    """
    state = init_state(config)
    if scenario.after_restore is None:
        state, records = train(state, config.steps, dataset, config, scenario.order)
        return ScenarioRun(finish(state, records, dataset))
    state, records = train(state, config.checkpoint_step, dataset, config, scenario.order)
    checkpoint = save_checkpoint(state)
    loaded = load_checkpoint(checkpoint, template=init_state(config))
    restored = scenario.after_restore(loaded, config)
    state, later = train(restored, config.steps, dataset, config, scenario.order)
    return ScenarioRun(finish(state, records + later, dataset), checkpoint, restored)
