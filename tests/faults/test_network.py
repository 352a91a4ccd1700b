"""A network that fails: a bounded time, the file's name, and another try that goes on with what is there."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.faults.faulty_server import Fault, change_one_byte, cut, faulty, refuse, reset, send_page, shorten, stall
from tests.page.lab import BOOT_MS, Lab

pytestmark = pytest.mark.fault("network")
_STOCK_NUMPY = "/runtime/numpy-"
_PROGRAM = "/runtime/pyodide.asm.wasm"
_BOUND_MS = 90_000

Record = Callable[..., None]


def _open(browser: Browser, address: str, boot: str) -> tuple[Lab, list[str]]:
    """A page, and the exceptions that nobody handles."""
    unhandled: list[str] = []
    page = browser.new_context().new_page()
    page.on("pageerror", lambda error: unhandled.append(str(error)))
    page.goto(f"{address}?boot={boot}")
    return Lab(page), unhandled


@pytest.mark.parametrize(
    ("boot", "part", "fault"),
    [
        pytest.param("stock", _PROGRAM, cut, id="the server dies in the middle of the program"),
        pytest.param("stock", _STOCK_NUMPY, change_one_byte, id="a wheel comes with one wrong byte"),
        pytest.param("snapshot", "snapshot-pages-02", shorten, id="a part of the memory comes shortened"),
        pytest.param("snapshot", "_multiarray_umath", send_page, id="a page comes instead of WebAssembly"),
        pytest.param("bytecode", "numbers.bundle", reset, id="the connection is reset"),
        pytest.param("bytecode", _PROGRAM, refuse(HTTPStatus.SERVICE_UNAVAILABLE), id="the server is busy"),
        pytest.param("stock", "manifest.json", refuse(HTTPStatus.INTERNAL_SERVER_ERROR), id="the list of files fails"),
        pytest.param("stock", _PROGRAM, stall, id="the program stops arriving"),
    ],
)
def test_one_fault_is_got_over_without_a_word_to_the_reader(
    browser: Browser, dist: Path, boot: str, part: str, fault: Fault, request: pytest.FixtureRequest, record_fault: Record
) -> None:
    with faulty(dist, lambda path, times: fault if part in path and times == 1 else None) as (address, asked):
        lab, unhandled = _open(browser, address, boot)
        lab.button("Run cell 2").click()
        expect(lab.status).to_contain_text("Cell 2 finished", timeout=_BOUND_MS)
        assert lab.output(2).locator("details.verdict").inner_text().startswith("Same bits as saved")
        assert unhandled == []
        (twice,) = {path for path, times in Counter(asked).items() if times > 1 and part in path}
        assert asked.count(twice) == 2
        lab.page.context.close()
    record_fault(request.node.callspec.id, "asked for again, then the same bits", engine="Chromium", tried=1, unhandled_errors=len(unhandled))


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        pytest.param(refuse(HTTPStatus.NOT_FOUND), "the server answered 404", id="a file is not there"),
        pytest.param(change_one_byte, "is not the file this page was built with", id="a file stays wrong"),
        pytest.param(cut, "the connection to the server failed", id="a file never arrives whole"),
        pytest.param(stall, "nothing came for 10 s", id="a file stops arriving each time"),
    ],
)
def test_a_lasting_fault_is_named_and_retry_goes_on_with_what_is_there(
    browser: Browser, dist: Path, fault: Fault, says: str, request: pytest.FixtureRequest, record_fault: Record
) -> None:
    mended = False
    with faulty(dist, lambda path, times: fault if _STOCK_NUMPY in path and not mended else None) as (address, asked):
        lab, unhandled = _open(browser, address, "stock")
        edited = "seed = 12345"
        arrived: set[str] = set()
        lab.page.context.on("requestfinished", lambda request: arrived.add("/" + request.url.split("/", 3)[3]))
        lab.code(1).fill(edited)
        lab.button("Run cell 1").click()
        expect(lab.status).to_contain_text("Python could not be started", timeout=_BOUND_MS)
        expect(lab.status).to_contain_text(says)
        expect(lab.status).to_contain_text("runtime/numpy-")
        assert lab.output(2).inner_text().startswith("Saved")
        assert lab.source(1) == edited
        mended = True
        whole = {path for path in arrived if "/runtime/" in path and _STOCK_NUMPY not in path}
        del asked[:]
        lab.button("Retry").click()
        expect(lab.status).to_contain_text("Cell 1 finished", timeout=BOOT_MS)
        expect(lab.button("Retry")).to_have_count(0)
        again = whole & set(asked)
        # What was just arriving when all was given up, the browser may not have kept.
        assert len(again) <= 1 < len(whole), f"of {sorted(whole)} these were fetched again: {sorted(again)}"
        assert unhandled == []
        lab.page.context.close()
    record_fault(request.node.callspec.id, "named; Retry went on with what was there", engine="Chromium", tried=1, unhandled_errors=len(unhandled))


def test_one_request_in_a_hundred_fails(browser: Browser, dist: Path, record_fault: Record) -> None:
    chance = random.Random(97)
    failed: list[str] = []

    def plan(path: str, times: int) -> Fault | None:
        # What the page itself is made of has no script yet that could ask again.
        if "/page/" in path or "/runtime/pyodide" in path or "/b/" not in path or chance.random() > 0.01:
            return None
        failed.append(path)
        return reset

    rounds = 6
    with faulty(dist, plan) as (address, asked):
        for _ in range(rounds):
            lab, unhandled = _open(browser, address, "snapshot")
            lab.button("Run all").click()
            lab.expect_finished(3, timeout=_BOUND_MS)
            assert unhandled == []
            lab.page.context.close()
        assert failed, f"none of {len(asked)} requests failed: nothing was tried"
    record_fault("1 % of all requests fail", "every run finished", engine="Chromium", tried=len(asked))
