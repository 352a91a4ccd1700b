"""Runs inside Pyodide before a snapshot is made: lets go of what must not be remembered."""

from __future__ import annotations

import gc
import importlib
import linecache
import os
import sys


def tidy() -> None:
    """Close what is open, forget what is cached, take back what only the making needed."""
    from matplotlib import font_manager

    font_manager._get_font.cache_clear()  # type: ignore[attr-defined]
    linecache.clearcache()
    sys.path.remove("/tmp/helpers")
    for name in ("warm_up", "tidying"):
        del sys.modules[name]
    sys.path_importer_cache.clear()
    # It holds archives open, which a restored Python could not close.
    importlib.invalidate_caches()
    os.environ.pop("PYTHONHASHSEED", None)
    gc.collect()
