"""One wrong byte in any kind of file: named, nothing of it used, the saved results stay, and Retry goes on once it is mended."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser_failures import AGAIN_WHEN_THE_BROWSER_FAILS
from tests.engines import IN_OTHER_ENGINES, Engine
from tests.page.reader import BOOT_S, STATUS, Reader
from tests.site_server import hosted

pytestmark = [pytest.mark.fault("integrity"), AGAIN_WHEN_THE_BROWSER_FAILS]

Record = Callable[..., None]
CANNOT_RUN = "p[data-cannot-run]"


@dataclass(frozen=True)
class Damage:
    """Where a byte is wrong, and where the page says so."""

    file: str
    place: str = STATUS
    boot: str = "snapshot"


DAMAGES = {
    "a script of the page": Damage("page/js/views/cell.js", CANNOT_RUN),
    "a script of the worker": Damage("page/js/bundle.js"),
    "the script that loads the runtime": Damage("runtime/pyodide.js"),
    "the runtime's own script": Damage("runtime/pyodide.asm.js"),
    "the program": Damage("runtime/pyodide.asm.wasm"),
    "the standard library": Damage("runtime/python_stdlib.zip", boot="stock"),
    "a wheel": Damage("runtime/numpy-*.whl", boot="stock"),
    "our own wheel": Damage("wheel/*.whl", boot="stock"),
    "a part of the memory": Damage("prepared/snapshot-pages-01.bundle"),
    "a bundle of files": Damage("prepared/lab.bundle", boot="bytecode"),
    "the saved results": Damage("saved/results.json"),
    "the list of files": Damage("manifest.json"),
}
ALSO_ELSEWHERE = ("a script of the page", "a script of the worker", "the runtime's own script", "the program", "a part of the memory", "the list of files")


class InChromium:
    """The driver of Chromium as the reader knows drivers."""

    def __init__(self, browser: Browser) -> None:
        self._page = browser.new_context().new_page()
        self.unhandled: list[str] = []
        self._page.on("pageerror", lambda error: self.unhandled.append(str(error)))

    def open(self, url: str) -> None:
        self._page.goto(url)

    def evaluate(self, expression: str) -> object:
        return self._page.evaluate(expression)

    def close(self) -> None:
        self._page.context.close()


@contextmanager
def _chromium(browser: Browser) -> Iterator[InChromium]:
    driver = InChromium(browser)
    try:
        yield driver
    finally:
        driver.close()
    assert driver.unhandled == []


@pytest.fixture(scope="module")
def site(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the site in which files can be changed."""
    copy = tmp_path_factory.mktemp("integrity") / "site"
    shutil.copytree(dist, copy, copy_function=os.link)
    return copy


@contextmanager
def damaged(file: Path) -> Iterator[None]:
    """Have one bit of a file wrong, in its middle."""
    before = file.read_bytes()
    changed = bytearray(before)
    changed[len(changed) // 2] ^= 1
    file.unlink()
    file.write_bytes(changed)
    # A host tells a browser by the second that a file is another one.
    os.utime(file, (0, file.stat().st_mtime - 3600))
    try:
        yield
    finally:
        file.write_bytes(before)


def _walk(driver: object, address: str, site: Path, damage: Damage) -> None:
    """Meet the damage, read what is said, mend it, retry."""
    reader = Reader(driver)
    (build,) = (site / "b").iterdir()
    (file,) = build.glob(damage.file)
    name = file.relative_to(build).as_posix()
    with damaged(file):
        reader.browser.open(f"{address}?boot={damage.boot}")
        if damage.place == STATUS:
            reader.wait_until("'scripts' in document.documentElement.dataset")
            reader.press("Run all")
        reader.wait_until(f"document.querySelector({damage.place!r}).innerText.includes({name!r} + ' is not the ')", BOOT_S)
        assert reader.text(f"{reader.output(2)} .badge").startswith("Saved ")
    if damage.place == STATUS:
        reader.press("Retry")
        reader.wait(STATUS, "Cell 3 finished", BOOT_S)
    else:
        reader.press_and_leave("Retry")
        reader.wait_through_navigation("document.documentElement.dataset.scripts === ''")
        reader.run_all()
    assert reader.text(f"{reader.output(2)} .verdict > summary").startswith("Same bits as saved")


@pytest.mark.parametrize("what", DAMAGES)
def test_a_wrong_byte_is_named_and_retry_goes_on_once_it_is_mended(browser: Browser, site: Path, what: str, record_fault: Record) -> None:
    with hosted(site) as address, _chromium(browser) as driver:
        _walk(driver, address, site, DAMAGES[what])
    record_fault(f"one wrong bit in {what}", "named, nothing of it used; Retry went on", engine="Chromium", tried=1)


@IN_OTHER_ENGINES
def test_a_wrong_byte_is_named_in_other_engines(site: Path, engine: Engine, record_fault: Record) -> None:
    with engine.start() as driver:
        for what in ALSO_ELSEWHERE:
            # At an address of its own, of which the browser has kept nothing.
            with hosted(site) as address:
                _walk(driver, address, site, DAMAGES[what])
            record_fault(f"one wrong bit in {what}", "named, nothing of it used; Retry went on", engine=engine.name, tried=1)


def test_a_damaged_first_script_leaves_the_page_as_it_is_without_scripts(browser: Browser, site: Path, record_fault: Record) -> None:
    (build,) = (site / "b").iterdir()
    with damaged(build / "page" / "js" / "start.js"), hosted(site) as address, _chromium(browser) as driver:
        reader = Reader(driver)
        driver.open(address)
        reader.wait_until("getComputedStyle(document.querySelector('.without-scripts')).visibility === 'visible'")
        assert reader.text(f"{reader.output(2)} .badge").startswith("Saved ")
        assert not driver.evaluate("'scripts' in document.documentElement.dataset")
    record_fault("one wrong bit in the first script", "static page, saved results", engine="Chromium", tried=1)


def test_a_damaged_editor_leaves_the_text_field(browser: Browser, site: Path, record_fault: Record) -> None:
    (build,) = (site / "b").iterdir()
    with damaged(build / "page" / "vendor" / "codemirror.js"), hosted(site) as address, _chromium(browser) as driver:
        reader = Reader(driver)
        driver.open(address)
        reader.wait_until("'scripts' in document.documentElement.dataset")
        driver.evaluate("document.querySelector('textarea').focus()")
        reader.type(1, "6 * 7")
        reader.press("Run cell 1")
        reader.wait(STATUS, "Cell 1 finished", BOOT_S)
        assert reader.text(f"{reader.output(1)} pre.value") == "42"
        assert driver.evaluate("document.querySelector('textarea').value") == "6 * 7"
    record_fault("one wrong bit in the editor", "the text field went on", engine="Chromium", tried=1)
