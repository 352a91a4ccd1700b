"""Studies and states that several test files look at; each is made once."""

from __future__ import annotations

from functools import cache

from replay_lab.config import StudyConfig
from replay_lab.dataset import Dataset, make_dataset
from replay_lab.results import StudyResults
from replay_lab.scenarios import run_reference
from replay_lab.study import run_study
from replay_lab.trace import Trace
from replay_lab.training import TrainState, init_state, train

SMALL = StudyConfig(
    samples=12, features=3, steps=6, checkpoint_step=2, batch_size=4, shards=4, logged_digits=3
)


@cache
def default_results() -> StudyResults:
    """The default study, finished."""
    return run_study(StudyConfig())


@cache
def small_results() -> StudyResults:
    """A study of six steps and three weights."""
    return run_study(SMALL)


@cache
def small_dataset() -> Dataset:
    """The data of the small study."""
    return make_dataset(SMALL)


@cache
def small_reference() -> Trace:
    """The reference run of the small study."""
    return run_reference(small_dataset(), SMALL)


@cache
def small_state() -> TrainState:
    """The small study's state after its checkpoint step; no entry is trivial."""
    return train(init_state(SMALL), SMALL.checkpoint_step, small_dataset(), SMALL)[0]
