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
    assert time.monotonic() - began < 2
    lab.run(3, "kept + 1")
    expect(lab.output(3).locator("pre.value")).to_have_text("42")


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


def test_stop_during_the_download_cancels_it(open_page: Opener) -> None:
    lab = Lab(open_page())
    lab.button("Run all").click()
    lab.button("Stop").click()
    expect(lab.status).to_have_text(re.compile("^Download stopped"))
    expect(lab.output(2).locator(".badge")).to_have_text(re.compile("^Saved "))


@pytest.mark.parametrize("damaged", ["pyodide.asm.mjs", "numpy-"])
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
