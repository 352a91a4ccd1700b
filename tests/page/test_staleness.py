"""An edit marks what follows as out of date, and nothing else does; nothing runs by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.page.conftest import Opener
from tests.page.lab import Lab

OUT_OF_DATE = re.compile("out of date")


def _same_program(page: Page, one: str, other: str) -> bool:
    same: bool = page.evaluate(
        """async ([one, other]) => {
            const source = document.querySelector("script[type=module]").src.replace("start.js", "python-tokens.js");
            return (await import(source)).isSameProgram(one, other);
        }""",
        [one, other],
    )
    return same


@pytest.fixture(scope="module")
def page(site_url: str, browser: Browser) -> Iterator[Page]:
    opened = browser.new_page()
    opened.goto(site_url)
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x = 1", "x  =  1   # a comment\n\n"),
        ("f(a,\n   b)", "f(a, b)"),
        ("a = 1\nb = 2", "a = 1\n\n# between\n    # further in\nb = 2\n"),
        ("if x:\n    y", "if x:\n    # why\n\n    y"),
        ("a + \\\n  b", "a + b"),
        ("f'{{' # one\nx", "f'{{'\nx"),
        ("x\r\ny", "x\ny"),
    ],
)  # fmt: skip
def test_comments_and_blank_space_change_nothing(page: Page, one: str, other: str) -> None:
    assert _same_program(page, one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x = 1", "x = 2"),
        ("'a # b'", "'a # c'"),
        ("'a  b'", "'a b'"),
        ('f"{d["#"]}" + a', 'f"{d["#"]}" + b'),
        ("'''\n# a\n'''", "'''\n# b\n'''"),
        ("r'\\' # 1'", "r'\\' # 2'"),
        ("if x:\n    y\nz", "if x:\n    y\n    z"),
        ("x == 2", "x = = 2"),
        ("a b", "ab"),
        ("a\nb", "a b"),
        ("'open\nx = 1", "'open\nx = 2"),
        ("1e-6", "1e -6"),
    ],
)
def test_everything_else_does(page: Page, one: str, other: str) -> None:
    assert not _same_program(page, one, other)


def test_an_edit_of_cell_1_makes_cells_2_and_3_stale_and_runs_nothing(lab: Lab) -> None:
    lab.run_all()
    said = lab.status.inner_text()
    lab.edit(1, "shards = 8 ", "shards = 4 ")
    for number in (2, 3):
        expect(lab.output(number).locator(".badge")).to_have_text(OUT_OF_DATE)
    lab.page.wait_for_timeout(300)
    expect(lab.status).to_have_text(said)


def test_a_comment_makes_nothing_stale(lab: Lab) -> None:
    lab.run_all()
    lab.edit(1, "# simulated ranks", "#   how many simulated ranks")
    for number in (1, 2, 3):
        expect(lab.output(number).locator(".badge")).not_to_have_text(OUT_OF_DATE)


def test_an_edit_taken_back_makes_everything_fresh_again(lab: Lab) -> None:
    lab.run_all()
    lab.edit(2, "run_study(config)", "run_study(config) or None")
    expect(lab.output(3).locator(".badge")).to_have_text(OUT_OF_DATE)
    expect(lab.output(1).locator(".badge")).not_to_have_text(OUT_OF_DATE)
    lab.button("Reset cell 2").click()
    expect(lab.output(3).locator(".badge")).not_to_have_text(OUT_OF_DATE)


def test_saved_results_say_that_they_belong_to_the_published_code(open_page: Opener) -> None:
    lab = Lab(open_page())
    lab.edit(1, "shards = 8 ", "shards = 4 ")
    for number in (1, 2, 3, 4):
        expect(lab.output(number).locator(".badge")).to_have_text(OUT_OF_DATE)
    lab.button("Reset cell 1").click()
    expect(lab.output(2).locator(".badge")).not_to_have_text(OUT_OF_DATE)
