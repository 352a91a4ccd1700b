"""What cells show in the page: much of it, many kinds of it, and never markup of theirs."""

from __future__ import annotations

import json
import re
import time
import zipfile

import pytest
from playwright.sync_api import expect

from tests.page.lab import Lab

FRAME_LIMIT_S = 2.0


def _alive(lab: Lab) -> None:
    """The page draws a frame before long, and Python answers."""
    began = time.monotonic()
    lab.page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    assert time.monotonic() - began < FRAME_LIMIT_S
    lab.run(3, "6 * 7")
    expect(lab.output(3).locator("pre.value")).to_have_text("42")


def test_a_million_lines_are_cut_and_can_be_shown_whole(lab: Lab) -> None:
    lab.run(3, "for number in range(1_000_000): print(number)")
    expect(lab.output(3)).to_contain_text("Output cut here: 6,688,890 more characters.")
    lab.button("Show all of stdout").click()
    rest = lab.output(3).locator("pre.rest")
    expect(rest).to_be_visible()
    assert rest.evaluate("rest => rest.lastElementChild.textContent.endsWith('999998\\n999999')")
    expect(lab.output(3)).not_to_contain_text("Output cut here")
    _alive(lab)


def test_a_string_of_50_mb_can_be_downloaded_whole(lab: Lab) -> None:
    lab.run(3, "'x' * 50_000_000")
    expect(lab.button("Show all of value-1")).to_have_count(0)
    with lab.page.expect_download() as download:
        lab.button("Download all of value-1").click()
    assert download.value.path().stat().st_size == 50_000_002
    assert download.value.suggested_filename == "cell-3-value-1.txt"
    _alive(lab)


def test_ten_figures_are_shown_side_by_side(lab: Lab) -> None:
    lab.run(3, "import matplotlib.pyplot as plt\nfor n in range(10):\n    plt.figure()\n    plt.plot([1, n])\n    plt.title(f'figure {n}')")
    images = lab.output(3).get_by_role("img")
    expect(images).to_have_count(10)
    expect(images.nth(9)).to_have_attribute("alt", re.compile("figure 9"))
    _alive(lab)


def test_what_python_kept_is_forgotten_with_it(lab: Lab) -> None:
    lab.run(3, "print('x' * 300_000)")
    expect(lab.button("Download all of stdout")).to_be_visible()
    lab.button("Restart Python").click()
    expect(lab.output(3)).to_contain_text("They went with Python.")
    expect(lab.button("Download all of stdout")).to_have_count(0)
    expect(lab.status).to_have_text("Python is ready.", timeout=90_000)


def test_a_list_of_dicts_becomes_a_table(lab: Lab) -> None:
    lab.run(3, "[{'step': 1, 'loss': 0.5}, {'step': 2, 'loss': 0.25}]")
    table = lab.output(3).get_by_role("table", name="2 rows, 2 columns")
    expect(table.get_by_role("columnheader", name="loss")).to_be_visible()
    expect(table.get_by_role("row", name="2 0.25")).to_be_visible()


HOSTILE = """
class Hostile:
    def _repr_html_(self):
        return '''<style>body { display: none }</style><script>window.hit = 1</script>
            <h2 onclick="window.hit = 1" id="method">Title</h2>
            <table class="x" style="position: fixed"><tr><td colspan="2" onmouseover="window.hit = 1">cell <b>bold</b></td></tr></table>
            <img src="x" onerror="window.hit = 1"><svg onload="window.hit = 1"><text>drawn</text></svg>
            <a href="javascript:window.hit = 1">link text</a><iframe srcdoc="<script>parent.hit = 1</script>"></iframe>
            <form action="/"><input name="q"><button>Run all</button></form>'''
Hostile()
"""


def test_html_values_keep_text_and_tables_only(lab: Lab) -> None:
    lab.run(3, HOSTILE)
    value = lab.output(3).get_by_role("group", name="Value of this cell")
    expect(value.get_by_role("cell", name="cell bold")).to_have_attribute("colspan", "2")
    expect(value).to_contain_text("Title")
    expect(value).to_contain_text("link text")
    expect(value).not_to_contain_text(re.compile("hit|display: none|drawn"))
    assert value.evaluate("v => [...v.querySelectorAll('*')].every((e) => [...e.attributes].every((a) => a.name === 'colspan'))")
    expect(value.locator("a, script, style, img, svg, iframe, form, input, button, h2")).to_have_count(0)
    assert lab.page.evaluate("window.hit") is None


def test_svg_from_code_is_only_an_image(lab: Lab) -> None:
    lab.run(3, "class V:\n    def _repr_svg_(self): return '<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"><script>parent.hit = 1</script></svg>'\nV()")
    image = lab.output(3).get_by_role("img")
    expect(image).to_have_attribute("src", re.compile("^blob:"))
    assert lab.page.evaluate("window.hit") is None
    expect(lab.output(3).locator("svg")).to_have_count(0)


def test_terminal_codes_do_not_reach_the_page(lab: Lab) -> None:
    lab.run(3, "print('\\x1b[1;31mred\\x1b[0m')")
    expect(lab.output(3).locator("pre.stream")).to_have_text("red\n")


def test_a_figure_takes_the_full_width_by_button_and_by_click(lab: Lab) -> None:
    lab.run_all()
    figure = lab.output(3).locator("figure").first
    button = figure.get_by_role("button", name="Full width of reduction_order")
    narrow = figure.get_by_role("img").evaluate("image => image.clientWidth")
    button.focus()
    button.press("Enter")
    expect(button).to_have_attribute("aria-pressed", "true")
    assert figure.get_by_role("img").evaluate("image => image.clientWidth") > 1.5 * narrow
    figure.get_by_role("img").click()
    expect(button).to_have_attribute("aria-pressed", "false")
    assert figure.get_by_role("img").evaluate("image => image.clientWidth") == narrow


def test_a_saved_figure_takes_the_full_width_too(lab: Lab) -> None:
    hero = lab.page.locator(".hero figure")
    hero.get_by_role("button", name="Full width of reduction_order").click()
    expect(hero).to_have_attribute("data-wide", "")
    hero.get_by_role("button", name="Full width of reduction_order").click()


def test_all_files_come_as_one_zip(lab: Lab) -> None:
    lab.run_all()
    with lab.page.expect_download() as download:
        lab.button("Download all files").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        assert {"results.json", "reduction_order.svg", "losses.csv"} <= set(archive.namelist())
        assert json.loads(archive.read("summary.json")) == lab.summary()


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("results = 1\nprint(resluts)", "Did you mean results?"),
        ("import torch", "This page contacts no other site"),
        ("import micropip\nawait micropip.install('snowballstemmer')", "This page contacts no other site"),
        ("kept = []\nwhile True: kept.append(bytearray(100_000_000))", "Make the arrays smaller"),
        ("def f(): f()\nf()", "calls itself without end"),
        ("input()", "Assign the value in line 1 of cell 3"),
    ],
)
def test_errors_say_what_to_do_next(lab: Lab, source: str, said: str) -> None:
    lab.run(3, source)
    expect(lab.output(3).locator(".error-next")).to_contain_text(said)
    lab.run(3, "kept = None")
