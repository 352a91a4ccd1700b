"""One storage for two tabs, or for two builds of the page: nobody writes over the other's edits in silence."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.faults.kept_edits import MINE, OTHERS, edits_as_kept, expect_bar, key_of, other_edits, stored, tab, visit
from tests.site_server import hosted

pytestmark = pytest.mark.fault("storage shared by tabs and builds")
Record = Callable[..., None]


def test_two_tabs_edit_one_cell_and_both_texts_are_there(browser: Browser, site_url: str, record_fault: Record) -> None:
    with visit(browser, site_url) as (lab, trouble):
        other = tab(lab.page.context, site_url)
        lab.code(1).fill(MINE)
        expect(other.status).to_have_text("Another tab of this page has changed cell 1. This tab still shows its own text.")
        expect_bar(other, "Another tab has changed cell 1 since: type here and that text is set aside, reload and it is shown.")
        other.code(1).fill(OTHERS)
        expect_bar(other, "Set aside: your edit of cell 1")
        expect_bar(lab, "Another tab has changed cell 1 since")
        assert (lab.source(1), other.source(1)) == (MINE, OTHERS)
        lab.page.reload()
        lab.expect_source(1, OTHERS)
        lab.button("Bring back my edits").click()
        lab.expect_source(1, MINE)
        expect_bar(lab, "Set aside: your edit of cell 1")
    assert trouble == []
    record_fault("two tabs edit one cell", "each tab is told, and both texts are kept", tried=1, engine="Chromium")


def test_two_tabs_take_turns_in_one_cell(browser: Browser, site_url: str, record_fault: Record) -> None:
    turns = 4
    with visit(browser, site_url) as (lab, trouble):
        other = tab(lab.page.context, site_url)
        for turn in range(turns):
            lab.code(1).fill(f"{MINE} {turn}")
            expect_bar(other, "Another tab has changed cell 1 since")
            other.code(1).fill(f"{OTHERS} {turn}")
            expect_bar(lab, "Another tab has changed cell 1 since")
        kept = json.loads(stored(lab.page)[key_of(lab.page)])["cells"]["constants"]["source"]
        aside = json.loads(stored(lab.page)[key_of(lab.page) + " set aside"])["cells"]
        assert kept == f"{OTHERS} {turns - 1}"
        # What a tab has written over itself is not heaped up.
        assert [edit["source"] for edit in aside.values()] == [f"{MINE} {turns - 1}"]
    assert trouble == []
    record_fault("two tabs take turns in one cell", "the last text of each is kept", tried=turns * 2, engine="Chromium")


def test_a_tab_that_goes_back_to_the_published_text_sets_the_others_edit_aside(browser: Browser, site_url: str, record_fault: Record) -> None:
    with visit(browser, site_url) as (lab, trouble):
        published = lab.source(1)
        other = tab(lab.page.context, site_url)
        other.code(1).fill(OTHERS)
        expect_bar(lab, "Another tab has changed cell 1 since")
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
    with hosted(tmp_path) as address, visit(browser, address) as (lab, trouble):
        assert "shards = 16 " in lab.source(1)
        lab.code(1).fill(MINE)
        _publish(dist, tmp_path, 8, day=2)
        lab.page.reload()
        assert "shards = 8 " in lab.source(1)
        expect_bar(lab, "The published text has changed since; set aside: your edit of cell 1")
        lab.code(1).fill(OTHERS)
        _publish(dist, tmp_path, 32, day=3)
        lab.page.reload()
        assert "shards = 32 " in lab.source(1)
        assert MINE in other_edits(lab)
        lab.button("Bring back my edits").click()
        lab.expect_source(1, OTHERS)
    assert trouble == []
    record_fault("edits of two older builds", "set aside, both kept", tried=2, engine="Chromium")


def test_an_edit_of_a_cell_that_this_build_no_longer_has(browser: Browser, site_url: str, record_fault: Record) -> None:
    with visit(browser, site_url) as (lab, trouble):
        lab.page.evaluate("([key, text]) => localStorage.setItem(key, text)", [key_of(lab.page), edits_as_kept(MINE, cell="no-longer")])
        lab.page.reload()
        expect_bar(lab, "Other edits of yours are kept too, of cells as they no longer are.")
        lab.code(1).fill(OTHERS)
        lab.page.reload()
        lab.expect_source(1, OTHERS)
        assert MINE in other_edits(lab)
    assert trouble == []
    record_fault("an edit of a cell that is no more", "told, kept, and handed over as a file", tried=1, engine="Chromium")


def test_edits_made_by_a_newer_build(browser: Browser, site_url: str, record_fault: Record) -> None:
    newer = edits_as_kept(MINE, version=2, colour="new")
    with visit(browser, site_url) as (lab, trouble):
        published = lab.source(1)
        lab.page.evaluate("([key, text]) => localStorage.setItem(key, text)", [key_of(lab.page), newer])
        lab.page.reload()
        lab.expect_source(1, published)
        expect_bar(lab, "A newer version of this page has kept edits in this browser, which this one cannot read; they are left as they are.")
        lab.code(1).fill(OTHERS)
        lab.page.reload()
        lab.expect_source(1, OTHERS)
        assert stored(lab.page)[key_of(lab.page)] == newer
        assert re.search(r"# kept by a newer version of this page\n.*mine", other_edits(lab), re.DOTALL)
    assert trouble == []
    record_fault("edits of a newer build", "told, left as they are, this build's own beside them", tried=1, engine="Chromium")
