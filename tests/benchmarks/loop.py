"""
What the whole study takes, natively and in the tab: its first call, and the median of warm calls.

Also with ten times the steps and with 64 times the samples, beside what `estimated_work` says of
them. And a sweep: 64 runs side by side against 64 runs one after the other, with every loss, and
the training alone.
"""

from __future__ import annotations

import argparse
import json
import threading
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

from build.serve import open_server
from replay_lab import StudyConfig, estimated_work
from tests.benchmarks.boots import FLAGS
from tests.benchmarks.machine import describe_machine

_WARM_CALLS = 7
_RUNS = 64
_SWEEPS = 3
_LARGER = {"10x steps": {"steps": 1000, "checkpoint_step": 400}, "64x samples": {"samples": 16384}}
_MEASURE = f"""
import json, statistics, time
import numpy as np
from replay_lab import StudyConfig, run_study
from replay_lab.dataset import make_dataset
from replay_lab.gradient_rules import Batch
from replay_lab.optimizer import adam_update
from replay_lab.random_streams import draw_indices
from replay_lab.recipe import PLAIN
from replay_lab.scenarios import run_reference
from replay_lab.side_by_side import train_together
from replay_lab.sweep import CHUNK
from replay_lab.training import init_state

def seconds(config):
    start = time.perf_counter()
    run_study(config)
    return time.perf_counter() - start

first = seconds(StudyConfig())
warm = statistics.median(seconds(StudyConfig()) for _ in range({_WARM_CALLS}))
def taken(function):
    times = []
    for _ in range({_SWEEPS}):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)

configs = [StudyConfig(seed=seed) for seed in range({_RUNS})]
datasets = [make_dataset(config) for config in configs]

one = np.float32(1)

def train_one(dataset, config):
    state = init_state(config)
    weights, optimizer, sampler = state.weights, state.optimizer, state.sampler
    for step in range(1, config.steps + 1):
        sampler, ids = draw_indices(sampler, config.batch_size, config.samples)
        gradient = PLAIN.gradient(Batch(dataset.features[ids], dataset.targets[ids], weights, config.shards, step, one))
        optimizer, weights = adam_update(optimizer, weights, gradient, config, np.float32(config.learning_rate))
    return weights

def one_by_one(function):
    return [function(dataset, config) for dataset, config in zip(datasets, configs)]

def together(with_loss):
    return [
        trace.columns["weights"][-1]
        for start in range(0, len(configs), CHUNK)
        for trace in train_together(
            configs[start : start + CHUNK], datasets[start : start + CHUNK], reverse=False, with_loss=with_loss
        )
    ]

assert all((alone == side).all() for alone, side in zip(one_by_one(train_one), together(False)))
measured = {{
    "first call": first,
    "warm call": warm,
    **{{name: seconds(StudyConfig(**settings)) for name, settings in {_LARGER}.items()}},
    "{_RUNS} runs, one by one": taken(lambda: one_by_one(run_reference)),
    "{_RUNS} runs, together": taken(lambda: together(True)),
    "{_RUNS} trainings, one by one": taken(lambda: one_by_one(train_one)),
    "{_RUNS} trainings, together": taken(lambda: together(False)),
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
        expect(output).to_contain_text("trainings, together", timeout=120_000)
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
    print(f"{'milliseconds':28}{'native':>10}{'tab':>10}{'ratio':>8}")
    for name, seconds in native.items():
        print(f"{name:28}{seconds * 1000:10.1f}{tab[name] * 1000:10.1f}{tab[name] / seconds:8.1f}")
    for what in ("runs", "trainings"):
        gains = [host[f"{_RUNS} {what}, one by one"] / host[f"{_RUNS} {what}, together"] for host in (native, tab)]
        print(f"{_RUNS} {what} together: {gains[0]:.1f} times faster natively, {gains[1]:.1f} times in the tab")
    for name, settings in _LARGER.items():
        estimate = estimated_work(StudyConfig(**settings)).cost / estimated_work(StudyConfig()).cost
        grown = [host[name] / host["warm call"] for host in (native, tab)]
        print(f"cost model, {name}: {estimate:.1f}x estimated, {grown[0]:.1f}x natively, {grown[1]:.1f}x in the tab")


if __name__ == "__main__":
    main()
