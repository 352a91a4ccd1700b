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
