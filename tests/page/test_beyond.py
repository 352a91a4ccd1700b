"""The section beyond the published study: saved, and run in this tab."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from replay_lab.faults import CATALOGUE
from replay_lab.golden import CATALOGUE_DIGEST
from tests.page.conftest import Opener
from tests.page.lab import BOOT_MS, Lab

LAST = 9


@pytest.fixture
def beyond(lab: Lab) -> Lab:
    """The booted page after Run these too."""
    if lab.output(LAST).locator(".badge").inner_text().startswith("Saved"):
        lab.button("Run these too").click()
        lab.expect_finished(LAST, timeout=BOOT_MS)
    return lab


def test_every_entry_is_explained_without_scripts(open_page: Opener) -> None:
    page = open_page(java_script_enabled=False)
    terms = page.locator(".catalogue dt").all_text_contents()
    assert sorted(terms) == sorted(fault.name for fault in CATALOGUE)
    text = page.locator(".catalogue").text_content() or ""
    for fault in CATALOGUE:
        assert fault.explanation in text
    expect(page.locator(".catalogue a").first).to_have_attribute(
        "href", re.compile(r"^https://github\.com/[^/]+/[^/]+/issues/\d+$")
    )


def test_the_saved_catalogue_has_the_stored_digest(build_folder: Path) -> None:
    saved = json.loads((build_folder / "saved" / "catalogue.json").read_text(encoding="utf-8"))
    assert saved["digest"] == CATALOGUE_DIGEST


@pytest.mark.parametrize("number", [4, 5, 6, 7, 9])
def test_this_tab_finds_the_bits_of_the_saved_run(beyond: Lab, number: int) -> None:
    output = beyond.output(number)
    expect(output.locator(".badge")).to_have_text(re.compile("^Computed in this tab"))
    expect(output.locator(".verdict")).to_contain_text("Same bits as saved")


def test_the_usual_style_may_differ_and_says_so(beyond: Lab) -> None:
    verdict = beyond.output(8).locator(".verdict").inner_text()
    assert "Same bits as saved" in verdict or "as arithmetic written this way may have" in verdict
    expect(beyond.output(8).get_by_role("table").first).to_contain_text("in portable arithmetic")


def test_figures_beyond_the_study_have_alt_texts(beyond: Lab) -> None:
    for number in (5, 6, 7, 9):
        (image,) = beyond.output(number).get_by_role("img").all()
        assert len(image.get_attribute("alt") or "") > 60


def test_an_edited_setting_is_not_compared_beyond_the_study(beyond: Lab) -> None:
    beyond.edit(1, "shards = 8", "shards = 2")
    beyond.button("Run cell 4").click()
    beyond.expect_finished(4)
    verdict = beyond.output(4).locator(".verdict")
    expect(verdict).to_contain_text("Settings edited (shards 8 → 2)")
    expect(beyond.output(4).get_by_role("table").first).to_contain_text("dormant")


def _expect_progress(lab: Lab, total: int) -> None:
    """Wait until a sweep over more seeds than the first few says how far it is."""
    expect(lab.page.locator("[data-clock]")).to_contain_text(re.compile(rf"^seed [1-9]\d*, [1-9]\d* of {total} · "), timeout=BOOT_MS)
    bar = lab.page.get_by_role("progressbar", name="Parts that have run")
    expect(bar).to_be_visible()
    expect(bar).to_have_js_property("max", total)
    assert 0 < bar.evaluate("bar => bar.value") < total


@pytest.mark.needs_headers("Stop ends Python, and says so instead")
def test_a_long_sweep_says_how_far_it_is_and_stop_keeps_variables(beyond: Lab) -> None:
    beyond.edit(9, "range(64, 128) ", "range(900) ")
    beyond.button("Run cell 9").click()
    _expect_progress(beyond, 900)
    beyond.button("Stop").click()
    expect(beyond.status).to_have_text("Cell 9 was stopped; variables are kept.")
    beyond.run(3, "len(seeds), len(sweep.rows)")
    expect(beyond.output(3).locator("pre.value")).to_have_text("(900, 64)")


def test_on_a_plain_host_stop_ends_a_long_sweep_and_a_short_one_runs_again(open_page: Opener, plain_site_url: str) -> None:
    lab = Lab(open_page(plain_site_url))
    lab.edit(9, "range(64, 128) ", "range(900) ")
    lab.button("Run cell 9").click()
    _expect_progress(lab, 900)
    lab.button("Stop").click()
    expect(lab.status).to_have_text(re.compile("^Python was ended to stop the cell"))
    lab.button("Reset cell 9").click()
    lab.button("Run cell 9").click()
    lab.expect_finished(9, timeout=BOOT_MS)
    expect(lab.output(9).locator(".verdict")).to_contain_text("Same bits as saved")


def test_edited_seeds_and_digits_are_named_instead_of_compared(beyond: Lab) -> None:
    beyond.edit(9, "range(64, 128) ", "(3, 7, 8, 9) ")
    beyond.edit(9, "range(2, 10) ", "(5, 12) ")
    beyond.button("Run cell 9").click()
    beyond.expect_finished(9)
    verdict = beyond.output(9).locator(".verdict")
    expect(verdict).to_contain_text("Settings edited (seed 64 to 127 → 3, 7 to 9, digits 2 to 9 → 5, 12)")
    alt = beyond.output(9).get_by_role("img").get_attribute("alt") or ""
    assert alt.startswith("Map of 4 seeds (3, 7 to 9), with logs of 5, 12 digits")


@pytest.mark.parametrize(("old", "new", "refusal"), [("range(64, 128) ", "64 ", "seeds = 64 is refused"), ("range(2, 10) ", "range(2, 14) ", "digits = 13 is refused")])
def test_seeds_and_digits_that_cannot_be_are_refused_by_name(beyond: Lab, old: str, new: str, refusal: str) -> None:
    beyond.edit(9, old, new)
    beyond.button("Run cell 9").click()
    expect(beyond.status).to_have_text(re.compile("^Cell 9 failed"))
    expect(beyond.output(9)).to_contain_text(refusal)
