"""A browser's storage that is full, denied or spoiled: no edit is lost, and the page says what became of it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.faults.kept_edits import MINE, expect_bar, key_of, other_edits, stored, tab, visit
from tests.page.conftest import guarded
from tests.page.lab import Lab

pytestmark = pytest.mark.fault("storage")
Record = Callable[..., None]

_FILL = """() => {
    let size = 1 << 20;
    for (let count = 0; size > 0; count += 1) {
        try { localStorage.setItem(`filler ${count}`, "x".repeat(size)); } catch { size >>= 1; }
    }
}"""
_FREE = "for (const key of Object.keys(localStorage)) if (key.startsWith('filler')) localStorage.removeItem(key)"


def _same_bits(lab: Lab) -> None:
    lab.run_all()
    assert lab.output(2).locator("details.verdict").inner_text().startswith("Same bits as saved")


def test_a_profile_that_blocks_all_site_data(browser: Browser, site_url: str, tmp_path: Path, record_fault: Record) -> None:
    settings = tmp_path / "profile" / "Default"
    settings.mkdir(parents=True)
    (settings / "Preferences").write_text(json.dumps({"profile": {"default_content_setting_values": {"cookies": 2}}}))
    context = browser.browser_type.launch_persistent_context(tmp_path / "profile", executable_path=os.environ.get("REPLAY_LAB_CHROMIUM"))
    with context, guarded(context) as trouble:
        lab = tab(context, site_url)
        assert "SecurityError" in lab.page.evaluate("(() => { try { return String(localStorage); } catch (error) { return error.name; } })()")
        published = lab.source(1)
        lab.code(1).fill(MINE)
        expect_bar(lab, "Cell 1 is edited. This browser refuses to keep edits: download the notebook before you leave.")
        lab.button("Back to the published code").click()
        expect(lab.status).to_contain_text("This browser would not set your edits aside, so they stay.")
        assert lab.source(1) == MINE
        lab.button("Reset cell 1").click()
        lab.expect_source(1, published)
        _same_bits(lab)
    assert trouble == []
    record_fault("denied by the profile's settings", "told; nothing is taken away that cannot be brought back", tried=1, engine="Chromium")


def test_a_full_storage_is_told_of_and_tried_again(browser: Browser, site_url: str, record_fault: Record) -> None:
    with visit(browser, site_url) as (lab, trouble):
        lab.page.evaluate(_FILL)
        lab.code(1).fill(MINE)
        expect_bar(lab, "Cell 1 is edited. This browser's storage for this site is full, so this is not kept")
        lab.page.evaluate(_FREE)
        lab.code(3).fill("# more")
        expect_bar(lab, "Cells 1 and 3 are edited, and kept in this browser.")
        lab.page.reload()
        lab.expect_source(1, MINE)
    assert trouble == []
    record_fault("full", "told, and kept once there is room", tried=1, engine="Chromium")


def test_in_a_full_storage_a_link_does_not_push_the_readers_edit_out(browser: Browser, site_url: str, record_fault: Record) -> None:
    with visit(browser, site_url) as (lab, trouble):
        lab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        lab.code(1).fill("x")
        lab.button("Copy link with my edits").click()
        expect(lab.status).to_contain_text("Link copied.")
        link = lab.page.evaluate("navigator.clipboard.readText()")
        lab.code(1).fill(MINE)
        lab.page.evaluate(_FILL)
        lab.page.evaluate("(link) => { location.href = link; }", link)
        expect(lab.status).to_have_text("The edits of this address are not shown: this browser would not set yours aside.")
        assert lab.source(1) == MINE
        lab.page.evaluate(_FREE)
        lab.page.evaluate("location.hash = ''")
        lab.page.reload()
        lab.expect_source(1, MINE)
    assert trouble == []
    record_fault("full, and a link comes", "the link waits, the reader's edit stays", tried=1, engine="Chromium")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("{", id="no JSON"),
        pytest.param("", id="empty"),
        pytest.param("null", id="null"),
        pytest.param("[" * 100_000, id="very deep"),
        pytest.param('{"format":"other","version":1,"cells":{}}', id="another format"),
        pytest.param('{"format":"replay-lab-edits","version":"1","cells":{}}', id="a version that is no number"),
        pytest.param('{"format":"replay-lab-edits","version":1,"cells":[]}', id="cells in a list"),
        pytest.param('{"format":"replay-lab-edits","version":1,"cells":{"constants":{"source":7,"published":"","savedAt":""}}}', id="a text that is none"),
        pytest.param("x" * 4_000_000, id="4 MB of something"),
    ],
)
def test_a_spoiled_value_stays_where_it_is(browser: Browser, site_url: str, text: str, request: pytest.FixtureRequest, record_fault: Record) -> None:
    with visit(browser, site_url) as (lab, trouble):
        published = lab.source(1)
        key = key_of(lab.page)
        lab.page.evaluate("([key, text]) => localStorage.setItem(key, text)", [key, text])
        lab.page.reload()
        lab.expect_source(1, published)
        expect_bar(lab, "Something that this browser had kept could not be read; it is left as it is.")
        lab.code(1).fill(MINE)
        expect_bar(lab, "Cell 1 is edited, and kept in this browser.")
        lab.page.reload()
        lab.expect_source(1, MINE)
        assert stored(lab.page)[key] == text
        assert text in other_edits(lab)
    assert trouble == []
    record_fault(f"spoiled: {request.node.callspec.id}", "told, left as it is, new edits kept beside it", tried=1, engine="Chromium")


def test_a_text_too_long_to_keep_is_told(browser: Browser, site_url: str, record_fault: Record) -> None:
    with visit(browser, site_url) as (lab, trouble):
        lab.code(1).fill("# " + "x" * 1_100_000)
        expect_bar(lab, "These edits are too long to be kept in this browser: download the notebook before you leave.")
        lab.code(1).fill(MINE)
        expect_bar(lab, "Cell 1 is edited, and kept in this browser.")
        lab.page.reload()
        lab.expect_source(1, MINE)
    assert trouble == []
    record_fault("an edit of more than a million characters", "told; a shorter one is kept", tried=1, engine="Chromium")


def test_a_private_window_keeps_edits_as_long_as_it_is_open(browser: Browser, site_url: str, record_fault: Record) -> None:
    with visit(browser, site_url) as (lab, trouble):
        published = lab.source(1)
        lab.code(1).fill(MINE)
        lab.page.reload()
        lab.expect_source(1, MINE)
        with visit(browser, site_url) as (other, others_trouble):
            other.expect_source(1, published)
    assert trouble + others_trouble == []
    record_fault("a private window", "kept while it is open, seen by no other one", tried=1, engine="Chromium")
