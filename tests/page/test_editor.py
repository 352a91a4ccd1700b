"""The editor: a text field until someone goes to edit, then the library in its place."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.page.conftest import Opener
from tests.page.lab import Lab

UNDO = "ControlOrMeta+z"


@pytest.fixture
def fresh(open_page: Opener) -> Lab:
    """A page in which nobody has edited anything yet."""
    return Lab(open_page())


def _is_editor(lab: Lab, number: int) -> bool:
    found: bool = lab.code(number).evaluate("code => code.isContentEditable")
    return found


def _open_editor(lab: Lab, number: int) -> None:
    lab.code(number).focus()
    expect(lab.page.locator(f"section.cell >> nth={number - 1} >> .editor")).to_have_count(1)


def _hold_library(page: Page) -> Callable[[], None]:
    """Keep the library back, which is fetched, compared and then imported; return what lets it go."""
    waiting: list[Route] = []
    address = "**/vendor/codemirror.js"

    def hold(route: Route) -> None:
        waiting.append(route)

    def release() -> None:
        for route in waiting:
            route.continue_()
        page.unroute(address)

    page.route(address, hold)
    return release


def test_the_library_travels_only_when_a_reader_goes_to_edit(open_page: Opener, site_url: str) -> None:
    page = open_page("about:blank")
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    page.goto(site_url)
    page.mouse.wheel(0, 20_000)
    page.wait_for_load_state("networkidle")
    assert not [url for url in requested if "/vendor/" in url]
    lab = Lab(page)
    assert not _is_editor(lab, 1)
    _open_editor(lab, 1)
    assert [url for url in requested if url.endswith("/vendor/codemirror.js")]
    assert _is_editor(lab, 1) and not _is_editor(lab, 2)


def test_the_editor_takes_over_text_selection_focus_and_what_was_typed_meanwhile(fresh: Lab) -> None:
    release = _hold_library(fresh.page)
    published = fresh.source(3)
    fresh.code(3).focus()
    fresh.code(3).press("ControlOrMeta+Home")
    fresh.page.keyboard.type("# typed meanwhile")
    fresh.page.keyboard.press("Shift+Home")
    assert not _is_editor(fresh, 3)
    release()
    expect(fresh.code(3)).to_have_class(re.compile("cm-content"))
    expect(fresh.code(3)).to_be_focused()
    assert fresh.source(3) == f"# typed meanwhile{published}"
    fresh.page.keyboard.type("over")
    fresh.expect_source(3, f"over{published}")


def test_undo_in_the_editor_knows_what_was_typed_into_the_field(fresh: Lab) -> None:
    release = _hold_library(fresh.page)
    published = fresh.source(3)
    fresh.code(3).fill("other")
    release()
    expect(fresh.code(3)).to_have_class(re.compile("cm-content"))
    fresh.code(3).press(UNDO)
    fresh.expect_source(3, published)


def test_the_swap_moves_nothing(fresh: Lab) -> None:
    below = fresh.page.locator("[data-cell=constants] .tries")
    fresh.code(1).scroll_into_view_if_needed()
    before = fresh.code(1).bounding_box(), below.bounding_box()
    _open_editor(fresh, 1)
    after = below.bounding_box()
    assert before[1] is not None and after is not None
    assert after["y"] == before[1]["y"]


@pytest.mark.parametrize("source", ["def f(x):\n    return x\n\n\n\tf(1)\n# '", "", "a\n", "\n".join(f"x{n} = {n}" for n in range(300))])
def test_a_text_put_in_as_a_whole_arrives_as_it_is(fresh: Lab, source: str) -> None:
    _open_editor(fresh, 3)
    fresh.code(3).fill("before\n" * 200)
    fresh.page.evaluate("scrollTo(0, 0)")
    fresh.code(3).fill(source)
    kept = fresh.page.evaluate("Object.values(localStorage).map((text) => JSON.parse(text).cells.figures.source)")
    assert kept == [source]


def test_enter_indents_as_python_does_and_a_bracket_shows_its_partner(fresh: Lab) -> None:
    _open_editor(fresh, 3)
    fresh.code(3).fill("def f(x):")
    fresh.page.keyboard.press("Enter")
    fresh.page.keyboard.type("return (x)")
    fresh.expect_source(3, "def f(x):\n    return (x)")
    expect(fresh.page.locator(".cm-matchingBracket")).to_have_count(2)


def test_reset_is_undone_by_its_button_and_by_the_keyboard(fresh: Lab) -> None:
    published = fresh.source(1)
    fresh.edit(1, "shards = 8 ", "shards = 4 ")
    edited = fresh.source(1)
    fresh.button("Reset cell 1").click()
    fresh.expect_source(1, published)
    fresh.button("Undo in cell 1").click()
    fresh.expect_source(1, edited)
    fresh.button("Reset cell 1").click()
    fresh.code(1).press(UNDO)
    fresh.expect_source(1, edited)


def test_typing_ends_the_time_of_the_undo_button(fresh: Lab) -> None:
    fresh.code(3).fill("one")
    fresh.button("Reset cell 3").click()
    expect(fresh.button("Undo in cell 3")).to_be_visible()
    fresh.code(3).fill("two")
    expect(fresh.button("Undo in cell 3")).to_be_hidden()


def test_names_of_the_cells_are_offered_and_enter_stays_a_line_break(fresh: Lab) -> None:
    _open_editor(fresh, 3)
    fresh.code(3).fill("")
    fresh.page.keyboard.type("logged_di")
    expect(fresh.page.get_by_role("option", name="logged_digits")).to_be_visible()
    fresh.page.keyboard.press("Enter")
    fresh.expect_source(3, "logged_di\n")
    fresh.page.keyboard.type("logged_di")
    expect(fresh.page.get_by_role("option", name="logged_digits")).to_be_visible()
    fresh.page.keyboard.press("ArrowDown")
    fresh.page.keyboard.press("Enter")
    fresh.expect_source(3, "logged_di\nlogged_digits")


def test_escape_then_tab_leaves_also_from_an_open_list_of_names(fresh: Lab) -> None:
    _open_editor(fresh, 3)
    fresh.code(3).fill("")
    fresh.page.keyboard.type("logged_di")
    expect(fresh.page.get_by_role("option", name="logged_digits")).to_be_visible()
    fresh.page.keyboard.press("Escape")
    expect(fresh.page.get_by_role("option")).to_have_count(0)
    fresh.page.keyboard.press("Tab")
    expect(fresh.code(3)).not_to_be_focused()
    assert fresh.source(3) == "logged_di"


def test_the_namespace_is_offered_once_python_runs(lab: Lab) -> None:
    lab.run_all()
    _open_editor(lab, 3)
    lab.code(3).fill("")
    lab.page.keyboard.type("results.summary_te")
    expect(lab.page.get_by_role("option", name="summary_text")).to_be_visible()


def test_the_failing_line_is_marked_until_the_text_changes(lab: Lab) -> None:
    lab.run(3, "a = 1\nb = = 2\nc = 3")
    marked = lab.page.locator(".cm-failing")
    expect(marked).to_have_text("b = = 2")
    expect(marked).to_have_attribute("data-mark", "stopped here, line 2")
    lab.edit(3, "= = 2", "= 2")
    expect(marked).to_have_count(0)


def test_a_cell_that_nobody_edited_is_marked_too(lab: Lab) -> None:
    lab.page.reload()
    lab.button("Seven logged digits").click()
    lab.code(1).evaluate("code => { code.value = code.value.replace('seed = 97', 'seed = nine'); code.dispatchEvent(new Event('input')); }")
    lab.run(1)
    expect(lab.page.locator(".cm-failing")).to_contain_text("seed = nine")
