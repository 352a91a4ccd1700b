"""The published scenarios: one table, and the function that runs an entry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from .checkpoint import load_checkpoint, save_checkpoint
from .config import StudyConfig
from .dataset import Dataset
from .recipe import PLAIN, Recipe, sharded_gradient
from .reduction import REVERSED
from .trace import StepRecord, Trace
from .training import TrainState, finish, init_state, train, train_step


class Restore(NamedTuple):
    """What is known at a restore: the settings, and the states before it.

    Attributes
    ----------
    config : StudyConfig
    recipe : Recipe
    states : tuple of TrainState
        The states after steps 0, 1, ..., up to the one that was saved.
    go_on : callable
        Train a state some steps further, as if nothing had happened.
    """

    config: StudyConfig
    recipe: Recipe
    states: tuple[TrainState, ...]
    go_on: Callable[[TrainState, int], TrainState]


StateEdit = Callable[[TrainState, Restore], TrainState]


def keep(state: TrainState, restore: Restore) -> TrainState:
    """Change nothing: a faithful restore."""
    return state


def reset_optimizer(state: TrainState, restore: Restore) -> TrainState:
    """Lose the optimizer state: moments to zero, beta powers to one."""
    return state._replace(optimizer=restore.states[0].optimizer)


def reset_sampler(state: TrainState, restore: Restore) -> TrainState:
    """Lose the sampler state: its stream starts again from the seed."""
    return state._replace(sampler=restore.states[0].sampler)


def at_checkpoint_step(config: StudyConfig) -> tuple[int, ...]:
    """Restore once, after the configured step."""
    return (config.checkpoint_step,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One way to run the study's training, compared with the reference run.

    Attributes
    ----------
    name : str
        The published name.
    explanation : str
        What is changed, in one sentence.
    recipe : Recipe
        How every step is taken.
    after_restore : callable or None
        With None the run is not interrupted. Otherwise it is saved, loaded
        into a fresh template, passed through this function, and continued.
    restore_after : callable
        From the settings to the steps after which that happens, ascending.
    start : callable
        From settings and recipe to the state before step 1.
    is_fault : bool
        False where nothing is wrong and nothing may differ.
    """

    name: str
    explanation: str
    recipe: Recipe = PLAIN
    after_restore: StateEdit | None = None
    restore_after: Callable[[StudyConfig], tuple[int, ...]] = at_checkpoint_step
    start: Callable[[StudyConfig, Recipe], TrainState] = init_state
    is_fault: bool = True


class ScenarioRun(NamedTuple):
    """A finished scenario.

    Attributes
    ----------
    trace : Trace
    checkpoint : bytes or None
        What was saved last, if the run was interrupted.
    restored : TrainState or None
        The state right after that restore, before any further step.
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
        is_fault=False,
    ),
    Scenario(
        name=FULL_RESTORE,
        explanation="Saved at the checkpoint step, loaded, and continued with all state.",
        after_restore=keep,
        is_fault=False,
    ),
    Scenario(
        name=REVERSED_REDUCTION,
        explanation="The shards' partial gradient sums are added last to first.",
        recipe=Recipe(gradient=sharded_gradient(REVERSED)),
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


def run_reference(
    dataset: Dataset,
    config: StudyConfig,
    recipe: Recipe = PLAIN,
    start: Callable[[StudyConfig, Recipe], TrainState] = init_state,
) -> Trace:
    """Run the training once, uninterrupted: what everything is compared with."""
    state, records = train(start(config, recipe), config.steps, dataset, config, recipe)
    return finish(state, records, dataset)


def run_scenario(scenario: Scenario, dataset: Dataset, config: StudyConfig) -> ScenarioRun:
    """Run one scenario from step 1.

    An interrupted run passes its state through checkpoint bytes and nothing
    else: what the checkpoint does not hold, the continuation does not know.
    """
    recipe = scenario.recipe
    state = scenario.start(config, recipe)
    template = init_state(config, recipe)
    checkpoint = restored = None
    records: list[StepRecord] = []
    states = [state]

    def advance(until: int) -> None:
        nonlocal state
        while state.step < until:
            state, record = train_step(state, dataset, config, recipe)
            records.append(record)
            states.append(state)

    def go_on(start: TrainState, steps: int) -> TrainState:
        return train(start, start.step + steps, dataset, config, recipe)[0]

    if scenario.after_restore is not None:
        for step in scenario.restore_after(config):
            advance(step)
            checkpoint = save_checkpoint(state)
            loaded = load_checkpoint(checkpoint, template)
            restore = Restore(config, recipe, tuple(states), go_on)
            state = restored = scenario.after_restore(loaded, restore)
    advance(config.steps)
    return ScenarioRun(finish(state, records, dataset), checkpoint, restored)
