"""Adam against an independent loop over float32 scalars."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from replay_lab.bits import digest
from replay_lab.config import StudyConfig
from replay_lab.optimizer import AdamState, adam_update, init_adam

CONFIG = StudyConfig()
GRADIENTS = (np.random.PCG64(1).random_raw(60).astype(np.int64) >> 40).astype(
    np.float32
).reshape(20, 3) / np.float32(2**22)  # fmt: skip


def scalar_adam(gradients: Any, config: StudyConfig) -> list[float]:
    """Train each weight by itself, one rounded operation at a time."""
    f = np.float32
    weights = []
    for column in gradients.T:
        w, m, v, p1, p2 = f(0), f(0), f(0), f(1), f(1)
        b1, b2 = f(config.beta1), f(config.beta2)
        for g in column:
            m = f(f(b1 * m) + f(f(f(1) - b1) * g))
            v = f(f(b2 * v) + f(f(f(1) - b2) * f(g * g)))
            p1, p2 = f(p1 * b1), f(p2 * b2)
            root = np.sqrt(f(v / f(f(1) - p2)))
            move = f(f(m / f(f(1) - p1)) / f(root + f(config.epsilon)))
            w = f(w - f(f(config.learning_rate) * move))
        weights.append(float(w))
    return weights


def run(gradients: Any, config: StudyConfig = CONFIG) -> tuple[AdamState, Any]:
    state, weights = init_adam(gradients.shape[1]), np.zeros(gradients.shape[1], np.float32)
    for gradient in gradients:
        state, weights = adam_update(state, weights, gradient, config)
    return state, weights


@pytest.mark.parametrize(
    "change",
    [{}, {"beta1": 0.0}, {"beta1": 0.5, "beta2": 0.5}, {"epsilon": 0.1}, {"learning_rate": 1e-6}],
    ids=str,
)
def test_twenty_steps_equal_the_scalar_loop(change: dict[str, float]) -> None:
    config = replace(CONFIG, **change)
    assert run(GRADIENTS, config)[1].tolist() == scalar_adam(GRADIENTS, config)


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_the_first_step_is_one_learning_rate_whatever_the_gradient(size: float) -> None:
    gradient = np.array([[size, -size]], dtype=np.float32)
    moved = run(gradient)[1]
    # Relative to |g| the epsilon is at most 1e-5; a few float32 roundings come on top.
    assert np.abs(moved / np.float32(CONFIG.learning_rate) + np.sign(gradient[0])).max() < 2e-5


def test_a_zero_gradient_moves_nothing() -> None:
    assert not run(np.zeros((3, 2), dtype=np.float32))[1].any()


def test_everything_stays_float32() -> None:
    state, weights = run(GRADIENTS)
    assert {np.asarray(value).dtype for value in (*state, weights)} == {np.dtype(np.float32)}


def test_the_beta_powers_are_running_float32_products() -> None:
    state, _ = run(GRADIENTS)
    power = np.float32(1)
    for _ in range(20):
        power = power * np.float32(0.999)
    assert state.beta2_power == power
    assert power != np.float32(0.999**20)


def test_the_given_state_is_not_written_to() -> None:
    state, weights = run(GRADIENTS)
    before = digest({**state._asdict(), "weights": weights})
    adam_update(state, weights, GRADIENTS[0], CONFIG)
    assert digest({**state._asdict(), "weights": weights}) == before


@pytest.mark.parametrize("name", AdamState._fields)
def test_every_entry_of_the_state_matters_for_the_next_weights(name: str) -> None:
    state, weights = run(GRADIENTS[:3])
    lost = state._replace(**{name: getattr(init_adam(3), name)})
    kept = adam_update(state, weights, GRADIENTS[3], CONFIG).weights
    assert adam_update(lost, weights, GRADIENTS[3], CONFIG).weights.tolist() != kept.tolist()
