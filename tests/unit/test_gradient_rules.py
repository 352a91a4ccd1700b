"""Other ways to take the same gradient."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from replay_lab.bits import digest
from replay_lab.config import StudyConfig
from replay_lab.dataset import make_dataset
from replay_lab.gradient_rules import (
    arrival_order,
    fused,
    mean_of_uneven_means,
    ring,
    split_k,
    world_of,
)
from replay_lab.model import Batch, batch_gradient, row_gradients, shard_sums
from replay_lab.recipe import sharded_gradient
from replay_lab.reduction import FORWARD, REVERSED

DATA = make_dataset(StudyConfig())
WEIGHTS = np.linspace(-1, 1, 24, dtype=np.float32)
RULES = {
    "forward": sharded_gradient(FORWARD),
    "reversed": sharded_gradient(REVERSED),
    "arrival": sharded_gradient(arrival_order(1)),
    "world of 4": world_of(4),
    "world of 4 x 2": world_of(4, 2),
    "ring": ring,
    "split-K": split_k,
    "fused": fused,
    "uneven means": mean_of_uneven_means,
}


def batch(shards: int = 8, scale: float = 1) -> Batch:
    return Batch(
        DATA.features[:32], DATA.targets[:32], WEIGHTS, shards, step=1, scale=np.float32(scale)
    )


def same(a: Any, b: Any) -> bool:
    return digest({"gradient": a}) == digest({"gradient": b})


@pytest.mark.parametrize("name", RULES)
def test_a_gradient_is_float32_of_the_weights_shape(name: str) -> None:
    found = RULES[name](batch())
    assert (found.dtype, found.shape) == (np.float32, (24,))


@pytest.mark.parametrize("name", RULES)
def test_a_power_of_two_loss_scale_leaves_no_trace(name: str) -> None:
    assert same(RULES[name](batch(scale=1024)), RULES[name](batch()))


@pytest.mark.parametrize("name", [name for name in RULES if name not in ("forward", "uneven means")])
def test_another_rule_moves_bits_and_nothing_else(name: str) -> None:
    found, usual = RULES[name](batch()), batch_gradient(batch(), FORWARD)
    assert not same(found, usual)
    # Some dozens of additions of numbers of order one, each rounded once.
    assert np.abs(found - usual).max() < 64 * 2.0**-23


def test_the_mean_of_uneven_means_is_another_gradient() -> None:
    found, usual = mean_of_uneven_means(batch()), batch_gradient(batch(), FORWARD)
    assert np.abs(found - usual).max() > 1e-3


def test_four_ranks_equal_one_rank_of_four_micro_batches() -> None:
    assert same(world_of(4)(batch()), world_of(1, 4)(batch()))


def test_a_world_of_as_many_ranks_as_shards_is_the_study_s_gradient() -> None:
    assert same(world_of(8)(batch()), batch_gradient(batch(8), FORWARD))


def test_a_batch_that_cannot_be_cut_stays_whole() -> None:
    assert same(world_of(5)(batch()), batch_gradient(batch(1), FORWARD))


def test_a_ring_of_two_is_the_study_s_gradient() -> None:
    assert same(ring(batch(2)), batch_gradient(batch(2), FORWARD))


def test_every_chunk_of_a_ring_starts_at_its_own_rank() -> None:
    sums = shard_sums(row_gradients(batch(4)), 4)
    for rank in range(4):
        order = [(rank + 1 + step) % 4 for step in range(4)]
        total = sums[order[0]]
        for other in order[1:]:
            total = total + sums[other]
        chunk = slice(6 * rank, 6 * rank + 6)
        expected = (total * np.float32(1 / 32))[chunk]
        assert same(ring(batch(4))[chunk], expected)


def test_arrivals_depend_on_timing_and_step_only() -> None:
    parts = shard_sums(row_gradients(batch()), 8)
    found = {
        (seed, step): arrival_order(seed).combine(parts, step).tobytes()
        for seed in (1, 2)
        for step in (1, 2)
    }
    assert len(set(found.values())) > 1
    assert arrival_order(1).combine(parts, 2).tobytes() == found[1, 2]


def test_a_fused_step_rounds_the_exact_product_and_sum_once() -> None:
    one_row = Batch(DATA.features[:1], DATA.targets[:1] * 0, WEIGHTS, 1, step=1)
    total = np.float32(0)
    for x, w in zip(one_row.features[0], WEIGHTS):
        exact = Fraction(float(x)) * Fraction(float(w)) + Fraction(float(total))
        total = np.float32(float(exact))
    expected = one_row.features[0] * (total - one_row.targets[0])
    assert same(fused(one_row), expected)
