"""What a cell may try to reach another origin; run inside the page, with ORIGIN and SITE set in front."""

import asyncio
import json

import js
from pyodide.ffi import create_proxy, to_js

SECONDS = 4
outcomes = {}


def options(**values):
    return to_js(values, dict_converter=js.Object.fromEntries)


async def heard_from(target, *names):
    """The first of some events of a target."""
    event = asyncio.get_running_loop().create_future()

    def hear(found):
        if not event.done():
            event.set_result(f"{found.type} {getattr(found, 'data', '') or getattr(found, 'message', '') or ''}".strip())

    listener = create_proxy(hear)
    for name in names:
        target.addEventListener(name, listener)
    return await event


async def run(attempt):
    try:
        made = attempt()
        if hasattr(made, "__await__"):
            made = await asyncio.wait_for(made, SECONDS)
        return f"no error: {made}"[:300]
    except TimeoutError:
        return "silence"
    except BaseException as error:
        return f"{type(error).__name__}: {error}"[:200]


def synchronous_request():
    request = js.XMLHttpRequest.new()
    request.open("GET", f"{ORIGIN}/xhr", False)
    request.send()


IN_A_WORKER = """
const said = [];
const attempt = async (name, make) => {
    try { said.push(`${name}: ${await make()}`); } catch (error) { said.push(`${name} refused: ${error}`); }
};
await Promise.all([
    attempt("fetch", () => fetch("ORIGIN/NAME-fetch", {mode: "no-cors"})),
    attempt("import", () => import("ORIGIN/NAME-import")),
    attempt("eval", () => eval("'evaluated'")),
    attempt("Function", () => new Function("return 'evaluated'")()),
    attempt("request", () => { const r = new XMLHttpRequest(); r.open("GET", "ORIGIN/NAME-xhr", false); r.send(); return "sent"; }),
    attempt("socket", () => new Promise((done, fail) => { const s = new WebSocket("ws:" + "ORIGIN/NAME-socket".slice(5)); s.onopen = done; s.onerror = fail; })),
    attempt("worker", () => new Promise((done, fail) => {
        const w = new Worker(URL.createObjectURL(new Blob(["fetch('ORIGIN/NAME-deeper').then(() => postMessage(1), () => postMessage(0))"])));
        w.onmessage = (event) => done(event.data); w.onerror = fail;
    })),
]);
postMessage(said.join("; "));
"""


def blob(text):
    return js.URL.createObjectURL(js.Blob.new(to_js([text]), options(type="text/javascript")))


def nested(address, **chosen):
    # The last line says where a browser stands that does not come back from this.
    print("STARTING A WORKER", flush=True)
    try:
        worker = js.Worker.new(address, options(**chosen))
    finally:
        print("STARTED", flush=True)
    return heard_from(worker, "message", "error")


def in_a_worker(name):
    return IN_A_WORKER.replace("ORIGIN", ORIGIN).replace("NAME", name)


def run_js(source):
    from pyodide.code import run_js

    return run_js(source)


async def pyfetch():
    from pyodide.http import pyfetch

    return await pyfetch(f"{ORIGIN}/pyfetch")


def open_url():
    from pyodide.http import open_url

    return open_url(f"{ORIGIN}/open_url")


def urllib_request():
    import urllib.request

    return urllib.request.urlopen(f"{ORIGIN}/urllib", timeout=1)


def socket_connect():
    import socket

    return socket.create_connection((ORIGIN.split("//")[1].split(":")[0], int(ORIGIN.rpartition(":")[2])), 1)


ATTEMPTS = {
    "fetch": lambda: js.fetch(f"{ORIGIN}/fetch"),
    "fetch without answer": lambda: js.fetch(f"{ORIGIN}/no-cors", options(mode="no-cors")),
    "fetch with keepalive": lambda: js.fetch(f"{ORIGIN}/keepalive", options(keepalive=True, method="POST", body="x", mode="no-cors")),
    "fetch of a Request": lambda: js.fetch(js.Request.new(f"{ORIGIN}/request")),
    "XMLHttpRequest": synchronous_request,
    "WebSocket": lambda: heard_from(js.WebSocket.new(f"ws:{ORIGIN[5:]}/socket"), "open", "error"),
    "EventSource": lambda: heard_from(js.EventSource.new(f"{ORIGIN}/events"), "open", "error"),
    "WebTransport": lambda: js.WebTransport.new(f"https:{ORIGIN[5:]}/transport").ready,
    "importScripts": lambda: js.importScripts(f"{ORIGIN}/import-scripts"),
    "eval": lambda: js.eval("'evaluated'"),
    "Function": lambda: js.Function.new("return 'evaluated'")(),
    "run_js": lambda: run_js("'evaluated'"),
    "import() by run_js": lambda: run_js(f"import('{ORIGIN}/import')"),
    "setTimeout of a text": lambda: js.setTimeout(f"fetch('{ORIGIN}/timeout')", 0),
    "sendBeacon": lambda: js.navigator.sendBeacon(f"{ORIGIN}/beacon", "x"),
    "Image": lambda: js.Image.new(),
    "createImageBitmap": lambda: js.fetch(f"{ORIGIN}/bitmap").then(js.createImageBitmap),
    "FontFace": lambda: js.FontFace.new("other", f"url({ORIGIN}/font)").load(),
    "caches.add": lambda: js.caches.open("tried").then(lambda cache: cache.add(f"{ORIGIN}/cache")),
    "SharedWorker": lambda: js.SharedWorker.new(f"{ORIGIN}/shared"),
    "RTCPeerConnection": lambda: js.RTCPeerConnection.new(),
    "window.open": lambda: js.open(f"{ORIGIN}/window"),
    "location": lambda: js.location.assign(f"{ORIGIN}/location"),
    "a worker of another origin": lambda: nested(f"{ORIGIN}/worker", type="module"),
    "a worker from data:": lambda: nested("data:text/javascript," + js.encodeURIComponent(in_a_worker("data")), type="module"),
    "a module worker from blob:": lambda: nested(blob(in_a_worker("module")), type="module"),
    "a classic worker from blob:": lambda: nested(blob(f"(async () => {{{in_a_worker('classic')}}})()")),
    "importScripts in a worker from blob:": lambda: nested(blob(f"try {{ importScripts('{ORIGIN}/in-classic'); postMessage('in') }} catch (e) {{ postMessage('refused ' + e) }}")),
    "a worker that imports another origin": lambda: nested(blob(f"import '{ORIGIN}/static-import'; postMessage('in');"), type="module"),
    "a service worker from blob:": lambda: js.navigator.serviceWorker.register(blob(f"fetch('{ORIGIN}/service')")),
    "a service worker of this site": lambda: js.navigator.serviceWorker.register(f"{SITE}page/js/worker.js"),
    "pyfetch": pyfetch,
    "open_url": open_url,
    "urllib": urllib_request,
    "a socket": socket_connect,
}


async def all_of_them():
    names = list(ATTEMPTS)
    for name, outcome in zip(names, await asyncio.gather(*(run(ATTEMPTS[name]) for name in names))):
        outcomes[name] = outcome


class Markup:
    """A value whose HTML points to the other origin in every way that HTML has."""

    def _repr_html_(self):
        ways = (
            "<p>shown</p><img src='O/img'><img srcset='O/srcset 1x'><div style='background: url(O/style)'>d</div>",
            "<style>@import 'O/at-import'; p { background: url(O/rule) }</style><link rel=stylesheet href='O/link'>",
            "<link rel=preconnect href='O'><link rel=prefetch href='O/prefetch'><link rel=icon href='O/icon'>",
            "<table background='O/background'><tr><td background='O/cell'>cell</td></tr></table>",
            "<script src='O/script'></script><iframe src='O/frame'></iframe><object data='O/object'></object><embed src='O/embed'>",
            "<video src='O/video' poster='O/poster' autoplay></video><audio src='O/audio' autoplay></audio>",
            "<svg><image href='O/svg-image'/><use href='O/use'/></svg><meta http-equiv=refresh content='0;url=O/refresh'><base href='O/'>",
            "<a href='O/a' ping='O/ping'>a</a><form action='O/form'><button>send</button></form><input type=image src='O/input'>",
            "<math><mi href='O/math'>x</mi></math><template><img src='O/template'></template><noscript><img src='O/noscript'></noscript>",
        )
        return "".join(ways).replace("O", ORIGIN)


class Drawing:
    """A value whose SVG does."""

    def _repr_svg_(self):
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><style>@import "O/svg-import"; rect { fill: url(O/svg-fill) }</style>'
            '<image href="O/svg-href" width="9" height="9"/><script href="O/svg-script"/><rect width="9" height="9"/></svg>'
        ).replace("O/", f"{ORIGIN}/")


display(Markup(), Drawing())
await all_of_them()
print("OUTCOMES", json.dumps(outcomes))
