"""Every named check can fail: its mutation makes it fail, by name."""

from __future__ import annotations

import pytest

from replay_lab.checks import CHECKS, FAILED, PASSED, Check
from replay_lab.config import StudyConfig
from replay_lab.errors import CheckFailure
from replay_lab.study import run_study
from tests.study.mutations import (
    MUTATIONS,
    Mutation,
    checkpoint_loses_the_second_moment,
    the_log_shows_one_digit,
    the_reversed_order_is_a_no_op,
    the_wide_sum_accumulates_in_float32,
)
from tests.study.runs import default_results


@pytest.mark.parametrize("name", [check.name for check in CHECKS])
def test_a_named_check_has_a_mutation(name: str) -> None:
    assert name in {guarded for guarded, _ in MUTATIONS}


@pytest.mark.parametrize(
    ("name", "mutation"),
    [pytest.param(name, found, id=f"{name}-{found.__name__}") for name, found in MUTATIONS],
)
def test_a_check_fails_when_what_it_guards_is_broken(
    name: str, mutation: Mutation, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutation(monkeypatch)
    assert name in run_study(StudyConfig()).failed_checks


@pytest.mark.parametrize(
    ("mutation", "failed"),
    [
        (
            the_reversed_order_is_a_no_op,
            "reversed-first-at-1 reversed-never-heals reversed-all-hidden "
            "reversed-is-rounding-only golden-digest",
        ),
        (
            checkpoint_loses_the_second_moment,
            "full-restore-equals-reference sampler-reset-keeps-moments golden-digest",
        ),
        (the_log_shows_one_digit, "resets-are-hidden-once golden-digest"),
        (the_wide_sum_accumulates_in_float32, "wide-sum-is-order-free"),
    ],
)
def test_a_mutation_leaves_the_other_checks_standing(
    mutation: Mutation, failed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutation(monkeypatch)
    assert set(run_study(StudyConfig()).failed_checks) == set(failed.split())


def test_no_check_fails_without_a_mutation() -> None:
    assert default_results().failed_checks == {}


def test_a_failed_check_is_raised_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    the_reversed_order_is_a_no_op(monkeypatch)
    with pytest.raises(CheckFailure, match="reversed-first-at-1: first mismatch at None"):
        run_study(StudyConfig()).require_checks()


def test_a_broken_shape_is_no_failure_at_other_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    the_log_shows_one_digit(monkeypatch)
    assert run_study(StudyConfig(steps=99)).failed_checks == {}


@pytest.mark.parametrize(
    ("name", "mutation"),
    [
        pytest.param(name, found, id=f"{name}-{found.__name__}")
        for name, found in MUTATIONS
        if {check.name: check for check in CHECKS}[name].invariant
    ],
)
def test_an_invariant_fails_at_other_settings_too(
    name: str, mutation: Mutation, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutation(monkeypatch)
    config = StudyConfig(seed=98, steps=60, samples=100, features=6, logged_digits=3)
    assert name in run_study(config).failed_checks


def test_names_of_checks_are_unique() -> None:
    names = [check.name for check in CHECKS]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_a_check_says_in_one_sentence_what_it_means(check: Check) -> None:
    meaning = check.meaning.replace("...", "")
    assert meaning[0].isupper() and meaning.endswith(".") and meaning.count(". ") == 0


def test_a_passed_check_tells_its_numbers() -> None:
    assert all(check.detail for check in default_results().checks)


def test_statuses_are_the_three_words() -> None:
    at_default = {check.status for check in default_results().checks}
    elsewhere = {check.status for check in run_study(StudyConfig(shards=2)).checks}
    assert at_default == {PASSED}
    assert elsewhere == {PASSED, "not expected here"}
    assert FAILED == "failed"
