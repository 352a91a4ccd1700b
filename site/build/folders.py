"""Where things lie: the source tree and the user's cache folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "site" / "page"
VENDOR = PAGE / "vendor"
PIN = ROOT / "site" / "runtime.json"
NOTICES = ROOT / "site" / "build" / "notices"
NGINX = ROOT / "site" / "nginx.conf"
DIST = ROOT / "dist"


def cache_folder() -> Path:
    """
    Return the folder that outlives builds: environments, runtime files, font lists.

    Returns
    -------
    Path
        `replay-lab` in `$XDG_CACHE_HOME`, else in the user's cache folder of this system; absolute.
    """
    if chosen := os.environ.get("XDG_CACHE_HOME"):
        base = Path(chosen)
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path.home() / ".cache"
    return base.absolute() / "replay-lab"
