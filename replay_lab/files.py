"""The files that a study writes; the same names from the cells and the command."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Protocol

from .figure_data import losses_csv
from .results import StudyResults


class Jsonable(Protocol):
    """A result that can be written as one JSON object."""

    def to_json(self) -> dict[str, Any]:
        """Return the object."""


def write_json(value: Jsonable, path: str | os.PathLike[str]) -> Path:
    """Write what ``value.to_json()`` returns, as the commands print it with ``--json``.

    Parameters
    ----------
    value : catalogue, observers, digits, amplifier or usual-style results
    path : path
        A file of this name is replaced.

    Returns
    -------
    Path
        What was written.
    """
    Path(path).write_text(json_text(value) + "\n", encoding="utf-8", newline="\n")
    return Path(path)


def json_text(value: Jsonable) -> str:
    """Return the JSON text of a result, one key a line."""
    return json.dumps(value.to_json(), indent=1, allow_nan=False)


def write_results(results: StudyResults, folder: str | os.PathLike[str] = ".") -> tuple[Path, ...]:
    """Write ``results.json``, ``summary.json`` and ``losses.csv``.

    Parameters
    ----------
    results : StudyResults
    folder : path
        An existing folder; files of these names are replaced.

    Returns
    -------
    tuple of Path
        What was written.
    """
    texts = {
        "results.json": results.to_json() + "\n",
        "summary.json": results.summary_text() + "\n",
        "losses.csv": losses_csv(results),
    }
    for name, text in texts.items():
        (Path(folder) / name).write_text(text, encoding="utf-8", newline="\n")
    return tuple(Path(folder) / name for name in texts)
