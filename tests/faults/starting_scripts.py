"""Starts every served script as a worker and sends it what a cell would like done; ORIGIN, SITE and SCRIPTS are set in front."""

import asyncio
import json

import js
from pyodide.ffi import create_proxy, to_js

SECONDS = 5
ORDER = f"fetch('{ORIGIN}/ordered'); postMessage('obeyed')"
ORDERS = (
    ORDER,
    {"code": ORDER},
    {"type": "eval", "source": ORDER, "data": ORDER},
    {"protocol": 1, "type": "load", "requestId": 1, "site": SITE, "boot": "stock", "lifeLock": "cell", "supply": None, "interruptBuffer": None},
    {"protocol": 1, "type": "run-cell", "requestId": 2, "cell": {"number": 1, "id": "constants"}, "source": ORDER},
    {"cmd": "load", "urlOrBlob": f"{ORIGIN}/program"},
    {"cmd": "run", "start_routine": 1, "handlers": []},
)
heard = {}


def start(script, kind):
    name = f"{script} {kind}"
    heard[name] = []
    try:
        worker = js.Worker.new(SITE + script, to_js({"type": kind}, dict_converter=js.Object.fromEntries))
    except Exception as error:
        heard[name].append(f"error: {error}")
        return None
    listener = create_proxy(lambda event: heard[name].append(f"{event.type}: {getattr(event, 'message', '') or ''}"))
    for event in ("message", "error", "messageerror"):
        worker.addEventListener(event, listener)
    for order in ORDERS:
        worker.postMessage(to_js(order, dict_converter=js.Object.fromEntries))
    return worker


for batch in range(0, len(SCRIPTS), 12):
    workers = [start(script, kind) for script in SCRIPTS[batch : batch + 12] for kind in ("module", "classic")]
    await asyncio.sleep(SECONDS)
    for worker in workers:
        if worker is not None:
            worker.terminate()
print("OUTCOMES", json.dumps({name: "; ".join(events) for name, events in heard.items()}))
