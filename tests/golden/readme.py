"""The parts of the README that state numbers, each made from a run or from what a long run has kept."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from replay_lab import StudyResults
from replay_lab.figures import draw_reduction_order
from replay_lab.scenarios import REVERSED_REDUCTION
from tests.golden.kept import BOOTS_FILE, FAULTS_FILE

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
FIGURE = ROOT / "site" / "readme" / "reduction_order.svg"
_BEGIN = "<!-- {name}: written by `python -m tests.golden.update` from here -->"
_END = "<!-- {name}: to here -->"
_BOOTS = {"naive": "page after Pyodide's quick start", "stock": "stock wheels", "bytecode": "bytecode", "snapshot": "memory snapshot"}
_GOALS = {"numpy": "numpy usable", "rows": "the study's rows", "figures": "both figures"}
_LOSSES = {"lost_edits": "lost edits", "foreign_requests": "requests elsewhere", "unhandled_errors": "unhandled errors"}


def results_block(results: StudyResults) -> str:
    """Return figure, sentence and table for these results, as Markdown."""
    row = results.scenario(REVERSED_REDUCTION).row
    config, table = results.config, results.table()
    titles = " | ".join(column.title for column in table.columns)
    rules = " | ".join("---:" if column.numeric else "---" for column in table.columns)
    lines = [
        f"![{draw_reduction_order(results).alt}](site/readme/reduction_order.svg)",
        "",
        f"{row.hidden_weight_mismatch_steps} identical loss logs, {row.weight_mismatch_steps} "
        f"different model states: the {config.shards} partial gradient sums of a step are added in "
        f"the opposite order, every {config.logged_digits}-digit loss stays the same, and the "
        f"weights differ at {row.weight_mismatch_steps} of {config.steps} steps. A step is *hidden* "
        "when its weights differ and its logged loss does not.",
        "",
        f"| {titles} |",
        f"| {rules} |",
        *(f"| {' | '.join(cells)} |" for cells in table.rows),
        "",
        f"{results.checks_passed} named checks passed. Study digest `{results.study_digest}`.",
    ]
    return "\n".join(lines)


def boots_block(kept: Mapping[str, Any]) -> str:
    """
    Return the times of the boots, as Markdown.

    Parameters
    ----------
    kept : mapping
        What `python -m tests.benchmarks boots --save` keeps.
    """
    found, floor = kept["found"], kept["floor"]
    rows = []
    for boot, title in _BOOTS.items():
        cells = [title]
        for goal in _GOALS:
            seconds = [found[state][boot][goal] for state in ("cold", "warm")]
            times = [found[state]["stock"][goal] / value for state, value in zip(("cold", "warm"), seconds)]
            cells.append(f"{seconds[0]:.2f} / {seconds[1]:.2f} s, {times[0]:.1f}x / {times[1]:.1f}x")
        rows.append(cells)
    ratios = [found[state]["snapshot"]["numpy"] / floor for state in ("cold", "warm")]
    engines = "; ".join(
        f"{engine} {numpy['snapshot']:.2f} s, {numpy['stock'] / numpy['snapshot']:.1f}x" for engine, numpy in kept["engines"].items()
    )
    return "\n".join(
        [
            "Seconds from *Run all*, first visit / later one, and how many times faster than the stock boot:",
            "",
            *_table(["Python starts from", *_GOALS.values()], rows, numeric=len(_GOALS)),
            "",
            f"Medians of {kept['rounds']}, interleaved, over loopback: {kept['machine']}. With every byte in memory already the "
            f"snapshot takes {floor:.2f} s to numpy: the visits take {ratios[0]:.1f} and {ratios[1]:.1f} times as long."
            + (f" First visit to numpy elsewhere: {engines}." if engines else ""),
        ]
    )


def faults_block(rows: Sequence[Mapping[str, Any]]) -> str:
    """
    Return the table of faults, as Markdown.

    Parameters
    ----------
    rows : sequence of mapping
        What `python -m tests faults` keeps: kind, fault, engine, what happened, counts.
    """
    alike: dict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        alike[row["kind"], row["happened"]].append(row)
    cells = []
    for (kind, happened), group in alike.items():
        faults = list(dict.fromkeys(row["fault"] for row in group))
        named = faults[0] if len(faults) == 1 else f"{faults[0]}, and {len(faults) - 1} more"
        engines = ", ".join(dict.fromkeys(row["engine"] for row in group if row["engine"]))
        cells.append([kind, named, f"{sum(row['tried'] for row in group):,}", engines, happened])
    lost = ", ".join(f"{sum(row[key] for row in rows)} {title}" for key, title in _LOSSES.items())
    return "\n".join(
        [
            f"{sum(row['tried'] for row in rows):,} tries of {len(rows)} faults: {lost}.",
            "",
            f"<details><summary>What happened, in {len(cells)} rows</summary>",
            "",
            *_table(["Kind", "Fault", "Times tried", "In", "What happened"], cells),
            "",
            "</details>",
        ]
    )


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]], *, numeric: int = 0) -> list[str]:
    """The lines of a table; so many of its last columns are aligned to the right."""
    rules = ["---"] * (len(titles) - numeric) + ["---:"] * numeric
    texts = ([cell.replace("|", "\\|").replace("<", "&lt;") for cell in row] for row in rows)
    return [f"| {' | '.join(cells)} |" for cells in (titles, rules, *texts)]


def kept_blocks() -> dict[str, str]:
    """Return the blocks that come from what long runs have kept, by name."""
    return {
        "boots": boots_block(json.loads(BOOTS_FILE.read_text(encoding="utf-8"))),
        "faults": faults_block(json.loads(FAULTS_FILE.read_text(encoding="utf-8"))),
    }


def read_block(name: str) -> str:
    """Return what the README holds now between the marks of a block."""
    _, block, _ = _around(name)
    return block.strip("\n")


def write_block(name: str, text: str) -> None:
    """Put a block in place."""
    head, _, tail = _around(name)
    README.write_text(f"{head}\n\n{text}\n\n{tail}", encoding="utf-8")


def _around(name: str) -> tuple[str, str, str]:
    """The README up to a block, the block, and the rest, with the marks at the ends that touch the block."""
    begin, end = _BEGIN.format(name=name), _END.format(name=name)
    text = README.read_text(encoding="utf-8")
    first, last = text.index(begin) + len(begin), text.index(end)
    return text[:first], text[first:last], text[last:]
