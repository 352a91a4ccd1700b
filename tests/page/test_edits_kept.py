"""Edits outlive a reload, and never hide the published text silently."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.page.conftest import Opener
from tests.page.lab import Lab

CHANGE = ("shards = 8 ", "shards = 4 ")


def _bar(page: Page) -> str:
    return page.locator("[data-edits-text]").inner_text()


def _rewrite_storage(page: Page, old: str, new: str) -> None:
    page.evaluate(
        """(change) => {
            const [old, next] = change;
            for (const [key, text] of Object.entries(localStorage)) localStorage.setItem(key, text.replace(old, next));
        }""",
        [old, new],
    )


def _edited(open_page: Opener, **options: object) -> tuple[Lab, str]:
    lab = Lab(open_page(**options))
    published = lab.source(1)
    lab.edit(1, *CHANGE)
    return lab, published


def test_a_reload_keeps_edits_and_dates_them(open_page: Opener) -> None:
    lab, published = _edited(open_page)
    lab.page.reload()
    lab.expect_source(1, published.replace(*CHANGE))
    assert re.search(r"^Cell 1 is as you left it on \w+ \d+, \d{4} at .*not as published", _bar(lab.page))
    expect(lab.status).to_have_text("Saved results shown. Nothing has been downloaded.")


def test_one_click_brings_the_published_code_back_and_another_the_edits(open_page: Opener) -> None:
    lab, published = _edited(open_page)
    lab.page.reload()
    lab.button("Back to the published code").click()
    lab.expect_source(1, published)
    lab.page.reload()
    lab.expect_source(1, published)
    lab.button("Bring back my edits").click()
    lab.expect_source(1, published.replace(*CHANGE))
    lab.page.reload()
    lab.expect_source(1, published.replace(*CHANGE))


def test_a_newer_published_text_is_shown_and_the_edit_set_aside(open_page: Opener) -> None:
    lab, published = _edited(open_page)
    _rewrite_storage(lab.page, '"published":"from replay_lab', '"published":"# older\\nfrom replay_lab')
    lab.page.reload()
    lab.expect_source(1, published)
    assert "The published text has changed since; set aside: your edit of cell 1" in _bar(lab.page)
    lab.button("Bring back my edits").click()
    lab.expect_source(1, published.replace(*CHANGE))


def test_two_tabs_do_not_overwrite_each_others_cells(open_page: Opener, site_url: str) -> None:
    lab, published = _edited(open_page)
    other = Lab(lab.page.context.new_page())
    other.page.goto(site_url)
    other.code(3).fill("other")
    lab.edit(1, "seed = 97", "seed = 98")
    other.page.reload()
    other.expect_source(3, "other")
    other.expect_source(1, published.replace(*CHANGE).replace("seed = 97", "seed = 98"))


@pytest.mark.parametrize("text", ["{", "[]", '{"format":"other"}', '{"format":"replay-lab-edits","version":1,"cells":{"constants":7}}'])
def test_unreadable_storage_is_told_and_shows_the_published_code(open_page: Opener, text: str) -> None:
    lab, published = _edited(open_page)
    lab.page.evaluate("(text) => { for (const key of Object.keys(localStorage)) localStorage.setItem(key, text); }", text)
    lab.page.reload()
    lab.expect_source(1, published)
    assert "could not be read" in _bar(lab.page)
    lab.edit(1, *CHANGE)
    lab.page.reload()
    lab.expect_source(1, published.replace(*CHANGE))


@pytest.mark.parametrize(
    ("lacking", "says"),
    [
        ("Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('denied', 'SecurityError'); } })", "This browser refuses to keep edits"),
        ("Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }", "This browser's storage for this site is full, so this is not kept"),
    ],
    ids=["denied", "full"],
)
def test_a_browser_that_keeps_nothing_is_told_of_and_works(open_page: Opener, site_url: str, lacking: str, says: str) -> None:
    page = open_page("about:blank")
    page.add_init_script(lacking)
    page.goto(site_url)
    lab = Lab(page)
    published = lab.source(1)
    lab.edit(1, *CHANGE)
    assert f"{says}: download the notebook before you leave." in _bar(page)
    lab.button("Reset cell 1").click()
    lab.expect_source(1, published)
