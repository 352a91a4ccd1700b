"""A Chromium for the page tests: an installed one, Playwright's own, or one from apt."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from build.errors import BuildError
from build.progress import say

_COMMANDS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "msedge",
)
_APPLICATIONS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
_ASK_PLAYWRIGHT = """\
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    print(playwright.chromium.executable_path)
"""


def find_chromium(python: Path) -> Path:
    """
    Find a Chromium, or get one.

    Parameters
    ----------
    python : Path
        Of an environment that has playwright.

    Returns
    -------
    Path
        Its program. `REPLAY_LAB_CHROMIUM` chooses one; then nothing else is tried.

    Raises
    ------
    BuildError
        There is none and none could be had.
    """
    if chosen := os.environ.get("REPLAY_LAB_CHROMIUM"):
        if not Path(chosen).is_file():
            raise BuildError(f"REPLAY_LAB_CHROMIUM is {chosen!r}, which is no file")
        return Path(chosen)
    found = _installed() or _playwrights(python)
    if found is None and _run_quietly([str(python), "-m", "playwright", "install", "chromium"]):
        found = _playwrights(python)
    if found is None and install_with_apt("chromium"):
        found = _installed()
    if found is None:
        raise BuildError(
            "no Chromium found: no Chrome, Chromium or Edge is installed, Playwright could not "
            "download its own, and apt-get as root could not install one; install one and run again"
        )
    return found


def _installed() -> Path | None:
    """A browser of this system."""
    for command in _COMMANDS:
        if path := shutil.which(command):
            return Path(path)
    return next((Path(path) for path in _APPLICATIONS if Path(path).is_file()), None)


def _playwrights(python: Path) -> Path | None:
    """The browser that Playwright keeps, if it has been downloaded."""
    done = subprocess.run(
        [str(python), "-c", _ASK_PLAYWRIGHT], capture_output=True, text=True, check=False
    )
    path = Path(done.stdout.strip())
    return path if done.returncode == 0 and path.is_file() else None


def install_with_apt(*packages: str) -> bool:
    """Whether packages of Debian could be installed."""
    if shutil.which("apt-get") is None or not hasattr(os, "geteuid") or os.geteuid() != 0:
        return False
    return _run_quietly(["apt-get", "update"]) and _run_quietly(
        ["apt-get", "install", "--yes", "--no-install-recommends", *packages]
    )


def _run_quietly(command: list[str]) -> bool:
    """Whether a command succeeds; what it says goes to standard error."""
    say(f"Getting a browser: {' '.join(command)}")
    variables = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(
        command, env=variables, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False
    )
    return done.returncode == 0
