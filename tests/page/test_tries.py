"""Settings to try: each fills cell 1 and runs nothing, and its sentence is true of a real run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from build.tries import TRIES, Try
from replay_lab import StudyConfig, run_study
from tests.page.conftest import Opener
from tests.page.lab import Lab

Rows = dict[str, Any]
REVERSED, OPTIMIZER, SAMPLER = "Reversed reduction", "Optimizer reset", "Sampler RNG reset"


def _rows(**settings: Any) -> tuple[Rows, float]:
    results = run_study(StudyConfig(**settings))
    return {s.name: s.row for s in results.scenarios}, results.reference.final_loss


def _hidden(row: Any) -> int:
    count: int = row.hidden_weight_mismatch_steps
    return count


def _two_shards(before: Rows, after: Rows, losses: tuple[float, float]) -> bool:
    return bool(before[REVERSED].weight_mismatch_steps > 0 and after[REVERSED].weight_mismatch_steps == 0)


def _seven_digits(before: Rows, after: Rows, losses: tuple[float, float]) -> bool:
    seen = after[REVERSED].weight_mismatch_steps - _hidden(after[REVERSED])
    return before[REVERSED].weight_mismatch_steps == _hidden(before[REVERSED]) and 0 < seen < _hidden(after[REVERSED]) / 10


def _high_learning_rate(before: Rows, after: Rows, losses: tuple[float, float]) -> bool:
    further = after[REVERSED].maximum_weight_difference > before[REVERSED].maximum_weight_difference
    return bool(further and _hidden(after[REVERSED]) < after[REVERSED].weight_mismatch_steps)


def _late_checkpoint(before: Rows, after: Rows, losses: tuple[float, float]) -> bool:
    return all(
        after[name].weight_mismatch_steps < before[name].weight_mismatch_steps
        and abs(after[name].final_loss - losses[1]) > abs(before[name].final_loss - losses[0])
        for name in (OPTIMIZER, SAMPLER)
    )


def _one_digit(before: Rows, after: Rows, losses: tuple[float, float]) -> bool:
    return all(
        _hidden(after[name]) > 0.9 * after[name].weight_mismatch_steps
        and _hidden(before[name]) < 0.1 * before[name].weight_mismatch_steps
        and after[name].maximum_weight_difference > 0.05
        for name in (OPTIMIZER, SAMPLER)
    )


CLAIMS: dict[str, Callable[[Rows, Rows, tuple[float, float]], bool]] = {
    "Two shards": _two_shards,
    "Seven logged digits": _seven_digits,
    "A high learning rate": _high_learning_rate,
    "A late checkpoint": _late_checkpoint,
    "One logged digit": _one_digit,
}


def _value(each: Try) -> float:
    return float(each.value) if "." in each.value else int(each.value)


@pytest.mark.parametrize("each", TRIES, ids=lambda each: each.name)
def test_what_a_setting_says_to_watch_for_is_what_a_run_shows(each: Try) -> None:
    before, loss_before = _rows()
    after, loss_after = _rows(**{each.setting: _value(each)})
    assert CLAIMS[each.name](before, after, (loss_before, loss_after))


@pytest.mark.parametrize("each", TRIES, ids=lambda each: each.name)
def test_a_setting_fills_cell_1_and_runs_nothing(open_page: Opener, each: Try) -> None:
    lab = Lab(open_page())
    published = lab.source(1)
    lab.edit(1, "seed = 97", "seed = 3")
    own = lab.source(1)
    lab.button(each.name).click()
    expect(lab.status).to_have_text(f"Cell 1 says {each.setting} = {each.value}. Nothing has run yet; Run all shows what it does.")
    changed = [(old, new) for old, new in zip(published.splitlines(), lab.source(1).splitlines(), strict=True) if old != new]
    ((old, new),) = changed
    assert new.startswith(f"{each.setting} = {each.value} ") and new.index("#") == old.index("#")
    lab.button("Undo in cell 1").click()
    lab.expect_source(1, own)


def test_a_setting_tried_runs_and_is_told_as_edited(lab: Lab) -> None:
    lab.button("Two shards").click()
    lab.run_all()
    assert lab.output(2).locator("details.verdict").inner_text().startswith("Settings edited")
