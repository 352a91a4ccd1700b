"""The reducer: late messages, queues, what a Run button runs. No Python is started."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.page.conftest import Opener

Event = dict[str, Any]
ENDED = {"type": "cell-ended", "outcome": "done", "elapsedMs": 1, "error": None, "agreement": None}


@pytest.fixture
def page(open_page: Opener) -> Page:
    return open_page()


def _after(page: Page, events: list[Event], cell: int = 3) -> dict[str, Any]:
    """The state after events, with the cells that Run of a cell would run."""
    state: dict[str, Any] = page.evaluate(
        """async ([events, cell]) => {
            const source = document.querySelector("script[type=module]").src.replace("start.js", "page-state.js");
            const { cellsToRun, groupToRun, initialState, reduce } = await import(source);
            const group = (id) => ["catalogue", "digits"].includes(id) ? "beyond" : "published";
            const cells = ["constants", "study", "figures", "catalogue", "digits"].map((id) => ({ id, group: group(id), published: id }));
            const state = events.reduce(reduce, initialState(cells));
            return { ...state, wouldRun: cellsToRun(state, cell), theseToo: groupToRun(state, "beyond"), all: groupToRun(state, "published") };
        }""",
        [events, cell],
    )
    return state


def _ran(cell: int, run: int) -> list[Event]:
    return [{"type": "cell-started", "cell": cell, "now": 0}, {**ENDED, "run": run}]


def test_run_all_runs_the_published_cells_alone(page: Page) -> None:
    assert _after(page, [])["all"] == [1, 2, 3]
    assert _after(page, _ran(1, 1))["all"] == [1, 2, 3]


def test_cells_beyond_the_study_need_the_published_ones_and_not_each_other(page: Page) -> None:
    assert _after(page, [], cell=5)["wouldRun"] == [1, 2, 3, 5]
    done = [*_ran(1, 1), *_ran(2, 2), *_ran(3, 3)]
    assert _after(page, done, cell=5)["wouldRun"] == [5]
    assert _after(page, done)["theseToo"] == [4, 5]
    assert _after(page, _ran(1, 1))["theseToo"] == [2, 3, 4, 5]


def test_run_of_cell_3_first_runs_what_has_not_run(page: Page) -> None:
    assert _after(page, [])["wouldRun"] == [1, 2, 3]
    assert _after(page, _ran(1, 1))["wouldRun"] == [2, 3]
    assert _after(page, _ran(1, 1) + _ran(2, 2))["wouldRun"] == [3]


def test_what_ran_before_the_cell_above_runs_again(page: Page) -> None:
    assert _after(page, _ran(1, 1) + _ran(2, 2) + _ran(1, 3))["wouldRun"] == [2, 3]


def test_an_edited_cell_has_not_run(page: Page) -> None:
    edited = {"type": "edited", "cell": 1, "source": "other"}
    assert _after(page, [*_ran(1, 1), *_ran(2, 2), edited])["wouldRun"] == [1, 2, 3]


def test_after_python_is_gone_nothing_has_run(page: Page) -> None:
    gone = {"type": "python-gone", "reason": "restarted", "detail": "", "now": 0}
    assert _after(page, [*_ran(1, 1), gone])["wouldRun"] == [1, 2, 3]


def test_a_waiting_or_running_cell_is_not_asked_for_twice(page: Page) -> None:
    wish = {"type": "run-requested", "cells": [1, 2, 3], "asked": None}
    assert _after(page, [wish, wish])["queue"] == [1, 2, 3]
    started = {"type": "cell-started", "cell": 1, "now": 0}
    assert _after(page, [wish, started, wish])["queue"] == [2, 3]


def test_a_late_message_changes_nothing(page: Page) -> None:
    before = [*_ran(1, 1), {"type": "cell-started", "cell": 2, "now": 0}]
    late = [{"type": "output", "run": 1, "notices": [{"type": "stream", "name": "stdout", "text": "late"}]}, {**ENDED, "run": 1}]
    assert _after(page, before + late) == _after(page, before)


def test_a_failure_empties_the_queue_and_says_what_did_not_run(page: Page) -> None:
    wish = {"type": "run-requested", "cells": [1, 2, 3], "asked": None}
    failed = {**ENDED, "run": 1, "outcome": "failed", "error": {"type": "E"}}
    state = _after(page, [wish, {"type": "cell-started", "cell": 1, "now": 0}, failed])
    assert state["queue"] == [] and state["last"]["notRun"] == [2, 3]


def test_a_stopped_cell_without_output_leaves_the_one_before(page: Page) -> None:
    text = {"type": "stream", "name": "stdout", "text": "kept"}
    first = [{"type": "cell-started", "cell": 1, "now": 0}, {"type": "output", "run": 1, "notices": [text]}, {**ENDED, "run": 1}]
    stopped = [{"type": "cell-started", "cell": 1, "now": 0}, {**ENDED, "run": 2, "outcome": "interrupted"}]
    assert _after(page, first + stopped)["cells"][0]["output"]["items"][0]["text"] == "kept"


def test_a_cell_that_ends_well_while_it_is_stopped_takes_the_queue_along(page: Page) -> None:
    wish = {"type": "run-requested", "cells": [1, 2, 3], "asked": 3}
    state = _after(page, [wish, {"type": "cell-started", "cell": 1, "now": 0}, {"type": "stop-requested"}, {**ENDED, "run": 1}])
    assert state["queue"] == [] and state["last"]["notRun"] == [2, 3] and state["asked"] is None


def test_the_text_that_ran_is_the_one_at_the_start(page: Page) -> None:
    edited = {"type": "edited", "cell": 1, "source": "typed meanwhile"}
    state = _after(page, [{"type": "cell-started", "cell": 1, "now": 0}, edited, {**ENDED, "run": 1}])
    assert state["cells"][0]["ran"]["source"] == "constants"
    assert state["wouldRun"] == [1, 2, 3]


def test_a_cut_text_is_completed_in_its_place(page: Page) -> None:
    notices = [
        {"type": "stream", "name": "stdout", "text": "abc"},
        {"type": "stream", "name": "stderr", "text": "between"},
        {"type": "cut", "name": "stdout", "characters": 3, "keptCharacters": 6},
    ]
    completed = {"type": "output-completed", "run": 1, "name": "stdout", "text": "abcdef"}
    begun = [{"type": "cell-started", "cell": 1, "now": 0}, {"type": "output", "run": 1, "notices": notices}]
    items = _after(page, [*begun, {**ENDED, "run": 1}, completed])["cells"][0]["output"]["items"]
    assert [item["text"] for item in items] == ["abc", "between", "def"]
