"""The map of seeds and digits: where a changed reduction order would be seen."""

from __future__ import annotations

import numpy as np

from .canvas import canvas, finish, plot_shares
from .digits import WIDTHS
from .study_figure import StudyFigure
from .sweep import SweepResults


def draw_sweep(results: SweepResults) -> StudyFigure:
    """Draw the share of hidden steps for every study of a sweep and every width of the log.

    Raises
    ------
    FiguresUnavailable
        When matplotlib is not installed.
    """
    shares = np.array(
        [
            [hidden / max(1, row.row.weight_mismatch_steps) for hidden in row.hidden.values()]
            for row in results.rows
        ]
    )
    with canvas(panels=1) as (figure, (axes,)):
        figure.set_size_inches(5.8, 5.2)
        plot_shares(figure, axes, shares)
        axes.set_xticks(range(len(WIDTHS)), WIDTHS)
        every = max(1, len(results.rows) // 8)
        shown = range(0, len(results.rows), every)
        axes.set_yticks(list(shown), [str(results.rows[index].config.seed) for index in shown])
        axes.set_xlabel("digits of the loss log")
        axes.set_ylabel("seed")
        axes.set_title("Hidden share of the steps that differ")
        return finish(
            figure,
            name="seeds",
            caption=(
                f"Which share of the steps that differ under a reversed reduction a loss log would "
                f"hide, for {len(results.rows)} seeds and logs of 2 to 9 digits and all."
            ),
            alt=describe_sweep(results),
            csv=sweep_csv(results),
        )


def describe_sweep(results: SweepResults) -> str:
    """Say for how many studies every width of the log hides all steps."""
    counts = {
        width: len(
            [row for row in results.rows if row.hidden[width] == row.row.weight_mismatch_steps]
        )
        for width in WIDTHS
    }
    listed = ", ".join(f"{count} with {width}" for width, count in counts.items())
    return (
        f"Map of {len(results.rows)} seeds and {len(WIDTHS)} widths of the loss log. "
        f"Number of seeds for which every step that differs is hidden, by digits: {listed}."
    )


def sweep_csv(results: SweepResults) -> str:
    """Hidden steps by digits, one study a line."""
    lines = [("seed", "weight_mismatch_steps", *WIDTHS)]
    for row in results.rows:
        numbers = (row.config.seed, row.row.weight_mismatch_steps, *row.hidden.values())
        lines.append(tuple(map(str, numbers)))
    return "".join(",".join(line) + "\n" for line in lines)
