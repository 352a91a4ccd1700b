"""Sums in a stated order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from replay_lab.bits import digest
from replay_lab.random_streams import draw_near_normal, open_stream
from replay_lab.reduction import (
    FORWARD,
    REVERSED,
    order_of,
    sum_first_to_last,
    sum_kahan,
    sum_neumaier,
    sum_tree,
    sum_wide,
)

# Shapes for which numpy could choose another order: long, one trailing element, three axes.
SHAPES = [
    (1, 1), (2, 1), (9, 1), (1000, 1), (4096,), (1, 5), (8, 24), (257, 2), (129, 3), (1000, 2),
    (24, 256), (300, 64), (4, 8, 24), (64, 1, 24), (64, 8, 1), (513, 1, 1), (3, 513), (8, 4096),
]  # fmt: skip


def numbers(shape: tuple[int, ...], dtype: Any = np.float32) -> Any:
    """Near-normal numbers of widely different size, so that most additions round."""
    count = int(np.prod(shape))
    stream, values = draw_near_normal(open_stream(5, "dataset"), count)
    _, sizes = draw_near_normal(stream, count)
    return (values.astype(dtype) * np.exp2(np.rint(4 * sizes)).astype(dtype)).reshape(shape)


def add_one_by_one(terms: Any) -> Any:
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return np.asarray(total)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_sum_equals_the_loop_from_first_to_last(shape: tuple[int, ...], dtype: Any) -> None:
    terms = numbers(shape, dtype)
    assert digest({"sum": sum_first_to_last(terms)}) == digest({"sum": add_one_by_one(terms)})


@pytest.mark.parametrize("shape", [(1000, 1), (8, 24), (257, 2)], ids=str)
def test_the_sum_of_a_view_equals_the_loop(shape: tuple[int, ...]) -> None:
    terms = np.asfortranarray(numbers(shape))[::-1]
    assert digest({"sum": sum_first_to_last(terms)}) == digest({"sum": add_one_by_one(terms)})


def test_a_pairwise_sum_of_the_same_numbers_would_be_noticed() -> None:
    terms = numbers((1000, 1))
    pairwise = np.add.reduce(terms.reshape(-1))
    assert pairwise != sum_first_to_last(terms)[0]


@pytest.mark.parametrize("shape", [(1, 1), (3, 1), (1, 4), (3, 4), (3,)], ids=str)
def test_a_sum_of_negative_zeros_is_a_negative_zero(shape: tuple[int, ...]) -> None:
    assert np.signbit(sum_first_to_last(np.full(shape, -0.0, dtype=np.float32))).all()


@pytest.mark.parametrize("width", [1, 4])
def test_opposite_zeros_sum_to_positive_zero(width: int) -> None:
    terms = np.zeros((2, width), dtype=np.float32)
    terms[0] = -0.0
    assert not np.signbit(sum_first_to_last(terms)).any()


@pytest.mark.parametrize("order", [FORWARD, REVERSED], ids=lambda order: order.name)
def test_an_order_stays_in_float32(order: Any) -> None:
    assert order.combine(numbers((8, 24)), 1).dtype == np.float32


def test_reversed_adds_the_last_shard_first() -> None:
    terms = np.array([[1.0, 0], [2.0**-24, 0], [2.0**-24, 0]], dtype=np.float32)
    assert FORWARD.combine(terms, 1)[0] == 1
    assert REVERSED.combine(terms, 1)[0] == np.float32(1 + 2.0**-23)


def test_reversed_equals_the_loop_from_last_to_first() -> None:
    terms = numbers((8, 24))
    expected = add_one_by_one(terms[::-1])
    assert digest({"sum": REVERSED.combine(terms, 1)}) == digest({"sum": expected})


def test_reversing_eight_shards_changes_bits() -> None:
    terms = numbers((8, 24))
    forward, backward = FORWARD.combine(terms, 1), REVERSED.combine(terms, 1)
    assert digest({"sum": forward}) != digest({"sum": backward})


@pytest.mark.parametrize("shards", [1, 2])
def test_reversing_one_or_two_shards_changes_nothing(shards: int) -> None:
    terms = numbers((shards, 4096))
    forward, backward = FORWARD.combine(terms, 1), REVERSED.combine(terms, 1)
    assert digest({"sum": forward}) == digest({"sum": backward})


SUMS = [sum_first_to_last, sum_wide, sum_tree, sum_kahan, sum_neumaier]


@pytest.mark.parametrize("add", SUMS)
def test_every_sum_is_exact_where_nothing_rounds(add: Any) -> None:
    terms = np.arange(45, dtype=np.float32).reshape(9, 5)
    assert add(terms).tolist() == [180, 189, 198, 207, 216]


@pytest.mark.parametrize("add", SUMS)
def test_every_sum_of_float32_is_float32(add: Any) -> None:
    assert add(numbers((8, 24))).dtype == np.float32


@pytest.mark.parametrize("add", SUMS)
def test_no_sum_writes_into_its_terms(add: Any) -> None:
    terms = numbers((8, 24))
    before = digest({"terms": terms})
    add(terms)
    assert digest({"terms": terms}) == before


@pytest.mark.parametrize("add", SUMS)
def test_every_sum_of_one_term_is_the_term(add: Any) -> None:
    terms = numbers((1, 24))
    assert digest({"sum": add(terms)}) == digest({"sum": terms[0]})


def test_the_wide_accumulator_rounds_only_once() -> None:
    terms = np.array([[1.0, 0], [2.0**-25, 0], [2.0**-25, 0], [2.0**-24, 0]], dtype=np.float32)
    assert sum_first_to_last(terms)[0] == 1
    assert sum_wide(terms)[0] == np.float32(1 + 2.0**-23)
    assert sum_wide(terms[::-1])[0] == np.float32(1 + 2.0**-23)


def test_the_tree_adds_neighbours() -> None:
    a, b, c, d, e = numbers((5, 24))
    assert digest({"sum": sum_tree(np.stack([a, b, c, d, e]))}) == digest(
        {"sum": ((a + b) + (c + d)) + e}
    )


@pytest.mark.parametrize("add", [sum_wide, sum_neumaier])
def test_an_accurate_sum_hides_the_order(add: Any) -> None:
    terms = draw_near_normal(open_stream(5, "dataset"), 8 * 24).values.reshape(8, 24)
    assert digest({"sum": add(terms)}) == digest({"sum": add(terms[::-1])})


def test_kahan_s_sum_does_not_hide_the_order_of_every_sum() -> None:
    # The second term is larger than the running sum: Kahan's correction is lost.
    terms = np.array([[1.0, 0], [2.0**30, 0], [1.0, 0], [-(2.0**30), 0]], dtype=np.float32)
    assert sum_neumaier(terms)[0] == 2
    assert sum_kahan(terms)[0] != sum_kahan(terms[[1, 3, 0, 2]])[0]


def test_an_order_made_of_a_sum_adds_the_shards_as_they_are_or_reversed() -> None:
    terms = numbers((8, 24))
    kept = order_of("tree", sum_tree).combine(terms, 1)
    turned = order_of("tree", sum_tree, reverse=True).combine(terms, 1)
    assert digest({"sum": kept}) == digest({"sum": sum_tree(terms)})
    assert digest({"sum": turned}) == digest({"sum": sum_tree(terms[::-1])})
