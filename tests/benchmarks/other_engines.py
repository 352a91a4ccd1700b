"""The time to numpy in Firefox and WebKitGTK, for which their drivers in the tests do."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping
from statistics import median

from tests.engines import OTHER_ENGINES
from tests.other_browsers import find_other_browsers
from tests.page.reader import BOOT_S, STATUS, Reader

_APPROACH_AND_PRESS = """new Promise((pressed) => {
    const button = document.querySelector("[data-action=run-all]");
    const status = document.querySelector("[role=status]");
    button.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
    setTimeout(() => {
        const started = performance.now();
        const watch = new MutationObserver(() => {
            if (globalThis.numpy === undefined && status.textContent.startsWith("Running cell 1")) globalThis.numpy = (performance.now() - started) / 1000;
        });
        watch.observe(status, { childList: true, characterData: true, subtree: true });
        button.click();
        pressed(true);
    }, 300);
})"""


def measure_other_engines(addresses: Mapping[str, str], rounds: int) -> dict[str, dict[str, float]]:
    """
    Measure from Run all to numpy, each time in a new profile.

    Parameters
    ----------
    addresses : mapping
        By the name of the boot.
    rounds : int

    Returns
    -------
    dict
        Median seconds by engine and boot; engines that are not here are left out.
    """
    os.environ.update(find_other_browsers())
    found: dict[str, dict[str, float]] = {}
    for name, engine in OTHER_ENGINES.items():
        if engine.variable not in os.environ:
            continue
        seconds: dict[str, list[float]] = defaultdict(list)
        for _ in range(rounds):
            for boot, address in addresses.items():
                with engine.start() as browser:
                    browser.open(address)
                    reader = Reader(browser)
                    reader.wait_until("'scripts' in document.documentElement.dataset")
                    browser.evaluate(_APPROACH_AND_PRESS)
                    reader.wait(STATUS, "Cell 3 finished", BOOT_S)
                    seconds[boot].append(browser.evaluate("globalThis.numpy"))
        found[name] = {boot: median(values) for boot, values in seconds.items()}
    return found
