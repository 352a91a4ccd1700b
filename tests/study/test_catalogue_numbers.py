"""The numbers of every entry of the catalogue fit together."""

from __future__ import annotations

from functools import cache

import pytest

from replay_lab.catalogue import CatalogueResults, EntryResult, run_catalogue
from replay_lab.config import StudyConfig
from replay_lab.faults import CATALOGUE
from replay_lab.metrics import Verdict

NAMES = [fault.name for fault in CATALOGUE]


@cache
def catalogue() -> CatalogueResults:
    return run_catalogue()


def entry(name: str) -> EntryResult:
    return catalogue().entries[NAMES.index(name)]


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


def test_other_settings_are_observed_and_not_held_against_an_entry() -> None:
    found = run_catalogue(StudyConfig(shards=2), ["reversed-reduction"])
    assert found.unmet == {}
    assert found.entries[0].metrics.verdict is Verdict.DORMANT
