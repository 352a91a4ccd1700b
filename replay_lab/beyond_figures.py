"""Figures beyond the published study: the digits sweep and the observers."""

from __future__ import annotations

from .canvas import BLUE, GREEN, INK, VERMILION, canvas, finish
from .digits import WIDTHS, DigitsResults, DigitsRow
from .observers import OBSERVERS, TRUTH, ObserverResults, Sighting
from .scenarios import (
    FULL_RESTORE,
    OPTIMIZER_RESET,
    RERUN,
    REVERSED_REDUCTION,
    SAMPLER_RESET,
)
from .study_figure import StudyFigure

AT_ONCE, LATER, NEVER = "at once", "later", "never"
_STYLES = {
    RERUN: (GREEN, "-.", "P"),
    FULL_RESTORE: (GREEN, ":", "D"),
    REVERSED_REDUCTION: (INK, "-", "o"),
    OPTIMIZER_RESET: (VERMILION, "-", "s"),
    SAMPLER_RESET: (BLUE, "--", "^"),
}
_COLORS = {AT_ONCE: GREEN, LATER: BLUE, NEVER: VERMILION}
_MARKS = {AT_ONCE: "o", LATER: "D", NEVER: "X"}


def draw_digits(results: DigitsResults) -> StudyFigure:
    """Draw the hidden steps of every scenario that differs, by width of the log.

    Raises
    ------
    FiguresUnavailable
        When matplotlib is not installed.
    """
    rows = [row for row in results.rows if row.weight_mismatch_steps]
    with canvas(panels=1) as (figure, (axes,)):
        for row in rows:
            color, line, marker = _STYLES[row.scenario]
            shares = [100 * hidden / row.weight_mismatch_steps for hidden in row.hidden.values()]
            axes.plot(
                WIDTHS, shares, label=row.scenario, color=color, linestyle=line, marker=marker
            )
        axes.set_ylim(-4, 104)
        axes.set_title("Hidden steps, % of those that differ")
        axes.set_xlabel("digits of the loss log")
        if rows:
            figure.legend(loc="outside lower center", ncols=2)
        return finish(
            figure,
            name="digits",
            caption="How many of the steps that differ a loss log of 2 to 9 digits would hide.",
            alt="Share of hidden steps over the digits of the loss log. "
            + (" ".join(map(_describe_digits, rows)) or "No scenario differs."),
            csv="".join(
                ",".join(map(str, line)) + "\n"
                for line in (
                    ("scenario", "weight_mismatch_steps", *WIDTHS),
                    *(
                        (row.scenario, row.weight_mismatch_steps, *row.hidden.values())
                        for row in results.rows
                    ),
                )
            ),
        )


def _describe_digits(row: DigitsRow) -> str:
    counts = ", ".join(f"{hidden} with {width}" for width, hidden in row.hidden.items())
    return f"{row.scenario} differs at {row.weight_mismatch_steps} steps; hidden: {counts}."


def draw_observers(results: ObserverResults) -> StudyFigure:
    """Draw the matrix of faults and observers: who notices at once, later, never.

    Raises
    ------
    FiguresUnavailable
        When matplotlib is not installed.
    """
    entries = results.real
    names = [observer.name for observer in OBSERVERS]
    with canvas(panels=1) as (figure, (axes,)):
        figure.set_size_inches(5.8, 1.9 + 0.27 * max(1, len(entries)))
        for answer, color in _COLORS.items():
            points = [
                (column, row)
                for row, entry in enumerate(entries)
                for column, name in enumerate(names)
                if answer_of(entry, name) == answer
            ]
            axes.scatter(
                [column for column, _ in points],
                [row for _, row in points],
                marker=_MARKS[answer],
                color=color,
                s=46,
                zorder=3,
                label=answer,
            )
        axes.set_xticks(range(len(names)), names, rotation=40, ha="left", rotation_mode="anchor")
        axes.xaxis.tick_top()
        axes.set_yticks(range(len(entries)), [entry.name for entry in entries], fontsize=10.5)
        axes.tick_params(length=0, colors=INK)
        axes.set_xlim(-0.5, len(names) - 0.5)
        axes.set_ylim(max(1, len(entries)) - 0.5, -0.5)
        figure.legend(loc="outside lower center", ncols=3)
        missed = "; ".join(f"{name} misses {len(results.missed(name))}" for name in names)
        return finish(
            figure,
            name="observers",
            caption=(
                f"Which observer notices which of {len(entries)} entries: at the step at which "
                f"{TRUTH.name} of the whole state does, later, or never."
            ),
            alt=f"Matrix of {len(entries)} catalogue entries and {len(names)} observers. {missed}.",
            csv=observers_csv(results),
        )


def answer_of(entry: Sighting, observer: str) -> str:
    """Say whether an observer notices an entry at once, later or never."""
    late = entry.late_by(observer)
    return NEVER if late is None else LATER if late else AT_ONCE


def observers_csv(results: ObserverResults) -> str:
    """First step at which each observer notices each entry; empty for never."""
    names = [observer.name for observer in OBSERVERS]
    lines = [["entry", TRUTH.name, *names]]
    for entry in results.sightings:
        steps = (entry.truth, *(entry.first[name] for name in names))
        lines.append([entry.name, *("" if step is None else str(step) for step in steps)])
    return "".join(",".join(line) + "\n" for line in lines)
