"""Storage that fails, lies or vanishes, and networks that fail, while a page is kept for offline use: said in words, and mended."""

from __future__ import annotations

import json
import os
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.faults.faulty_server import Fault, FaultyHandler, change_one_byte, cut, faulty, refuse, reset, stall
from tests.page.lab import BOOT_MS, Lab
from tests.page.offline import KEEPING_MS, Offline, kept_list
from tests.site_server import serving_as_is
from tests.static_hosts import Host, static_host

pytestmark = pytest.mark.fault("offline")
Record = Callable[..., None]

_CHANGE = """\
import js
name, = [name for name in await js.caches.keys()]
cache = await js.caches.open(name)
urls = [request.url for request in await cache.keys()]
wanted = [url for url in urls if {wanted}]
headers = js.Headers.new()
headers.append("content-type", "text/html")
headers.append("content-security-policy", "default-src * 'unsafe-inline'")
for url in wanted:
    answer = js.Response.new("document.title = 'changed'<script>document.title = 'changed'</script>")
    await cache.put(url, js.Response.new(answer.body, js.Object.fromEntries([["headers", headers]])))
print("changed", len(wanted))"""
_FORGET = "import js\nfor name in await js.caches.keys():\n    await js.caches.delete(name)\nprint('forgotten')"
_REMOVE_SLOWLY = """{
    const remove = CacheStorage.prototype.delete;
    CacheStorage.prototype.delete = async function (name) {
        await new Promise((resolve) => setTimeout(resolve, 1000));
        return remove.call(this, name);
    };
}"""
_LOOK = "document.dispatchEvent(new Event('visibilitychange'))"
_GONE = "The site cannot be reached, and the page that was kept for offline use is gone or was changed."


@contextmanager
def _reading(browser: Browser, address: str) -> Iterator[tuple[Offline, list[str]]]:
    """The page in a context of its own, and the exceptions that nobody handles."""
    unhandled: list[str] = []
    with browser.new_context() as context:
        context.on("page", lambda page: page.on("pageerror", lambda error: unhandled.append(str(error))))
        page = context.new_page()
        page.goto(address)
        yield Offline(page), unhandled


def _port(address: str) -> int:
    return int(address.rstrip("/").rsplit(":", 1)[1])


@contextmanager
def _kept_and_gone(browser: Browser, dist: Path, cell: str) -> Iterator[tuple[Offline, int, list[str]]]:
    """A page that was kept; then a cell has run, and the server is gone."""
    with serving_as_is(dist) as address:
        reading = _reading(browser, address)
        offline, unhandled = reading.__enter__()
        offline.keep()
        offline.lab.code(1).fill(cell)
        offline.lab.button("Run cell 1").click()
        expect(offline.lab.status).to_contain_text("Cell 1 finished", timeout=BOOT_MS)
        print(offline.lab.output(1).inner_text())
    try:
        yield offline, _port(address), unhandled
    finally:
        reading.__exit__(None, None, None)


def _expect_sentence_instead_of_page(page: Page) -> None:
    answer = page.reload()
    assert answer is not None and answer.status == HTTPStatus.GATEWAY_TIMEOUT
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    expect(page.locator("body")).to_contain_text(_GONE)


def _expect_no_scripts(page: Page) -> None:
    page.reload()
    sentence = page.get_by_text("Everything can be read, but nothing can be run: page/js/main.js is not among the files kept for offline use, and the site cannot be reached.")
    expect(sentence).to_be_visible()
    expect(page.get_by_role("button")).to_have_text(["Retry"])


def _expect_run_to_name_it(page: Page) -> None:
    page.reload()
    lab = Lab(page)
    lab.button("Run cell 2").click()
    expect(lab.status).to_contain_text(" is not among the files kept for offline use, and the site cannot be reached", timeout=BOOT_MS)


def _expect_no_download(page: Page) -> None:
    page.reload()
    lab = Lab(page)
    lab.reset()
    page.get_by_role("link", name="Download notebook", exact=True).click()
    expect(lab.status).to_have_text(re.compile(r"\.ipynb is not kept for offline use, and the site cannot be reached\.$"))


CHANGED: dict[str, tuple[str, Callable[[Page], None], str]] = {
    "a cell changes the kept page": ("url.count('/') == 3 and '?' not in url", _expect_sentence_instead_of_page, "a sentence instead of the page"),
    "a cell changes a kept script": ("url.endswith('/js/main.js')", _expect_no_scripts, "the article without scripts"),
    "a cell changes a kept part of Python": ("url.endswith('/lab.bundle')", _expect_run_to_name_it, "Run names the file"),
    "a cell changes the kept notebook": ("url.endswith('.ipynb')", _expect_no_download, "no download, and why"),
    "a cell changes the list kept for display": ("'?kept=' in url", lambda page: None, "seen as gone"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGED)
def test_what_a_cell_changes_is_not_served_and_can_be_mended(browser: Browser, dist: Path, name: str, record_fault: Record) -> None:
    wanted, expect_refusal, happened = CHANGED[name]
    with _kept_and_gone(browser, dist, _CHANGE.format(wanted=wanted)) as (offline, port, unhandled):
        page = offline.page
        # What the browser keeps by itself is the site's own, out of the reach of cells, and would do.
        page.context.new_cdp_session(page).send("Network.clearBrowserCache")
        expect_refusal(page)
        assert page.title() != "changed"
        with serving_as_is(dist, port):
            page.reload()
            offline.expect_text("is missing: it was removed or changed.")
            offline.keep("Keep it again")
        page.reload()
        offline.lab.reset()
        offline.expect_verdict()
        assert unhandled == []
    record_fault(name, f"{happened}; mended by keeping it again", engine="Chromium", tried=1, unhandled_errors=len(unhandled))


def test_a_cell_that_removes_what_is_kept_is_noticed(browser: Browser, dist: Path, record_fault: Record) -> None:
    with _kept_and_gone(browser, dist, _FORGET) as (offline, port, unhandled):
        offline.page.evaluate(_LOOK)
        offline.expect_text("Of what was kept for offline use, all is missing: it was removed or changed.")
        offline.expect_buttons("Keep it again", "Remove")
        _expect_sentence_instead_of_page(offline.page)
        with serving_as_is(dist, port):
            offline.page.reload()
            offline.keep("Keep it again")
            offline.press("Remove")
            offline.expect_buttons("Keep for offline use")
            assert offline.storage() == {"caches": [], "registrations": []}
        assert unhandled == []
    record_fault("a cell removes every cache", "said; mended by keeping it again", engine="Chromium", tried=1, unhandled_errors=len(unhandled))


def _quota(page: Page, address: str, size: int) -> None:
    page.context.new_cdp_session(page).send("Storage.overrideQuotaForOrigin", {"origin": address.rstrip("/"), "quotaSize": size})


def test_room_that_runs_out_on_the_way_is_said_and_the_rest_goes_on(browser: Browser, dist: Path, record_fault: Record) -> None:
    gate = threading.Event()
    kept_bytes = sum(file["size"] for file in kept_list(dist)["files"].values())

    def wait(handler: FaultyHandler, content: bytes) -> None:
        handler.begin(HTTPStatus.OK, len(content))
        gate.wait(30)
        handler.wfile.write(content)

    with faulty(dist, lambda path, times: wait if "rest.bundle" in path and not gate.is_set() else None) as (address, asked):
        with _reading(browser, address) as (offline, unhandled):
            offline.press("Keep for offline use")
            offline.page.wait_for_function("() => { const bar = document.querySelector('[data-offline-progress]'); return bar.value > 0.6 * bar.max; }", timeout=KEEPING_MS)
            _quota(offline.page, address, round(0.85 * kept_bytes))
            gate.set()
            offline.expect_text("This browser has no room for all of it. Free some, then go on.")
            offline.expect_buttons("Go on", "Remove")
            assert offline.storage()["registrations"] == []
            _quota(offline.page, address, 5_000_000_000)
            offline.keep("Go on")
            assert unhandled == []
    record_fault("room runs out on the way", "said; gone on with afterwards", engine="Chromium", tried=1, unhandled_errors=len(unhandled))


def test_a_browser_that_keeps_no_data_of_sites_says_so_and_runs(browser: Browser, dist: Path, tmp_path: Path, record_fault: Record) -> None:
    (tmp_path / "Default").mkdir()
    (tmp_path / "Default" / "Preferences").write_text(json.dumps({"profile": {"default_content_setting_values": {"cookies": 2}}}), encoding="utf-8")
    unhandled: list[str] = []
    kind = browser.browser_type
    with serving_as_is(dist) as address, kind.launch_persistent_context(tmp_path, executable_path=os.environ.get("REPLAY_LAB_CHROMIUM"), headless=True) as context:
        page = context.new_page()
        page.on("pageerror", lambda error: unhandled.append(str(error)))
        page.goto(address)
        offline = Offline(page)
        offline.expect_text("This browser keeps no files for this page (a private window, or its data is blocked), so it cannot be kept for offline use.")
        offline.expect_buttons()
        offline.expect_verdict()
        assert unhandled == []
    record_fault("data of sites is blocked", "said; runs all the same", engine="Chromium", tried=1, unhandled_errors=len(unhandled))


def test_two_tabs_keep_once(browser: Browser, dist: Path, record_fault: Record) -> None:
    gate = threading.Event()

    def wait(handler: FaultyHandler, content: bytes) -> None:
        gate.wait(30)
        handler.begin(HTTPStatus.OK, len(content))
        handler.wfile.write(content)

    with faulty(dist, lambda path, times: wait if "rest.bundle" in path and times == 1 else None) as (address, asked):
        with _reading(browser, address) as (one, unhandled):
            page = one.page.context.new_page()
            page.goto(address)
            other = Offline(page)
            one.press("Keep for offline use")
            one.expect_text("MB are here")
            other.press("Keep for offline use")
            other.expect_text("Another tab is keeping these files; this one waits for it.")
            other.press("Cancel")
            other.expect_buttons("Go on", "Remove")
            other.press("Go on")
            other.expect_text("Another tab is keeping these files; this one waits for it.")
            gate.set()
            for offline in (one, other):
                offline.expect_text(re.compile(r"^Kept for offline use, \d+ MB\.$"))
            twice = {path: times for path, times in Counter(asked).items() if times > 1 and "/prepared/" in path}
            assert twice == {} and unhandled == []
            assert len(one.storage()["caches"]) == 1
    record_fault("two tabs keep at once", "one waits; each file travels once", engine="Chromium", tried=1, unhandled_errors=len(unhandled))


def test_removing_in_one_tab_ends_keeping_in_the_other(browser: Browser, dist: Path, record_fault: Record) -> None:
    with faulty(dist, lambda path, times: stall if "rest.bundle" in path else None) as (address, asked):
        with _reading(browser, address) as (one, unhandled):
            one.press("Keep for offline use")
            one.page.wait_for_function("() => document.querySelector('[data-offline-progress]').value > 1e7", timeout=KEEPING_MS)
            page = one.page.context.new_page()
            page.add_init_script(_REMOVE_SLOWLY)
            page.goto(address)
            other = Offline(page)
            other.press("Remove")
            other.expect_buttons("Keep for offline use")
            one.expect_text("It was removed in another tab.")
            one.expect_buttons("Try again")
            assert one.storage() == {"caches": [], "registrations": []}
            assert unhandled == []
    record_fault("removed in one tab while another keeps", "the other says so; nothing is left", engine="Chromium", tried=1, unhandled_errors=len(unhandled))


def _script_of_another_build(handler: FaultyHandler, content: bytes) -> None:
    changed = re.sub(rb'(\{\\"name\\":\\")[0-9a-f]{16}', rb"\g<1>0123456789abcdef", content)
    assert changed != content
    handler.begin(HTTPStatus.OK, len(changed), "text/javascript")
    handler.wfile.write(changed)


def test_a_site_published_anew_while_it_is_kept_is_not_put_to_use_by_halves(browser: Browser, dist: Path, record_fault: Record) -> None:
    anew = True

    def plan(path: str, times: int) -> Fault | None:
        return _script_of_another_build if anew and path.startswith("/service-worker.js?") else None

    with faulty(dist, plan) as (address, asked), _reading(browser, address) as (offline, unhandled):
        offline.press("Keep for offline use")
        offline.expect_text("The browser could not put what was kept to use: some of it is missing, or the site was published anew meanwhile.")
        assert offline.storage()["registrations"] == []
        anew = False
        offline.keep("Go on")
        assert unhandled == []
    record_fault("published anew while it is kept", "said; not used by halves", engine="Chromium", tried=1, unhandled_errors=len(unhandled))


@pytest.mark.parametrize(("host", "says"), [
    pytest.param(Host(leaves_out=lambda name: name == "service-worker.js"), "the server answered 404", id="service-worker.js left out"),
    pytest.param(
        Host(leaves_out=lambda name: name == "service-worker.js", missing=b"<!doctype html><p>Welcome home."), "the server answered 200",
        id="service-worker.js left out, home page in its place",
    ),
    pytest.param(Host(types={".js": "application/octet-stream", ".mjs": "text/javascript"}), "", id="scripts sent as bytes"),
])  # fmt: skip
def test_a_host_that_lacks_it_is_told_and_the_page_runs(
    browser: Browser, dist: Path, host: Host, says: str, request: pytest.FixtureRequest, record_fault: Record
) -> None:
    with static_host(dist, host) as address, _reading(browser, address) as (offline, unhandled):
        if says:
            offline.press("Keep for offline use")
            offline.expect_text(f"This copy of the site cannot be kept: {says} without the list of files that service-worker.js carries.")
            offline.expect_buttons("Try again")
            offline.expect_verdict()
        else:
            expect(offline.page.get_by_role("button")).to_have_count(0)
        assert unhandled == []
    record_fault(request.node.callspec.id, f"said: {says}" if says else "static page, no control", engine="Chromium", tried=1, unhandled_errors=len(unhandled))


@pytest.mark.parametrize("fault", [cut, change_one_byte, reset, refuse(HTTPStatus.SERVICE_UNAVAILABLE)], ids=["cut", "changed", "reset", "busy"])
def test_one_fault_of_the_network_is_got_over(browser: Browser, dist: Path, fault: Fault, request: pytest.FixtureRequest, record_fault: Record) -> None:
    with faulty(dist, lambda path, times: fault if "snapshot-pages-02" in path and times == 1 else None) as (address, asked):
        with _reading(browser, address) as (offline, unhandled):
            offline.keep()
            assert unhandled == []
    record_fault(f"while keeping, a file comes {request.node.callspec.id}", "asked for again", engine="Chromium", tried=1, unhandled_errors=len(unhandled))


@pytest.mark.parametrize(("fault", "says"), [
    pytest.param(change_one_byte, "prepared/snapshot-pages-02.bundle is not the file that belongs to this build", id="a file stays wrong"),
    pytest.param(refuse(HTTPStatus.NOT_FOUND), "prepared/snapshot-pages-02.bundle could not be fetched: the server answered 404.", id="a file is not there"),
    pytest.param(reset, "prepared/snapshot-pages-02.bundle could not be fetched: the connection to the server failed.", id="a file never arrives"),
])  # fmt: skip
def test_a_lasting_fault_of_the_network_is_named_and_the_rest_is_not_fetched_again(
    browser: Browser, dist: Path, fault: Fault, says: str, request: pytest.FixtureRequest, record_fault: Record
) -> None:
    mended = False
    with faulty(dist, lambda path, times: fault if "snapshot-pages-02" in path and not mended else None) as (address, asked):
        with _reading(browser, address) as (offline, unhandled):
            offline.press("Keep for offline use")
            offline.expect_text(says)
            offline.expect_buttons("Go on", "Remove")
            assert offline.storage()["registrations"] == []
            mended = True
            offline.keep("Go on")
            assert unhandled == []
    record_fault(f"while keeping, {request.node.callspec.id}", "named; gone on with afterwards", engine="Chromium", tried=1, unhandled_errors=len(unhandled))
