"""Keep for offline use in Firefox and WebKitGTK: kept, run without the server, removed; and in a private window."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser_failures import AGAIN_WHEN_THE_BROWSER_FAILS
from tests.engines import OTHER_ENGINES
from tests.page.reader import Reader
from tests.site_server import hosted, serving_as_is

pytestmark = AGAIN_WHEN_THE_BROWSER_FAILS
KEEPING_S = 60
_TEXT = "[data-offline] p"
_STORAGE = "(async () => [(await caches.keys()).length, (await navigator.serviceWorker.getRegistrations()).length])()"
_REGISTER_A_BLOB = """(async () => {
    const address = URL.createObjectURL(new Blob(["onfetch = () => undefined"], { type: "text/javascript" }));
    try { await navigator.serviceWorker.register(address); return "registered"; } catch (error) { return `refused: ${error.name}`; }
})()"""


def _keep(reader: Reader) -> None:
    reader.wait_until("document.querySelector('[data-offline]').dataset.offline === 'idle'")
    reader.press("Keep for offline use")
    reader.wait(_TEXT, "Kept for offline use, ", KEEPING_S)


def _expect_the_same_bits(reader: Reader) -> None:
    reader.run_all()
    assert reader.text(f"{reader.output(2)} .verdict > summary").startswith("Same bits as saved: 5 of 5 rows")


@pytest.mark.parametrize(("engine", "host"), [("Firefox", "our server"), ("WebKitGTK", "a plain host, under a path")])
def test_what_is_kept_runs_with_the_same_bits_when_the_server_is_gone(dist: Path, tmp_path: Path, engine: str, host: str) -> None:
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "where").symlink_to(dist)
    serve, path = (serving_as_is(dist), "") if host == "our server" else (hosted(tmp_path), "some/where/")
    with OTHER_ENGINES[engine].start() as browser:
        reader = Reader(browser)
        with serve as address:
            browser.open(address + path)
            _keep(reader)
        browser.open(address + path)
        _expect_the_same_bits(reader)
        assert browser.evaluate(_REGISTER_A_BLOB).startswith("refused")
        reader.press("Remove")
        reader.wait("[role=status]", "Nothing is kept for offline use any more.")
        assert browser.evaluate(_STORAGE) == [0, 0]
        assert browser.errors == []


def test_in_a_private_window_it_works_or_says_why_not(dist: Path) -> None:
    with serving_as_is(dist) as address, OTHER_ENGINES["Firefox"].start('user_pref("browser.privatebrowsing.autostart", true);') as browser:
        browser.open(address)
        reader = Reader(browser)
        reader.wait_until("'scripts' in document.documentElement.dataset")
        if browser.evaluate("navigator.serviceWorker === undefined"):
            assert browser.evaluate("getComputedStyle(document.querySelector('[data-offline]')).visibility") == "hidden"
        elif browser.evaluate("caches.keys().then(() => true, () => false)"):
            _keep(reader)
        else:
            reader.wait(_TEXT, "This browser keeps no files for this page")
        print(reader.text(_TEXT))
        _expect_the_same_bits(reader)
        assert browser.errors == []
