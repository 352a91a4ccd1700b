"""The amplifier's figure says what its run did."""

from __future__ import annotations

import csv
import io

import pytest

from replay_lab.amplifier import AmplifierConfig, AmplifierResults, describe_amplifier, run_amplifier
from replay_lab.amplifier_figure import amplifier_csv, draw_amplifier


@pytest.fixture(scope="module")
def results() -> AmplifierResults:
    return run_amplifier(AmplifierConfig(steps=150))


def test_figure_carries_texts_of_its_own_run(results: AmplifierResults) -> None:
    figure = draw_amplifier(results)
    assert figure.name == "amplifier"
    assert describe_amplifier(results) in figure.alt
    assert f"first differs at step {results.first_log_difference}" in figure.svg
    assert f"{results.config.shards} partial sums" in figure.caption
    assert figure.csv == amplifier_csv(results)
    assert "computed" not in figure.alt + figure.caption + figure.svg
    assert figure.png.startswith(b"\x89PNG")


def test_same_run_gives_the_same_figure_bytes(results: AmplifierResults) -> None:
    assert draw_amplifier(results) == draw_amplifier(results)


def test_csv_reads_back_exactly(results: AmplifierResults) -> None:
    rows = list(csv.DictReader(io.StringIO(amplifier_csv(results))))
    assert [int(row["step"]) for row in rows] == list(range(1, 151))
    assert tuple(float(row["reversed_loss"]) for row in rows) == results.reversed.loss
    found = tuple(float(row["maximum_weight_difference"]) for row in rows)
    assert found == results.weight_difference


def test_two_shards_draw_a_figure_without_a_difference() -> None:
    figure = draw_amplifier(run_amplifier(AmplifierConfig(shards=2, steps=30)))
    assert "Weights: no bit differs" in figure.svg
    assert "agree bit for bit in all 30 steps" in figure.alt
