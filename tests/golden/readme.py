"""The part of the README that states numbers, made from a run."""

from __future__ import annotations

from pathlib import Path

from replay_lab import StudyResults
from replay_lab.figures import draw_reduction_order
from replay_lab.scenarios import REVERSED_REDUCTION

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
FIGURE = ROOT / "site" / "readme" / "reduction_order.svg"
BEGIN = "<!-- written by `python -m tests.golden.update` from here -->"
END = "<!-- to here -->"


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


def read_block() -> str:
    """Return what the README holds now between its two marks."""
    return README.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0].strip("\n")


def write_block(results: StudyResults) -> None:
    """Put the block and its figure in place."""
    head, rest = README.read_text(encoding="utf-8").split(BEGIN)
    tail = rest.split(END)[1]
    text = f"{head}{BEGIN}\n\n{results_block(results)}\n\n{END}{tail}"
    README.write_text(text, encoding="utf-8")
    FIGURE.write_text(draw_reduction_order(results).svg, encoding="utf-8")
