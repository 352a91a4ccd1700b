"""The catalogue: every entry has its right answer, and the answers can be wrong."""

from __future__ import annotations

import dataclasses
import json
import time

import pytest

from replay_lab import StudyConfig, run_catalogue, run_study
from replay_lab.catalogue import CatalogueResults, EntryResult
from replay_lab.dataset import make_dataset
from replay_lab.errors import ConfigError
from replay_lab.faults import CATALOGUE
from replay_lab.faults.entry import FirstAt, Size
from replay_lab.golden import CATALOGUE_DIGEST
from replay_lab.metrics import Verdict
from replay_lab.rows import compare_traces
from replay_lab.scenarios import SCENARIOS, run_reference, run_scenario


@pytest.fixture(scope="module")
def results() -> CatalogueResults:
    return run_catalogue()


@pytest.fixture(scope="module")
def entries(results: CatalogueResults) -> dict[str, EntryResult]:
    return {entry.fault.name: entry for entry in results.entries}


@pytest.mark.parametrize("name", [fault.name for fault in CATALOGUE])
def test_the_entry_has_the_signature_that_the_catalogue_promises(
    name: str, entries: dict[str, EntryResult]
) -> None:
    assert entries[name].unmet == ()


@pytest.mark.parametrize("field", ["verdict", "first", "size", "key"])
def test_a_wrong_promise_is_reported(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fault = next(fault for fault in CATALOGUE if fault.name == "reversed-reduction")
    wrong = {
        "verdict": Verdict.VISIBLE,
        "first": FirstAt.LATER,
        "size": Size.LARGE,
        "key": "weights",
    }
    signature = dataclasses.replace(fault.signature, **{field: wrong[field]})
    changed = dataclasses.replace(fault, signature=signature)
    monkeypatch.setattr("replay_lab.catalogue.CATALOGUE", (changed,))
    assert [line.split(":")[0] for line in run_catalogue().entries[0].unmet] == [field]


def test_the_published_rows_are_the_first_five_entries() -> None:
    assert [fault.scenario.name for fault in CATALOGUE[:5]] == [s.name for s in SCENARIOS]


def test_names_are_unique_and_every_entry_explains_itself() -> None:
    assert len({fault.name for fault in CATALOGUE}) == len(CATALOGUE)
    for fault in CATALOGUE:
        assert fault.explanation.endswith(".") and fault.scenario.explanation.endswith(".")


def test_verdicts_cover_all_six_words(entries: dict[str, EntryResult]) -> None:
    assert {entry.metrics.verdict for entry in entries.values()} == set(Verdict)


def test_every_silent_entry_says_why(entries: dict[str, EntryResult]) -> None:
    silent = (Verdict.IDENTICAL, Verdict.DORMANT)
    for entry in entries.values():
        assert bool(entry.reason) == (entry.metrics.verdict in silent), entry.fault.name
        if entry.metrics.verdict in silent:
            assert entry.fault.reason, entry.fault.name


def test_every_true_negative_is_dormant_or_identical(entries: dict[str, EntryResult]) -> None:
    negatives = [e for e in entries.values() if e.fault.family == "true negatives"]
    assert len(negatives) >= 7
    assert {e.metrics.verdict for e in negatives} <= {Verdict.IDENTICAL, Verdict.DORMANT}


def test_losing_only_the_second_moment_is_worse_than_losing_all(
    entries: dict[str, EntryResult],
) -> None:
    alone = entries["second-moment-lost"].metrics.maximum_weight_difference
    everything = entries["optimizer-reset"].metrics.maximum_weight_difference
    assert alone > 5 * everything


def test_an_aliased_snapshot_is_recognised_as_a_later_step(
    entries: dict[str, EntryResult],
) -> None:
    assert entries["snapshot-aliasing"].equals_step == StudyConfig().checkpoint_step + 3


def test_the_shifted_sampler_names_the_step_whose_data_it_repeats() -> None:
    config = StudyConfig()
    dataset = make_dataset(config)
    fault = next(fault for fault in CATALOGUE if fault.name == "sampler-one-behind")
    reference = run_reference(dataset, config)
    ids = run_scenario(fault.scenario, dataset, config).trace.columns["data_ids"]
    assert ids[40].tolist() == reference.columns["data_ids"][39].tolist()


def test_four_ranks_and_four_micro_batches_agree_but_four_by_two_differs(
    entries: dict[str, EntryResult],
) -> None:
    assert entries["accumulation-for-ranks"].metrics.verdict == Verdict.DORMANT
    four = entries["world-size-4"].metrics.trace_digest
    assert four == entries["accumulation-regrouped"].metrics.trace_digest
    assert four != entries["world-size-4-accumulation-2"].metrics.trace_digest


def test_a_healed_run_ends_with_the_references_weights(entries: dict[str, EntryResult]) -> None:
    metrics = entries["flipped-bit-heals"].metrics
    assert metrics.last_weight_mismatch is not None
    assert metrics.last_weight_mismatch < StudyConfig().steps
    assert metrics.false_alarm_steps > 0


def test_the_digest_of_the_whole_catalogue_is_the_stored_one(results: CatalogueResults) -> None:
    assert results.digest == CATALOGUE_DIGEST


def test_another_arrival_seed_moves_the_catalogue_digest(results: CatalogueResults) -> None:
    other = dataclasses.replace(results, entries=results.entries[:-1])
    assert other.digest != results.digest


def test_the_published_rows_agree_with_the_study(entries: dict[str, EntryResult]) -> None:
    config = StudyConfig()
    for scenario, fault in zip(run_study(config).scenarios, CATALOGUE):
        metrics = entries[fault.name].metrics
        assert metrics == scenario.metrics
        assert metrics.hidden_weight_mismatch_steps == scenario.row.hidden_weight_mismatch_steps


def test_the_json_is_the_same_twice_and_names_no_machine() -> None:
    names = ["weights-as-float16", "two-resumes"]
    first, second = (json.dumps(run_catalogue(names=names).to_json()) for _ in range(2))
    assert first == second
    assert "numpy" not in first and "python" not in first


def test_a_selection_keeps_catalogue_order_and_refuses_unknown_names() -> None:
    picked = run_catalogue(names=["two-resumes", "split-k"]).entries
    assert [entry.fault.name for entry in picked] == ["split-k", "two-resumes"]
    with pytest.raises(ConfigError, match="'split_k'.*split-k"):
        run_catalogue(names=["split_k"])


@pytest.mark.parametrize(
    "changes",
    [
        {"shards": 1},
        {"shards": 32, "batch_size": 32},
        {"checkpoint_step": 1},
        {"checkpoint_step": 99},
        {"steps": 2, "checkpoint_step": 1},
        {"features": 2},
        {"batch_size": 1, "shards": 1},
        {"batch_size": 7, "shards": 7},
        {"samples": 2},
        {"weight_scale": 0.0, "noise": 0.0},
        {"beta1": 0.0},
        {"logged_digits": 1},
        {"logged_digits": 12},
        {"seed": 3},
    ],
    ids=str,
)
def test_no_valid_setting_makes_the_catalogue_crash(changes: dict[str, float]) -> None:
    results = run_catalogue(StudyConfig(**changes))
    assert len(results.entries) == len(CATALOGUE) and not results.unmet
    json.dumps(results.to_json(), allow_nan=False)


def test_the_catalogue_costs_at_most_a_hundred_studies() -> None:
    def cheapest(run: object) -> float:
        times = []
        for _ in range(3):
            start = time.perf_counter()
            run()
            times.append(time.perf_counter() - start)
        return min(times)

    config = StudyConfig()
    assert cheapest(run_catalogue) <= 100 * cheapest(lambda: run_study(config))


def test_a_restored_weight_counts_at_the_checkpoint_step() -> None:
    entry = run_catalogue(names=["weights-as-bfloat16"]).entries[0]
    config = StudyConfig()
    dataset = make_dataset(config)
    trace = run_scenario(entry.fault.scenario, dataset, config).trace
    row = compare_traces("trained steps only", trace, run_reference(dataset, config))
    assert entry.metrics.first_weight_mismatch == config.checkpoint_step
    assert row.first_weight_mismatch == config.checkpoint_step + 1
