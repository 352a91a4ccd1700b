"""For every reader: axe without violations, narrow screens without sideways scrolling, keyboard."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page, expect

from tests.page.conftest import Opener
from tests.page.lab import Lab

WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 320, "height": 640}


def _expect_accessible(page: Page) -> None:
    found = Axe().run(page)
    assert found.violations_count == 0, found.response["violations"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["1280", "320"])
def test_the_saved_page_has_no_violation(open_page: Opener, scheme: str, size: dict[str, int]) -> None:
    page = open_page(color_scheme=scheme, viewport=size)
    _expect_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth") == size["width"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["1280", "320"])
def test_the_page_after_a_run_has_no_violation(lab: Lab, scheme: str, size: dict[str, int]) -> None:
    lab.run_all()
    page = lab.page
    summary = lab.output(2).locator("details.verdict > summary")
    try:
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.set_viewport_size(size)  # type: ignore[arg-type]
        summary.click()
        _expect_accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth") == size["width"]
    finally:
        summary.click()
        page.emulate_media(color_scheme="light")
        page.set_viewport_size(WIDE)  # type: ignore[arg-type]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_error_has_no_violation(lab: Lab, scheme: str) -> None:
    lab.run(3, "1 / 0")
    lab.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    _expect_accessible(lab.page)
    lab.page.emulate_media(color_scheme="light")


def test_tab_indents_and_escape_lets_it_leave(open_page: Opener) -> None:
    lab = Lab(open_page())
    lab.code(3).fill("if True:")
    lab.code(3).press("Enter")
    lab.code(3).press_sequentially("pass")
    assert lab.source(3) == "if True:\n    pass"
    lab.code(3).press("Home")
    lab.code(3).press("Tab")
    assert lab.source(3) == "if True:\n        pass"
    lab.code(3).press("Escape")
    lab.code(3).press("Tab")
    expect(lab.code(3)).not_to_be_focused()


def test_shift_enter_runs_and_moves_on(lab: Lab) -> None:
    lab.code(1).press("Shift+Enter")
    expect(lab.code(2)).to_be_focused()
    lab.expect_finished(1)
