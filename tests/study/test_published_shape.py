"""The default study has the published shape; other settings keep the invariants."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from replay_lab.checks import CHECKS, NOT_EXPECTED, PASSED
from replay_lab.config import DEFAULT_SEED, StudyConfig
from replay_lab.errors import DivergenceError
from replay_lab.golden import STUDY_DIGEST
from replay_lab.results import StudyResults
from replay_lab.scenarios import REVERSED_REDUCTION, SCENARIOS
from replay_lab.study import StudyEvent, run_study
from replay_lab.training import finish
from tests.study.choose_seed import margins
from tests.study.runs import (
    SMALL,
    default_results,
    small_dataset,
    small_reference,
    small_results,
    small_state,
)

PUBLISHED = {  # first, mismatching and hidden steps
    "Same seed + full state": (None, 0, 0),
    "Full checkpoint": (None, 0, 0),
    "Reversed reduction": (1, 100, 100),
    "Optimizer reset": (41, 60, 1),
    "Sampler RNG reset": (41, 60, 1),
}
ROW_KEYS = [
    "scenario",
    "first_weight_mismatch",
    "weight_mismatch_steps",
    "hidden_weight_mismatch_steps",
    "maximum_weight_difference",
    "final_loss",
]


def row(results: StudyResults, name: str) -> Any:
    return results.scenario(name).row


def invariants_hold(results: StudyResults) -> bool:
    invariant = {check.name for check in CHECKS if check.invariant}
    return all(check.status == PASSED for check in results.checks if check.name in invariant)


def test_the_study_digest_is_the_stored_one() -> None:
    assert default_results().study_digest == STUDY_DIGEST


def test_the_scenarios_are_the_published_ones_in_order() -> None:
    assert [scenario.name for scenario in SCENARIOS] == list(PUBLISHED)


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_scenario_has_the_published_counts(name: str) -> None:
    found = row(default_results(), name)
    assert (
        found.first_weight_mismatch,
        found.weight_mismatch_steps,
        found.hidden_weight_mismatch_steps,
    ) == PUBLISHED[name]


@pytest.mark.parametrize("name", ["Same seed + full state", "Full checkpoint"])
def test_a_faithful_replay_has_no_difference_and_the_reference_s_loss(name: str) -> None:
    found = row(default_results(), name)
    assert found.maximum_weight_difference == 0
    assert found.final_loss == default_results().reference.final_loss


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("Reversed reduction", 1e-8, 1e-6),
        ("Optimizer reset", 1e-2, 1.0),
        ("Sampler RNG reset", 1e-3, 1.0),
    ],
)
def test_the_largest_difference_has_the_published_order(
    name: str, least: float, most: float
) -> None:
    assert least < row(default_results(), name).maximum_weight_difference < most


def test_the_published_keys_stand_in_the_published_order() -> None:
    summary = json.loads(default_results().summary_text())
    assert list(summary) == ["checks_passed", "summary", "reference_final_loss"]
    assert [list(entry) for entry in summary["summary"]] == [ROW_KEYS] * 5


def test_at_least_fifteen_checks_pass() -> None:
    assert default_results().checks_passed >= 15


def test_training_ends_with_a_loss_near_the_noise() -> None:
    config = StudyConfig()
    assert default_results().reference.final_loss < 2 * config.noise**2


def test_the_reference_loss_starts_at_the_loss_of_zero_weights() -> None:
    assert default_results().reference.loss[0] > 10 * default_results().reference.final_loss


def test_every_scenario_has_the_same_loss_until_its_first_mismatch() -> None:
    results = default_results()
    for scenario in results.scenarios:
        first = scenario.row.first_weight_mismatch or results.config.steps
        assert scenario.run.loss[:first] == results.reference.loss[:first]


# --- The default seed ----------------------------------------------------------------


def test_the_default_seed_has_the_widest_margins_of_two_hundred() -> None:
    smallest = {seed: min(margins(seed)) for seed in range(200)}
    assert max(smallest, key=smallest.__getitem__) == DEFAULT_SEED


def test_no_published_number_of_the_default_seed_turns_on_a_close_call() -> None:
    assert min(margins(DEFAULT_SEED)) > 4


# --- Other settings ------------------------------------------------------------------


def test_two_shards_make_the_reversed_run_agree_bit_for_bit() -> None:
    results = run_study(StudyConfig(shards=2))
    found = results.scenario(REVERSED_REDUCTION)
    assert found.row.weight_mismatch_steps == 0
    assert found.run.trace_digest == results.reference.trace_digest


def test_two_shards_fail_no_check_and_say_why() -> None:
    results = run_study(StudyConfig(shards=2))
    assert results.failed_checks == {}
    assert [check.name for check in results.checks if check.status == NOT_EXPECTED] == [
        "wide-sum-is-order-free",
        "reversed-first-at-1",
        "reversed-never-heals",
        "reversed-all-hidden",
        "reversed-is-rounding-only",
        "golden-digest",
    ]
    assert "Two terms commute" in results.findings[2]


@pytest.mark.parametrize("seed", [0, 1, 2, 12345, 2**53 - 1])
def test_another_seed_gives_other_numbers_and_keeps_the_invariants(seed: int) -> None:
    results = run_study(StudyConfig(seed=seed))
    assert results.study_digest != STUDY_DIGEST
    assert invariants_hold(results)


@pytest.mark.parametrize(
    "change",
    [
        {"shards": 1},
        {"batch_size": 1, "shards": 1},
        {"shards": 32},
        {"samples": 2, "features": 2},
        {"steps": 2, "checkpoint_step": 1},
        {"checkpoint_step": 99},
        {"checkpoint_step": 1},
        {"noise": 0.0, "weight_scale": 0.0},
        {"learning_rate": 10.0},
        {"learning_rate": 1e-6},
        {"beta1": 0.0, "beta2": 0.5},
        {"epsilon": 0.1},
        {"weight_scale": 100.0, "noise": 100.0},
        {"logged_digits": 12},
    ],
    ids=str,
)
def test_unusual_settings_fail_no_check(change: dict[str, Any]) -> None:
    assert run_study(replace(StudyConfig(), **change)).failed_checks == {}


def test_a_setting_that_only_shows_another_log_leaves_the_weights_alone() -> None:
    short = run_study(replace(SMALL, logged_digits=1))
    assert short.reference.loss == small_results().reference.loss
    assert short.reference.logged_loss != small_results().reference.logged_loss


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 98},
        {"samples": 13},
        {"features": 4},
        {"steps": 7},
        {"checkpoint_step": 3},
        {"batch_size": 8},
        {"shards": 2},
        {"learning_rate": 0.06},
        {"beta1": 0.8},
        {"beta2": 0.99},
        {"epsilon": 1e-3},
        {"weight_scale": 0.5},
        {"noise": 0.3},
        {"logged_digits": 4},
    ],
    ids=str,
)
def test_every_setting_has_an_effect(change: dict[str, Any]) -> None:
    assert run_study(replace(SMALL, **change)).study_digest != small_results().study_digest


def test_a_study_is_deterministic() -> None:
    assert run_study(SMALL) == small_results()


# --- Events and errors ---------------------------------------------------------------


def test_progress_counts_from_nothing_to_the_last_part() -> None:
    events: list[StudyEvent] = []
    run_study(SMALL, on_event=events.append)
    assert [event.done for event in events] == list(range(7))
    assert {event.total for event in events} == {7}
    assert [event.running for event in events] == ["reference", *PUBLISHED, "checks"]


def test_an_error_of_the_callback_stops_the_study() -> None:
    def stop(event: StudyEvent) -> None:
        raise InterruptedError(event.running)

    with pytest.raises(InterruptedError, match="reference"):
        run_study(SMALL, on_event=stop)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_weights_that_leave_the_finite_numbers_are_refused_by_step(bad: float) -> None:
    records = []
    for step in range(4):
        record = _record(step)
        record.weights[0] = bad if step >= 2 else 0
        records.append(record)
    with pytest.raises(DivergenceError, match="not finite from step 3 on; choose a smaller"):
        finish(small_state(), records, small_dataset())


def _record(step: int) -> Any:
    from replay_lab.trace import StepRecord

    columns = small_reference().columns
    values = {name: columns[name][step].copy() for name in columns}
    return StepRecord(**{"extras": {}, **values})
