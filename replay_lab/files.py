"""The files that a study writes; the same names from the cells and the command."""

from __future__ import annotations

import os
from pathlib import Path

from .figure_data import losses_csv
from .results import StudyResults


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
