"""Firefox and WebKitGTK for the page tests: installed ones, or from apt; tests go without them, and say why."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from build.progress import say
from tests.browser import install_with_apt

FIREFOX, WEBKIT = "REPLAY_LAB_FIREFOX", "REPLAY_LAB_WEBKIT"
_MINI_BROWSERS = "*/webkit2gtk-4.*/MiniBrowser"
_LIBRARIES = Path("/usr/lib")


def find_other_browsers() -> dict[str, str]:
    """Return variables with the programs of both browsers; one that cannot be had has none."""
    return _found(FIREFOX, _firefox, ("firefox-esr",)) | _found(WEBKIT, _webkit, ("webkit2gtk-driver", "xvfb"))


def _found(variable: str, find: Callable[[], Path | None], packages: tuple[str, ...]) -> dict[str, str]:
    """The variable of one browser, installed if need be."""
    if chosen := os.environ.get(variable):
        return {variable: chosen}
    program = find()
    if program is None and install_with_apt(*packages):
        program = find()
    if program is None:
        say(f"No test in this browser: {' and '.join(packages)} not found, and apt-get as root could not install it")
        return {}
    return {variable: str(program)}


def _firefox() -> Path | None:
    for command in ("firefox-esr", "firefox"):
        if path := shutil.which(command):
            return Path(path)
    return None


def _webkit() -> Path | None:
    """The small browser that the driver starts; useless without the driver and a screen."""
    if shutil.which("WebKitWebDriver") is None or shutil.which("Xvfb") is None:
        return None
    return next(iter(sorted(_LIBRARIES.glob(_MINI_BROWSERS))), None)
