"""Nothing moves while the page loads and Python runs; the first view is small."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.page.conftest import Opener
from tests.page.lab import Lab

FIRST_VIEW_LIMIT_BYTES = 400_000
SIZES = {"1280": {"width": 1280, "height": 900}, "320": {"width": 320, "height": 640}}
_WATCH = """
    window.shifts = [];
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
            // What follows a press within half a second is the reader's own doing.
            if (!entry.hadRecentInput) shifts.push([entry.value, ...entry.sources.map(({ node }) => `${node?.nodeName} ${node?.className}`)]);
        }
    }).observe({ type: "layout-shift", buffered: true });
"""


def _watched(open_page: Opener, site_url: str, size: dict[str, int]) -> Page:
    page = open_page("about:blank", viewport=size)
    page.add_init_script(_WATCH)
    page.goto(site_url)
    page.wait_for_load_state("networkidle")
    return page


def _shifts(page: Page) -> list[object]:
    page.wait_for_timeout(300)
    found: list[object] = page.evaluate("shifts")
    return found


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("place", ["#notebook", "[data-cell=study]", "[data-cell=figures]"])
def test_nothing_moves_while_python_loads_and_runs(open_page: Opener, site_url: str, size: dict[str, int], place: str) -> None:
    page = _watched(open_page, site_url, size)
    assert _shifts(page) == []
    page.evaluate("(place) => document.querySelector(place).scrollIntoView()", place)
    # Pressed by a script: a press by a reader would excuse what moves soon after.
    page.evaluate("document.querySelector('[data-action=run-all]').click()")
    Lab(page).expect_finished(3, timeout=90_000)
    assert _shifts(page) == []


def test_after_a_run_the_reader_is_where_they_were(open_page: Opener) -> None:
    lab = Lab(open_page())
    lab.button("Run all").click()
    lab.page.evaluate("document.querySelector('[data-cell=figures]').scrollIntoView()")
    heading = lab.page.get_by_role("heading", name="Inspect the generated figures")
    before = heading.bounding_box()
    lab.expect_finished(3, timeout=90_000)
    lab.page.wait_for_timeout(300)
    assert heading.bounding_box() == before


def test_the_first_view_is_small(open_page: Opener, site_url: str) -> None:
    page = open_page("about:blank")
    sizes: list[int] = []
    page.on("requestfinished", lambda request: sizes.append(request.sizes()["responseBodySize"] + request.sizes()["responseHeadersSize"]))
    page.goto(site_url)
    page.wait_for_load_state("networkidle")
    assert 0 < sum(sizes) < FIRST_VIEW_LIMIT_BYTES


def test_figures_keep_their_place_before_they_are_here(open_page: Opener) -> None:
    page = open_page()
    for image in page.locator(".plot img").all():
        expect(image).to_have_attribute("width", "4176")
        shape = image.evaluate("image => image.getBoundingClientRect().width / image.getBoundingClientRect().height")
        assert shape == pytest.approx(4176 / int(image.get_attribute("height") or 0), rel=0.01)
