"""The notebook file: the cells with their saved outputs, and the library as readable source."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from build.cells import Cell
from build.errors import BuildError

NOTEBOOK_NAME = "deterministic-replay.ipynb"
_CARRIED = Path(__file__).with_name("carried")
_MODULE_MARKER = "# ==== {} ====\n"
_NO_SOURCE_NEEDED = {"replay_lab/py.typed"}
_TITLE = """\
# Deterministic replay notebook

Runs top to bottom with numpy and matplotlib, offline. The outputs shown are saved ones until a
cell is run; the constants may be changed. The last cell says whether a run here has the same bits
as the saved run ({host}: Python {python}, numpy {numpy}, {machine})."""


def library_source(wheel: Path) -> str:
    """
    Write all modules of the wheel into one text that a person can read.

    Parameters
    ----------
    wheel : Path
        The wheel of replay_lab.

    Returns
    -------
    str
        Module after module, each after a line with its path.

    Raises
    ------
    BuildError
        The package holds something that is not Python, or a line that looks like such a path line.
    """
    with zipfile.ZipFile(wheel) as archive:
        names = sorted(name for name in archive.namelist() if name.startswith("replay_lab/"))
        other = [n for n in names if not n.endswith(".py") and n not in _NO_SOURCE_NEEDED]
        if other:
            raise BuildError(f"the notebook carries only Python, it cannot carry {', '.join(other)}")
        modules = {name: archive.read(name).decode() for name in names if name.endswith(".py")}
    for name, source in modules.items():
        if re.search(r"^# ==== ", source, flags=re.MULTILINE):
            raise BuildError(f"{name} has a line that begins with `# ==== `, which separates modules")
    return "".join(
        _MODULE_MARKER.format(name) + source.rstrip("\n") + "\n\n\n"
        for name, source in modules.items()
    ).rstrip("\n")


def make_notebook(
    cells: Sequence[Cell],
    outputs: Mapping[str, Sequence[Mapping[str, Any]]],
    results: Mapping[str, Any],
    library: str,
) -> str:
    """
    Put the notebook together.

    Parameters
    ----------
    cells : sequence of Cell
        Of the notebook script, in order.
    outputs : mapping
        Their saved outputs by cell id.
    results : mapping
        The saved results, full form.
    library : str
        As `library_source` writes it.

    Returns
    -------
    str
        An nbformat 4.5 file.
    """
    version = results["environment"]["replay_lab"]
    saved = {name: results[name] for name in ("config", "digests")}
    compare = _carried("compare").replace("SAVED_RUN", json.dumps(saved, indent=1))
    written = [
        _markdown("title", _TITLE.format(**results["environment"])),
        _code("library-loader", _carried("loader")),
        _code("library", f"%%replay_lab_source {version}\n{library}", folded=True),
    ]
    section = ""
    for count, cell in enumerate(cells, start=1):
        if cell.section != section:
            section = cell.section
            written.append(_markdown(f"{cell.id}-section", f"# {section}"))
        written.append(_markdown(f"{cell.id}-title", f"## {cell.title}"))
        written.append(_code(cell.id, cell.source, count=count, outputs=outputs[cell.id]))
    written += [
        _markdown("compare-title", "## Compare with the saved run"),
        _code("compare", compare),
    ]
    notebook = {
        "cells": written,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            "replay_lab": {"version": version},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _carried(name: str) -> str:
    """The text of a cell that only the notebook file has."""
    return (_CARRIED / f"{name}.py").read_text(encoding="utf-8").rstrip("\n")


def _markdown(cell_id: str, text: str) -> dict[str, Any]:
    """One cell of prose."""
    return {"cell_type": "markdown", "id": cell_id, "metadata": {}, "source": _lines(text)}


def _code(
    cell_id: str,
    source: str,
    *,
    folded: bool = False,
    count: int | None = None,
    outputs: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """One cell of Python; without a count it has not been run."""
    return {
        "cell_type": "code",
        "execution_count": count,
        "id": cell_id,
        "metadata": {"jupyter": {"source_hidden": True}} if folded else {},
        "outputs": list(outputs),
        "source": _lines(source),
    }


def _lines(text: str) -> list[str]:
    """Text as notebook files hold it, so that a changed line is one changed line of the file."""
    return text.splitlines(keepends=True)
