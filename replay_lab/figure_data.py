"""The numbers behind each figure, as CSV; needs no matplotlib."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .scenarios import FULL_RESTORE, OPTIMIZER_RESET, REVERSED_REDUCTION, SAMPLER_RESET

if TYPE_CHECKING:
    from .results import StudyResults

RESTORE_VARIANTS = (FULL_RESTORE, OPTIMIZER_RESET, SAMPLER_RESET)


def reduction_order_csv(results: StudyResults) -> str:
    """Losses of the two runs, raw and logged, and their weight difference, per step."""
    changed = results.scenario(REVERSED_REDUCTION)
    return columns_csv(
        {
            "reference_loss": results.reference.loss,
            "reversed_loss": changed.run.loss,
            "reference_logged_loss": results.reference.logged_loss,
            "reversed_logged_loss": changed.run.logged_loss,
            "maximum_weight_difference": changed.weight_difference,
        }
    )


def restore_variants_csv(results: StudyResults) -> str:
    """Weight difference to the reference after each restore variant, per step."""
    return columns_csv(
        {_column(name): results.scenario(name).weight_difference for name in RESTORE_VARIANTS}
    )


def losses_csv(results: StudyResults) -> str:
    """Unrounded loss of the reference and of every scenario, per step."""
    scenarios = {_column(scenario.name): scenario.run.loss for scenario in results.scenarios}
    return columns_csv({"reference": results.reference.loss, **scenarios})


def figure_data_digests(results: StudyResults) -> dict[str, str]:
    """SHA-256 of the CSV behind each figure."""
    texts = {
        "reduction_order": reduction_order_csv(results),
        "restore_variants": restore_variants_csv(results),
    }
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}


def columns_csv(columns: Mapping[str, Sequence[float]]) -> str:
    """Write columns after a `step` column; floats as the shortest exact decimal."""
    lines = [",".join(["step", *columns])]
    for step, values in enumerate(zip(*columns.values()), start=1):
        lines.append(",".join([str(step), *map(repr, values)]))
    return "\n".join(lines) + "\n"


def _column(name: str) -> str:
    words = "".join(letter if letter.isalnum() else " " for letter in name.lower())
    return "_".join(words.split())
