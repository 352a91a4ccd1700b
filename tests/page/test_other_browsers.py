"""Firefox and WebKitGTK: boot, run all, verdict, Stop, download. What is finer is tested in Chromium."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.browser_failures import AGAIN_WHEN_THE_BROWSER_FAILS
from tests.engines import OTHER_ENGINES
from tests.page.reader import BOOT_S, RUN_S, Reader

pytestmark = AGAIN_WHEN_THE_BROWSER_FAILS
STOP_S = 10


@pytest.fixture(scope="module")
def readers(site_url: str) -> Iterator[Callable[[str], Reader]]:
    """A function that gives the page after one Run all, the same one as long as its browser lives."""
    opened: dict[str, Reader] = {}

    with ExitStack() as browsers:

        def reader_in(name: str) -> Reader:
            if name not in opened or opened[name].browser.failed:
                browser = browsers.enter_context(OTHER_ENGINES[name].start())
                browser.open(site_url)
                opened[name] = Reader(browser)
                opened[name].run_all()
            return opened[name]

        yield reader_in
    assert [reader.browser.errors for reader in opened.values()] == [[]] * len(opened)


@pytest.fixture(params=OTHER_ENGINES)
def reader(request: pytest.FixtureRequest, readers: Callable[[str], Reader]) -> Reader:
    """The page in one browser."""
    return readers(request.param)


def test_run_all_gives_the_bits_of_the_saved_run(reader: Reader) -> None:
    assert reader.text(f"{reader.output(2)} .verdict > summary").startswith("Same bits as saved: 5 of 5 rows")


def test_both_figures_are_drawn(reader: Reader) -> None:
    drawn = "[...document.querySelectorAll(\"[aria-label='Output of cell 3'] img\")].map((image) => image.decode().then(() => image.naturalWidth > 0))"
    assert reader.browser.evaluate(f"Promise.all({drawn})") == [True, True]


def test_a_file_can_be_saved(reader: Reader) -> None:
    reader.press("Download summary.json")
    saved = reader.browser.downloads / "summary.json"
    deadline = time.monotonic() + RUN_S
    while not (saved.exists() and saved.stat().st_size > 0):
        assert time.monotonic() < deadline, sorted(reader.browser.downloads.iterdir())
        time.sleep(0.1)
    assert json.loads(saved.read_text()) == json.loads(reader.text(f"{reader.output(2)} pre.stream"))


def test_stop_gives_a_usable_python(reader: Reader) -> None:
    reader.type(1, "print('begun')\nwhile True: pass")
    reader.press("Run cell 1")
    reader.wait(f"{reader.output(1)} pre.stream", "begun")
    isolated = reader.browser.evaluate("crossOriginIsolated && typeof SharedArrayBuffer === 'function'")
    reader.press("Stop")
    reader.wait("[role=status]", "Cell 1 was stopped; variables are kept." if isolated else "Python was ended to stop the cell", STOP_S)
    reader.type(1, "6 * 7")
    reader.press("Run cell 1")
    reader.wait("[role=status]", "Cell 1 finished", BOOT_S)
    assert reader.text(f"{reader.output(1)} pre.value") == "42"


def test_a_python_that_ends_itself_is_noticed(reader: Reader) -> None:
    reader.type(1, "import js\njs.close()")
    reader.press("Run cell 1")
    reader.wait("[role=status]", "Python ended unexpectedly")
    reader.type(1, "6 * 7")
    reader.press("Run cell 1")
    reader.wait("[role=status]", "Cell 1 finished", BOOT_S)
