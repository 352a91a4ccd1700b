"""Many studies at once: the reversed reduction against the reference, for each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from .bits import digest_of_texts
from .config import StudyConfig
from .dataset import make_dataset
from .digits import WIDTHS, count_hidden
from .rows import ComparisonRow, compare_traces
from .scenarios import REVERSED_REDUCTION
from .side_by_side import train_together
from .tables import Table
from .trace import Trace

# Runs that advance together: enough to make numpy's calls cheap, few enough for a cache.
CHUNK = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepRow:
    """One study of a sweep: its reversed reduction against its reference.

    Attributes
    ----------
    config : StudyConfig
    row : ComparisonRow
    hidden : dict of str to int
        Hidden steps by digits of the log, and for the unrounded loss.
    digest : str
        SHA-256 over weights and losses of both runs.
    """

    config: StudyConfig
    row: ComparisonRow
    hidden: dict[str, int]
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepResults:
    """The studies of a sweep, in the order in which they were asked for."""

    rows: tuple[SweepRow, ...]

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object: the same bytes wherever the bits are the same."""
        return {
            "format": "replay-lab-sweep",
            "version": 1,
            "rows": [
                {
                    "config": row.config.to_json(),
                    "row": row.row.to_json(),
                    "hidden": row.hidden,
                    "digest": row.digest,
                }
                for row in self.rows
            ],
        }

    def table(self) -> Table:
        """Return one line per study: hidden steps of the reversed reduction by digits."""
        return Table.make(
            caption="Hidden steps of the reversed reduction, by digits of the loss log",
            columns={
                "seed": "Seed",
                "differ": "Steps that differ",
                **{width: width for width in WIDTHS},
            },
            rows=[
                (row.config.seed, row.row.weight_mismatch_steps, *row.hidden.values())
                for row in self.rows
            ],
        )

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return self.table().mimebundle()


def run_sweep(
    configs: Sequence[StudyConfig], on_event: Callable[[int, int], None] | None = None
) -> SweepResults:
    """Run reference and reversed reduction of many studies.

    Parameters
    ----------
    configs : sequence of StudyConfig
        Seeds and settings may differ; studies of one size advance together.
    on_event : callable, optional
        Called with the number of finished studies and of all, after each chunk.

    Returns
    -------
    SweepResults
        In the order of `configs`, each with the bits that it has alone.
    """
    found: dict[int, SweepRow] = {}
    for positions in _chunks(configs):
        chunk = [configs[position] for position in positions]
        datasets = [make_dataset(config) for config in chunk]
        forward, backward = (
            train_together(chunk, datasets, reverse=reverse) for reverse in (False, True)
        )
        for index, position in enumerate(positions):
            found[position] = _compare(chunk[index], backward[index], forward[index])
        if on_event is not None:
            on_event(len(found), len(configs))
    return SweepResults(rows=tuple(found[position] for position in range(len(configs))))


def _chunks(configs: Sequence[StudyConfig]) -> Iterator[list[int]]:
    """Positions of studies of one size, at most `CHUNK` at a time."""
    by_size: dict[tuple[int, ...], list[int]] = {}
    for position, config in enumerate(configs):
        size = (
            config.samples,
            config.features,
            config.steps,
            config.batch_size,
            config.shards,
        )
        by_size.setdefault(size, []).append(position)
    for positions in by_size.values():
        waiting = iter(positions)
        while chunk := list(islice(waiting, CHUNK)):
            yield chunk


def _compare(config: StudyConfig, changed: Trace, reference: Trace) -> SweepRow:
    return SweepRow(
        config=config,
        row=compare_traces(REVERSED_REDUCTION, changed, reference),
        hidden=count_hidden(changed, reference),
        digest=digest_of_texts({"reference": reference.digest(), "reversed": changed.digest()}),
    )
