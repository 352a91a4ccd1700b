"""Runs inside Pyodide: tells which installed files a study needs, by running one."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import warm_up

SITE_PACKAGES = Path("/lib/python3.14/site-packages")


def observe() -> dict[str, list[str]]:
    """
    Run a short study, then draw its figures.

    Returns
    -------
    dict
        Addresses below site-packages: `numbers` needs those of the study, `figures` those that
        only the figures need. Source is left out where it lies beside its bytecode.
    """
    opened: set[Path] = set()

    def hear(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], (str, os.PathLike)):
            opened.add(Path(arguments[0]))

    sys.addaudithook(hear)
    results = warm_up.numbers()
    warm_up.cells(results)
    numbers = _installed(opened)
    warm_up.figures(results)
    return {"numbers": sorted(numbers), "figures": sorted(_installed(opened) - numbers)}


def _installed(opened: set[Path]) -> set[str]:
    """Those of the opened or imported files that lie in site-packages."""
    imported = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    found = opened | {Path(path) for path in imported if path}
    return {
        path.relative_to(SITE_PACKAGES).as_posix()
        for path in found
        if path.is_relative_to(SITE_PACKAGES) and path.is_file()
    }
