"""Figures: what they say in words, and that they are the same bytes again."""

from __future__ import annotations

import base64
import re
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib
import pytest

from replay_lab.canvas import DARK
from replay_lab.figure_data import reduction_order_csv, restore_variants_csv
from replay_lab.figures import draw_figures
from replay_lab.results import StudyResults
from replay_lab.study import run_study
from replay_lab.study_figure import StudyFigure
from tests.study.runs import SMALL, default_results

NAMES = ["reduction_order", "restore_variants"]


@cache
def figures() -> dict[str, StudyFigure]:
    return {figure.name: figure for figure in draw_figures(default_results())}


@cache
def small(**settings: Any) -> StudyResults:
    return run_study(replace(SMALL, **settings))


def luminance(color: str) -> float:
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    low, high = sorted([luminance(a), luminance(b)])
    return (high + 0.05) / (low + 0.05)


def test_the_two_published_figures_are_drawn() -> None:
    assert list(figures()) == NAMES


# --- Words ---------------------------------------------------------------------------


def test_the_alt_text_of_the_reduction_order_states_this_run_s_numbers() -> None:
    results = default_results()
    loss, row = results.reference.loss, results.scenario("Reversed reduction").row
    alt = figures()["reduction_order"].alt
    assert f"from {loss[0]:.4f} to {loss[-1]:.4f}" in alt
    assert "differ at 100 of 100 steps, first at step 1" in alt
    assert f"Largest weight difference {row.maximum_weight_difference:.3g}." in alt


def test_the_alt_text_of_the_restore_variants_states_this_run_s_numbers() -> None:
    alt = figures()["restore_variants"].alt
    for finding in (1, 3, 4):
        assert default_results().findings[finding] in alt


def test_the_alt_text_follows_the_settings() -> None:
    reduction, restore = draw_figures(small(shards=2))
    assert "agrees bit for bit in all 6 steps" in reduction.alt
    assert "first at step 3" in restore.alt
    assert "2 partial sums" in reduction.caption
    assert "step 2" in restore.caption


def test_no_loss_curve_is_said_to_fall_that_climbs() -> None:
    (climbing, _) = draw_figures(small(learning_rate=10.0))
    assert "fall" not in climbing.alt


def test_the_title_claims_one_line_only_where_the_curves_coincide() -> None:
    results = default_results()
    apart = replace(
        results.scenarios[2].run, loss=tuple(2 * loss for loss in results.reference.loss)
    )
    scenarios = list(results.scenarios)
    scenarios[2] = replace(scenarios[2], run=apart)
    (figure, _) = draw_figures(replace(results, scenarios=tuple(scenarios)))
    assert "one line" in figures()["reduction_order"].svg
    assert "one line" not in figure.svg


@pytest.mark.parametrize("name", NAMES)
def test_no_text_of_a_figure_uses_the_badge_s_word(name: str) -> None:
    figure = figures()[name]
    for text in (figure.alt, figure.caption, figure.svg, figure.csv):
        assert "computed" not in text.lower()


@pytest.mark.parametrize("name", NAMES)
def test_a_title_and_every_axis_is_labelled(name: str) -> None:
    texts = " ".join(
        element.text or "" for element in ElementTree.fromstring(figures()[name].svg).iter()
    )
    assert "step" in texts
    assert "largest |difference|" in texts


# --- Bytes ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_is_the_same_bytes_twice(name: str) -> None:
    again = {figure.name: figure for figure in draw_figures(default_results())}
    assert again[name] == figures()[name]


@pytest.mark.parametrize("name", NAMES)
def test_the_user_s_matplotlib_settings_change_nothing(name: str) -> None:
    with matplotlib.rc_context({"font.size": 30, "axes.grid": False, "svg.hashsalt": "x"}):
        again = {figure.name: figure for figure in draw_figures(default_results())}
        assert matplotlib.rcParams["font.size"] == 30
    assert again[name] == figures()[name]


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_holds_no_date_and_no_path(name: str) -> None:
    figure = figures()[name]
    assert not re.search(r"<dc:date>|20\d\d-\d\d-\d\d|/home/|/tmp/|matplotlib v", figure.svg)
    assert b"Software" not in figure.png


@pytest.mark.parametrize("name", NAMES)
def test_an_svg_parses_as_xml_and_runs_nothing(name: str) -> None:
    root = ElementTree.fromstring(figures()[name].svg)
    tags = {str(element.tag).split("}")[-1] for element in root.iter()}
    assert root.tag.endswith("svg")
    assert not tags & {"script", "image", "foreignObject", "a"}


@pytest.mark.parametrize("name", NAMES)
def test_a_png_is_a_png(name: str) -> None:
    assert figures()[name].png.startswith(b"\x89PNG\r\n\x1a\n")


@pytest.mark.parametrize("name", NAMES)
def test_an_svg_exchanges_its_colours_on_dark_pages(name: str) -> None:
    svg = figures()[name].svg
    assert "@media (prefers-color-scheme: dark)" in svg
    used = [light for light in DARK if f": {light}" in svg.split("</style>", 1)[1]]
    assert used
    assert all(f"{{stroke:{DARK[light]}!important}}" in svg for light in used)


@pytest.mark.parametrize("light", list(DARK)[:1] + list(DARK)[2:])
def test_a_colour_stands_out_on_light_and_on_dark_pages(light: str) -> None:
    assert contrast(light, "#ffffff") >= 3
    assert contrast(DARK[light], "#0d1117") >= 3


def test_the_csv_of_a_figure_is_its_data() -> None:
    assert figures()["reduction_order"].csv == reduction_order_csv(default_results())
    assert figures()["restore_variants"].csv == restore_variants_csv(default_results())


# --- Shown and written ---------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_shows_itself_with_its_alt_text(name: str) -> None:
    figure = figures()[name]
    data, metadata = figure._repr_mimebundle_()
    assert data["image/svg+xml"] == figure.svg
    assert base64.b64decode(data["image/png"]) == figure.png
    assert metadata["image/svg+xml"] == metadata["image/png"] == {"alt": figure.alt}
    assert metadata["replay_lab"]["name"] == name


def test_the_files_of_figures_are_written(tmp_path: Path) -> None:
    paths = draw_figures(small()).write(tmp_path)
    expected = {f"{name}.{kind}" for name in NAMES for kind in ("svg", "png", "csv")}
    assert {path.name for path in paths} == {path.name for path in tmp_path.iterdir()} == expected


@pytest.mark.parametrize(
    "settings",
    [
        {"noise": 0.0, "weight_scale": 0.0},
        {"noise": 0.0},
        {"learning_rate": 10.0},
        {"weight_scale": 100.0, "noise": 100.0},
        {"steps": 2, "checkpoint_step": 1},
        {"shards": 1},
    ],
    ids=str,
)
def test_unusual_settings_give_figures_without_a_warning(settings: dict[str, Any]) -> None:
    for figure in draw_figures(small(**settings)):
        ElementTree.fromstring(figure.svg)


# --- Without matplotlib --------------------------------------------------------------

WITHOUT = """
import sys
sys.modules["matplotlib"] = None
from replay_lab import StudyConfig, draw_figures, run_study
from replay_lab.errors import FiguresUnavailable, ReplayLabError
results = run_study(StudyConfig(samples=12, features=3, steps=6, checkpoint_step=2))
results.to_json()
try:
    draw_figures(results)
except FiguresUnavailable as error:
    assert isinstance(error, ReplayLabError)
    print(error)
"""


def test_without_matplotlib_only_figures_are_refused_and_the_cure_is_named() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("figures need matplotlib")
    assert "pip install 'replay_lab[figures]'" in done.stdout
