"""Run entries of the catalogue and hold each to its right answer."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from .bits import digest_of_texts
from .config import StudyConfig
from .dataset import make_dataset
from .errors import CheckFailure, ConfigError
from .faults import CATALOGUE
from .faults.entry import Fault, Signature, observe
from .metrics import Metrics, Verdict, measure
from .progress import Listener, StudyEvent, current_listener
from .saved_bits import SavedBits, settings_as_texts
from .scenarios import ScenarioRun, run_reference, run_scenario
from .tables import Table
from .trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryResult:
    """One entry, run.

    Attributes
    ----------
    fault : Fault
    metrics : Metrics
    observed : Signature
    unmet : tuple of str
        Where `observed` is not the entry's signature; empty when it is.
    reason : str
        Why no bit of the weights differs, where none does.
    equals_step : int or None
        A later step of the reference whose state was restored by mistake.
    """

    fault: Fault
    metrics: Metrics
    observed: Signature
    unmet: tuple[str, ...]
    reason: str
    equals_step: int | None

    def to_json(self) -> dict[str, Any]:
        """Return the entry as a JSON object, without times, versions or paths."""
        return {
            "name": self.fault.name,
            "family": self.fault.family,
            "changed": self.fault.scenario.explanation,
            "explanation": self.fault.explanation,
            "reports": list(self.fault.reports),
            "is_fault": self.fault.scenario.is_fault,
            "reason": self.reason,
            "equals_step": self.equals_step,
            "signature": asdict(self.observed),
            "unmet": list(self.unmet),
            "metrics": self.metrics.to_json(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueResults:
    """The entries that were run, in catalogue order."""

    config: StudyConfig
    entries: tuple[EntryResult, ...]

    @property
    def digest(self) -> str:
        """One SHA-256 over name, signature and trace of every entry."""
        return digest_of_texts(
            {
                entry.fault.name: f"{entry.metrics.trace_digest} {entry.observed}"
                for entry in self.entries
            }
        )

    @property
    def unmet(self) -> dict[str, tuple[str, ...]]:
        """Entries whose run is not what the catalogue promises."""
        return {entry.fault.name: entry.unmet for entry in self.entries if entry.unmet}

    def require_signatures(self) -> None:
        """Raise `CheckFailure`, naming the entries, unless each has its right answer."""
        if self.unmet:
            raise CheckFailure({name: "; ".join(lines) for name, lines in self.unmet.items()})

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object: the same bytes wherever the bits are the same."""
        return {
            "format": "replay-lab-catalogue",
            "version": 1,
            "config": self.config.to_json(),
            "digest": self.digest,
            "entries": [entry.to_json() for entry in self.entries],
        }

    def saved_bits(self) -> SavedBits:
        """Return what another machine compares."""
        return SavedBits(
            name="catalogue",
            settings=settings_as_texts(self.config.to_json()),
            digests={"catalogue": self.digest},
        )

    def table(self) -> Table:
        """Return one line per entry, for people."""
        return Table.make(
            caption=(
                f"{len(self.entries)} entries against their references, "
                f"{self.config.steps} steps; numbers are about the weights"
            ),
            columns={
                "name": "Entry",
                "verdict": "Verdict",
                "first": "First",
                "differ": "Steps",
                "hidden": "Hidden",
                "log": "In the log",
                "difference": "Largest difference",
                "ulps": "ULP of largest weight",
                "state": "First in the state",
            },
            texts=("verdict", "state"),
            rows=[_table_row(entry, self.config.logged_digits) for entry in self.entries],
        )

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return self.table().mimebundle()


def run_catalogue(
    config: StudyConfig | None = None,
    names: Sequence[str] = (),
    on_event: Listener | None = None,
) -> CatalogueResults:
    """Run entries of the catalogue.

    Parameters
    ----------
    config : StudyConfig, optional
        The default study if not given. At other settings signatures are
        observed, but not held against the entries.
    names : sequence of str
        Which entries; all if empty.
    on_event : callable, optional
        Called before each entry with a `StudyEvent`; where none is given, the listener
        of the context hears it, see `replay_lab.progress`.

    Returns
    -------
    CatalogueResults

    Raises
    ------
    ConfigError
        For a name that is not in the catalogue.
    """
    config = StudyConfig() if config is None else config
    faults = select(names)
    runner = EntryRunner(config)
    listener = on_event or current_listener()
    entries = []
    for done, fault in enumerate(faults):
        if listener is not None:
            listener(StudyEvent(done, len(faults), fault.name))
        entries.append(judge(fault, runner.run(fault), config))
    return CatalogueResults(config=config, entries=tuple(entries))


def select(names: Sequence[str]) -> tuple[Fault, ...]:
    """Return the entries of these names, in catalogue order; all for no name."""
    known = [fault.name for fault in CATALOGUE]
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=3)
            raise ConfigError("entry", name, f"one of {', '.join(near or known)}")
    return tuple(fault for fault in CATALOGUE if not names or fault.name in names)


def judge(fault: Fault, entry: EntryRun, config: StudyConfig) -> EntryResult:
    """Measure a run and hold it to the entry's signature."""
    run, reference, restored_at = entry
    metrics = measure(
        run,
        reference,
        config.logged_digits,
        changed=fault.scenario.is_fault,
        restored_at=restored_at,
    )
    observed = observe(metrics, config, restored=restored_at is not None)
    pairs = asdict(fault.signature).items()
    unmet = tuple(
        f"{key}: expected {expected or 'none'}, found {getattr(observed, key) or 'none'}"
        for key, expected in pairs
        if expected != getattr(observed, key)
    )
    silent = metrics.verdict in (Verdict.IDENTICAL, Verdict.DORMANT)
    fallback = "nothing is changed" if not fault.scenario.is_fault else "it made no difference here"
    return EntryResult(
        fault=fault,
        metrics=metrics,
        observed=observed,
        unmet=unmet if config == StudyConfig() else (),
        reason=(fault.reason or fallback) if silent else "",
        equals_step=_equals_step(run, reference, restored_at),
    )


class EntryRun(NamedTuple):
    """An entry's run, what it is compared with, and the step of its last restore, if any."""

    run: ScenarioRun
    reference: Trace
    restored_at: int | None


class EntryRunner:
    """Runs entries on the data of one study; entries with equal recipes share a reference."""

    def __init__(self, config: StudyConfig) -> None:
        self._config = config
        self._dataset = make_dataset(config)
        self._references: dict[tuple[int, int], Trace] = {}

    def run(self, fault: Fault) -> EntryRun:
        """Run one entry."""
        run = run_scenario(fault.scenario, self._dataset, self._config)
        restored_at = None
        if run.restored is not None:
            restored_at = fault.scenario.restore_after(self._config)[-1]
        return EntryRun(run, self._reference(fault), restored_at)

    def _reference(self, fault: Fault) -> Trace:
        """The reference of an entry, run at its first use."""
        key = (id(fault.reference), id(fault.scenario.start))
        if key not in self._references:
            self._references[key] = run_reference(
                self._dataset, self._config, fault.reference, fault.scenario.start
            )
        return self._references[key]


def _equals_step(run: ScenarioRun, reference: Trace, restored_at: int | None) -> int | None:
    """Find a step of the reference, other than its own, whose weights were restored."""
    if run.restored is None or restored_at is None:
        return None
    same = (reference.weights.view("<u4") == run.restored.weights.view("<u4")).all(axis=1)
    steps = (np.flatnonzero(same) + 1).tolist()
    return next((step for step in steps if step != restored_at), None)


def _table_row(entry: EntryResult, digits: int) -> tuple[object, ...]:
    metrics = entry.metrics
    log = metrics.first_log_difference.get(str(digits), metrics.first_log_difference["full"])
    first = metrics.first_difference
    where = f"{first.key} at {first.step}" if first else "nothing"
    return (
        entry.fault.name,
        metrics.verdict,
        "never" if metrics.first_weight_mismatch is None else metrics.first_weight_mismatch,
        metrics.weight_mismatch_steps,
        metrics.hidden_weight_mismatch_steps,
        "never" if log is None else log,
        f"{metrics.maximum_weight_difference:.2e}",
        f"{metrics.difference_in_ulp_of_largest_weight:.3g}",
        where,
    )
