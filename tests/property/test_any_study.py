"""Every valid setting gives a finished study in which no invariant fails."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings

from replay_lab.agreement import compare_with_saved
from replay_lab.config import StudyConfig
from replay_lab.results import StudyResults
from replay_lab.scenarios import REVERSED_REDUCTION
from replay_lab.study import run_study
from tests.property.valid_settings import configs


@given(configs())
@settings(max_examples=120)
def test_no_valid_setting_fails_a_check_or_the_round_trip(config: StudyConfig) -> None:
    results = run_study(config)
    assert results.failed_checks == {}
    assert StudyResults.from_json(results.to_json()) == results


@given(configs())
@settings(max_examples=30)
def test_a_second_run_has_the_bits_of_the_first(config: StudyConfig) -> None:
    assert compare_with_saved(run_study(config), run_study(config)).status == "same"


@given(configs())
@settings(max_examples=40)
def test_at_most_two_shards_hide_nothing_because_nothing_differs(config: StudyConfig) -> None:
    for shards in (1, 2):
        pair = replace(config, shards=shards, batch_size=2 * shards)
        assert run_study(pair).scenario(REVERSED_REDUCTION).row.weight_mismatch_steps == 0
