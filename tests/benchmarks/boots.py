"""
How long each boot takes in Chromium: from Run all to numpy, to the study's rows, to both figures.

The pointer rests on the button for 0.3 s first, then the clock starts with the click.

Every round measures stock, bytecode and snapshot one after the other, each cold (a new profile:
nothing cached) and then warm (the same profile, third visit: Chromium keeps compiled WebAssembly
from the second on). Medians over the rounds, and their ratios to stock. `numpy` is the moment the page says that cell 1 runs; `rows` that cell 2 has ended;
`figures` that cell 3 has ended. `study` and `draw` are what cells 2 and 3 took by themselves.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
from collections import defaultdict
from pathlib import Path
from statistics import median

from playwright.sync_api import BrowserContext, Playwright, sync_playwright

from build.serve import open_server
from tests.benchmarks.machine import describe_machine, family_cpu_seconds

BOOTS = ("stock", "bytecode", "snapshot")
MEASURES = ("numpy", "rows", "figures", "study", "draw", "cpu")
FLAGS = ["--no-sandbox", "--disable-gpu"]
_WATCH = """() => {
    const status = document.querySelector("[role=status]");
    window.said = [];
    const note = () => window.said.push([performance.now(), status.textContent]);
    new MutationObserver(note).observe(status, {childList: true, characterData: true, subtree: true});
    document.addEventListener("click", () => { window.pressed = performance.now(); }, {capture: true, once: true});
}"""
# The snapshot boot once more, in a worker that has every byte in memory before the clock starts.
_FLOOR = """async (site) => {
    const script = `
        const site = ${JSON.stringify(site)};
        const fetchFromSite = fetch;
        const manifest = await (await fetchFromSite(site + "manifest.json")).json();
        const { snapshotBoot } = await import(site + "page/js/boot-snapshot.js");
        const kept = new Map();
        for (const path of [...snapshotBoot.firstFiles(manifest), manifest.saved, manifest.bits]) {
            kept.set(site + path, await (await fetchFromSite(site + path)).arrayBuffer());
        }
        globalThis.fetch = async (address) => {
            const type = String(address).endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
            return new Response(kept.get(String(address)), { headers: { "content-type": type } });
        };
        const { Runtime } = await import(site + "page/js/runtime.js");
        const started = performance.now();
        await Runtime.load(site, manifest, ["snapshot"], null, () => undefined);
        postMessage((performance.now() - started) / 1000);
    `;
    const worker = new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })), { type: "module" });
    const seconds = await new Promise((resolve, reject) => {
        worker.addEventListener("message", (event) => resolve(event.data));
        worker.addEventListener("error", (event) => reject(new Error(event.message)));
    });
    worker.terminate();
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


def report(results: dict[tuple[str, str], list[Measured]]) -> str:
    """Medians in seconds, ratios to stock in brackets."""
    lines = [f"{'':18}" + "".join(f"{name:>16}" for name in MEASURES)]
    for state in ("cold", "warm"):
        stock = {name: median(m[name] for m in results["stock", state]) for name in MEASURES}
        for boot in BOOTS:
            row = f"{boot:12}{state:6}"
            for name in MEASURES:
                value = median(m[name] for m in results[boot, state])
                row += f"{value:8.2f} ({stock[name] / value:4.1f}x)"
            lines.append(row)
    return "\n".join(lines)


def main() -> None:
    """Measure in rounds and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dist", type=Path)
    parser.add_argument("chromium")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    results: dict[tuple[str, str], list[Measured]] = defaultdict(list)
    with open_server(options.dist, 0) as server, sync_playwright() as playwright:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        floors: list[float] = []
        for number in range(options.rounds):
            floors.append(measure_floor(playwright, options.chromium, f"http://127.0.0.1:{server.server_port}/"))
            for boot in BOOTS:
                address = f"http://127.0.0.1:{server.server_port}/?boot={boot}"
                cold, warm = measure_both(playwright, options.chromium, address)
                results[boot, "cold"].append(cold)
                results[boot, "warm"].append(warm)
                print(f"round {number + 1}, {boot}: rows {cold['rows']:.2f} s cold, {warm['rows']:.2f} s warm", flush=True)
        version = playwright.chromium.launch(executable_path=options.chromium, args=FLAGS).version
        print(describe_machine(f"Chromium {version}"))
        print(f"Medians of {options.rounds}, seconds; in brackets how many times faster than stock.")
        print(report(results))
        floor = median(floors)
        print("Snapshot boot to numpy against one with all bytes in memory, which takes " + f"{floor:.2f} s: " + ", ".join(
            f"{median(m['numpy'] for m in results['snapshot', state]) / floor:.1f} times as long {state}" for state in ("cold", "warm")
        ))  # fmt: skip
        server.shutdown()


if __name__ == "__main__":
    main()
