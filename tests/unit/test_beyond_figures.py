"""Figures beyond the published study: their words, their numbers, their bytes."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from functools import cache
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from replay_lab.beyond_figures import answer_of, draw_digits, draw_observers
from replay_lab.canvas import STRIP, canvas, plot_strips
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
    sweep = run_sweep(SMALL.at_seeds((3, 4)))
    hidden = [row for row in sweep.rows if row.hidden["8"] == row.row.weight_mismatch_steps]
    least, largest = (
        extreme(row.hidden["8"] / row.row.weight_mismatch_steps for row in sweep.rows)
        for extreme in (min, max)
    )
    alt = figures()["seeds"].alt
    assert alt.startswith("Map of 2 seeds (3 to 4), with logs of 2 to 9 digits")
    assert f", {len(hidden)} with 8, " in alt
    assert f"{100 * least:.0f} to {100 * largest:.0f} % with 8" in alt


def test_the_csv_of_the_seeds_holds_the_hidden_steps() -> None:
    head, *lines = rows("seeds")
    assert head == ["seed", "weight_mismatch_steps", *WIDTHS]
    assert lines == [list(line) for line in run_sweep(SMALL.at_seeds((3, 4))).table().rows]


def test_a_study_of_the_sweep_is_outlined_and_named() -> None:
    sweep = run_sweep(SMALL.at_seeds((3, 4)))
    plain, marked = (draw_sweep(sweep, marked=study) for study in (None, replace(SMALL, seed=4)))
    assert marked.caption == f"{plain.caption} Outlined: seed 4 with {SMALL.logged_digits} digits."
    assert marked.svg != plain.svg
    for absent in (SMALL, replace(SMALL, seed=4, noise=0.3)):
        assert draw_sweep(sweep, marked=absent).svg == plain.svg


def test_seeds_at_which_nothing_differs_are_said_to_be_so() -> None:
    figure = draw_sweep(run_sweep(replace(SMALL, shards=2).at_seeds((3, 4))))
    for text in (figure.alt, figure.caption):
        assert text.endswith("With 2 of 2 seeds no weight differs at any step.")


@pytest.mark.parametrize("seeds", [(5,), range(200), (2**53 - 2, 2**53 - 1, 0, 9, 4, 2, 77)], ids=str)
def test_a_map_of_few_many_or_large_seeds_names_some_of_them(seeds: Any) -> None:
    figure = draw_sweep(run_sweep(SMALL.at_seeds(seeds), (1, 12)))
    ticks = re.findall(r">(\d+)</text>", figure.svg)
    assert str(seeds[0]) in ticks
    named = [tick for tick in ticks if int(tick) in seeds]
    assert len("".join(named)) < 60


def test_a_map_without_seeds_is_empty() -> None:
    assert draw_sweep(run_sweep([])).alt.startswith("Map of 0 seeds ")


def test_a_whole_share_is_a_block_and_a_part_a_thin_bar_of_its_height() -> None:
    with canvas(panels=1) as (_, (axes,)):
        plot_strips(axes, np.array([[1.0, 0.5, 0.0], [0.0, 0.0, 0.25]]), whole="a", part="b")
        blocks, bars = (patch.get_path().to_polygons() for patch in axes.patches)  # type: ignore[attr-defined]
    sizes = [[np.ptp(corners, axis=0).tolist() for corners in shapes] for shapes in (blocks, bars)]
    assert sizes == [
        [[1.0, pytest.approx(STRIP)]],
        [[0.5, pytest.approx(STRIP / 2)], [0.5, pytest.approx(STRIP / 4)]],
    ]
    assert [corners[:, 0].mean().round() for corners in bars] == [1, 2]


@pytest.mark.parametrize(
    ("first", "answer"), [(40, "at once"), (41, "later"), (None, "never")]
)
def test_an_observer_is_at_once_later_or_never(first: int | None, answer: str) -> None:
    assert answer_of(Sighting(name="x", truth=40, first={"==": first}), "==") == answer
