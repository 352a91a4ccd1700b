"""The page before Run: complete, small, silent."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from build.cells import parse_cells
from build.folders import ROOT
from tests.page.conftest import Opener
from tests.page.lab import Lab

FIRST_VIEW_LIMIT_BYTES = 400_000


def test_without_scripts_everything_saved_is_readable(open_page: Opener, build_folder: Path) -> None:
    page = open_page(java_script_enabled=False)
    lab = Lab(page)
    saved = json.loads((build_folder / "saved" / "summary.json").read_text())
    assert lab.summary() == saved
    cells = parse_cells((ROOT / "replay_lab" / "notebook.py").read_text(encoding="utf-8"))
    for number in range(1, len(cells) + 1):
        expect(lab.output(number).locator(".badge")).to_have_text(re.compile("^Saved "))
    expect(page.locator("pre code")).to_have_count(len(cells))
    expect(lab.output(2).get_by_role("table")).to_be_visible()
    for image in lab.output(3).get_by_role("img").all():
        assert len(image.get_attribute("alt") or "") > 40
        assert image.evaluate("image => image.complete && image.naturalWidth > 0")
    expect(page.get_by_role("link", name="Download notebook", exact=True)).to_be_visible()


def test_without_scripts_no_button_is_shown(open_page: Opener) -> None:
    page = open_page(java_script_enabled=False)
    expect(page.get_by_role("button")).to_have_count(0)
    expect(page.get_by_text("python build_wheel.py --serve")).to_be_visible()


def test_before_run_nothing_of_the_runtime_travels(open_page: Opener, site_url: str) -> None:
    page = open_page("about:blank")
    requested: list[str] = []
    sizes: list[int] = []
    page.on("request", lambda request: requested.append(request.url))
    page.on("requestfinished", lambda request: sizes.append(request.sizes()["responseBodySize"] + request.sizes()["responseHeadersSize"]))
    page.goto(site_url)
    page.mouse.wheel(0, 20_000)
    page.wait_for_load_state("networkidle")
    assert not [url for url in requested if "/runtime/" in url or url.endswith(".whl")]
    assert 0 < sum(sizes) < FIRST_VIEW_LIMIT_BYTES


def test_opened_from_a_file_the_page_is_readable_and_names_the_serve_command(
    browser: Browser, dist: Path
) -> None:
    # Unguarded: a browser logs an error for the module that it does not load from a file.
    with browser.new_context() as context:
        page = context.new_page()
        page.goto((dist / "index.html").as_uri())
        expect(page.get_by_text("python build_wheel.py --serve")).to_be_visible()
        expect(page.get_by_role("button")).to_have_count(0)
        for image in page.get_by_role("img").all():
            image.scroll_into_view_if_needed()
            image.evaluate("image => image.decode()")
            assert image.evaluate("image => image.complete && image.naturalWidth > 0")
        assert page.evaluate("getComputedStyle(document.querySelector('.badge')).fontSize") == "14px"


@pytest.mark.parametrize("name", ["Run all", "Stop", "Restart Python", *(f"{verb} cell {n}" for verb in ("Run", "Reset") for n in (1, 2, 3))])
def test_buttons_have_their_names(open_page: Opener, name: str) -> None:
    expect(Lab(open_page()).button(name)).to_be_visible()


def test_before_any_run_the_download_is_the_published_notebook(open_page: Opener, build_folder: Path) -> None:
    page = open_page()
    link = page.get_by_role("link", name="Download notebook", exact=True)
    expect(link).to_have_accessible_description("full experiment")
    with page.expect_download() as download:
        link.click()
    (published,) = (build_folder / "notebook").glob("*.ipynb")
    assert download.value.path().read_bytes() == published.read_bytes()
    assert download.value.suggested_filename == published.name


def test_there_is_one_status_and_one_h1(open_page: Opener) -> None:
    page = open_page()
    expect(page.get_by_role("status")).to_have_count(1)
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    for name in ("Deterministic replay notebook", "Python · cell 1", "Run the study and its assertions", "Inspect the generated figures"):
        expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()


def test_the_heading_states_the_numbers_of_the_saved_run(open_page: Opener, build_folder: Path) -> None:
    results = json.loads((build_folder / "saved" / "summary.json").read_text())
    row = next(row for row in results["summary"] if row["scenario"] == "Reversed reduction")
    heading = open_page().get_by_role("heading", level=1).inner_text()
    assert heading.startswith(f"{row['hidden_weight_mismatch_steps']} identical loss logs")
    assert f"{row['weight_mismatch_steps']} different model states" in heading


@pytest.mark.parametrize(
    ("lacking", "sentence"),
    [
        ("Object.defineProperty(window, 'isSecureContext', {value: false})", "Open the page over https"),
        ("delete Promise.withResolvers", "too old to run Python"),
    ],
)
def test_a_browser_that_cannot_run_python_keeps_the_article_and_says_why(
    open_page: Opener, site_url: str, lacking: str, sentence: str
) -> None:
    page = open_page("about:blank")
    page.add_init_script(lacking)
    page.goto(site_url)
    expect(page.get_by_text(sentence)).to_be_visible()
    expect(page.get_by_role("button")).to_have_count(0)
    expect(Lab(page).code(1)).to_have_value(re.compile("StudyConfig"))
    expect(Lab(page).output(3).get_by_role("img")).to_have_count(2)
