"""The training once more, as a loop over single float32 numbers that shares no code."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from replay_lab.config import StudyConfig
from replay_lab.dataset import make_dataset
from replay_lab.scenarios import run_reference

f = np.float32


def words_of(seed: int, key: int) -> Any:
    """Raw words of PCG64, one after the other."""
    generator = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(key,)))
    while True:
        yield int(generator.random_raw())


def scalar_data(config: StudyConfig) -> tuple[Any, Any]:
    words = words_of(config.seed, 0)

    def near_normal() -> Any:
        word = next(words)
        lanes = [word >> shift & 0xFFFF for shift in (0, 16, 32, 48)]
        return f(f(sum(lanes) - 131070) * f(math.sqrt(3) / 65536))

    x = [[near_normal() for _ in range(config.features)] for _ in range(config.samples)]
    true = [f(near_normal() * f(config.weight_scale)) for _ in range(config.features)]
    noise = [f(near_normal() * f(config.noise)) for _ in range(config.samples)]
    return x, [f(dot(row, true) + e) for row, e in zip(x, noise)]


def dot(row: Any, weights: Any) -> Any:
    total = f(row[0] * weights[0])
    for a, b in zip(row[1:], weights[1:]):
        total = f(total + f(a * b))
    return total


def add(terms: Any) -> Any:
    total = terms[0]
    for term in terms[1:]:
        total = f(total + term)
    return total


def scalar_loss(x: Any, y: Any, weights: Any) -> float:
    squares = []
    for row, target in zip(x, y):
        prediction = float(row[0]) * float(weights[0])
        for a, b in zip(row[1:], weights[1:]):
            prediction += float(a) * float(b)
        squares.append((prediction - float(target)) ** 2)
    return 0.5 * math.fsum(squares) / len(squares)


def scalar_training(config: StudyConfig) -> tuple[list[list[float]], list[float]]:
    """Weights after and loss before each step."""
    x, y = scalar_data(config)
    words = words_of(config.seed, 1)
    n = config.features
    w, m, v = [f(0)] * n, [f(0)] * n, [f(0)] * n
    p1, p2, b1, b2 = f(1), f(1), f(config.beta1), f(config.beta2)
    size = config.batch_size // config.shards
    weights, losses = [], []
    for _ in range(config.steps):
        losses.append(scalar_loss(x, y, w))
        ids = [(next(words) >> 32) * config.samples >> 32 for _ in range(config.batch_size)]
        residuals = [f(dot(x[i], w) - y[i]) for i in ids]
        p1, p2 = f(p1 * b1), f(p2 * b2)
        moved = []
        for k in range(n):
            terms = [f(x[i][k] * r) for i, r in zip(ids, residuals)]
            shards = [add(terms[s : s + size]) for s in range(0, len(terms), size)]
            g = f(add(shards) * f(1 / config.batch_size))
            m[k] = f(f(b1 * m[k]) + f(f(f(1) - b1) * g))
            v[k] = f(f(b2 * v[k]) + f(f(f(1) - b2) * f(g * g)))
            move = f(f(m[k] / f(f(1) - p1)) / f(np.sqrt(f(v[k] / f(f(1) - p2))) + f(config.epsilon)))
            moved.append(f(w[k] - f(f(config.learning_rate) * move)))
        w = moved
        weights.append([float(number) for number in w])
    return weights, losses


@pytest.mark.parametrize(
    "config",
    [
        StudyConfig(steps=4, checkpoint_step=1, samples=40),
        StudyConfig(steps=60, samples=9, features=2, batch_size=6, shards=3, seed=5),
        replace(StudyConfig(steps=5, checkpoint_step=1, samples=20), batch_size=2, shards=1),
        StudyConfig(
            steps=8, checkpoint_step=1, samples=7, features=3, batch_size=1, shards=1, noise=0.0
        ),
    ],
    ids=["many features", "many steps", "one shard", "one row"],
)
def test_weights_and_losses_equal_the_scalar_loop_bit_for_bit(config: StudyConfig) -> None:
    weights, losses = scalar_training(config)
    trace = run_reference(make_dataset(config), config)
    assert trace.weights.astype(float).tolist() == weights
    assert trace.loss.tolist() == losses
