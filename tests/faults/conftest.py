"""Kinds of faults: three of each in the whole run, all of them when this part is named, and a table of what happened."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CASES_OF_EACH_KIND = 3
_ROWS: dict[tuple[str, str, str], dict[str, Any]] = {}
_COUNTS = ("tried", "lost_edits", "foreign_requests", "unhandled_errors")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "fault(kind): the kind of fault, which heads its rows in the table")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the first cases of each kind, unless all are asked for."""
    if os.environ.get("REPLAY_LAB_FAULTS") == "all":
        return
    seen: dict[str, int] = defaultdict(int)
    left_out = []
    for item in items:
        mark = item.get_closest_marker("fault")
        if mark is None:
            continue
        seen[mark.args[0]] += 1
        if seen[mark.args[0]] > CASES_OF_EACH_KIND:
            left_out.append(item)
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


@pytest.fixture
def record_fault(request: pytest.FixtureRequest) -> Callable[..., None]:
    """A function that adds to the table: the fault, what happened, and counts; equal faults of one engine are summed."""
    kind = request.node.get_closest_marker("fault").args[0]

    def record(fault: str, happened: str, *, engine: str = "", **counts: int) -> None:
        row = _ROWS.setdefault((kind, fault, engine), {"happened": happened, **dict.fromkeys(_COUNTS, 0)})
        unknown = set(counts) - set(_COUNTS)
        assert not unknown, f"{unknown} is none of {_COUNTS}"
        for name, count in counts.items():
            row[name] += count

    return record


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the table, in which only faults stand that were got over; keep it where that is asked for."""
    if not _ROWS:
        return
    rows = [{"kind": kind, "fault": fault, "engine": engine, **row} for (kind, fault, engine), row in sorted(_ROWS.items())]
    terminalreporter.section("faults")
    terminalreporter.write_line("kind | fault | engine | tried | what happened | lost edits, foreign requests, unhandled errors")
    for row in rows:
        lost = ", ".join(str(row[name]) for name in _COUNTS[1:])
        terminalreporter.write_line(f"{row['kind']} | {row['fault']} | {row['engine'] or '-'} | {row['tried']} | {row['happened']} | {lost}")
    if place := os.environ.get("REPLAY_LAB_FAULT_TABLE"):
        _keep(Path(place), rows)


def _keep(place: Path, rows: list[dict[str, Any]]) -> None:
    """Put these rows in the place of those kept of the same faults."""
    kept = json.loads(place.read_text(encoding="utf-8")) if place.exists() else []
    by_fault = {(row["kind"], row["fault"], row["engine"]): row for row in [*kept, *rows]}
    place.write_text(json.dumps([row for _, row in sorted(by_fault.items())], indent=1) + "\n", encoding="utf-8")
