"""Prediction, sharded gradient and loss."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from replay_lab.bits import digest
from replay_lab.config import StudyConfig
from replay_lab.dataset import make_dataset
from replay_lab.model import (
    Batch,
    batch_gradient,
    full_loss,
    logged,
    predict,
    row_gradients,
    shard_sums,
)
from replay_lab.reduction import FORWARD, REVERSED
from tests.study.runs import small_dataset

DATA = make_dataset(StudyConfig())
ROWS, TARGETS = DATA.features[:32], DATA.targets[:32]
WEIGHTS = np.linspace(-1, 1, 24, dtype=np.float32)


def batch(shards: int, scale: float = 1) -> Batch:
    return Batch(ROWS, TARGETS, WEIGHTS, shards, step=1, scale=np.float32(scale))


def same(a: Any, b: Any) -> bool:
    return digest({"array": np.asarray(a)}) == digest({"array": np.asarray(b)})


def scalar_prediction(row: Any, weights: Any) -> np.float32:
    """One prediction, one float32 operation at a time."""
    total = row[0] * weights[0]
    for x, w in zip(row[1:], weights[1:]):
        total = total + x * w
    return np.float32(total)


@pytest.mark.parametrize("rows", [1, 2, 32])
def test_a_prediction_adds_the_features_first_to_last(rows: int) -> None:
    expected = np.array([scalar_prediction(row, WEIGHTS) for row in ROWS[:rows]])
    assert same(predict(ROWS[:rows], WEIGHTS), expected)


@pytest.mark.parametrize("shards", [1, 2, 4, 8, 16, 32])
def test_a_shard_adds_its_own_rows_first_to_last(shards: int) -> None:
    residuals = predict(ROWS, WEIGHTS) - TARGETS
    expected = []
    for shard in np.split(np.arange(32), shards):
        total = ROWS[shard[0]] * residuals[shard[0]]
        for i in shard[1:]:
            total = total + ROWS[i] * residuals[i]
        expected.append(total)
    assert same(shard_sums(row_gradients(batch(shards)), shards), np.array(expected))


@pytest.mark.parametrize("order", [FORWARD, REVERSED], ids=lambda order: order.name)
@pytest.mark.parametrize("shards", [1, 4, 8, 32])
def test_the_gradient_is_near_the_one_in_float64(shards: int, order: Any) -> None:
    gradient = batch_gradient(batch(shards), order)
    wide = ROWS.astype(float)
    residuals = wide @ WEIGHTS.astype(float) - TARGETS
    exact = wide.T @ residuals / 32
    # Each of 24 + 32 additions and some products rounds, relative to the absolute terms.
    size = np.abs(wide).T @ (np.abs(wide) @ np.abs(WEIGHTS) + np.abs(TARGETS)) / 32
    assert (np.abs(gradient - exact) <= 64 * 2.0**-24 * size).all()


def test_the_gradient_is_the_slope_of_the_loss() -> None:
    data = small_dataset()
    weights = np.array([0.5, -0.25, 0.125], dtype=np.float32)
    gradient = batch_gradient(Batch(data.features, data.targets, weights, 1, step=1), FORWARD)
    step = np.float32(2.0**-10)
    for k in range(3):
        there, back = weights.copy(), weights.copy()
        there[k] += step
        back[k] -= step
        slope = (full_loss(data, there) - full_loss(data, back)) / (2 * float(step))
        assert slope == pytest.approx(float(gradient[k]), rel=1e-4, abs=1e-6)


def test_the_gradient_is_float32() -> None:
    assert batch_gradient(batch(8), FORWARD).dtype == np.float32


def test_the_shard_order_changes_bits_of_the_gradient() -> None:
    forward = batch_gradient(batch(8), FORWARD)
    backward = batch_gradient(batch(8), REVERSED)
    assert not same(forward, backward)


@pytest.mark.parametrize("scale", [2.0**-10, 2.0, 1024.0, 65536.0])
def test_a_power_of_two_loss_scale_leaves_no_trace_in_the_gradient(scale: float) -> None:
    scaled = batch_gradient(batch(8, scale), FORWARD)
    assert same(scaled, batch_gradient(batch(8), FORWARD))


def test_a_loss_scale_that_is_no_power_of_two_would_leave_one() -> None:
    scaled = batch_gradient(batch(8, 3), FORWARD)
    assert not same(scaled, batch_gradient(batch(8), FORWARD))


# --- Loss ----------------------------------------------------------------------------


def test_the_loss_is_half_the_mean_square() -> None:
    data = small_dataset()
    zero = np.zeros(3, dtype=np.float32)
    exact = math.fsum((data.wide_targets**2).tolist()) / 24
    assert full_loss(data, zero) == pytest.approx(exact, rel=1e-15)


@pytest.mark.parametrize("shift", [1, 100, 255])
def test_the_loss_does_not_depend_on_the_order_of_the_samples(shift: int) -> None:
    order = np.roll(np.arange(256)[::-1], shift)
    shuffled = replace(
        DATA,
        wide_columns=np.ascontiguousarray(DATA.wide_columns[:, order]),
        wide_targets=DATA.wide_targets[order],
    )
    assert full_loss(shuffled, WEIGHTS) == full_loss(DATA, WEIGHTS)


def test_a_naive_sum_of_the_same_squares_depends_on_their_order() -> None:
    squares = (DATA.wide_targets**2).tolist()
    naive = []
    for order in (squares, squares[::-1]):
        total = 0.0
        for square in order:
            total += square
        naive.append(total)
    assert naive[0] != naive[1]


def test_the_loss_is_a_python_float() -> None:
    assert type(full_loss(DATA, WEIGHTS)) is float


@pytest.mark.parametrize(
    ("loss", "digits", "expected"),
    [
        (0.125, 2, 0.12),
        (0.375, 2, 0.38),
        (2.675, 2, 2.67),  # the float lies below the tie
        (0.123456, 5, 0.12346),
        (5e-324, 12, 0.0),
    ],
)
def test_the_log_rounds_the_exact_value_half_to_even(
    loss: float, digits: int, expected: float
) -> None:
    assert logged(loss, digits) == expected
