"""axe finds nothing in any state of the page, light and dark, narrow and wide; other ways to see it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.page.conftest import Opener
from tests.page.lab import BOOT_MS, Lab
from tests.page.test_access import NARROW, WIDE, _expect_accessible

Enter = Callable[[Lab], None]
VIEWS = [(size, scheme) for size in (WIDE, NARROW) for scheme in ("light", "dark")]


def _loading(lab: Lab) -> None:
    def hold(route: Route) -> None:
        """Never answered: the download lasts as long as the page."""

    lab.page.route("**/runtime/pyodide.asm.wasm", hold)
    lab.button("Run all").click()
    expect(lab.status).to_contain_text("MB are here")


def _edited(lab: Lab) -> None:
    lab.edit(1, "shards = 8 ", "shards = 4 ")
    lab.button("Reset cell 1").click()
    lab.button("Undo in cell 1").click()
    lab.code(3).fill("# text\ndef half(x):\n    return f'{x}' + str(0.5) if x is None else len(")
    expect(lab.page.locator(".editor")).to_have_count(2)


def _offering_names(lab: Lab) -> None:
    lab.code(3).fill("")
    expect(lab.page.locator(".editor")).to_have_count(1)
    lab.page.keyboard.type("logged_di")
    expect(lab.page.get_by_role("option", name="logged_digits")).to_be_visible()
    lab.page.keyboard.press("ArrowDown")


def _dialog_open(lab: Lab) -> None:
    lab.button("Keyboard map").click()


@pytest.mark.parametrize("enter", [_loading, _edited, _dialog_open])
def test_before_python_runs_no_state_has_a_violation(open_page: Opener, enter: Enter) -> None:
    lab = Lab(open_page())
    enter(lab)
    _in_every_view(lab.page)
    lab.page.unroute_all(behavior="ignoreErrors")


# A list of names closes when the page gets another size.
@pytest.mark.parametrize(("size", "scheme"), VIEWS)
def test_a_list_of_names_has_no_violation(open_page: Opener, size: dict[str, int], scheme: str) -> None:
    lab = Lab(open_page(color_scheme=scheme, viewport=size))
    _offering_names(lab)
    _expect_accessible(lab.page)
    assert lab.page.evaluate("document.documentElement.scrollWidth") == size["width"]


def _in_every_view(page: Page) -> None:
    try:
        for size, scheme in VIEWS:
            page.set_viewport_size(size)  # type: ignore[arg-type]
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            _expect_accessible(page)
            assert page.evaluate("document.documentElement.scrollWidth") == size["width"]
    finally:
        page.set_viewport_size(WIDE)  # type: ignore[arg-type]
        page.emulate_media(color_scheme="light")


def test_running_and_stale_have_no_violation(lab: Lab) -> None:
    lab.run_all()
    lab.edit(1, "shards = 8 ", "shards = 4 ")
    expect(lab.output(2).locator(".badge")).to_contain_text("out of date")
    _in_every_view(lab.page)
    lab.button("Reset cell 1").click()
    lab.code(3).fill("print('begun')\nwhile True: pass")
    lab.button("Run cell 3").click()
    expect(lab.output(3)).to_contain_text("begun", timeout=BOOT_MS)
    _in_every_view(lab.page)
    lab.button("Stop").click()
    expect(lab.status).to_contain_text("was stopped")


def test_a_failed_cell_with_its_marked_line_has_no_violation(lab: Lab) -> None:
    lab.run(3, "a = 1\nb = = 2")
    expect(lab.page.locator(".cm-failing")).to_be_visible()
    _in_every_view(lab.page)


def test_with_forced_colours_what_runs_and_what_can_be_pressed_is_told_apart(open_page: Opener) -> None:
    page = open_page(forced_colors="active")
    lab = Lab(page)
    lab.edit(1, "shards = 8 ", "shards = 4 ")
    lab.code(1).focus()
    outline = page.locator(".editor").evaluate("editor => getComputedStyle(editor).outlineStyle")
    assert outline == "solid"
    assert lab.button("Stop").evaluate("button => getComputedStyle(button).color") != lab.button("Run all").evaluate(
        "button => getComputedStyle(button).color"
    )
    _expect_accessible(page)


def test_with_reduced_motion_nothing_is_animated(open_page: Opener) -> None:
    page = open_page(reduced_motion="reduce")
    lab = Lab(page)
    _edited(lab)
    moving = page.evaluate(
        """() => [...document.querySelectorAll("*")].filter((element) => {
            const { transitionDuration, animationDuration } = getComputedStyle(element);
            return parseFloat(transitionDuration) > 0 || parseFloat(animationDuration) > 0;
        }).map((element) => element.outerHTML.slice(0, 80))"""
    )
    assert moving == []


def test_on_paper_the_article_stands_without_its_buttons(open_page: Opener) -> None:
    page = open_page()
    lab = Lab(page)
    lab.code(1).focus()
    page.emulate_media(media="print")
    for name in ("Run all", "Run cell 1", "Two shards", "Keyboard map", "Copy link with my edits"):
        expect(lab.button(name)).to_be_hidden()
    expect(page.locator(".verdict-place").first).to_be_hidden()
    expect(lab.code(1)).to_be_visible()
    expect(lab.output(2).get_by_role("table")).to_be_visible()
