"""The saved results: the notebook's cells, run here on the wheel just built."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from build.cells import Cell
from build.environment import clean_variables
from build.errors import BuildError
from build.wheel import unpack_wheel

SAVED_FILES = (
    "results.json",
    "summary.json",
    "losses.csv",
    *(
        f"{figure}.{suffix}"
        for figure in ("reduction_order", "restore_variants")
        for suffix in ("svg", "png", "csv")
    ),
)
BEYOND_FILES = (
    "catalogue.json",
    "usual_style.json",
    *(
        f"{name}.{suffix}"
        for name in ("observers", "digits", "amplifier", "seeds")
        for suffix in ("json", "svg", "png", "csv")
    ),
)
BITS_NAME = "bits.json"
_CELL_RUNNER = Path(__file__).with_name("cell_runner.py")


def run_study(
    python: Path, wheel: Path, cells: Sequence[Cell], folder: Path, cache: Path
) -> dict[str, list[dict[str, Any]]]:
    """
    Run the cells in a folder, which then holds the saved results and figures.

    Parameters
    ----------
    python : Path
        Of an environment that has numpy and matplotlib.
    wheel : Path
        The wheel that the cells import.
    cells : sequence of Cell
        The notebook's, in order.
    folder : Path
        The working directory of the run; made here.
    cache : Path
        Where matplotlib may keep its font list. Settings of the user's matplotlib have no effect.

    Returns
    -------
    dict
        nbformat outputs by cell id.

    Raises
    ------
    BuildError
        A cell raises, or the cells did not write one of the files that the page links to.
    """
    folder.mkdir()
    with tempfile.TemporaryDirectory() as temporary:
        library, source, outputs = (Path(temporary, n) for n in ("library", "cells", "outputs"))
        unpack_wheel(wheel, library)
        source.write_text(json.dumps([dataclasses.asdict(cell) for cell in cells]), encoding="utf-8")
        done = subprocess.run(
            [str(python), "-P", str(_CELL_RUNNER), str(source), str(outputs)],
            cwd=folder,
            env=clean_variables()
            | {
                "PYTHONPATH": str(library),
                "MPLBACKEND": "agg",
                "MPLCONFIGDIR": str(cache / "matplotlib"),
            },
            stdout=sys.stderr,
            check=False,
        )
        if done.returncode != 0:
            raise BuildError("a cell of the notebook failed when run natively; its traceback is above")
        written = json.loads(outputs.read_text(encoding="utf-8"))
    shown: dict[str, list[dict[str, Any]]] = written["outputs"]
    (folder / BITS_NAME).write_text(json.dumps(written["bits"], indent=1), encoding="utf-8")
    lacking = [name for name in (*SAVED_FILES, *BEYOND_FILES) if not (folder / name).is_file()]
    if lacking:
        raise BuildError(f"the notebook's cells were to write {', '.join(lacking)}, and did not")
    return shown
