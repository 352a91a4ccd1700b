"""The numbers behind the figures, as CSV."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable

import pytest

from replay_lab.figure_data import (
    figure_data_digests,
    losses_csv,
    reduction_order_csv,
    restore_variants_csv,
)
from replay_lab.results import StudyResults
from tests.study.runs import default_results

RESULTS = default_results()


def columns(text: str) -> dict[str, list[float]]:
    rows = list(csv.DictReader(io.StringIO(text)))
    return {name: [float(row[name]) for row in rows] for name in rows[0]}


@pytest.mark.parametrize("write", [losses_csv, reduction_order_csv, restore_variants_csv])
def test_a_csv_has_one_row_per_step(write: Callable[[StudyResults], str]) -> None:
    assert columns(write(RESULTS))["step"] == list(range(1, 101))


def test_the_losses_come_back_with_every_bit() -> None:
    found = columns(losses_csv(RESULTS))
    assert found["reference"] == list(RESULTS.reference.loss)
    assert found["optimizer_reset"] == list(RESULTS.scenario("Optimizer reset").run.loss)


def test_the_losses_have_a_column_for_every_run() -> None:
    assert list(columns(losses_csv(RESULTS))) == [
        "step",
        "reference",
        "same_seed_full_state",
        "full_checkpoint",
        "reversed_reduction",
        "optimizer_reset",
        "sampler_rng_reset",
    ]


def test_the_reduction_order_comes_back_with_every_bit() -> None:
    found = columns(reduction_order_csv(RESULTS))
    changed = RESULTS.scenario("Reversed reduction")
    assert found == {
        "step": list(range(1, 101)),
        "reference_loss": list(RESULTS.reference.loss),
        "reversed_loss": list(changed.run.loss),
        "reference_logged_loss": list(RESULTS.reference.logged_loss),
        "reversed_logged_loss": list(changed.run.logged_loss),
        "maximum_weight_difference": list(changed.weight_difference),
    }


def test_the_restore_variants_come_back_with_every_bit() -> None:
    found = columns(restore_variants_csv(RESULTS))
    for name in ("Full checkpoint", "Optimizer reset", "Sampler RNG reset"):
        key = name.lower().replace(" ", "_")
        assert found[key] == list(RESULTS.scenario(name).weight_difference)


def test_the_figure_data_digest_is_that_of_the_csv() -> None:
    text = restore_variants_csv(RESULTS)
    expected = hashlib.sha256(text.encode()).hexdigest()
    assert figure_data_digests(RESULTS)["restore_variants"] == expected


@pytest.mark.parametrize("write", [losses_csv, reduction_order_csv, restore_variants_csv])
def test_a_csv_is_plain_text_with_newlines(write: Callable[[StudyResults], str]) -> None:
    text = write(RESULTS)
    assert text.isascii() and text.endswith("\n") and "\r" not in text
