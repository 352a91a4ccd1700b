"""Many studies at once: the reversed reduction against the reference, for each of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from .bits import digest_of_texts
from .config import LOGGED_DIGITS, MAXIMUM_DATA, StudyConfig, checked_integers
from .dataset import make_dataset
from .digits import count_hidden
from .metrics import FULL_PRECISION, LOG_DIGITS
from .progress import Listener, StudyEvent, current_listener
from .rows import ComparisonRow, compare_traces
from .saved_bits import SavedBits, digest_of_json
from .scenarios import REVERSED_REDUCTION
from .side_by_side import train_together
from .tables import Table
from .trace import Trace

# Runs that advance together: enough to make numpy's calls cheap, few enough for a cache
# and for a reader who wants to know how far it is.
CHUNK = 16

EVERY, SOME, NONE = "every step", "some steps", "no step"
NOT_DIFFERENT = "no step differs"


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

    def share(self, width: str) -> float:
        """Return which share of the steps that differ a log hides; 0 where none differs."""
        return self.hidden[width] / max(1, self.row.weight_mismatch_steps)

    def kind(self, width: str) -> str:
        """Say in words which of the steps that differ a log hides."""
        if self.row.weight_mismatch_steps == 0:
            return NOT_DIFFERENT
        share = self.share(width)
        return EVERY if share == 1 else NONE if share == 0 else SOME


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepResults:
    """The studies of a sweep.

    Attributes
    ----------
    widths : tuple of str
        Digits of the logs that were tried, as texts, and last the unrounded loss.
    rows : tuple of SweepRow
        In the order in which they were asked for.
    """

    widths: tuple[str, ...]
    rows: tuple[SweepRow, ...]

    @property
    def digits(self) -> tuple[int, ...]:
        """The widths that are numbers of digits."""
        return tuple(int(width) for width in self.widths if width != FULL_PRECISION)

    def count(self, kind: str, width: str) -> int:
        """Return how many studies hide every step, some or none with a log of this width."""
        return len([row for row in self.rows if row.kind(width) == kind])

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

    def saved_bits(self) -> SavedBits:
        """Return what another machine compares."""
        columns: dict[str, list[Any]] = {}
        for row in self.rows:
            for name, value in row.config.to_json().items():
                columns.setdefault(name, []).append(value)
        settings = {name: _values_as_text(values) for name, values in columns.items()}
        settings["digits"] = integers_as_text(self.digits)
        return SavedBits(
            name="sweep",
            settings=settings,
            digests={"sweep": digest_of_json(self.to_json())},
        )

    def table(self) -> Table:
        """Return one line per study: hidden steps of the reversed reduction by digits."""
        return Table.make(
            caption="Hidden steps of the reversed reduction, by digits of the loss log",
            columns={
                "seed": "Seed",
                "differ": "Steps that differ",
                **{width: width for width in self.widths},
            },
            rows=[
                (row.config.seed, row.row.weight_mismatch_steps, *row.hidden.values())
                for row in self.rows
            ],
        )

    def summary(self) -> Table:
        """Return how many studies hide every step that differs, some or none, by digits."""
        kinds = [EVERY, SOME, NONE]
        if any(self.count(NOT_DIFFERENT, width) for width in self.widths):
            kinds.append(NOT_DIFFERENT)
        return Table.make(
            caption=f"Of {len(self.rows)} seeds: what the loss log hides, by its digits",
            columns={"hidden": "Hidden", **{width: width for width in self.widths}},
            rows=[(kind, *(self.count(kind, width) for width in self.widths)) for kind in kinds],
        )

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return self.summary().mimebundle()


def run_sweep(
    configs: Sequence[StudyConfig],
    digits: Iterable[int] = LOG_DIGITS,
    on_event: Listener | None = None,
) -> SweepResults:
    """Run reference and reversed reduction of many studies.

    Parameters
    ----------
    configs : sequence of StudyConfig
        Seeds and settings may differ; studies of one size advance together.
    digits : iterable of int
        Widths of the loss log to try; the unrounded loss comes on top.
    on_event : callable, optional
        Called with a `StudyEvent` before the studies that advance together, the first of
        which it names; where none is given, the listener of the context hears it, see
        `replay_lab.progress`.

    Returns
    -------
    SweepResults
        In the order of `configs`, each with the bits that it has alone.

    Raises
    ------
    ConfigError
        For a width that no log can have.
    """
    least, most = LOGGED_DIGITS
    wanted = checked_integers("digits", digits, least, most, most=most)
    widths = (*dict.fromkeys(map(str, wanted)), FULL_PRECISION)
    listener = on_event or current_listener()
    found: dict[int, SweepRow] = {}
    for positions in _chunks(configs):
        chunk = [configs[position] for position in positions]
        if listener is not None:
            listener(StudyEvent(len(found), len(configs), f"seed {chunk[0].seed}"))
        datasets = [make_dataset(config) for config in chunk]
        forward, backward = (
            train_together(chunk, datasets, reverse=reverse) for reverse in (False, True)
        )
        for index, position in enumerate(positions):
            found[position] = _compare(chunk[index], backward[index], forward[index], widths)
    return SweepResults(
        widths=widths, rows=tuple(found[position] for position in range(len(configs)))
    )


def integers_as_text(integers: Sequence[int]) -> str:
    """Write integers with each run of successors as its ends: ``3, 64 to 127``."""
    runs: list[list[int]] = []
    for integer in integers:
        if runs and integer == runs[-1][-1] + 1:
            runs[-1][1:] = [integer]
        else:
            runs.append([integer])
    return ", ".join(" to ".join(map(str, run)) for run in runs)


def _values_as_text(values: list[Any]) -> str:
    """One setting of all studies: its value where they agree, else all of them."""
    if all(value == values[0] for value in values):
        return repr(values[0])
    if all(isinstance(value, int) for value in values):
        return integers_as_text(values)
    return ", ".join(map(repr, values))


def _chunks(configs: Sequence[StudyConfig]) -> Iterator[list[int]]:
    """Positions of studies of one size, as many at a time as may advance together."""
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
    for (samples, features, *_), positions in by_size.items():
        waiting = iter(positions)
        together = max(1, min(CHUNK, MAXIMUM_DATA // (samples * features)))
        while chunk := list(islice(waiting, together)):
            yield chunk


def _compare(
    config: StudyConfig, changed: Trace, reference: Trace, widths: Sequence[str]
) -> SweepRow:
    return SweepRow(
        config=config,
        row=compare_traces(REVERSED_REDUCTION, changed, reference),
        hidden=count_hidden(changed, reference, widths),
        digest=digest_of_texts({"reference": reference.digest(), "reversed": changed.digest()}),
    )
