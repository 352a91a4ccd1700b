"""Two traces as one published row, and what is said about it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from replay_lab.config import StudyConfig
from replay_lab.findings import describe_row
from replay_lab.rows import (
    ComparisonRow,
    compare_traces,
    differing_steps,
    weight_differences,
)
from replay_lab.trace import Trace
from tests.study.runs import SMALL, small_reference


def edited(name: str, step: int, index: tuple[int, ...], bits: int) -> Trace:
    """The reference with some bits of one number flipped."""
    column = small_reference().columns[name].copy()
    column.view(f"u{column.dtype.itemsize}")[(step - 1, *index)] ^= bits
    return replace(small_reference(), columns={**small_reference().columns, name: column})


def row_of(trace: Trace) -> ComparisonRow:
    return compare_traces("Edited", trace, small_reference())


def make_row(**changes: Any) -> ComparisonRow:
    values: dict[str, Any] = {
        "scenario": "Optimizer reset",
        "first_weight_mismatch": 41,
        "weight_mismatch_steps": 60,
        "hidden_weight_mismatch_steps": 1,
        "maximum_weight_difference": 0.125,
        "final_loss": 0.5,
    }
    return ComparisonRow(**{**values, **changes})


def test_a_trace_equals_itself() -> None:
    row = row_of(small_reference())
    assert (row.first_weight_mismatch, row.weight_mismatch_steps) == (None, 0)
    assert row.maximum_weight_difference == 0


@pytest.mark.parametrize("step", [1, 3, 6])
def test_one_flipped_bit_of_a_weight_is_a_mismatch_at_its_step(step: int) -> None:
    row = row_of(edited("weights", step, (0,), 1))
    assert (row.first_weight_mismatch, row.weight_mismatch_steps) == (step, 1)


def test_a_mismatch_with_an_equal_log_is_hidden() -> None:
    assert row_of(edited("weights", 3, (0,), 1)).hidden_weight_mismatch_steps == 1


def test_a_mismatch_that_the_log_shows_is_not_hidden() -> None:
    both = edited("weights", 3, (0,), 1)
    log = edited("logged_loss", 3, (), 1).columns["logged_loss"]
    row = row_of(replace(both, columns={**both.columns, "logged_loss": log}))
    assert (row.weight_mismatch_steps, row.hidden_weight_mismatch_steps) == (1, 0)


def test_another_log_without_another_weight_is_no_mismatch() -> None:
    row = row_of(edited("logged_loss", 3, (), 1))
    assert (row.weight_mismatch_steps, row.hidden_weight_mismatch_steps) == (0, 0)


def test_the_sign_of_a_zero_weight_is_a_mismatch_without_a_difference() -> None:
    zero = small_reference().weights * np.float32(0)
    positive = replace(small_reference(), columns={**small_reference().columns, "weights": zero})
    negative = replace(positive, columns={**positive.columns, "weights": -zero})
    row = compare_traces("Edited", positive, negative)
    assert (row.weight_mismatch_steps, row.maximum_weight_difference) == (6, 0.0)


def test_the_maximum_difference_is_taken_over_all_steps_and_weights() -> None:
    trace = edited("weights", 2, (1,), 1 << 31)
    expected = 2 * abs(float(small_reference().weights[1, 1]))
    assert row_of(trace).maximum_weight_difference == expected


def test_the_difference_of_each_step_is_in_float64() -> None:
    found = weight_differences(edited("weights", 2, (1,), 1), small_reference())
    assert found.dtype == np.float64
    assert (found > 0).tolist() == [False, True, False, False, False, False]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(lambda a: a[:-1], id="length"),
        pytest.param(lambda a: a[:, :1], id="shape"),
        pytest.param(lambda a: a.astype(np.float64), id="dtype"),
    ],
)
def test_columns_of_another_form_are_refused_and_not_compared_in_part(other: Any) -> None:
    weights = small_reference().weights
    with pytest.raises(ValueError, match="columns differ in form: float32"):
        differing_steps(weights, other(weights))


def test_a_row_has_the_published_keys_in_order() -> None:
    assert " ".join(make_row().to_json()) == (
        "scenario first_weight_mismatch weight_mismatch_steps hidden_weight_mismatch_steps "
        "maximum_weight_difference final_loss"
    )


# --- Findings ------------------------------------------------------------------------


def test_a_finding_states_the_numbers_of_its_row() -> None:
    assert describe_row(make_row(), StudyConfig()) == (
        "Optimizer reset: the weights differ at 60 of 100 steps, first at step 41; at 1 of them "
        "the 5-digit loss log is the same. Largest weight difference 0.125."
    )


@pytest.mark.parametrize(
    ("hidden", "words"),
    [
        (60, "the 5-digit loss log is the same at every one of them"),
        (0, "the 5-digit loss log differs at every one of them"),
        (7, "at 7 of them the 5-digit loss log is the same"),
    ],
)
def test_a_finding_tells_how_much_the_log_hides(hidden: int, words: str) -> None:
    assert words in describe_row(make_row(hidden_weight_mismatch_steps=hidden), StudyConfig())


@pytest.mark.parametrize(
    ("name", "shards", "words"),
    [
        ("Full checkpoint", 8, "Full checkpoint: agrees bit for bit in all 6 steps."),
        ("Reversed reduction", 1, "One shard has no order to reverse."),
        ("Reversed reduction", 2, "Two terms commute"),
        ("Reversed reduction", 4, "Every sum came out the same in both orders."),
    ],
)
def test_a_finding_explains_an_agreement(name: str, shards: int, words: str) -> None:
    row = make_row(
        scenario=name,
        first_weight_mismatch=None,
        weight_mismatch_steps=0,
        hidden_weight_mismatch_steps=0,
        maximum_weight_difference=0.0,
    )
    assert words in describe_row(row, replace(SMALL, batch_size=8, shards=shards))
