"""No cell and no script of the page reaches another origin: three engines, with our headers and without any."""

from __future__ import annotations

import json
import re
import time
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser_failures import BrowserFailedError, again_when_the_browser_fails
from tests.engines import OTHER_ENGINES
from tests.other_origin import OtherOrigin, other_origin
from tests.page.reader import STATUS, Reader
from tests.static_hosts import Host, static_host

# Firefox 153 does not come back from one in a hundred `new Worker` inside a worker, on a page of ten lines, too; a cell
# here starts ten of them.
pytestmark = [pytest.mark.fault("policy"), again_when_the_browser_fails(5)]
RecordFault = Callable[..., None]

ENGINES = ("Chromium", *OTHER_ENGINES)
HOSTS = ("our server", "a plain host")
_CELL = Path(__file__).with_name("reaching_out.py").read_text(encoding="utf-8")
_STARTING = Path(__file__).with_name("starting_scripts.py").read_text(encoding="utf-8")
ATTEMPTS_S = 60
STANDSTILL_S = 20
# Neither does any code run that was text before, in Python's worker or below it.
EVALUATING = ("eval", "Function", "run_js", "import() by run_js")
# What answers for the whole site is nothing that a cell can choose.
SERVICE_WORKERS = ("a service worker from blob:", "a service worker of this site")
LEAST_ATTEMPTS = 30
LEAST_SCRIPTS = 40
SERVICE_WORKER = "../../service-worker.js"

FROM_THE_PAGE = """(async (origin) => {
    const said = {};
    const within = (promise) => Promise.race([promise, new Promise((done) => setTimeout(done, 3000, "silence"))]);
    const attempt = async (name, make) => {
        try { said[name] = `no error: ${await within(make())}`; } catch (error) { said[name] = `refused: ${error}`; }
    };
    const events = (target) => new Promise((done, fail) => { target.onload = target.onopen = done; target.onerror = () => fail("error"); });
    const element = (name, values) => {
        const made = Object.assign(document.createElement(name), values);
        const heard = events(made);
        document.body.append(made);
        return heard.finally(() => made.remove());
    };
    const blob = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    const worker = (address, options) => new Promise((done, fail) => {
        const made = new Worker(address, options);
        made.onmessage = (event) => done(event.data);
        made.onerror = () => fail("error");
    });
    // What a driver evaluates is above the policy until it first waits.
    await new Promise((done) => setTimeout(done));
    await Promise.all([
        attempt("fetch", () => fetch(`${origin}/page-fetch`)),
        attempt("fetch with keepalive", () => fetch(`${origin}/page-keepalive`, { keepalive: true, method: "POST", body: "x", mode: "no-cors" })),
        attempt("XMLHttpRequest", () => { const r = new XMLHttpRequest(); r.open("GET", `${origin}/page-xhr`, false); r.send(); return "sent"; }),
        attempt("WebSocket", () => events(new WebSocket(`ws:${origin.slice(5)}/page-socket`))),
        attempt("EventSource", () => events(new EventSource(`${origin}/page-events`))),
        attempt("WebTransport", () => new WebTransport(`https:${origin.slice(5)}/page-transport`).ready),
        attempt("sendBeacon", () => navigator.sendBeacon(`${origin}/page-beacon`, "x")),
        attempt("import()", () => import(`${origin}/page-import`)),
        attempt("eval", () => eval("'evaluated'")),
        attempt("Function", () => new Function("return 'evaluated'")()),
        attempt("image", () => element("img", { src: `${origin}/page-img` })),
        attempt("script", () => element("script", { src: `${origin}/page-script` })),
        attempt("module", () => element("script", { src: `${origin}/page-module`, type: "module" })),
        attempt("style sheet", () => element("link", { rel: "stylesheet", href: `${origin}/page-css` })),
        attempt("manifest", () => element("link", { rel: "manifest", href: `${origin}/page-manifest` })),
        attempt("prefetch", () => element("link", { rel: "prefetch", href: `${origin}/page-prefetch` })),
        attempt("frame", () => element("iframe", { src: `${origin}/page-frame` })),
        attempt("object", () => element("object", { data: `${origin}/page-object` })),
        attempt("video", () => element("video", { src: `${origin}/page-video`, preload: "auto" })),
        attempt("CSS url", () => {
            const box = document.createElement("div");
            document.body.append(box);
            box.style.backgroundImage = `url(${origin}/page-background)`;
            return getComputedStyle(box).backgroundImage;
        }),
        attempt("CSS import", () => { const sheet = new CSSStyleSheet(); sheet.insertRule(`body { cursor: url(${origin}/page-cursor), auto }`); document.adoptedStyleSheets = [sheet]; }),
        attempt("font", () => new FontFace("other", `url(${origin}/page-font)`).load()),
        attempt("form", () => {
            const form = Object.assign(document.createElement("form"), { action: `${origin}/page-form`, target: "_self" });
            document.body.append(form);
            form.submit();
        }),
        attempt("worker", () => worker(`${origin}/page-worker`)),
        attempt("worker from data:", () => worker(`data:text/javascript,fetch('${origin}/page-data')`)),
        attempt("worker from blob:", () => worker(blob(`fetch('${origin}/page-blob').then(() => postMessage("in"), (error) => postMessage("refused " + error))`))),
        attempt("shared worker", () => new SharedWorker(`${origin}/page-shared`)),
        attempt("shared worker from blob:", () => { new SharedWorker(blob(`fetch('${origin}/page-shared-blob')`)); }),
        attempt("service worker", () => navigator.serviceWorker.register(`${origin}/page-service`)),
        attempt("cache", () => caches.open("tried").then((cache) => cache.add(`${origin}/page-cache`))),
    ]);
    return said;
})"""


class ChromiumPage:
    """A page of Chromium, driven as the other two are."""

    failed = False

    def __init__(self, page: Page) -> None:
        self._page = page

    def evaluate(self, expression: str) -> Any:
        value = self._page.evaluate(f"(async () => JSON.stringify(await ({expression})))()")
        return None if value is None else json.loads(value)

    def open(self, url: str) -> None:
        self._page.goto(url)


@pytest.fixture(scope="module")
def addresses(site_url: str, dist: Path) -> Iterator[dict[str, str]]:
    """The site by host."""
    with static_host(dist, Host()) as plain:
        yield dict(zip(HOSTS, (site_url, plain)))


@pytest.fixture(scope="module")
def origin() -> Iterator[OtherOrigin]:
    with other_origin() as origin:
        yield origin


@pytest.fixture(scope="module")
def open_in(browser: Browser) -> Iterator[Callable[[str, str], Reader]]:
    """A function that opens an address in an engine; a browser is started once, or again after it failed."""
    opened: dict[str, Any] = {}
    with ExitStack() as stack:

        def open_one(engine: str, address: str) -> Reader:
            if engine == "Chromium":
                context = browser.new_context()
                stack.callback(context.close)
                driven: Any = ChromiumPage(context.new_page())
            else:
                if engine not in opened or opened[engine].failed:
                    opened[engine] = stack.enter_context(OTHER_ENGINES[engine].start())
                driven = opened[engine]
            driven.open(address)
            return Reader(driven)

        yield open_one


def run_cell(reader: Reader, source: str) -> dict[str, str]:
    """What a cell printed last, as JSON."""
    reader.wait_until("'scripts' in document.documentElement.dataset")
    reader.type(1, source)
    reader.press("Run cell 1")
    text = _wait_for_the_end(reader)
    assert reader.text("[role=status]").startswith("Cell 1 finished"), text
    said: dict[str, str] = json.loads(text.partition("OUTCOMES ")[2].partition("\n")[0])
    return said


def _wait_for_the_end(reader: Reader) -> str:
    """What a cell printed until its end; a browser that does not come back from `new Worker` has failed by itself."""
    text, since = "", time.monotonic()
    deadline = since + ATTEMPTS_S * 2
    while not re.match("Cell 1 (finished|failed)", reader.text(STATUS)):
        now = time.monotonic()
        if (found := reader.text(reader.output(1))) != text:
            text, since = found, now
        if now - since > STANDSTILL_S and text.rstrip().endswith("STARTING A WORKER"):
            reader.browser.failed = True
            raise BrowserFailedError("stands still in `new Worker`")
        assert now < deadline, f"still running: {text}"
        time.sleep(0.1)
    return reader.text(reader.output(1))


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("engine", ENGINES)
def test_no_cell_reaches_another_origin(
    engine: str, host: str, addresses: dict[str, str], origin: OtherOrigin,
    open_in: Callable[[str, str], Reader], build_folder: Path, record_fault: RecordFault,
) -> None:  # fmt: skip
    origin.heard.clear()
    address = addresses[host]
    reader = open_in(engine, address)
    site = f"{address}b/{build_folder.name}/"
    try:
        said = run_cell(reader, f"ORIGIN = {origin.address!r}\nSITE = {site!r}\n{_CELL}")
    finally:
        assert origin.heard == []
    print(engine, host, json.dumps(said, indent=1))
    assert len(said) >= LEAST_ATTEMPTS
    assert [name for name in EVALUATING if "refused" not in said[name] and "no error" in said[name]] == []
    assert [name for name, outcome in said.items() if "evaluated" in outcome] == []
    assert [name for name in SERVICE_WORKERS if said[name].startswith("no error")] == []
    shown = reader.browser.evaluate(f"""document.querySelector("{reader.output(1)} .value-html").outerHTML""")
    assert "shown" in shown and origin.address not in shown
    record_fault(f"a cell tries to reach another origin, on {host}", "refused each time", tried=len(said), engine=engine, foreign_requests=len(origin.heard))


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("engine", ENGINES)
def test_no_script_of_the_page_reaches_another_origin(
    engine: str, host: str, addresses: dict[str, str], origin: OtherOrigin, open_in: Callable[[str, str], Reader], record_fault: RecordFault
) -> None:
    origin.heard.clear()
    reader = open_in(engine, addresses[host])
    said = reader.browser.evaluate(f"{FROM_THE_PAGE}({json.dumps(origin.address)})")
    print(engine, host, json.dumps(said, indent=1))
    assert [name for name, outcome in said.items() if "evaluated" in outcome] == []
    # Chromium opens a connection ahead of a navigation that the policy then refuses; nothing is sent on it.
    requests = [each for each in origin.heard if each != "connection"]
    assert reader.text("h1") and requests == []
    record_fault(f"the page itself tries, on {host}", "refused each time", tried=len(said), engine=engine, foreign_requests=len(requests))


# In the other two a cell that starts so many workers does not come to its end, for which Firefox itself is known.
@pytest.mark.parametrize("engine", ["Chromium"])
def test_no_served_script_obeys_a_cell_that_starts_it(
    engine: str, addresses: dict[str, str], origin: OtherOrigin, open_in: Callable[[str, str], Reader],
    build_folder: Path, record_fault: RecordFault,
) -> None:  # fmt: skip
    origin.heard.clear()
    address = addresses["a plain host"]
    scripts = sorted(path.relative_to(build_folder).as_posix() for path in build_folder.rglob("*.js"))
    assert len(scripts) > LEAST_SCRIPTS
    scripts.append(SERVICE_WORKER)
    reader = open_in(engine, address)
    site = f"{address}b/{build_folder.name}/"
    said = run_cell(reader, f"ORIGIN = {origin.address!r}\nSITE = {site!r}\nSCRIPTS = {scripts!r}\n{_STARTING}")
    print(engine, json.dumps(said, indent=1))
    assert set(said) == {f"{script} {kind}" for script in scripts for kind in ("module", "classic")}
    assert {name: events for name, events in said.items() if "message" in events} == {}
    assert "error" in said["page/js/worker.js module"]
    assert "error" in said[f"{SERVICE_WORKER} module"] and "error" in said[f"{SERVICE_WORKER} classic"]
    assert origin.heard == []
    record_fault("a cell starts a served script as a worker and sends it orders", "none acts", tried=len(said), engine=engine, foreign_requests=0)


def test_without_the_policy_the_same_attempts_do_reach(
    browser: Browser, dist: Path, tmp_path: Path, origin: OtherOrigin, open_in: Callable[[str, str], Reader]
) -> None:
    """What the other tests would miss, were the policy not there."""
    origin.heard.clear()
    site = tmp_path / "site"
    site.mkdir()
    (site / "b").symlink_to(dist / "b")
    page = (dist / "index.html").read_text(encoding="utf-8")
    (site / "index.html").write_text(page.replace("Content-Security-Policy", "nothing"), encoding="utf-8")
    with static_host(site, Host()) as address:
        reader = open_in("Chromium", address)
        said = run_cell(reader, f"ORIGIN = {origin.address!r}\nSITE = {address!r}\n{_CELL}")
    asked = {urllib.parse.urlsplit(each.partition(" ")[2]).path for each in origin.heard if " " in each}
    assert {"/fetch", "/xhr", "/module-fetch", "/import", "/keepalive"} <= asked, said
