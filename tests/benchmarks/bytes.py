"""
How many bytes each boot asks for until the study's rows and until both figures, as brotli sends them.

Reads the requests of a real visit and compresses each file once.
"""

from __future__ import annotations

import argparse
import threading
from functools import cache
from pathlib import Path

import brotli
from playwright.sync_api import Page, sync_playwright

from build.serve import open_server
from build.served_files import find_file
from tests.benchmarks.boots import BOOTS, FLAGS

_WAIT_MS = 120_000
_FINISHED = """(cell) => document.querySelector("[role=status]").textContent.startsWith(`Cell ${cell} finished`)"""


def requests_until(page: Page, address: str, cell: int) -> list[str]:
    """Targets asked for between the click on a cell's Run and its end."""
    page.goto(address)
    page.wait_for_timeout(500)
    asked: list[str] = []
    page.context.on("request", lambda request: asked.append("/" + request.url.split("/", 3)[3]))
    page.get_by_role("button", name=f"Run cell {cell}", exact=True).click()
    page.wait_for_function(_FINISHED, arg=cell, timeout=_WAIT_MS)
    return list(dict.fromkeys(asked))


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dist", type=Path)
    parser.add_argument("chromium")
    parser.add_argument("--quality", type=int, default=5, help="brotli's, 0 to 11; 11 takes minutes")
    options = parser.parse_args()

    @cache
    def sizes(target: str) -> tuple[int, int]:
        file = find_file(options.dist, target)
        content = file.read_bytes() if file is not None else b""
        return len(content), len(brotli.compress(content, quality=options.quality, lgwin=24))

    print(f"MB as they are, MB with brotli {options.quality}, requests")
    with open_server(options.dist, 0) as server, sync_playwright() as playwright:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = playwright.chromium.launch(executable_path=options.chromium, args=FLAGS)
        for boot in BOOTS:
            for cell, goal in ((2, "rows"), (3, "figures")):
                context = browser.new_context()
                address = f"http://127.0.0.1:{server.server_port}/?boot={boot}"
                asked = requests_until(context.new_page(), address, cell)
                context.close()
                plain, packed = (sum(pair) / 1e6 for pair in zip(*map(sizes, asked)))
                print(f"{boot:10}{goal:9}{plain:8.1f}{packed:8.1f}{len(asked):5}", flush=True)
        browser.close()
        server.shutdown()


if __name__ == "__main__":
    main()
