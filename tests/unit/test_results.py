"""What a study leaves, to and from JSON in two forms."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from replay_lab.errors import CheckFailure, ReplayLabError, ResultsError
from replay_lab.figure_data import figure_data_digests
from replay_lab.files import write_results
from replay_lab.results import StudyResults
from replay_lab.tables import MIME_TYPE
from tests.study.runs import default_results, small_results

TEXT = small_results().to_json()


def refused(text: str) -> str:
    with pytest.raises(ResultsError) as caught:
        StudyResults.from_json(text)
    return str(caught.value)


def edited(edit: Callable[[dict[str, Any]], Any]) -> str:
    value = json.loads(TEXT)
    edit(value)
    return json.dumps(value)


def test_results_survive_their_full_form() -> None:
    assert StudyResults.from_json(TEXT) == small_results()


def test_the_full_form_of_reread_results_is_the_same_text() -> None:
    assert StudyResults.from_json(TEXT).to_json() == TEXT


def test_the_default_study_survives_its_full_form() -> None:
    assert StudyResults.from_json(default_results().to_json()) == default_results()


def test_the_full_form_has_the_agreed_keys_in_order() -> None:
    assert " ".join(json.loads(TEXT)) == (
        "format version config environment digests reference scenarios checks checks_passed findings"
    )


def test_a_scenario_in_the_full_form_has_its_agreed_keys() -> None:
    scenario = json.loads(TEXT)["scenarios"][2]
    assert {"name", "explanation", "trace_digest", "row", "series"} <= set(scenario)
    assert list(scenario["series"]) == ["loss", "logged_loss", "weight_difference"]


def test_the_full_form_holds_the_digests_of_the_figure_data() -> None:
    digests = json.loads(TEXT)["digests"]["figure_data"]
    assert digests == figure_data_digests(small_results())


def test_a_key_of_a_later_version_is_ignored() -> None:
    more = edited(lambda value: value.update(later={"a": 1}))
    assert StudyResults.from_json(more) == small_results()


# --- The published form --------------------------------------------------------------


def test_the_published_form_is_the_summary() -> None:
    assert json.loads(small_results().summary_text()) == small_results().summary()


def test_the_published_form_keeps_every_bit_of_a_number() -> None:
    found = json.loads(default_results().summary_text())
    losses = [row["final_loss"] for row in found["summary"]]
    assert losses == [scenario.run.final_loss for scenario in default_results().scenarios]


def test_the_published_form_shows_one_scenario_a_line() -> None:
    lines = default_results().summary_text().splitlines()
    assert [line for line in lines if '"scenario"' in line] == lines[3:8]


def test_a_step_without_mismatch_is_null_and_not_zero() -> None:
    assert '"first_weight_mismatch": null' in small_results().summary_text().splitlines()[3]


# --- Refused -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "results are not JSON"),
        (TEXT[:-3], "results are not JSON"),
        ("[" * 100_000, "results are not JSON"),
        ("[]", "expected an object with format 'replay-lab-results'"),
        ("{}", "expected an object with format 'replay-lab-results'"),
        ('{"format": "replay-lab-results", "version": 2}', "version is 2, expected 1"),
        ('{"format": "replay-lab-results", "version": 1}', "KeyError.'config'"),
    ],
    ids=["empty", "cut", "nested", "list", "object", "version", "bare"],
)
def test_a_file_of_another_kind_is_refused(text: str, message: str) -> None:
    with pytest.raises(ResultsError, match=message):
        StudyResults.from_json(text)


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(lambda value: value.pop("environment"), id="no environment"),
        pytest.param(lambda value: value.update(environment=[]), id="environment is a list"),
        pytest.param(lambda value: value.update(digests="none"), id="digests are a text"),
        pytest.param(lambda value: value["digests"].pop("study"), id="no study digest"),
        pytest.param(lambda value: value["digests"].pop("figure_data"), id="no figure digests"),
        pytest.param(lambda value: value["digests"].update(study=3), id="digest is a number"),
        pytest.param(lambda value: value["scenarios"].pop(), id="no sampler reset"),
        pytest.param(lambda value: value.update(scenarios=[3]), id="scenario is a number"),
        pytest.param(lambda value: value["scenarios"][0]["row"].pop("final_loss"), id="no loss"),
        pytest.param(lambda value: value["scenarios"][0]["row"].update(more=1), id="more in row"),
        pytest.param(lambda value: value["reference"]["series"]["loss"].pop(), id="short series"),
        pytest.param(lambda value: value["checks"][0].pop("status"), id="check without status"),
        pytest.param(lambda value: value.update(checks=None), id="no checks"),
    ],
)
def test_a_misshaped_file_is_refused(edit: Callable[[Any], Any]) -> None:
    refused(edited(edit))


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_a_number_that_is_no_json_is_refused(constant: str) -> None:
    text = edited(lambda value: value["reference"].update(final_loss="HERE"))
    assert f"{constant} is no number" in refused(text.replace('"HERE"', constant))


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(lambda value: value["digests"].update(study="0" * 64), id="study digest"),
        pytest.param(lambda value: value["digests"].update(dataset="0" * 64), id="data digest"),
        pytest.param(
            lambda value: value["scenarios"][1].update(trace_digest="0" * 64), id="trace digest"
        ),
        pytest.param(
            lambda value: value["digests"]["figure_data"].update(reduction_order="0" * 64),
            id="figure digest",
        ),
        pytest.param(
            lambda value: value["reference"]["series"]["loss"].__setitem__(3, 0.5),
            id="reference loss",
        ),
        pytest.param(
            lambda value: value["scenarios"][3]["series"]["weight_difference"].__setitem__(3, 0.5),
            id="weight difference",
        ),
        pytest.param(
            lambda value: value["scenarios"][3]["row"].update(final_loss=0.5), id="final loss"
        ),
        pytest.param(
            lambda value: value["scenarios"][3]["row"].update(maximum_weight_difference=0.5),
            id="largest difference",
        ),
        pytest.param(
            lambda value: value["scenarios"][0]["row"].update(scenario="Rerun"), id="name"
        ),
    ],
)
def test_an_edited_number_is_refused(edit: Callable[[Any], Any]) -> None:
    assert "edited" in refused(edited(edit))


def test_a_setting_out_of_range_is_refused_by_name() -> None:
    with pytest.raises(ReplayLabError, match="shards = 5 is refused"):
        StudyResults.from_json(edited(lambda value: value["config"].update(shards=5)))


# --- Use -----------------------------------------------------------------------------


def test_an_unknown_scenario_is_refused_by_name() -> None:
    with pytest.raises(KeyError, match="no scenario 'Rerun'; there are .*Full checkpoint"):
        small_results().scenario("Rerun")


def test_requiring_checks_that_pass_says_nothing() -> None:
    small_results().require_checks()


def test_a_failed_check_is_raised_with_its_detail() -> None:
    failing = StudyResults.from_json(
        edited(lambda value: value["checks"][0].update(status="failed", detail="7 of 8"))
    )
    name = failing.checks[0].name
    with pytest.raises(CheckFailure, match=f"1 check.s. failed. {name}: 7 of 8") as caught:
        failing.require_checks()
    assert caught.value.names == (name,)


def test_there_is_a_finding_for_every_scenario() -> None:
    names = [scenario.name for scenario in small_results().scenarios]
    found = [finding.split(":")[0] for finding in small_results().findings]
    assert found == names


def test_the_table_has_a_row_for_every_scenario() -> None:
    table = default_results().table().to_json()
    assert [row["scenario"] for row in table["rows"]] == [s.name for s in default_results().scenarios]
    assert table["rows"][0]["first"] == "never"
    assert table["rows"][4]["first"] == "41"


def test_results_show_themselves_as_a_table_in_three_forms() -> None:
    assert sorted(small_results()._repr_mimebundle_()) == [MIME_TYPE, "text/html", "text/plain"]


@pytest.mark.parametrize("name", ["results.json", "summary.json", "losses.csv"])
def test_a_written_file_ends_with_one_newline(name: str, tmp_path: Any) -> None:
    write_results(small_results(), tmp_path)
    data = (tmp_path / name).read_bytes()
    assert data.endswith(b"\n") and not data.endswith(b"\n\n")
    assert b"\r" not in data


def test_the_written_results_are_read_back(tmp_path: Any) -> None:
    write_results(small_results(), tmp_path)
    assert StudyResults.from_json((tmp_path / "results.json").read_text()) == small_results()
