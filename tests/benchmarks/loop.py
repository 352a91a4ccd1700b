"""
What the whole study takes, natively and in the tab: its first call, and the median of warm calls.

Also with ten times the steps and with 64 times the samples, which grow as the loop's cost does:
a fixed price per numpy call and step, and a share for each sample of the loss.
"""

from __future__ import annotations

import argparse
import json
import threading
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

from build.serve import open_server
from tests.benchmarks.boots import FLAGS
from tests.benchmarks.machine import describe_machine

_WARM_CALLS = 7
_MEASURE = f"""
import json, statistics, time
from replay_lab import StudyConfig, run_study

def seconds(config):
    start = time.perf_counter()
    run_study(config)
    return time.perf_counter() - start

first = seconds(StudyConfig())
warm = statistics.median(seconds(StudyConfig()) for _ in range({_WARM_CALLS}))
measured = {{
    "first call": first,
    "warm call": warm,
    "10x steps": seconds(StudyConfig(steps=1000, checkpoint_step=400)),
    "64x samples": seconds(StudyConfig(samples=16384)),
}}
print(json.dumps(measured))
"""


def in_tab(dist: Path, chromium: str) -> dict[str, float]:
    """Run it in a cell of the page."""
    with open_server(dist, 0) as server, sync_playwright() as playwright:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        page.get_by_role("button", name="Run cell 1", exact=True).click()
        status = page.get_by_role("status")
        expect(status).to_contain_text("Cell 1 finished", timeout=90_000)
        page.get_by_role("textbox", name="Code of cell 1", exact=True).fill(_MEASURE)
        page.get_by_role("button", name="Run cell 1", exact=True).click()
        output = page.get_by_role("region", name="Output of cell 1", exact=True).locator("pre.stream")
        expect(output).to_contain_text("64x samples", timeout=120_000)
        measured: dict[str, float] = json.loads(output.inner_text())
        print(describe_machine(f"Chromium {browser.version}"))
        browser.close()
        server.shutdown()
    return measured


def natively() -> dict[str, float]:
    """Run it in this Python."""
    namespace: dict[str, dict[str, float]] = {}
    exec(_MEASURE.replace("print(", "("), namespace)
    return namespace["measured"]


def main() -> None:
    """Measure both and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dist", type=Path)
    parser.add_argument("chromium")
    options = parser.parse_args()
    tab, native = in_tab(options.dist, options.chromium), natively()
    print(f"{'milliseconds':14}{'native':>10}{'tab':>10}{'ratio':>8}")
    for name, seconds in native.items():
        print(f"{name:14}{seconds * 1000:10.1f}{tab[name] * 1000:10.1f}{tab[name] / seconds:8.1f}")


if __name__ == "__main__":
    main()
