"""Did this run produce the bits of a saved one?"""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from typing import Any

import pytest

from replay_lab.agreement import compare_with_saved
from replay_lab.bits import bit_pattern
from replay_lab.results import StudyResults
from replay_lab.study import run_study
from tests.study.runs import SMALL, small_results

SAVED = small_results()


def with_run(name: str, **changes: Any) -> StudyResults:
    """The saved results with one run changed."""
    if name == "reference":
        return replace(SAVED, reference=replace(SAVED.reference, **changes))
    scenarios = tuple(
        replace(scenario, run=replace(scenario.run, **changes)) if scenario.name == name else scenario
        for scenario in SAVED.scenarios
    )
    return replace(SAVED, scenarios=scenarios)


def with_bit(name: str, step: int) -> StudyResults:
    """The saved results with the last bit of one loss flipped, and another trace digest."""
    run = SAVED.reference if name == "reference" else SAVED.scenario(name).run
    losses = list(run.loss)
    losses[step - 1] = flipped(losses[step - 1])
    return with_run(name, loss=tuple(losses), trace_digest="0" * 64)


def flipped(number: float) -> float:
    (bits,) = struct.unpack("<Q", struct.pack("<d", number))
    (other,) = struct.unpack("<d", struct.pack("<Q", bits ^ 1))
    return float(other)


# --- Same ----------------------------------------------------------------------------


def test_a_second_run_has_the_same_bits() -> None:
    found = compare_with_saved(run_study(SMALL), SAVED)
    assert found.status == "same"
    assert found.headline.startswith("Same bits as saved: 5 of 5 rows, digest ")
    assert SAVED.study_digest[:6] in found.headline


def test_results_that_went_through_json_have_the_same_bits() -> None:
    assert compare_with_saved(SAVED, StudyResults.from_json(SAVED.to_json())).status == "same"


def test_another_environment_is_shown_and_changes_no_verdict() -> None:
    here = replace(SAVED, environment={**SAVED.environment, "numpy": "9.9"})
    found = compare_with_saved(here, SAVED)
    assert found.status == "same"
    (pair,) = [pair for pair in found.environment if not pair.equal]
    assert (pair.name, pair.here) == ("numpy", "9.9")


def test_agreeing_results_have_no_difference_to_show() -> None:
    found = compare_with_saved(SAVED, SAVED)
    assert found.first_difference is None
    assert all(row.equal and not row.differences for row in found.rows)
    assert all(pair.equal for pair in found.digests)


# --- Different -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["reference", "Full checkpoint", "Optimizer reset"])
@pytest.mark.parametrize("step", [1, 4, 6])
def test_one_flipped_bit_of_a_loss_is_named_with_both_patterns(name: str, step: int) -> None:
    found = compare_with_saved(with_bit(name, step), SAVED)
    run = SAVED.reference if name == "reference" else SAVED.scenario(name).run
    saved = run.loss[step - 1]
    assert found.status == "different"
    assert found.first_difference == (
        f"First difference: {name}, step {step}, loss {flipped(saved)!r} "
        f"(bits {bit_pattern(flipped(saved))}) here, {saved!r} (bits {bit_pattern(saved)}) saved"
    )


def test_the_headline_tells_what_differs_first() -> None:
    found = compare_with_saved(with_bit("Full checkpoint", 4), SAVED)
    assert found.headline.startswith("Other bits than saved: 5 of 5 rows, digest ")
    assert found.headline.endswith(f"{found.first_difference}")


def test_the_earliest_step_comes_first_whatever_the_scenario() -> None:
    late = with_bit("Full checkpoint", 5)
    early = with_bit("Sampler RNG reset", 2)
    both = replace(
        late, scenarios=(*late.scenarios[:4], early.scenario("Sampler RNG reset"))
    )
    found = compare_with_saved(both, SAVED).first_difference
    assert found is not None and found.startswith("First difference: Sampler RNG reset, step 2,")


def test_the_sign_of_a_zero_is_a_difference() -> None:
    row = replace(SAVED.scenarios[0].row, maximum_weight_difference=-0.0)
    here = replace(SAVED, scenarios=(replace(SAVED.scenarios[0], row=row), *SAVED.scenarios[1:]))
    (difference,) = compare_with_saved(here, SAVED).rows[0].differences
    assert (difference.key, difference.saved_bits, difference.here_bits) == (
        "maximum_weight_difference", "0000000000000000", "8000000000000000"
    )  # fmt: skip


def test_a_changed_count_is_a_difference_without_bits() -> None:
    row = replace(SAVED.scenarios[2].row, weight_mismatch_steps=0)
    scenarios = list(SAVED.scenarios)
    scenarios[2] = replace(scenarios[2], row=row)
    found = compare_with_saved(replace(SAVED, scenarios=tuple(scenarios)), SAVED)
    assert found.status == "different"
    assert [entry.equal for entry in found.rows] == [True, True, False, True, True]
    assert found.rows[2].differences[0].here_bits is None


def test_a_trace_digest_alone_is_a_difference() -> None:
    found = compare_with_saved(with_run("Full checkpoint", trace_digest="0" * 64), SAVED)
    assert found.status == "different"
    assert found.first_difference == (
        "First difference: no number of a series differs, but the digests of the traces do"
    )
    assert [pair.name for pair in found.digests if not pair.equal] == [
        "study",
        "trace: Full checkpoint",
    ]


def test_a_scenario_that_is_missing_here_is_a_difference() -> None:
    found = compare_with_saved(replace(SAVED, scenarios=SAVED.scenarios[1:]), SAVED)
    assert found.status == "different"
    assert not found.rows[0].equal


def test_a_scenario_that_is_missing_in_the_saved_run_is_a_difference() -> None:
    found = compare_with_saved(SAVED, replace(SAVED, scenarios=SAVED.scenarios[1:]))
    assert found.status == "different"


# --- Other settings ------------------------------------------------------------------


def test_with_other_settings_nothing_is_compared() -> None:
    found = compare_with_saved(run_study(replace(SMALL, shards=2, noise=0.3)), SAVED)
    assert found.status == "other-settings"
    assert found.headline.startswith("Settings edited (shards 4 → 2, noise 0.2 → 0.3)")
    assert (found.rows, found.digests, found.first_difference) == ((), (), None)
    assert [pair.name for pair in found.settings] == ["shards", "noise"]


def test_with_other_settings_the_findings_are_those_of_this_run() -> None:
    here = run_study(replace(SMALL, shards=2))
    assert compare_with_saved(here, SAVED).findings == here.findings


# --- JSON ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "here", [SAVED, with_bit("reference", 1), replace(SAVED, config=replace(SMALL, noise=0.3))]
)
def test_the_comparison_is_a_json_object_with_the_agreed_keys(here: StudyResults) -> None:
    value = json.loads(json.dumps(compare_with_saved(here, SAVED).to_json(), allow_nan=False))
    assert sorted(value) == sorted(
        "status headline rows digests settings first_difference environment findings".split()
    )


@pytest.mark.parametrize("here", [SAVED, with_bit("reference", 1)])
def test_no_text_of_the_comparison_uses_the_badge_s_word(here: StudyResults) -> None:
    assert "computed" not in json.dumps(compare_with_saved(here, SAVED).to_json()).lower()


def test_a_weight_difference_alone_is_named_with_its_bits() -> None:
    name = "Optimizer reset"
    scenario = SAVED.scenario(name)
    numbers = list(scenario.weight_difference)
    numbers[-1] = flipped(numbers[-1])
    changed = replace(scenario, weight_difference=tuple(numbers))
    scenarios = tuple(changed if each.name == name else each for each in SAVED.scenarios)
    found = compare_with_saved(replace(SAVED, scenarios=scenarios), SAVED)
    assert found.first_difference is not None
    assert f"{name}, step {SMALL.steps}, weight difference" in found.first_difference
    assert bit_pattern(numbers[-1]) in found.first_difference
