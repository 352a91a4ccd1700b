"""Keep for offline use: the page and Run without their server, an update that mixes nothing, and the way back."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, Page, Response, expect

from build.served_headers import HEADERS
from tests.faults.faulty_server import Fault, faulty, stall
from tests.page.conftest import Opener
from tests.page.lab import BOOT_MS, Lab
from tests.page.offline import KEEPING_MS, Offline, build_another, kept_list
from tests.page.test_access_states import VIEWS
from tests.site_server import hosted, serving_as_is

_MORE_PYTHON = """\
import decimal, sqlite3, statistics, zoneinfo
import micropip, matplotlib.animation
from mpl_toolkits.mplot3d import Axes3D
from numpy.polynomial import Polynomial
assert sqlite3.connect(":memory:").execute("select 6 * 7").fetchone() == (42,)
await micropip.install("fonttools")
import fontTools
Polynomial([1, 2])(3), statistics.mean([1, 2, 6])"""
_WHAT_IS_HERE = """async () => {
    const names = await caches.keys();
    const cache = await caches.open(names[0]);
    return (await cache.keys()).map(({ url }) => url);
}"""
_MESSAGES = """async () => {
    const { active, waiting } = await navigator.serviceWorker.getRegistration();
    const messages = ["take over", "skipWaiting", { type: "SKIP_WAITING" }, { type: "take over" }, null, ["fetch", "https://127.0.0.1:9/"], { data: "take over", files: {} }];
    for (const message of messages) for (const worker of [active, waiting]) worker.postMessage(message);
}"""
_HASHES = """async (addresses) => {
    const digest = async (bytes) => [...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return Promise.all(addresses.map(async (address) => digest(await (await fetch(new URL(address, location.href))).arrayBuffer())));
}"""


@pytest.fixture
def site(dist: Path, tmp_path: Path) -> Path:
    """The built site, under a path."""
    (tmp_path / "host" / "some").mkdir(parents=True)
    place = tmp_path / "host" / "some" / "where"
    place.symlink_to(dist)
    return place


@pytest.fixture(scope="module")
def another(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as it is published next."""
    return build_another(tmp_path_factory.mktemp("another"))


def _plain(site: Path) -> AbstractContextManager[str]:
    """A host without headers, with the site below it."""
    return hosted(site.parents[1])


HOSTS: dict[str, tuple[Callable[[Path], AbstractContextManager[str]], str]] = {
    "our server": (serving_as_is, ""),
    "a plain host, under a path": (_plain, "some/where/"),
}


@pytest.mark.parametrize("host", HOSTS)
def test_what_is_kept_runs_with_the_same_bits_when_the_server_is_gone(open_page: Opener, site: Path, dist: Path, host: str) -> None:
    serve, path = HOSTS[host]
    with serve(site) as address:
        offline = Offline(open_page(address + path))
        offline.keep()
    offline.page.reload()
    offline.expect_text("Kept for offline use")
    offline.expect_verdict()
    lab = offline.lab
    lab.run(3, _MORE_PYTHON)
    expect(lab.output(3).locator("pre.value")).to_have_text("(np.float64(7.0), 3)")
    assert offline.page.evaluate("crossOriginIsolated")
    lab.code(3).fill("kept = 41\nprint('begun')\nwhile True: pass")
    lab.button("Run cell 3").click()
    expect(lab.output(3)).to_contain_text("begun")
    lab.button("Stop").click()
    expect(lab.status).to_have_text(re.compile("^Cell 3 was stopped"))
    lab.run(3, "kept + 1")
    expect(lab.output(3).locator("pre.value")).to_have_text("42")


def test_offline_the_page_has_its_policy_its_editor_and_its_downloads(open_page: Opener, dist: Path, build_folder: Path) -> None:
    with serving_as_is(dist) as address:
        offline = Offline(open_page(address))
        offline.keep()
    page = offline.page
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))
    page.reload()
    offline.expect_text("Kept for offline use")
    expected = {name.lower(): value for name, value in HEADERS.items()}
    for answer in answers:
        sent = answer.headers
        assert answer.from_service_worker and {name: sent.get(name) for name in expected} == expected, answer.url
    assert {address, f"{address}b/{build_folder.name}/page/js/main.js"} <= {answer.url for answer in answers}
    offline.lab.code(1).click()
    expect(page.locator(".editor")).to_have_count(1)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download notebook", exact=True).click()
    (published,) = (build_folder / "notebook").iterdir()
    assert download.value.path().read_bytes() == published.read_bytes()
    for image in page.get_by_role("img").all():
        image.scroll_into_view_if_needed()
        assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    for name in ("results.json", "the wheel", "manifest with the SHA-256 of every file"):
        link = page.get_by_role("link", name=name, exact=True)
        assert link.evaluate("async (link) => (await fetch(link.href)).status") == 200


def test_exactly_the_listed_files_are_kept_and_their_size_is_told(open_page: Opener, dist: Path) -> None:
    listed = kept_list(dist)
    with serving_as_is(dist) as address:
        offline = Offline(open_page(address))
        total = sum(file["size"] for file in listed["files"].values())
        offline.expect_text(f"{total / 1e6:.0f} MB")
        offline.keep()
        offline.expect_text(f"Kept for offline use, {total / 1e6:.0f} MB.")
        here = set(offline.page.evaluate(_WHAT_IS_HERE))
        assert here == {address + file for file in listed["files"]} | {f"{address}service-worker.js?kept={listed['name']}"}


def test_before_it_is_wanted_nothing_of_it_travels(open_page: Opener, site_url: str) -> None:
    page = open_page("about:blank")
    asked: list[str] = []
    page.context.on("request", lambda request: asked.append(request.url))
    page.goto(site_url)
    page.wait_for_load_state("networkidle")
    assert [url for url in asked if "service-worker" in url] == []
    assert Offline(page).storage() == {"caches": [], "registrations": []}


@pytest.mark.parametrize(("boot", "says"), [
    ("bytecode", ""),
    ("stock", "is not among the files kept for offline use, and the site cannot be reached"),
])  # fmt: skip
def test_offline_a_forced_boot_works_or_says_that_it_is_not_kept(browser: Browser, dist: Path, boot: str, says: str) -> None:
    # Unguarded: the browser itself logs what it does not get.
    with browser.new_context() as context:
        page = context.new_page()
        with serving_as_is(dist) as address:
            page.goto(address)
            Offline(page).keep()
        page.goto(f"{address}?boot={boot}")
        lab = Lab(page)
        lab.button("Run cell 1").click()
        expect(lab.status).to_contain_text(says or "Cell 1 finished", timeout=BOOT_MS)


def test_what_is_not_kept_says_so_without_a_network(browser: Browser, site_url: str) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(site_url)
        lab = Lab(page)
        context.set_offline(True)
        lab.button("Run all").click()
        expect(lab.status).to_contain_text("this device is offline, and this page is not kept for offline use", timeout=BOOT_MS)
        context.set_offline(False)
        lab.run_all()


def _asked_for(asked: list[str], part: str) -> int:
    return len([path for path in asked if part in path])


def test_cancel_stops_at_once_and_going_on_asks_only_for_the_rest(open_page: Opener, dist: Path) -> None:
    held = True

    def plan(path: str, times: int) -> Fault | None:
        return stall if held and "rest.bundle" in path else None

    with faulty(dist, plan) as (address, asked):
        offline = Offline(open_page(address))
        offline.press("Keep for offline use")
        offline.expect_text(re.compile(r"Keeping for offline use: [\d.]+ of [\d.]+ MB are here\."))
        # All but what stalls.
        expect(offline.group.get_by_role("progressbar")).to_be_visible()
        offline.page.wait_for_function("() => { const bar = document.querySelector('[data-offline-progress]'); return bar.value > 0.6 * bar.max; }", timeout=KEEPING_MS)
        offline.page.wait_for_timeout(500)
        offline.press("Cancel")
        expect(offline.group.locator("p")).to_have_text(re.compile(r"^[\d.]+ of [\d.]+ MB are kept; the page opens offline when all of it is\.$"), timeout=2000)
        offline.expect_buttons("Go on", "Remove")
        assert offline.storage()["registrations"] == []
        offline.page.reload()
        offline.expect_buttons("Go on", "Remove")
        held = False
        del asked[:]
        offline.keep("Go on")
        again = {path for path in asked if path.startswith("/b/")} - {path for path in asked if "/page/" in path or "/saved/" in path}
        assert again == {path for path in again if "rest.bundle" in path} and again, again


def test_an_update_mixes_no_two_builds(open_page: Opener, dist: Path, another: Path) -> None:
    first, second = kept_list(dist), kept_list(another)
    assert first["build"] != second["build"]
    with serving_as_is(dist) as address:
        port = int(address.rstrip("/").rsplit(":", 1)[1])
        old = Offline(open_page(address))
        old.keep()
        old.page.reload()
    with serving_as_is(another, port):
        page = old.page.context.new_page()
        page.goto(address)
        new = Offline(page)
        assert _edition(page) == "second"
        new.expect_text("This page is of a newer build.")
        new.expect_buttons("Update", "Remove")
        travelled: list[str] = []
        page.on("request", lambda request: travelled.append(request.url))
        new.press("Update")
        new.expect_text("A newer build is kept, too")
        new.expect_text("once no other tab shows this page")
        # What both builds have alike has not travelled again.
        assert _asked_for(travelled, "rest.bundle") == 0 and _asked_for(travelled, "tokens.css") == 1
        assert len(new.storage()["caches"]) == 2
        # Nor does any message change that, while the old page is open.
        page.evaluate(_MESSAGES)
        page.wait_for_timeout(500)
        assert all(None not in each for each in new.storage()["registrations"])
    # The old page is still served what belongs to it, and only that.
    assert _edition(old.page) == ""
    listed = {address: file["sha256"] for address, file in first["files"].items() if address}
    assert old.page.evaluate(_HASHES, list(listed)) == list(listed.values())
    requested: list[str] = []
    old.page.context.on("request", lambda request: requested.append(request.url))
    old.expect_verdict()
    assert {found[1] for url in requested if (found := re.search("/b/([0-9a-f]{16})/", url))} == {first["build"]}
    old.page.reload()
    assert _edition(old.page) == ""
    old.expect_text("A newer build is kept, too")
    old.page.close()
    # Now nobody needs the old one.
    new.expect_text(re.compile(r"^Kept for offline use, \d+ MB\.$"))
    assert [name.rsplit(" ", 1)[1] for name in new.storage()["caches"]] == [second["name"]]
    page.reload()
    assert _edition(page) == "second"
    new.expect_verdict()


def test_the_only_tab_changes_over_at_once(open_page: Opener, dist: Path, another: Path) -> None:
    with serving_as_is(dist) as address:
        port = int(address.rstrip("/").rsplit(":", 1)[1])
        offline = Offline(open_page(address))
        offline.keep()
    with serving_as_is(another, port):
        offline.page.reload()
        offline.keep("Update")
    offline.page.reload()
    assert _edition(offline.page) == "second"
    assert [name.rsplit(" ", 1)[1] for name in offline.storage()["caches"]] == [kept_list(another)["name"]]


def test_a_page_of_the_older_build_can_fetch_the_newer_one_and_load_it_without_a_network(open_page: Opener, dist: Path, another: Path) -> None:
    with serving_as_is(dist) as address:
        port = int(address.rstrip("/").rsplit(":", 1)[1])
        offline = Offline(open_page(address))
        offline.keep()
    offline.page.reload()
    with serving_as_is(another, port):
        # Shown before the newer one was published.
        offline.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        offline.expect_text("A newer build is published.")
        offline.press("Update")
        offline.expect_buttons("Load the newer build", "Remove")
        assert _edition(offline.page) == ""
    offline.press("Load the newer build")
    offline.expect_text(re.compile(r"^Kept for offline use, \d+ MB\.$"))
    assert _edition(offline.page) == "second"


def _edition(page: Page) -> str:
    edition: str = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--edition').trim()")
    return edition


def test_remove_leaves_no_cache_and_no_service_worker(open_page: Opener, dist: Path) -> None:
    with serving_as_is(dist) as address:
        offline = Offline(open_page(address))
        offline.keep()
        offline.page.reload()
        offline.press("Remove")
        offline.expect_buttons("Keep for offline use")
        expect(offline.lab.status).to_have_text("Nothing is kept for offline use any more.")
        expect(offline.group.get_by_role("button", name="Keep for offline use")).to_be_focused()
        assert offline.storage() == {"caches": [], "registrations": []}
        offline.page.reload()
        assert offline.page.evaluate("navigator.serviceWorker.controller") is None
        offline.expect_buttons("Keep for offline use")
        # And back on.
        offline.keep()
        offline.press("Remove")
        offline.expect_buttons("Keep for offline use")
        offline.keep()
    offline.page.reload()
    offline.expect_text("Kept for offline use")


def test_a_run_in_a_page_that_was_just_kept_needs_no_server(open_page: Opener, dist: Path) -> None:
    with serving_as_is(dist) as address:
        offline = Offline(open_page(address))
        offline.keep()
    offline.expect_verdict()


def test_where_the_network_is_only_slow_the_kept_page_comes_in_time(open_page: Opener, dist: Path) -> None:
    slow = False
    with faulty(dist, lambda path, times: stall if slow and path == "/" else None) as (address, asked):
        offline = Offline(open_page(address))
        offline.keep()
        slow = True
        offline.page.reload(timeout=20_000)
        offline.expect_text("Kept for offline use")
        assert _asked_for(asked, "/") > 0


@pytest.mark.parametrize("lacking", ["delete Navigator.prototype.serviceWorker", "delete window.caches", "delete Navigator.prototype.locks"])
def test_a_browser_without_the_means_shows_nothing_of_it_and_runs(open_page: Opener, site_url: str, lacking: str) -> None:
    page = open_page("about:blank")
    page.add_init_script(lacking)
    page.goto(site_url)
    lab = Lab(page)
    expect(lab.button("Run all")).to_be_visible()
    expect(page.get_by_role("group", name="Offline use")).to_have_count(0)
    expect(page.get_by_role("link", name="All of it can be kept for offline use.")).to_have_count(0)
    lab.run_all()


def _expect_accessible(page: Page) -> None:
    """The control alone: what is around it has tests of its own."""
    for size, scheme in VIEWS:
        page.set_viewport_size(size)  # type: ignore[arg-type]
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        found = Axe().run(page, context="[data-offline]")
        assert found.violations_count == 0, found.response["violations"]
        assert page.evaluate("document.documentElement.scrollWidth") == size["width"]


def test_in_every_state_axe_finds_nothing(open_page: Opener, dist: Path) -> None:
    state = "stalls"

    def plan(path: str, times: int) -> Fault | None:
        return stall if state == "stalls" and "rest.bundle" in path else None

    with faulty(dist, plan) as (address, asked):
        offline = Offline(open_page(address))
        offline.expect_buttons("Keep for offline use")
        _expect_accessible(offline.page)
        offline.press("Keep for offline use")
        offline.expect_text(re.compile("MB are here"))
        _expect_accessible(offline.page)
        offline.press("Cancel")
        offline.expect_buttons("Go on", "Remove")
        _expect_accessible(offline.page)
        state = "answers"
        offline.keep("Go on")
        _expect_accessible(offline.page)
