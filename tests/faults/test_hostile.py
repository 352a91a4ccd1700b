"""Hostile content at every border: each input ends in a value or in the border's own error, and never in markup."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser

from replay_lab import StudyConfig
from replay_lab.array_files import read_array_file
from replay_lab.checkpoint import load_checkpoint, save_checkpoint
from replay_lab.errors import ArrayFileError, CheckpointError, ConfigError, ReplayLabError, ResultsError, StateError
from replay_lab.results import StudyResults
from replay_lab.saved_bits import SavedBits
from replay_lab.training import init_state
from tests.page.test_protocol import SAMPLES
from tests.study.runs import SMALL, small_results

pytestmark = pytest.mark.fault("hostile content")
RecordFault = Callable[..., None]
ALL = os.environ.get("REPLAY_LAB_FAULTS") == "all"
EACH_IN_PAGE = 10_000 if ALL else 300
EACH_NATIVELY = 8_000 if ALL else 300
_IN_PAGE = Path(__file__).with_name("hostile.js").read_text(encoding="utf-8")
HOSTILE = (
    "<img src=x onerror=1>", "__proto__", "javascript:1", "\ud800", "\0", "\u202e", "9" * 5000, "-0", "NaN", "1e999", "../..", "",
)  # fmt: skip


def test_the_page_makes_values_or_named_errors_of_anything(browser: Browser, site_url: str, record_fault: RecordFault) -> None:
    page = browser.new_page()
    page.goto(site_url)
    start = page.locator("script[type=module]").first.evaluate("(script) => script.src")
    samples = [message for kind in SAMPLES.values() for message in kind]
    page.set_default_timeout(300_000)
    found = page.evaluate(
        f"(given) => ({_IN_PAGE})(given)",
        {"source": start.removesuffix("start.js"), "samples": samples, "each": EACH_IN_PAGE, "seed": 1},
    )
    page.close()
    assert found["wrong"] == []
    for border, refused in found["counts"].items():
        print(f"{border}: {EACH_IN_PAGE} inputs, {refused} refused by name")
        record_fault(border, "a value or the border's own error, no markup", tried=EACH_IN_PAGE, engine="Chromium")


def hostile_value(chance: random.Random, depth: int = 0) -> Any:
    """Any value that JSON can carry, more often than not one that hurts."""
    kind = chance.randrange(8 if depth < 3 else 5)
    if kind < 2:
        return chance.choice(HOSTILE)
    if kind == 2:
        return chance.choice((0, -1, 10**400, 2**64, 0.5, -0.0, 1e308, float("inf"), float("nan"), True, None))
    if kind == 3 and chance.random() < 0.02:
        deep: Any = []
        for _ in range(300):
            deep = [deep]
        return deep
    if kind < 6:
        return [hostile_value(chance, depth + 1) for _ in range(chance.randrange(3))]
    return {chance.choice(HOSTILE): hostile_value(chance, depth + 1) for _ in range(chance.randrange(3))}


def changed(given: Any, chance: random.Random) -> Any:
    """The same with one thing in it replaced, added or gone."""
    if not isinstance(given, (dict, list)) or not given or chance.random() < 0.1:
        return hostile_value(chance)
    copy = given.copy()
    key = chance.choice(list(copy)) if isinstance(copy, dict) else chance.randrange(len(copy))
    if chance.random() < 0.2:
        del copy[key]
    elif isinstance(copy, dict) and chance.random() < 0.1:
        copy[chance.choice(HOSTILE)] = hostile_value(chance)
    else:
        copy[key] = changed(copy[key], chance)
    return copy


def scrambled(data: bytes, chance: random.Random) -> bytes:
    """The same with some bytes changed, cut off or added."""
    copy = bytearray(data)
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(copy) + 1)
        cut = chance.choice((0, 1, 1, 8))
        copy[at : at + cut] = chance.randbytes(chance.choice((0, 1, 1, 8)))
    return bytes(copy if chance.random() < 0.8 else copy[: chance.randrange(len(copy) + 1)])


Border = tuple[Callable[[random.Random, Path], object], tuple[type[ReplayLabError], ...]]


def borders() -> dict[str, Border]:
    value = json.loads(small_results().to_json())
    state = init_state(SMALL)
    checkpoint = save_checkpoint(state)
    config = StudyConfig().to_json()
    bits = SavedBits(name="catalogue", settings={"a": "1"}, digests={"b": "2"}).to_json()

    def read_results(chance: random.Random, _: Path) -> object:
        if chance.random() < 0.5:
            return StudyResults.from_json(json.dumps(changed(value, chance)))
        return StudyResults.from_json(scrambled(json.dumps(value).encode(), chance).decode("utf-8", "replace"))

    def read_arrays(chance: random.Random, folder: Path) -> object:
        file = folder / "arrays.npz"
        if chance.random() < 0.5:
            np.savez(file, weights=np.float32([0.1, -0.0]), step=np.int64(3))
        else:
            np.save(file.with_suffix(".npy"), np.float32([0.1, -0.0]))
            file = file.with_suffix(".npy")
        file.write_bytes(scrambled(file.read_bytes(), chance))
        return read_array_file(str(file))

    return {
        "settings": (lambda chance, _: StudyConfig.from_json(changed(config, chance)), (ConfigError,)),
        "results": (read_results, (ResultsError, ConfigError)),
        "saved bits": (lambda chance, _: SavedBits.from_json(changed(bits, chance)), (ResultsError,)),
        "checkpoints": (lambda chance, _: load_checkpoint(scrambled(checkpoint, chance), state), (CheckpointError,)),
        "files of arrays": (read_arrays, (ArrayFileError, StateError)),
    }


@pytest.mark.filterwarnings("ignore")
def test_the_library_makes_values_or_named_errors_of_anything(tmp_path: Path, record_fault: RecordFault) -> None:
    for name, (read, errors) in borders().items():
        chance, refused = random.Random(1), 0
        each = EACH_NATIVELY // 4 if name in ("results", "files of arrays") else EACH_NATIVELY
        for _ in range(each):
            try:
                read(chance, tmp_path)
            except errors:
                refused += 1
        print(f"{name}: {each} inputs, {refused} refused by name")
        assert refused > each / 10
        record_fault(name, "a value or the border's own error", tried=each, engine="natively")
