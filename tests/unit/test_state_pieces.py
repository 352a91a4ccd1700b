"""Optional training state: each piece alone, and absent by default."""

from __future__ import annotations

import numpy as np
import pytest

from replay_lab.checkpoint import load_checkpoint, save_checkpoint
from replay_lab.config import StudyConfig
from replay_lab.dataset import make_dataset
from replay_lab.recipe import PLAIN, Recipe, StatePiece
from replay_lab.state_pieces import (
    ConstantSchedule,
    FrozenParameter,
    LearningRateSchedule,
    LossScaler,
    MovingAverage,
    RankDropout,
)
from replay_lab.training import init_state, train

CONFIG = StudyConfig(
    steps=40, checkpoint_step=20, samples=32, features=4, batch_size=8, shards=4
)
PIECES = (
    LearningRateSchedule(),
    ConstantSchedule(),
    MovingAverage(),
    LossScaler(),
    FrozenParameter(),
    RankDropout(),
)


def weights_with(*pieces: StatePiece, steps: int = 20) -> bytes:
    """The weights after some steps of a recipe with these pieces."""
    recipe = Recipe(pieces=pieces)
    state, _ = train(init_state(CONFIG, recipe), steps, make_dataset(CONFIG), CONFIG, recipe)
    return state.weights.tobytes()


def test_the_plain_recipe_has_no_extra_state() -> None:
    assert dict(init_state(CONFIG, PLAIN).extras) == {}


@pytest.mark.parametrize("piece", PIECES, ids=repr)
def test_a_checkpoint_carries_the_state_of_a_piece(piece: StatePiece) -> None:
    recipe = Recipe(pieces=(piece,))
    state, _ = train(init_state(CONFIG, recipe), 3, make_dataset(CONFIG), CONFIG, recipe)
    loaded = load_checkpoint(save_checkpoint(state), init_state(CONFIG, recipe))
    assert set(loaded.extras) == set(piece.init(CONFIG)) != set()
    for name, array in state.extras.items():
        assert loaded.extras[name].tobytes() == array.tobytes()


@pytest.mark.parametrize("piece", PIECES, ids=repr)
def test_a_piece_does_not_write_into_the_state_it_is_given(piece: StatePiece) -> None:
    recipe = Recipe(pieces=(piece,))
    start = init_state(CONFIG, recipe)
    before = {name: array.tobytes() for name, array in start.extras.items()}
    train(start, 5, make_dataset(CONFIG), CONFIG, recipe)
    assert {name: array.tobytes() for name, array in start.extras.items()} == before


@pytest.mark.parametrize("piece", [ConstantSchedule(), MovingAverage(), FrozenParameter()], ids=repr)
def test_a_piece_that_only_watches_leaves_the_weights_alone(piece: StatePiece) -> None:
    assert weights_with(piece) == weights_with()


def test_a_power_of_two_loss_scale_leaves_no_trace_and_another_factor_does() -> None:
    config = StudyConfig()
    first = {}
    for scale in (1.0, 1024.0, 3.0):
        recipe = Recipe(pieces=(LossScaler(initial=scale),))
        _, (record,) = train(init_state(config, recipe), 1, make_dataset(config), config, recipe)
        first[scale] = record.gradient.tobytes()
    assert first[1024.0] == first[1.0] != first[3.0]


def test_a_loss_scale_doubles_after_its_interval() -> None:
    recipe = Recipe(pieces=(LossScaler(initial=4.0, interval=3),))
    state, _ = train(init_state(CONFIG, recipe), 7, make_dataset(CONFIG), CONFIG, recipe)
    assert (float(state.extras["loss_scale"]), int(state.extras["good_steps"])) == (16.0, 1)


def test_a_schedule_warms_up_and_decays_to_a_tenth() -> None:
    recipe = Recipe(pieces=(LearningRateSchedule(warmup=4, decay=10),))
    _, records = train(init_state(CONFIG, recipe), 40, make_dataset(CONFIG), CONFIG, recipe)
    rates = [float(record.extras["learning_rate"]) / CONFIG.learning_rate for record in records]
    assert rates[:4] == pytest.approx([0.25, 0.5, 0.75, 1.0])  # float32 rate, decimal setting
    assert rates[4] == pytest.approx(0.9)
    assert rates[-1] == pytest.approx(0.1)


def test_a_moving_average_of_one_step_is_its_share_of_the_weights() -> None:
    recipe = Recipe(pieces=(MovingAverage(decay=0.75),))
    state, _ = train(init_state(CONFIG, recipe), 1, make_dataset(CONFIG), CONFIG, recipe)
    expected = np.float32(0.75) * np.zeros(4, np.float32) + np.float32(0.25) * state.weights
    assert state.extras["weight_average"].tobytes() == expected.tobytes()


def test_ranks_drop_different_entries_and_double_what_they_keep() -> None:
    piece = RankDropout()
    features = np.ones((8, 4), dtype=np.float32)
    extras, dropped = piece.on_batch(piece.init(CONFIG), features)
    assert set(np.unique(dropped)) == {0.0, 2.0}
    by_rank = dropped.reshape(CONFIG.shards, -1)
    assert len({row.tobytes() for row in by_rank}) == CONFIG.shards
    _, again = piece.on_batch(extras, features)
    assert again.tobytes() != dropped.tobytes()
