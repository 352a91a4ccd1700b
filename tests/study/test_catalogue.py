"""Every entry of the catalogue has its right answer, and every word has an entry."""

from __future__ import annotations

import json
from functools import cache

import pytest

from replay_lab.catalogue import CatalogueResults, EntryResult, run_catalogue
from replay_lab.config import StudyConfig
from replay_lab.errors import ConfigError
from replay_lab.faults import CATALOGUE
from replay_lab.metrics import Verdict
from replay_lab.scenarios import SCENARIOS
from tests.study.runs import default_results

NAMES = [fault.name for fault in CATALOGUE]


@cache
def catalogue() -> CatalogueResults:
    return run_catalogue()


def entry(name: str) -> EntryResult:
    return catalogue().entries[NAMES.index(name)]


@pytest.mark.parametrize("name", NAMES)
def test_an_entry_has_its_promised_signature(name: str) -> None:
    assert entry(name).unmet == ()


@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_has_an_entry(verdict: Verdict) -> None:
    assert verdict in {found.metrics.verdict for found in catalogue().entries}


def test_names_of_entries_are_unique() -> None:
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_an_entry_with_equal_weights_gives_a_reason(name: str) -> None:
    found = entry(name)
    silent = found.metrics.verdict in (Verdict.IDENTICAL, Verdict.DORMANT)
    assert bool(found.reason) is silent


@pytest.mark.parametrize("name", NAMES)
def test_only_a_faithful_run_is_called_identical(name: str) -> None:
    found = entry(name)
    if found.metrics.verdict is Verdict.IDENTICAL:
        assert not found.fault.scenario.is_fault
    if not found.fault.scenario.is_fault:
        assert found.metrics.weight_mismatch_steps == 0


@pytest.mark.parametrize("name", NAMES)
def test_the_numbers_of_an_entry_fit_together(name: str) -> None:
    found = entry(name).metrics
    first, last, count = (
        found.first_weight_mismatch,
        found.last_weight_mismatch,
        found.weight_mismatch_steps,
    )
    assert (first is None) == (last is None) == (count == 0)
    assert 0 <= found.hidden_beyond_lag <= found.hidden_weight_mismatch_steps <= count <= 100
    assert found.weight_mismatch_intervals <= count
    if first is not None and last is not None:
        assert count <= last - first + 1
        assert (count == last - first + 1) == (found.weight_mismatch_intervals == 1)


def test_the_published_entries_have_the_metrics_of_the_study() -> None:
    of_study = [scenario.metrics for scenario in default_results().scenarios]
    of_catalogue = [found.metrics for found in catalogue().entries[: len(SCENARIOS)]]
    assert of_catalogue == of_study


def test_an_aliased_snapshot_is_recognised_as_a_later_step() -> None:
    assert entry("snapshot-aliasing").equals_step == 43


def test_the_catalogue_is_the_same_json_twice() -> None:
    names = ["reversed-reduction", "snapshot-aliasing"]
    texts = [json.dumps(run_catalogue(names=names).to_json(), allow_nan=False) for _ in range(2)]
    assert texts[0] == texts[1]


def test_selected_entries_run_in_catalogue_order() -> None:
    found = run_catalogue(names=["sampler-reset", "rerun"])
    assert [one.fault.name for one in found.entries] == ["rerun", "sampler-reset"]


def test_an_unknown_entry_is_refused_with_the_nearest_names() -> None:
    with pytest.raises(ConfigError, match="entry = 'sampler-rest' is refused.*sampler-reset"):
        run_catalogue(names=["sampler-rest"])


def test_other_settings_are_observed_and_not_held_against_an_entry() -> None:
    found = run_catalogue(StudyConfig(shards=2), ["reversed-reduction"])
    assert found.unmet == {}
    assert found.entries[0].metrics.verdict is Verdict.DORMANT


@pytest.mark.parametrize(
    "change",
    [
        {"shards": 1, "batch_size": 1},
        {"samples": 2, "features": 2, "steps": 3, "checkpoint_step": 1},
        {"steps": 2, "checkpoint_step": 1, "shards": 32},
        {"steps": 50, "checkpoint_step": 49, "features": 3},
        {"noise": 0.0, "weight_scale": 0.0},
    ],
    ids=str,
)
def test_every_entry_runs_at_unusual_settings(change: dict[str, float]) -> None:
    found = run_catalogue(StudyConfig(**change))  # type: ignore[arg-type]
    assert len(found.entries) == len(NAMES)
    json.dumps(found.to_json(), allow_nan=False)
