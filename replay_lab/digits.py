"""How many digits would the log need? Hidden steps for 2 to 9 digits and all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .config import StudyConfig
from .dataset import make_dataset
from .metrics import FULL_PRECISION, LOG_DIGITS
from .model import logged
from .rows import differing_steps
from .saved_bits import SavedBits, digest_of_json, settings_as_texts
from .scenarios import SCENARIOS, run_reference, run_scenario
from .tables import Table
from .trace import Trace

WIDTHS = (*map(str, LOG_DIGITS), FULL_PRECISION)


@dataclass(frozen=True, slots=True, kw_only=True)
class DigitsRow:
    """One scenario: steps whose weights differ, and how many of them are hidden.

    Attributes
    ----------
    scenario : str
    weight_mismatch_steps : int
    hidden : dict of str to int
        Hidden steps by number of logged digits, and for the unrounded loss.
    """

    scenario: str
    weight_mismatch_steps: int
    hidden: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class DigitsResults:
    """The sweep over the digits of the log."""

    config: StudyConfig
    rows: tuple[DigitsRow, ...]

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object: the same bytes wherever the bits are the same."""
        return {
            "format": "replay-lab-digits",
            "version": 1,
            "config": self.config.to_json(),
            "rows": [
                {
                    "scenario": row.scenario,
                    "weight_mismatch_steps": row.weight_mismatch_steps,
                    "hidden": row.hidden,
                }
                for row in self.rows
            ],
        }

    def saved_bits(self) -> SavedBits:
        """Return what another machine compares."""
        return SavedBits(
            name="digits",
            settings=settings_as_texts(self.config.to_json()),
            digests={"digits": digest_of_json(self.to_json())},
        )

    def table(self) -> Table:
        """Return one line per scenario."""
        return Table.make(
            caption="Hidden steps, by digits of the loss log",
            columns={
                "scenario": "Scenario",
                "differ": "Steps that differ",
                **{width: width for width in WIDTHS},
            },
            rows=[
                (row.scenario, row.weight_mismatch_steps, *row.hidden.values()) for row in self.rows
            ],
        )

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return self.table().mimebundle()


def sweep_digits(config: StudyConfig | None = None) -> DigitsResults:
    """Count hidden steps of the published scenarios for every width of the log.

    Parameters
    ----------
    config : StudyConfig, optional
        The default study if not given. Its `logged_digits` plays no part.

    Returns
    -------
    DigitsResults
    """
    config = StudyConfig() if config is None else config
    dataset = make_dataset(config)
    reference = run_reference(dataset, config)
    rows = []
    for scenario in SCENARIOS:
        trace = run_scenario(scenario, dataset, config).trace
        differ = differing_steps(trace.weights, reference.weights)
        rows.append(
            DigitsRow(
                scenario=scenario.name,
                weight_mismatch_steps=int(differ.sum()),
                hidden=count_hidden(trace, reference),
            )
        )
    return DigitsResults(config=config, rows=tuple(rows))


def count_hidden(
    trace: Trace, reference: Trace, widths: Sequence[str] = WIDTHS
) -> dict[str, int]:
    """Count the steps that differ unseen, for every width of the log.

    Parameters
    ----------
    trace, reference : Trace
        With the columns ``loss`` and ``weights``.
    widths : sequence of str
        Numbers of digits, and ``full`` for the unrounded loss.

    Returns
    -------
    dict of str to int
        By width.
    """
    differ = differing_steps(trace.weights, reference.weights)
    return {width: int((differ & _log_agrees(trace, reference, width)).sum()) for width in widths}


def _log_agrees(trace: Trace, reference: Trace, width: str) -> np.ndarray[Any, np.dtype[np.bool_]]:
    if width == FULL_PRECISION:
        return ~differing_steps(trace.loss, reference.loss)
    digits = int(width)
    pairs = zip(trace.loss.tolist(), reference.loss.tolist())
    return np.array([logged(a, digits) == logged(b, digits) for a, b in pairs])
