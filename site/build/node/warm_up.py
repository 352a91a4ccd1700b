"""Runs inside Pyodide: what a reader of the page does first, done once so that all of it is imported."""

from __future__ import annotations

import importlib
import io
import pkgutil
from typing import Any

_RUN_WHEN_IMPORTED = {"replay_lab.__main__", "replay_lab.notebook"}


_CELLS = (
    "print('text')\n[1.5, 'value']",
    "from replay_lab import StudyConfig\nStudyConfig(steps=-1)",
    "undefined + 1",
    "1 / 0",
    "1 +",
)


def numbers() -> Any:
    """Import the whole package and run a short study."""
    import replay_lab

    for module in pkgutil.walk_packages(replay_lab.__path__, "replay_lab."):
        if module.name not in _RUN_WHEN_IMPORTED:
            importlib.import_module(module.name)
    results = replay_lab.run_study(replay_lab.StudyConfig(steps=4, checkpoint_step=2))
    results.summary_text()
    return results


def cells(results: Any) -> None:
    """Run cells as the page does: values, output, errors of each kind."""
    import after_restore  # noqa: F401
    import cell_needs
    from cell_runner import CellRunner

    runner = CellRunner(results.to_json(), "{}")
    runner.versions()
    runner.list_files()
    runner.complete("results.")
    for source in _CELLS:
        cell_needs.needs(source)
        run = runner.run("cell 1", source, lambda notice: None)
        try:
            run.send(None)
        except StopIteration:
            continue
        raise RuntimeError("a cell without await was to end at once")


def figures(results: Any) -> None:
    """Draw the study's figures, and others with what figures commonly have."""
    import matplotlib.pyplot as plt
    import mpl_toolkits.mplot3d  # noqa: F401
    import replay_lab

    replay_lab.draw_figures(results)
    figure, axes = plt.subplots(2, 2)
    axes[0, 0].plot([1, 2, 3], [1e-3, 1, 1e3], label=r"$\frac{a}{b}$")
    axes[0, 0].set_yscale("log")
    axes[0, 0].legend()
    axes[0, 0].set_title("bold", fontweight="bold")
    axes[0, 1].contour([[0, 1], [1, 2]])
    axes[1, 0].contourf([[0, 1], [1, 2]])
    axes[1, 1].imshow([[0, 1], [1, 2]])
    for form in ("svg", "png"):
        figure.savefig(io.BytesIO(), format=form)
    plt.close("all")
