"""A browser's storage that is full, denied, spoiled or shared: no edit is lost, and the page says what became of it."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.page.conftest import guarded
from tests.page.lab import Lab
from tests.site_server import hosted

pytestmark = pytest.mark.fault("storage")
Record = Callable[..., None]

MINE = "shards = 4  # mine"
OTHERS = "shards = 2  # the other tab's"
_FILL = """() => {
    let size = 1 << 20;
    for (let count = 0; size > 0; count += 1) {
        try { localStorage.setItem(`filler ${count}`, "x".repeat(size)); } catch { size >>= 1; }
    }
}"""
_FREE = "for (const key of Object.keys(localStorage)) if (key.startsWith('filler')) localStorage.removeItem(key)"


@contextmanager
def _visit(browser: Browser, address: str) -> Iterator[tuple[Lab, list[str]]]:
    """A page in a window of its own, and what went wrong in it."""
    with browser.new_context() as context, guarded(context) as trouble:
        yield _tab(context, address), trouble


def _tab(context: BrowserContext, address: str) -> Lab:
    page = context.new_page()
    page.goto(address)
    return Lab(page)


def _expect_bar(lab: Lab, words: str) -> None:
    expect(lab.page.locator("[data-edits-text]")).to_contain_text(words)


def _storage(page: Page) -> dict[str, str]:
    found: dict[str, str] = page.evaluate("Object.fromEntries(Object.entries(localStorage).filter(([key]) => key.startsWith('replay-lab')))")
    return found


def _key(page: Page) -> str:
    key: str = page.evaluate("`replay-lab ${new URL('.', location.href).pathname} edits`")
    return key


def _entry(source: str, published: str = "older", version: int = 1, cell: str = "constants", **more: Any) -> str:
    cells = {cell: {"published": published, "source": source, "savedAt": "2026-01-02T03:04:05.000Z", **more}}
    return json.dumps({"format": "replay-lab-edits", "version": version, "cells": cells})


def _rest(lab: Lab) -> str:
    """What the page hands over of what it does not show."""
    with lab.page.expect_download() as download:
        lab.button("Download the other edits").click()
    return Path(download.value.path()).read_text(encoding="utf-8")


def _same_bits(lab: Lab) -> None:
    lab.run_all()
    assert lab.output(2).locator("details.verdict").inner_text().startswith("Same bits as saved")


def test_a_profile_that_blocks_all_site_data(browser: Browser, site_url: str, tmp_path: Path, record_fault: Record) -> None:
    settings = tmp_path / "profile" / "Default"
    settings.mkdir(parents=True)
    (settings / "Preferences").write_text(json.dumps({"profile": {"default_content_setting_values": {"cookies": 2}}}))
    context = browser.browser_type.launch_persistent_context(tmp_path / "profile", executable_path=os.environ.get("REPLAY_LAB_CHROMIUM"))
    with context, guarded(context) as trouble:
        lab = _tab(context, site_url)
        assert "SecurityError" in lab.page.evaluate("(() => { try { return String(localStorage); } catch (error) { return error.name; } })()")
        published = lab.source(1)
        lab.code(1).fill(MINE)
        _expect_bar(lab, "Cell 1 is edited. This browser refuses to keep edits: download the notebook before you leave.")
        lab.button("Back to the published code").click()
        expect(lab.status).to_contain_text("This browser would not set your edits aside, so they stay.")
        assert lab.source(1) == MINE
        lab.button("Reset cell 1").click()
        lab.expect_source(1, published)
        _same_bits(lab)
    assert trouble == []
    record_fault("denied by the profile's settings", "told; nothing is taken away that cannot be brought back", tried=1, engine="Chromium")


def test_a_full_storage_is_told_of_and_tried_again(browser: Browser, site_url: str, record_fault: Record) -> None:
    with _visit(browser, site_url) as (lab, trouble):
        lab.page.evaluate(_FILL)
        lab.code(1).fill(MINE)
        _expect_bar(lab, "Cell 1 is edited. This browser's storage for this site is full, so this is not kept")
        lab.page.evaluate(_FREE)
        lab.code(3).fill("# more")
        _expect_bar(lab, "Cells 1 and 3 are edited, and kept in this browser.")
        lab.page.reload()
        lab.expect_source(1, MINE)
    assert trouble == []
    record_fault("full", "told, and kept once there is room", tried=1, engine="Chromium")


def test_in_a_full_storage_a_link_does_not_push_the_readers_edit_out(browser: Browser, site_url: str, record_fault: Record) -> None:
    with _visit(browser, site_url) as (lab, trouble):
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
    with _visit(browser, site_url) as (lab, trouble):
        published = lab.source(1)
        key = _key(lab.page)
        lab.page.evaluate("([key, text]) => localStorage.setItem(key, text)", [key, text])
        lab.page.reload()
        lab.expect_source(1, published)
        _expect_bar(lab, "Something that this browser had kept could not be read; it is left as it is.")
        lab.code(1).fill(MINE)
        _expect_bar(lab, "Cell 1 is edited, and kept in this browser.")
        lab.page.reload()
        lab.expect_source(1, MINE)
        assert _storage(lab.page)[key] == text
        assert text in _rest(lab)
    assert trouble == []
    record_fault(f"spoiled: {request.node.callspec.id}", "told, left as it is, new edits kept beside it", tried=1, engine="Chromium")


def test_a_text_too_long_to_keep_is_told(browser: Browser, site_url: str, record_fault: Record) -> None:
    with _visit(browser, site_url) as (lab, trouble):
        lab.code(1).fill("# " + "x" * 1_100_000)
        _expect_bar(lab, "These edits are too long to be kept in this browser: download the notebook before you leave.")
        lab.code(1).fill(MINE)
        _expect_bar(lab, "Cell 1 is edited, and kept in this browser.")
        lab.page.reload()
        lab.expect_source(1, MINE)
    assert trouble == []
    record_fault("an edit of more than a million characters", "told; a shorter one is kept", tried=1, engine="Chromium")


def test_a_private_window_keeps_edits_as_long_as_it_is_open(browser: Browser, site_url: str, record_fault: Record) -> None:
    with _visit(browser, site_url) as (lab, trouble):
        published = lab.source(1)
        lab.code(1).fill(MINE)
        lab.page.reload()
        lab.expect_source(1, MINE)
        with _visit(browser, site_url) as (other, others_trouble):
            other.expect_source(1, published)
    assert trouble + others_trouble == []
    record_fault("a private window", "kept while it is open, seen by no other one", tried=1, engine="Chromium")


def test_two_tabs_edit_one_cell_and_both_texts_are_there(browser: Browser, site_url: str, record_fault: Record) -> None:
    with _visit(browser, site_url) as (lab, trouble):
        other = _tab(lab.page.context, site_url)
        lab.code(1).fill(MINE)
        expect(other.status).to_have_text("Another tab of this page has changed cell 1. This tab still shows its own text.")
        _expect_bar(other, "Another tab has changed cell 1 since: type here and that text is set aside, reload and it is shown.")
        other.code(1).fill(OTHERS)
        _expect_bar(other, "Set aside: your edit of cell 1")
        _expect_bar(lab, "Another tab has changed cell 1 since")
        assert (lab.source(1), other.source(1)) == (MINE, OTHERS)
        lab.page.reload()
        lab.expect_source(1, OTHERS)
        lab.button("Bring back my edits").click()
        lab.expect_source(1, MINE)
        _expect_bar(lab, "Set aside: your edit of cell 1")
    assert trouble == []
    record_fault("two tabs edit one cell", "each tab is told, and both texts are kept", tried=1, engine="Chromium")


def test_two_tabs_take_turns_in_one_cell(browser: Browser, site_url: str, record_fault: Record) -> None:
    turns = 4
    with _visit(browser, site_url) as (lab, trouble):
        other = _tab(lab.page.context, site_url)
        for turn in range(turns):
            lab.code(1).fill(f"{MINE} {turn}")
            _expect_bar(other, "Another tab has changed cell 1 since")
            other.code(1).fill(f"{OTHERS} {turn}")
            _expect_bar(lab, "Another tab has changed cell 1 since")
        kept = json.loads(_storage(lab.page)[_key(lab.page)])["cells"]["constants"]["source"]
        aside = json.loads(_storage(lab.page)[_key(lab.page) + " set aside"])["cells"]
        assert kept == f"{OTHERS} {turns - 1}"
        # What a tab has written over itself is not heaped up.
        assert [edit["source"] for edit in aside.values()] == [f"{MINE} {turns - 1}"]
    assert trouble == []
    record_fault("two tabs take turns in one cell", "the last text of each is kept", tried=turns * 2, engine="Chromium")


def test_a_tab_that_goes_back_to_the_published_text_sets_the_others_edit_aside(browser: Browser, site_url: str, record_fault: Record) -> None:
    with _visit(browser, site_url) as (lab, trouble):
        published = lab.source(1)
        other = _tab(lab.page.context, site_url)
        other.code(1).fill(OTHERS)
        _expect_bar(lab, "Another tab has changed cell 1 since")
        lab.code(1).fill(MINE)
        lab.button("Reset cell 1").click()
        lab.expect_source(1, published)
        lab.page.reload()
        lab.expect_source(1, published)
        lab.button("Bring back my edits").click()
        lab.expect_source(1, OTHERS)
    assert trouble == []
    record_fault("one tab edits, the other resets", "the edit is set aside", tried=1, engine="Chromium")


def _publish(dist: Path, folder: Path, shards: int, *, day: int) -> None:
    """A build of the site whose first cell says so many shards; the host tells its day, so that no cache holds the one before."""
    if not (folder / "b").exists():
        (folder / "b").symlink_to(dist / "b")
    page = (dist / "index.html").read_text(encoding="utf-8")
    assert "shards = 8 " in page
    (folder / "index.html").write_text(page.replace("shards = 8 ", f"shards = {shards} "), encoding="utf-8")
    moment = time.time() + (day - 10) * 86_400
    os.utime(folder / "index.html", (moment, moment))


def test_edits_made_on_an_older_build(browser: Browser, dist: Path, tmp_path: Path, record_fault: Record) -> None:
    _publish(dist, tmp_path, 16, day=1)
    with hosted(tmp_path) as address, _visit(browser, address) as (lab, trouble):
        assert "shards = 16 " in lab.source(1)
        lab.code(1).fill(MINE)
        _publish(dist, tmp_path, 8, day=2)
        lab.page.reload()
        assert "shards = 8 " in lab.source(1)
        _expect_bar(lab, "The published text has changed since; set aside: your edit of cell 1")
        lab.code(1).fill(OTHERS)
        _publish(dist, tmp_path, 32, day=3)
        lab.page.reload()
        assert "shards = 32 " in lab.source(1)
        assert MINE in _rest(lab)
        lab.button("Bring back my edits").click()
        lab.expect_source(1, OTHERS)
    assert trouble == []
    record_fault("edits of two older builds", "set aside, both kept", tried=2, engine="Chromium")


def test_an_edit_of_a_cell_that_this_build_no_longer_has(browser: Browser, site_url: str, record_fault: Record) -> None:
    with _visit(browser, site_url) as (lab, trouble):
        lab.page.evaluate("([key, text]) => localStorage.setItem(key, text)", [_key(lab.page), _entry(MINE, cell="no-longer")])
        lab.page.reload()
        _expect_bar(lab, "Other edits of yours are kept too, of cells as they no longer are.")
        lab.code(1).fill(OTHERS)
        lab.page.reload()
        lab.expect_source(1, OTHERS)
        assert MINE in _rest(lab)
    assert trouble == []
    record_fault("an edit of a cell that is no more", "told, kept, and handed over as a file", tried=1, engine="Chromium")


def test_edits_made_by_a_newer_build(browser: Browser, site_url: str, record_fault: Record) -> None:
    newer = _entry(MINE, version=2, colour="new")
    with _visit(browser, site_url) as (lab, trouble):
        published = lab.source(1)
        lab.page.evaluate("([key, text]) => localStorage.setItem(key, text)", [_key(lab.page), newer])
        lab.page.reload()
        lab.expect_source(1, published)
        _expect_bar(lab, "A newer version of this page has kept edits in this browser, which this one cannot read; they are left as they are.")
        lab.code(1).fill(OTHERS)
        lab.page.reload()
        lab.expect_source(1, OTHERS)
        assert _storage(lab.page)[_key(lab.page)] == newer
        assert re.search(r"# kept by a newer version of this page\n.*mine", _rest(lab), re.DOTALL)
    assert trouble == []
    record_fault("edits of a newer build", "told, left as they are, this build's own beside them", tried=1, engine="Chromium")
