"""Stop: with the interrupt buffer, without it, during the download; and a damaged file."""

from __future__ import annotations

import os
import re
import shutil
import time
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.page.conftest import Opener
from tests.page.lab import BOOT_MS, Lab
from tests.site_server import hosted

LISTENING_LIMIT_S = 1
OFFER_AFTER_S = 1.9

ENDLESS = "print('begun')\nwhile True: pass"


def test_stop_ends_an_endless_loop_and_keeps_variables(lab: Lab) -> None:
    lab.run_all()
    lab.run(3, "kept = 41")
    lab.code(3).fill(ENDLESS)
    lab.button("Run cell 3").click()
    expect(lab.output(3)).to_contain_text("begun")
    began = time.monotonic()
    lab.button("Stop").click()
    expect(lab.status).to_have_text(re.compile("^Cell 3 was stopped"))
    assert time.monotonic() - began < LISTENING_LIMIT_S
    lab.run(3, "kept + 1")
    expect(lab.output(3).locator("pre.value")).to_have_text("42")


def test_a_signal_that_comes_while_the_last_one_is_cleared_is_not_lost(open_page: Opener) -> None:
    seen = open_page().evaluate(
        """async () => {
            const source = document.querySelector("script[type=module]").src.replace("start.js", "interrupt-signal.js");
            const { withoutLoss } = await import(source);
            const shared = new Uint8Array(new SharedArrayBuffer(1));
            const buffer = withoutLoss(shared);
            const readAndClear = (between) => {
                const signal = buffer[0];
                between();
                buffer[0] = 0;
                return signal;
            };
            return [readAndClear(() => (shared[0] = 2)), readAndClear(() => undefined), readAndClear(() => undefined)];
        }"""
    )
    assert seen == [0, 2, 0]


def test_stop_ends_an_await(lab: Lab) -> None:
    lab.code(3).fill("import asyncio\nprint('begun')\nawait asyncio.sleep(60)")
    lab.button("Run cell 3").click()
    expect(lab.output(3)).to_contain_text("begun")
    lab.button("Stop").click()
    expect(lab.status).to_have_text(re.compile("^Cell 3 was stopped"))


def test_where_stop_is_not_heard_a_restart_is_offered_and_works(open_page: Opener) -> None:
    lab = Lab(open_page())
    lab.code(1).fill("while True:\n    try:\n        while True: pass\n    except BaseException: pass")
    lab.button("Run cell 1").click()
    expect(lab.status).to_have_text(re.compile("^Running cell 1"), timeout=BOOT_MS)
    lab.button("Stop").click()
    expect(lab.status).to_contain_text("Restart Python ends it", timeout=5_000)
    lab.button("Restart Python").click()
    expect(lab.status).to_have_text("Python is ready.", timeout=BOOT_MS)
    lab.run(1, "1 + 1")
    expect(lab.output(1).locator("pre.value")).to_have_text("2")


def test_on_a_plain_host_stop_ends_python_and_run_works_again(open_page: Opener, plain_site_url: str) -> None:
    lab = Lab(open_page(plain_site_url))
    assert lab.page.evaluate("crossOriginIsolated") is False
    lab.code(1).fill(ENDLESS)
    lab.button("Run cell 1").click()
    expect(lab.output(1)).to_contain_text("begun", timeout=BOOT_MS)
    lab.button("Stop").click()
    expect(lab.status).to_have_text(re.compile("^Python was ended to stop the cell"))
    lab.button("Reset cell 1").click()
    lab.run_all()
    assert lab.output(2).locator("details.verdict").inner_text().startswith("Same bits as saved")


def test_stop_ends_a_sleep(lab: Lab) -> None:
    lab.code(3).fill("import time\nprint('begun')\ntime.sleep(60)")
    lab.button("Run cell 3").click()
    expect(lab.output(3)).to_contain_text("begun")
    began = time.monotonic()
    lab.button("Stop").click()
    expect(lab.status).to_have_text("Cell 3 was stopped; variables are kept.")
    assert time.monotonic() - began < LISTENING_LIMIT_S


def test_in_one_long_numpy_call_a_restart_is_offered_after_two_seconds(lab: Lab) -> None:
    lab.run(3, "import numpy\nlarge = numpy.random.rand(2500, 2500)")
    lab.code(3).fill("print('begun')\nnumpy.linalg.svd(large)")
    lab.button("Run cell 3").click()
    # A second into the run Python is inside the call, where it hears nothing.
    expect(lab.page.locator("[data-clock]")).to_have_text(re.compile(r"^[1-9]\d* s$"))
    began = time.monotonic()
    lab.button("Stop").click()
    expect(lab.status).to_have_text(
        "Cell 3 does not stop by itself. Restart Python ends it; variables and files will be gone.", timeout=4_000
    )
    assert time.monotonic() - began >= OFFER_AFTER_S
    expect(lab.button("Restart Python")).to_have_attribute("data-offered", "")
    lab.button("Restart Python").click()
    expect(lab.output(3).locator(".badge")).to_have_text(re.compile("until it was stopped after"))
    expect(lab.status).to_have_text("Python is ready.", timeout=BOOT_MS)


def test_stop_takes_the_waiting_cells_along_even_where_the_cell_ends_well(lab: Lab) -> None:
    lab.code(1).fill("import time\nprint('begun')\ntry:\n    time.sleep(60)\nexcept KeyboardInterrupt:\n    print('caught')")
    lab.button("Run all").click()
    expect(lab.output(1)).to_contain_text("begun")
    lab.button("Stop").click()
    expect(lab.output(1)).to_contain_text("caught")
    expect(lab.status).to_contain_text("Cells 2 and 3 did not run.")


def test_on_a_plain_host_an_await_is_stopped_with_variables_kept(open_page: Opener, plain_site_url: str) -> None:
    lab = Lab(open_page(plain_site_url))
    lab.code(1).fill("import asyncio\nkept = 41\nprint('begun')\nawait asyncio.sleep(60)")
    lab.button("Run cell 1").click()
    expect(lab.output(1)).to_contain_text("begun", timeout=BOOT_MS)
    lab.button("Stop").click()
    expect(lab.status).to_have_text("Cell 1 was stopped; variables are kept.")
    lab.run(1, "kept + 1")
    expect(lab.output(1).locator("pre.value")).to_have_text("42")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import os\nos._exit(3)", "a cell told it to exit, with code 3"),
        ("import js\njs.close()", "a cell or the browser ended it"),
        ("deep = []\nfor _ in range(100_000): deep = [deep]\nrepr(deep)", "calls went deeper than this browser allows"),
    ],
    ids=["os._exit", "js.close", "too deep"],
)
def test_a_python_that_ends_itself_is_noticed_and_another_one_runs(
    open_page: Opener, source: str, reason: str
) -> None:
    lab = Lab(open_page())
    lab.code(1).fill(source)
    lab.button("Run cell 1").click()
    gone = f"Python ended unexpectedly ({reason}); its variables and files are gone. Run starts a new one."
    expect(lab.status).to_have_text(gone, timeout=BOOT_MS)
    lab.code(1).fill("1 + 1")
    lab.button("Run cell 1").click()
    lab.expect_finished(1, timeout=BOOT_MS)


def test_stop_during_the_download_cancels_it_and_run_starts_it_again(open_page: Opener) -> None:
    lab = Lab(open_page())
    lab.button("Run all").click()
    lab.button("Stop").click()
    expect(lab.status).to_have_text(re.compile("^Download stopped"))
    expect(lab.output(2).locator(".badge")).to_have_text(re.compile("^Saved "))
    lab.run_all()


@pytest.mark.parametrize("damaged", ["pyodide.asm.js", "numpy-"])
def test_a_wrong_byte_is_named_and_nothing_of_it_used(
    open_page: Opener, dist: Path, tmp_path: Path, damaged: str
) -> None:
    site = tmp_path / "site"
    shutil.copytree(dist, site, copy_function=os.link)
    file = next(path for path in site.glob("b/*/runtime/*") if path.name.startswith(damaged))
    wrong = bytearray(file.read_bytes())
    wrong[len(wrong) // 2] ^= 1
    file.unlink()
    file.write_bytes(wrong)
    with hosted(site) as address:
        lab = Lab(open_page(f"{address}?boot=stock"))
        lab.button("Run cell 1").click()
        expect(lab.status).to_contain_text(f"runtime/{file.name} is not the file", timeout=BOOT_MS)
        expect(lab.output(1).locator(".badge")).to_have_text(re.compile("^Saved "))
        lab.page.close()
