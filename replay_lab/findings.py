"""Sentences about a row, made from its numbers."""

from __future__ import annotations

from .rows import ComparisonRow
from .config import StudyConfig


def describe_row(row: ComparisonRow, config: StudyConfig) -> str:
    """Say in one or two sentences what a scenario's row means.

    Parameters
    ----------
    row : ComparisonRow
    config : StudyConfig
        The settings under which the row was found.

    Returns
    -------
    str
    """
    if row.first_weight_mismatch is None:
        why = _why(row, config)
        return f"{row.scenario}: agrees bit for bit in all {config.steps} steps.{why}"
    hidden, differ = row.hidden_weight_mismatch_steps, row.weight_mismatch_steps
    if hidden == differ:
        log = f"the {config.logged_digits}-digit loss log is the same at every one of them"
    elif hidden == 0:
        log = f"the {config.logged_digits}-digit loss log differs at every one of them"
    else:
        log = f"at {hidden} of them the {config.logged_digits}-digit loss log is the same"
    return (
        f"{row.scenario}: the weights differ at {differ} of {config.steps} steps, first at step "
        f"{row.first_weight_mismatch}; {log}. "
        f"Largest weight difference {row.maximum_weight_difference:.3g}."
    )


def _why(row: ComparisonRow, config: StudyConfig) -> str:
    """Explain an agreement that a reader of the published table would not expect."""
    if row.scenario != "Reversed reduction":
        return ""
    if config.shards == 1:
        return " One shard has no order to reverse."
    if config.shards == 2:
        return " Two terms commute: with 2 shards, a + b and b + a have the same bits."
    return " Every sum came out the same in both orders."
