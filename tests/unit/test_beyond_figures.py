"""Figures beyond the published study: their words, their numbers, their bytes."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from functools import cache
from xml.etree import ElementTree

import pytest

from replay_lab.beyond_figures import answer_of, draw_digits, draw_observers
from replay_lab.config import StudyConfig
from replay_lab.digits import WIDTHS, sweep_digits
from replay_lab.observers import OBSERVERS, Sighting, run_observers
from replay_lab.study_figure import StudyFigure
from replay_lab.sweep import run_sweep
from replay_lab.sweep_figure import draw_sweep
from tests.study.runs import SMALL

NAMES = ["reversed-reduction", "flipped-bit-heals", "rerun"]


@cache
def figures() -> dict[str, StudyFigure]:
    drawn = (
        draw_digits(sweep_digits(SMALL)),
        draw_observers(run_observers(StudyConfig(), NAMES)),
        draw_sweep(run_sweep([replace(SMALL, seed=seed) for seed in (3, 4)])),
    )
    return {figure.name: figure for figure in drawn}


def rows(name: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(figures()[name].csv)))


@pytest.mark.parametrize("name", ["digits", "observers", "seeds"])
def test_a_figure_is_complete(name: str) -> None:
    figure = figures()[name]
    ElementTree.fromstring(figure.svg)
    assert figure.png.startswith(b"\x89PNG")
    assert len(figure.alt) > 60 and figure.caption.endswith(".")
    for text in (figure.alt, figure.caption, figure.svg):
        assert "computed" not in text.lower()


def test_the_same_results_are_drawn_to_the_same_bytes() -> None:
    again = draw_observers(run_observers(StudyConfig(), NAMES))
    assert (again.svg, again.png) == (figures()["observers"].svg, figures()["observers"].png)


def test_the_csv_of_the_digits_holds_the_hidden_steps() -> None:
    head, *lines = rows("digits")
    assert head == ["scenario", "weight_mismatch_steps", *WIDTHS]
    expected = sweep_digits(SMALL).rows
    assert lines == [
        [row.scenario, str(row.weight_mismatch_steps), *map(str, row.hidden.values())]
        for row in expected
    ]


def test_the_csv_of_the_observers_leaves_never_empty() -> None:
    by_name = {line[0]: line for line in rows("observers")}
    assert by_name["entry"] == ["entry", "SHA-256", *(observer.name for observer in OBSERVERS)]
    assert by_name["rerun"][1:] == [""] * (1 + len(OBSERVERS))
    assert by_name["reversed-reduction"][1] == "1"


def test_the_alt_text_of_the_seeds_counts_them_by_digits() -> None:
    sweep = run_sweep([replace(SMALL, seed=seed) for seed in (3, 4)])
    hidden = [row for row in sweep.rows if row.hidden["2"] == row.row.weight_mismatch_steps]
    assert f"Map of 2 seeds and {len(WIDTHS)} widths" in figures()["seeds"].alt
    assert f"{len(hidden)} with 2," in figures()["seeds"].alt


@pytest.mark.parametrize(
    ("first", "answer"), [(40, "at once"), (41, "later"), (None, "never")]
)
def test_an_observer_is_at_once_later_or_never(first: int | None, answer: str) -> None:
    assert answer_of(Sighting(name="x", truth=40, first={"==": first}), "==") == answer
