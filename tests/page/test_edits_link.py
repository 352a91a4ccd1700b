"""A link can carry edits; it shows them, runs nothing, and may be hostile."""

from __future__ import annotations

import base64
import json
import zlib

import pytest
from playwright.sync_api import expect

from tests.page.conftest import Opener
from tests.page.lab import Lab

CHANGE = ("shards = 8 ", "shards = 4 ")
SHOWN = "This link's text of cell 1 is shown and has not run."
UNREADABLE = "The edits in this address cannot be read. Nothing of them is shown."


def _fragment(content: object) -> str:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    text = content if isinstance(content, bytes) else json.dumps(content).encode()
    packed = packer.compress(text) + packer.flush()
    return "#edits=1." + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def _copied(lab: Lab) -> str:
    lab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    lab.button("Copy link with my edits").click()
    expect(lab.status).to_have_text("Link copied. It shows your edits of cell 1 and runs nothing.")
    link: str = lab.page.evaluate("navigator.clipboard.readText()")
    return link


def test_a_copied_link_shows_the_edits_elsewhere_and_runs_nothing(open_page: Opener) -> None:
    lab = Lab(open_page())
    edited = lab.source(1).replace(*CHANGE)
    lab.edit(1, *CHANGE)
    link = _copied(lab)
    assert len(link) < 2000
    page = open_page("about:blank")
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    page.goto(link)
    other = Lab(page)
    other.expect_source(1, edited)
    expect(other.status).to_have_text(SHOWN)
    expect(page.locator("[data-edits-text]")).to_have_text("Cell 1 is as a link brought it, not as published. No link runs anything.")
    page.wait_for_load_state("networkidle")
    assert not [url for url in requested if "/runtime/" in url]
    # What was shown is kept: the address was never the only copy.
    assert "#" not in page.url
    page.reload()
    other.expect_source(1, edited)


def test_a_link_sets_the_readers_own_edits_aside(open_page: Opener, site_url: str) -> None:
    lab = Lab(open_page())
    published = lab.source(1)
    lab.edit(1, "seed = 97", "seed = 5")
    own = lab.source(1)
    lab.page.evaluate("(fragment) => { location.hash = fragment; }", _fragment([["constants", published, "x = 1"]]))
    lab.expect_source(1, "x = 1")
    lab.button("Bring back my edits").click()
    lab.expect_source(1, own)


def test_a_link_made_for_another_published_text_says_so(open_page: Opener, site_url: str) -> None:
    lab = Lab(open_page(site_url + _fragment([["constants", "older", "x = 1"]])))
    expect(lab.status).to_have_text(f"{SHOWN} It was made for another published text.")


@pytest.mark.parametrize(
    "fragment",
    [
        "#edits=",
        "#edits=1.",
        "#edits=1.%%%",
        "#edits=2.AAAA",
        "#edits=1.AAAA",
        _fragment(b"not json"),
        _fragment(b"\xff\xfe"),
        _fragment({"constants": "x"}),
        _fragment([]),
        _fragment([["constants", "x"]]),
        _fragment([["constants", "x", 7]]),
        _fragment([["__proto__", "x", "y"]]),
        _fragment([["unknown", "x", "y"]]),
        _fragment([["constants", "x", "y" * 50_000_000]]),
    ],
    ids=range(14),
)
def test_a_hostile_fragment_is_a_notice_and_nothing_else(open_page: Opener, site_url: str, fragment: str) -> None:
    lab = Lab(open_page(site_url + fragment))
    expect(lab.status).to_have_text(UNREADABLE)
    assert "StudyConfig" in lab.source(1)
    assert lab.page.evaluate("localStorage.length") == 0


def test_markup_in_a_link_stays_text(open_page: Opener, site_url: str) -> None:
    lab = Lab(open_page(site_url + _fragment([["constants", "x", "</textarea><img src=x onerror=alert(1)>"]])))
    lab.expect_source(1, "</textarea><img src=x onerror=alert(1)>")
    lab.code(1).focus()
    lab.expect_source(1, "</textarea><img src=x onerror=alert(1)>")


def test_what_is_too_long_for_a_link_goes_into_the_notebook(open_page: Opener) -> None:
    lab = Lab(open_page())
    numbers = lab.page.evaluate("Array.from(crypto.getRandomValues(new Uint32Array(4000))).join(' + ')")
    lab.code(1).fill(numbers)
    lab.button("Copy link with my edits").click()
    expect(lab.status).to_contain_text("Download the notebook instead.")


def test_where_copying_is_refused_the_address_carries_the_edits(open_page: Opener) -> None:
    page = open_page()
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: { writeText: () => Promise.reject(new Error('no')) } })")
    lab = Lab(page)
    lab.edit(1, *CHANGE)
    lab.button("Copy link with my edits").click()
    expect(lab.status).to_contain_text("The address of this page now carries your edits of cell 1")
    assert "#edits=1." in page.url
