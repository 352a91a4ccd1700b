"""The map of seeds and digits: where a changed reduction order would be seen."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .canvas import INK, canvas, finish, outline, plot_strips
from .config import StudyConfig
from .metrics import FULL_PRECISION
from .study_figure import StudyFigure
from .sweep import EVERY, NOT_DIFFERENT, SweepResults, integers_as_text

# What fits below the map.
_MOST_TICKS, _TICK_LETTERS = 8, 40
_MOST_LETTERS = 60


def draw_sweep(results: SweepResults, marked: StudyConfig | None = None) -> StudyFigure:
    """Draw the share of hidden steps for every study of a sweep and every width of the log.

    Parameters
    ----------
    results : SweepResults
    marked : StudyConfig, optional
        The study whose place is outlined, where it is on the map.

    Raises
    ------
    FiguresUnavailable
        When matplotlib is not installed.
    """
    widths, rows = results.widths, results.rows
    place = _place(results, marked)
    with canvas(panels=1) as (figure, (axes,)):
        figure.set_size_inches(5.8, 1.8 + 0.3 * len(widths))
        shares = [[row.share(width) for row in rows] for width in widths]
        plot_strips(axes, np.array(shares), whole="every step hidden", part="share that is hidden")
        if place is not None:
            outline(axes, *place)
        axes.set_xticks(*_ticks([row.config.seed for row in rows]))
        axes.set_yticks(range(len(widths)), widths)
        axes.set_xlabel("seed")
        axes.set_ylabel("digits of the loss log")
        axes.set_title("Hidden steps, seed by seed")
        beside = axes.secondary_yaxis("right")
        beside.set_yticks(range(len(widths)), [str(results.count(EVERY, w)) for w in widths])
        beside.set_ylabel("seeds with every step hidden", labelpad=10)
        beside.tick_params(length=0, colors=INK)
        beside.spines["right"].set_visible(False)
        figure.legend(loc="outside lower center", ncols=2)
        return finish(
            figure,
            name="seeds",
            caption=(
                "Which share of the steps that differ under a reversed reduction a loss log hides, "
                f"for {_described(results)}."
                + ("" if place is None else f" Outlined: {_named(results, place)}.")
                + _alike(results)
            ),
            alt=describe_sweep(results),
            csv=sweep_csv(results),
        )


def describe_sweep(results: SweepResults) -> str:
    """Say for how many studies each log hides every step, and what the others leave hidden."""
    counts = ", ".join(f"{results.count(EVERY, width)} with {width}" for width in results.widths)
    sentences = [
        f"Map of {_described(results)}: bars for the share of the steps that differ which stay "
        f"hidden. Number of seeds with every step hidden, by digits: {counts}."
    ]
    ranges = [
        f"{100 * min(shares):.0f} to {100 * max(shares):.0f} % with {width}"
        for width in results.widths
        if (shares := [row.share(width) for row in results.rows if row.kind(width) != NOT_DIFFERENT])
        and min(shares) < 1
    ]
    if ranges:
        sentences.append(f"Least and largest hidden share: {', '.join(ranges)}.")
    return " ".join(sentences) + _alike(results)


def sweep_csv(results: SweepResults) -> str:
    """Hidden steps by digits, one study a line."""
    lines = [("seed", "weight_mismatch_steps", *results.widths)]
    for row in results.rows:
        numbers = (row.config.seed, row.row.weight_mismatch_steps, *row.hidden.values())
        lines.append(tuple(map(str, numbers)))
    return "".join(",".join(line) + "\n" for line in lines)


def _place(results: SweepResults, study: StudyConfig | None) -> tuple[int, int] | None:
    """Strip and column of a study, if it is one of the sweep's and its log was tried."""
    studies = [row.config for row in results.rows]
    if study is None or study not in studies or study.logged_digits not in results.digits:
        return None
    return results.widths.index(str(study.logged_digits)), studies.index(study)


def _ticks(seeds: Sequence[int]) -> tuple[list[int], list[str]]:
    """Columns whose seed is written below them, as many as have room."""
    labels = [str(seed) for seed in seeds]
    longest = max(map(len, labels), default=1)
    most = max(1, min(_MOST_TICKS, _TICK_LETTERS // longest))
    every = max(1, math.ceil(len(labels) / most))
    return list(range(0, len(labels), every)), labels[::every]


def _named(results: SweepResults, place: tuple[int, int]) -> str:
    strip, column = place
    return f"seed {results.rows[column].config.seed} with {results.widths[strip]} digits"


def _alike(results: SweepResults) -> str:
    """A sentence about the seeds that the map cannot show."""
    alike, total = results.count(NOT_DIFFERENT, FULL_PRECISION), len(results.rows)
    return f" With {alike} of {total} seeds no weight differs at any step." if alike else ""


def _described(results: SweepResults) -> str:
    """How many seeds and which, and which logs."""
    seeds = [row.config.seed for row in results.rows]
    listed = integers_as_text(seeds)
    if len(listed) > _MOST_LETTERS:
        listed = f"between {min(seeds)} and {max(seeds)}"
    digits = integers_as_text(results.digits)
    return (
        f"{len(seeds)} seeds ({listed}), with logs of {digits} digits and with the unrounded loss"
    )
