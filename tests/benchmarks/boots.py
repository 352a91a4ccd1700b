"""
How long each boot takes in Chromium: from Run all to numpy, to the study's rows, to both figures.

The pointer rests on the button for 0.3 s first, then the clock starts with the click. Every round
measures the naive page, stock, bytecode and snapshot one after the other, each cold (a new profile:
nothing cached) and then warm (the same profile, third visit: Chromium keeps compiled WebAssembly
from the second on). Medians over the rounds, and their ratios to stock. `numpy` is the moment the
page says that cell 1 runs; `rows` that cell 2 has ended; `figures` that cell 3 has ended. `study`
and `draw` are what cells 2 and 3 took by themselves. Then stock and snapshot in Firefox and
WebKitGTK, cold, as far as these are here. `--save` keeps the numbers for the README.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import threading
from collections import defaultdict
from pathlib import Path
from statistics import median

from playwright.sync_api import BrowserContext, Playwright, sync_playwright

from build.serve import open_server
from tests.benchmarks.machine import describe_machine, family_cpu_seconds
from tests.benchmarks.naive_page import PLACE, beside_naive_page
from tests.benchmarks.other_engines import measure_other_engines
from tests.golden.kept import BOOTS_FILE

BOOTS = ("stock", "bytecode", "snapshot")
NAIVE = "naive"
MEASURES = ("numpy", "rows", "figures", "study", "draw", "cpu")
FLAGS = ["--no-sandbox", "--disable-gpu"]
_WATCH = """() => {
    const status = document.querySelector("[role=status]");
    window.said = [];
    const note = () => window.said.push([performance.now(), status.textContent]);
    new MutationObserver(note).observe(status, {childList: true, characterData: true, subtree: true});
    document.addEventListener("click", () => { window.pressed = performance.now(); }, {capture: true, once: true});
}"""
# The snapshot boot once more, in workers that have every byte in memory before the clock starts.
_FLOOR = """async (site) => {
    const manifest = await (await fetch(site + "manifest.json")).json();
    const { snapshotBoot } = await import(site + "page/js/boot-snapshot.js");
    const { modules, pages } = snapshotBoot.supplied(manifest);

    const start = async (paths, script) => {
        const text = `
            const site = ${JSON.stringify(site)}, manifest = ${JSON.stringify(manifest)};
            const fetchFromSite = fetch;
            const kept = new Map();
            for (const path of ${JSON.stringify(paths)}) kept.set(site + path, await (await fetchFromSite(site + path)).arrayBuffer());
            globalThis.fetch = async (address) => {
                const type = String(address).endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
                return new Response(kept.get(String(address)), { headers: { "content-type": type } });
            };
            ${script}
        `;
        const worker = new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })), { type: "module" });
        await said(worker);
        return worker;
    };
    const said = (worker) => new Promise((resolve, reject) => {
        worker.addEventListener("message", (event) => resolve(event.data), { once: true });
        worker.addEventListener("error", (event) => reject(new Error(event.message)), { once: true });
    });

    const supply = await start([...modules, ...pages, "page/vendor/zstd.wasm"], `await import(site + "page/js/supply-worker.js");`);
    const python = await start([...snapshotBoot.firstFiles(manifest), manifest.saved, manifest.bits], `
        const { Runtime } = await import(site + "page/js/runtime.js");
        addEventListener("message", async ({ data: supply }) => {
            const started = performance.now();
            await Runtime.load({ site, manifest, boot: "snapshot", supply, interruptBuffer: null }, () => undefined);
            postMessage((performance.now() - started) / 1000);
        });
        postMessage("ready");
    `);
    const { port1, port2 } = new MessageChannel();
    supply.postMessage(port1, [port1]);
    python.postMessage(port2, [port2]);
    const seconds = await said(python);
    for (const worker of [supply, python]) worker.terminate();
    return seconds;
}"""
_ENDED = """() => /^Cell 3 finished|failed|could not be started/.test(document.querySelector("[role=status]").textContent)"""

Measured = dict[str, float]


def measure(context: BrowserContext, address: str) -> Measured:
    """Load the page, run all, and read off when it said what."""
    page = context.new_page()
    page.goto(address)
    page.evaluate(_WATCH)
    run_all = page.get_by_role("button", name="Run all", exact=True)
    # A reader's pointer is at the button a moment before it presses.
    run_all.hover()
    page.wait_for_timeout(300)
    before = family_cpu_seconds()
    run_all.click()
    page.wait_for_function(_ENDED, timeout=120_000)
    cpu = family_cpu_seconds() - before
    pressed, said = page.evaluate("() => [window.pressed, window.said]")
    # What Chromium compiled is written to its cache a moment later.
    page.wait_for_timeout(1000)
    page.close()
    if not said[-1][1].startswith("Cell 3 finished"):
        raise SystemExit(f"the page ended with: {said[-1][1]}")

    def when(text: str) -> float:
        return next(float(moment - pressed) / 1000 for moment, words in said if words.startswith(text))

    numpy, study, rows, figures = map(when, ("Running cell 1", "Running cell 2", "Running cell 3", "Cell 3 finished"))
    draw = float(said[-1][1].removeprefix("Cell 3 finished in ").partition(" s")[0])
    return {"numpy": numpy, "rows": rows, "figures": figures, "study": rows - study, "draw": draw, "cpu": cpu}


def measure_both(playwright: Playwright, chromium: str, address: str) -> tuple[Measured, Measured]:
    """The first and the third visit in one new profile."""
    with tempfile.TemporaryDirectory(prefix="replay-lab-profile-") as profile:
        context = playwright.chromium.launch_persistent_context(profile, executable_path=chromium, args=FLAGS)
        cold, _, warm = (measure(context, address) for _ in range(3))
        context.close()
    return cold, warm


def measure_floor(playwright: Playwright, chromium: str, address: str) -> float:
    """Seconds of a snapshot boot with all bytes in memory; nothing of it is compiled from an earlier visit."""
    browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
    page = browser.new_page()
    page.goto(address)
    site = page.evaluate("new URL('../../', document.querySelector('script[type=module]').src).href")
    seconds: float = page.evaluate(_FLOOR, site)
    browser.close()
    return seconds


def medians(rounds: list[Measured]) -> Measured:
    """The median of each measure."""
    return {name: median(measured[name] for measured in rounds) for name in MEASURES}


def report(found: dict[str, dict[str, Measured]]) -> str:
    """Medians in seconds, ratios to stock in brackets."""
    lines = [f"{'':18}" + "".join(f"{name:>16}" for name in MEASURES)]
    for state in ("cold", "warm"):
        for boot, measured in found[state].items():
            cells = (f"{measured[name]:8.2f} ({found[state]['stock'][name] / measured[name]:4.1f}x)" for name in MEASURES)
            lines.append(f"{boot:12}{state:6}" + "".join(cells))
    return "\n".join(lines)


def main() -> None:
    """Measure in rounds and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dist", type=Path)
    parser.add_argument("chromium")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--save", action="store_true", help="keep the numbers for the README")
    options = parser.parse_args()
    rounds: dict[tuple[str, str], list[Measured]] = defaultdict(list)
    floors: list[float] = []
    with beside_naive_page(options.dist) as site, open_server(site, 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        home = f"http://127.0.0.1:{server.server_port}/"
        addresses = {NAIVE: f"{home}{PLACE}/index.html"} | {boot: f"{home}?boot={boot}" for boot in BOOTS}
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=options.chromium, args=FLAGS)
            machine = describe_machine(f"Chromium {browser.version}")
            browser.close()
            for number in range(options.rounds):
                floors.append(measure_floor(playwright, options.chromium, home))
                for boot, address in addresses.items():
                    cold, warm = measure_both(playwright, options.chromium, address)
                    rounds[boot, "cold"].append(cold)
                    rounds[boot, "warm"].append(warm)
                    print(f"round {number + 1}, {boot}: rows {cold['rows']:.2f} s cold, {warm['rows']:.2f} s warm", flush=True)
        engines = measure_other_engines({boot: addresses[boot] for boot in ("stock", "snapshot")}, options.rounds)
        server.shutdown()
    found = {state: {boot: medians(rounds[boot, state]) for boot in addresses} for state in ("cold", "warm")}
    floor = median(floors)
    print(machine)
    print(f"Medians of {options.rounds}, seconds; in brackets how many times faster than stock.")
    print(report(found))
    times = (f"{found[state]['snapshot']['numpy'] / floor:.1f} times as long {state}" for state in found)
    print(f"Snapshot boot to numpy against one with all bytes in memory, which takes {floor:.2f} s: {', '.join(times)}")
    for engine, numpy in engines.items():
        print(f"{engine} to numpy, cold: stock {numpy['stock']:.2f} s, snapshot {numpy['snapshot']:.2f} s, {numpy['stock'] / numpy['snapshot']:.1f}x")
    if options.save:
        saved = {"machine": machine, "rounds": options.rounds, "floor": floor, "found": found, "engines": engines}
        BOOTS_FILE.write_text(json.dumps(saved, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
