"""A page as Pyodide's quick start teaches it, beside the site, with the same files and the same cells."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from build.cells import parse_cells
from build.folders import ROOT

_SOURCE = Path(__file__).with_name("naive")
_CELLS = 3
# Kept by a browser for as long as the site's own files are.
PLACE = f"b/{'0' * 16}/naive"
_LOADER = "pyodide.js"


@contextmanager
def beside_naive_page(dist: Path) -> Iterator[Path]:
    """
    Copy a site and put the naive page into the copy.

    Parameters
    ----------
    dist : Path
        The site; it stays as it is.

    Yields
    ------
    Path
        The copy, on the same disk; the naive page is at `PLACE`.
    """
    with TemporaryDirectory(dir=dist.parent, prefix="naive-") as folder:
        site = Path(folder, "site")
        shutil.copytree(dist, site, copy_function=os.link)
        (build,) = (dist / "b").iterdir()
        naive = site / PLACE
        shutil.copytree(_SOURCE, naive)
        for file in (build / "runtime").iterdir():
            os.link(file, naive / file.name)
        # It looks for its second script under the published name, which the site's server does not know as a script.
        loader = (naive / _LOADER).read_text(encoding="utf-8").replace("pyodide.asm.mjs", "pyodide.asm.js")
        (naive / _LOADER).unlink()
        (naive / _LOADER).write_text(loader, encoding="utf-8")
        (wheel,) = (build / "wheel").iterdir()
        os.link(wheel, naive / wheel.name)
        cells = parse_cells((ROOT / "replay_lab" / "notebook.py").read_text(encoding="utf-8"))
        study = {"wheel": wheel.name, "cells": [cell.source for cell in cells[:_CELLS]]}
        (naive / "study.json").write_text(json.dumps(study), encoding="utf-8")
        yield site
