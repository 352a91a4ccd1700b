"""The verdict for a skeptic: what was compared, the first difference, where, and a receipt of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.page.lab import Lab

ALTERED = """
from dataclasses import replace
import numpy as np
from replay_lab import StudyConfig, run_study
results = run_study(StudyConfig())
row = results.scenarios[2]
number = row.weight_difference[11]
wrong = list(row.weight_difference)
wrong[11] = float(np.nextafter(number, 1))
scenarios = list(results.scenarios)
scenarios[2] = replace(row, weight_difference=tuple(wrong))
results = replace(results, scenarios=tuple(scenarios))
"""


def _receipt(lab: Lab, number: int) -> dict[str, Any]:
    lab.output(number).locator("details.verdict > summary").click()
    with lab.page.expect_download() as download:
        lab.output(number).get_by_role("button", name="Download receipt").click()
    lab.output(number).locator("details.verdict > summary").click()
    receipt: dict[str, Any] = json.loads(download.value.path().read_text())
    return receipt


def test_the_evidence_counts_what_was_compared_and_sets_the_environments_side_by_side(lab: Lab) -> None:
    lab.run_all()
    verdict = lab.output(2).locator("details.verdict")
    verdict.locator("summary").click()
    expect(verdict).to_contain_text("Compared as bit patterns, without a tolerance: every number of 5 rows; ")
    rows = verdict.get_by_role("table", name="Where the two runs were made, differences first").get_by_role("row")
    cells = [row.inner_text() for row in rows.all()][1:]
    equal = ["= same" in text for text in cells]
    assert equal == sorted(equal) and not equal[0] and equal[-1]
    assert any("native" in text and "browser" in text for text in cells)
    verdict.locator("summary").click()


def test_a_changed_bit_is_found_and_shown_as_bits(lab: Lab) -> None:
    lab.run(3, ALTERED)
    verdict = lab.output(3).locator("details.verdict")
    assert verdict.inner_text().startswith("Other bits than saved")
    verdict.locator("summary").click()
    difference = verdict.locator(".first-difference").inner_text()
    assert difference.startswith("First difference: Reversed reduction, step 12, weight difference")
    here, saved = (part.split(")")[0] for part in difference.split("(bits ")[1:])
    assert abs(int(here, 16) - int(saved, 16)) == 1


def test_the_receipt_holds_the_comparison_and_the_code_that_ran(lab: Lab, build_folder: Any) -> None:
    lab.run_all()
    receipt = _receipt(lab, 2)
    assert receipt["format"] == "replay-lab-receipt" and receipt["build"] == build_folder.name
    assert receipt["verdict"]["status"] == "same" and len(receipt["verdict"]["rows"]) == 5
    assert [(each["cell"], each["as_published"]) for each in receipt["made_by"]] == [("constants", True), ("study", True)]
    assert receipt["made_by"][1]["source"] == lab.source(2)


def test_the_receipt_of_edited_settings_says_so(lab: Lab) -> None:
    lab.edit(1, "shards = 8 ", "shards = 2 ")
    lab.run_all()
    receipt = _receipt(lab, 2)
    assert receipt["verdict"]["status"] == "other-settings"
    assert receipt["made_by"][0]["as_published"] is False and "shards = 2 " in receipt["made_by"][0]["source"]


def test_the_notebook_carries_the_receipts(lab: Lab) -> None:
    lab.run_all()
    with lab.page.expect_download() as download:
        lab.page.get_by_role("link", name="Download notebook", exact=True).click()
    notebook = json.loads(download.value.path().read_text())
    (receipt,) = (each for each in notebook["metadata"]["replay_lab"]["receipts"] if each["cell"] == "study")
    assert receipt["verdict"]["status"] == "same"


def test_what_is_typed_while_a_cell_runs_has_not_run(lab: Lab) -> None:
    lab.run_all()
    lab.code(3).fill("import time\nprint('begun')\ntime.sleep(1)\n'ended'")
    lab.button("Run cell 3").click()
    expect(lab.output(3)).to_contain_text("begun")
    lab.code(3).fill("'other'")
    lab.expect_finished(3)
    expect(lab.output(3).locator(".badge")).to_contain_text("out of date")


@pytest.mark.needs_headers("Stop ends Python, and says so instead")
def test_the_study_says_how_far_it_is(lab: Lab) -> None:
    lab.edit(1, "steps = 100 ", "steps = 4000 ")
    lab.button("Run cell 2").click()
    clock = lab.page.locator("[data-clock]")
    expect(clock).to_contain_text("of 7 · ")
    bar = lab.page.get_by_role("progressbar", name="Parts that have run")
    expect(bar).to_be_visible()
    lab.button("Stop").click()
    expect(lab.status).to_contain_text("was stopped")


def test_running_a_cell_says_which_others_it_needs(lab: Lab) -> None:
    lab.run_all()
    lab.code(1).fill("import time\ntime.sleep(1)\n" + lab.source(1))
    lab.button("Run cell 3").click()
    expect(lab.status).to_have_text("Running cell 1, which cell 3 needs. Next: cells 2 and 3.")
    lab.expect_finished(3)


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_the_verdict_opens_by_keyboard(lab: Lab, key: str) -> None:
    lab.run_all()
    summary = lab.output(2).locator("details.verdict > summary")
    summary.press(key)
    expect(lab.output(2).get_by_role("button", name="Download receipt")).to_be_visible()
    summary.press(key)
