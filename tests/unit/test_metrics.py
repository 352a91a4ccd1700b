"""Everything measured of one run against its reference, and its verdict."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from replay_lab.metrics import Metrics, Verdict, measure
from replay_lab.scenarios import ScenarioRun
from replay_lab.trace import Trace
from tests.study.runs import default_results, small_reference

REFERENCE = small_reference()  # six steps


def trace(
    weights: tuple[int, ...] = (), loss: tuple[int, ...] = (), log: tuple[int, ...] = ()
) -> Trace:
    """The reference with other weights, losses and (as far as 3 digits go) log at these steps."""
    columns = {name: column.copy() for name, column in REFERENCE.columns.items()}
    for step in weights:
        columns["weights"].view("<u4")[step - 1, 1] ^= 1
    for step in loss:
        columns["loss"].view("<u8")[step - 1] ^= 1
    for step in log:
        columns["loss"][step - 1] += 1
        columns["logged_loss"][step - 1] += 1
    return replace(REFERENCE, columns=columns)


def metrics(changed: bool = True, **steps: Any) -> Metrics:
    return measure(
        ScenarioRun(trace(**steps)), REFERENCE, 3, changed=changed, restored_at=None
    )


@pytest.mark.parametrize(
    ("steps", "changed", "verdict"),
    [
        ({}, False, Verdict.IDENTICAL),
        ({}, True, Verdict.DORMANT),
        ({"log": [3]}, True, Verdict.DORMANT),
        ({"weights": [2, 3, 4]}, True, Verdict.HEALED),
        ({"weights": [2, 3], "log": [3]}, True, Verdict.HEALED),
        ({"weights": [4, 5, 6]}, True, Verdict.HIDDEN),
        ({"weights": [4, 5, 6], "loss": [5, 6]}, True, Verdict.HIDDEN),
        ({"weights": [4, 5, 6], "log": [4]}, True, Verdict.VISIBLE),
        ({"weights": [4, 5, 6], "log": [5]}, True, Verdict.VISIBLE),
        ({"weights": [4, 5, 6], "log": [6]}, True, Verdict.LATE),
    ],
    ids=str,
)
def test_the_verdict_is_the_first_word_that_applies(
    steps: Any, changed: bool, verdict: Verdict
) -> None:
    assert metrics(changed, **steps).verdict is verdict


def test_mismatches_are_counted_by_step_and_interval() -> None:
    found = metrics(weights=[2, 3, 5])
    assert (found.first_weight_mismatch, found.last_weight_mismatch) == (2, 5)
    assert (found.weight_mismatch_steps, found.weight_mismatch_intervals) == (3, 2)


def test_the_structural_hidden_step_is_told_from_the_others() -> None:
    found = metrics(weights=[2, 3, 4, 5, 6], log=[3, 5, 6])
    assert (found.hidden_weight_mismatch_steps, found.hidden_beyond_lag) == (2, 1)


def test_a_log_that_shows_the_first_step_leaves_no_structural_one() -> None:
    found = metrics(weights=[2, 3], log=[2])
    assert (found.hidden_weight_mismatch_steps, found.hidden_beyond_lag) == (1, 1)


def test_another_loss_with_equal_weights_is_a_false_alarm() -> None:
    assert metrics(loss=[2, 3], weights=[3]).false_alarm_steps == 1


def test_the_first_log_difference_depends_on_the_digits() -> None:
    found = metrics(loss=[4], log=[6]).first_log_difference
    assert (found["2"], found["9"], found["full"]) == (6, 6, 4)


def test_the_first_difference_is_the_earliest_in_causal_order() -> None:
    columns = {name: column.copy() for name, column in trace(weights=[3]).columns.items()}
    columns["gradient"].view("<u4")[2, 2] ^= 1
    columns["first_moment"].view("<u4")[2, 0] ^= 1
    run = ScenarioRun(replace(REFERENCE, columns=columns))
    first = measure(run, REFERENCE, 3, changed=True, restored_at=None).first_difference
    assert first is not None
    assert (first.step, first.key, first.element, first.ulp) == (3, "gradient", (2,), 1)


def test_a_difference_beside_the_weights_is_reported_beside_the_verdict() -> None:
    columns = {name: column.copy() for name, column in REFERENCE.columns.items()}
    columns["second_moment"].view("<u4")[4, 0] ^= 1
    run = ScenarioRun(replace(REFERENCE, columns=columns))
    found = measure(run, REFERENCE, 3, changed=True, restored_at=None)
    assert found.verdict is Verdict.DORMANT
    assert found.other_differences == ("second_moment",)


def test_ulps_of_one_flipped_last_bit() -> None:
    found = metrics(weights=[2])
    assert found.maximum_weight_ulp == 1
    ulp = float(np.spacing(np.abs(REFERENCE.weights).max()))
    expected = found.maximum_weight_difference / ulp
    assert found.difference_in_ulp_of_largest_weight == expected


def test_growth_needs_ten_mismatching_steps() -> None:
    assert metrics(weights=[1, 2, 3, 4, 5, 6]).growth is None
    assert default_results().scenario("Reversed reduction").metrics.growth is not None


@pytest.mark.parametrize("scenario", range(5))
def test_metrics_survive_json(scenario: int) -> None:
    found = default_results().scenarios[scenario].metrics
    text = json.dumps(found.to_json(), allow_nan=False)
    assert Metrics.from_json(json.loads(text)) == found


def test_the_published_scenarios_have_their_verdicts() -> None:
    assert [str(scenario.metrics.verdict) for scenario in default_results().scenarios] == [
        "identical", "identical", "hidden", "visible", "visible",
    ]  # fmt: skip
