"""What a reader does to keep the page for offline use, and a second build to update to."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from build.environment import clean_variables
from build.folders import ROOT
from build.source_date import BUILT_FROM
from tests.page.lab import Lab

KEEPING_MS = 60_000
_LIST = re.compile(r'^const KEPT = JSON\.parse\((".*")\);$', re.MULTILINE)
_IN_STORAGE = """async () => ({
    caches: await caches.keys(),
    registrations: (await navigator.serviceWorker.getRegistrations()).map(({ active, waiting }) => [active?.scriptURL ?? null, waiting?.scriptURL ?? null]),
})"""


class Offline:
    """The page's control for offline use."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.lab = Lab(page)
        self.group = page.get_by_role("group", name="Offline use")

    def press(self, name: str) -> None:
        self.group.get_by_role("button", name=name, exact=True).click()

    def expect_text(self, text: str | re.Pattern[str]) -> None:
        expect(self.group.locator("p")).to_contain_text(text, timeout=KEEPING_MS)

    def expect_buttons(self, *names: str) -> None:
        expect(self.group.get_by_role("button")).to_have_text(list(names))

    def keep(self, button: str = "Keep for offline use") -> None:
        self.press(button)
        self.expect_text(re.compile(r"^Kept for offline use, \d+ MB\.$"))
        self.expect_buttons("Remove")

    def storage(self) -> dict[str, Any]:
        """Names of the caches, addresses of the service workers."""
        found: dict[str, Any] = self.page.evaluate(_IN_STORAGE)
        return found

    def expect_verdict(self) -> None:
        self.lab.run_all()
        verdict = self.lab.output(2).locator("details.verdict")
        assert verdict.inner_text().startswith("Same bits as saved: 5 of 5 rows")


def kept_list(site: Path) -> dict[str, Any]:
    """The list that the service worker of a site carries."""
    found = _LIST.search((site / "service-worker.js").read_text(encoding="utf-8"))
    assert found is not None
    content: dict[str, Any] = json.loads(json.loads(found[1]))
    return content


def build_another(folder: Path) -> Path:
    """
    Build the site from a copy of the source in which one colour is another.

    Parameters
    ----------
    folder : Path
        Empty.

    Returns
    -------
    Path
        The other site.
    """
    source = folder / "source"
    # The date of the commit is part of the wheel, from which all that takes long is made.
    subprocess.run(["git", "clone", "--quiet", "--shared", "--no-checkout", str(ROOT), str(source)], check=False, capture_output=True)
    source.mkdir(exist_ok=True)
    unwanted = shutil.ignore_patterns("__pycache__", "node_modules")
    for name in BUILT_FROM:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=unwanted)
        else:
            shutil.copyfile(ROOT / name, source / name)
    style = source / "site" / "page" / "tokens.css"
    style.write_text(style.read_text(encoding="utf-8") + "\n:root { --edition: second; }\n", encoding="utf-8")
    site = folder / "site"
    subprocess.run([sys.executable, str(source / "build_wheel.py"), "--dist", str(site)], env=clean_variables(), check=True, capture_output=True)
    return site
