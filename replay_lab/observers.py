"""Weaker ways to compare two runs, and what each of them misses."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .bits import Array, digest
from .catalogue import EntryRunner, select
from .config import StudyConfig
from .rows import differing_steps, first_step
from .saved_bits import SavedBits, digest_of_json, settings_as_texts
from .scenarios import ScenarioRun
from .tables import Table
from .trace import Trace

_NOT_STATE = ("data_ids", "loss", "logged_loss", "gradient")


class RunPair(NamedTuple):
    """Two runs as an observer may see them, steps first.

    Attributes
    ----------
    state, reference_state : dict of str to ndarray
        The train state after each step; at the checkpoint step the restored one.
    log, reference_log : Trace
        For the loss columns.
    """

    state: dict[str, Array]
    reference_state: dict[str, Array]
    trace: Trace
    reference: Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Observer:
    """One way to compare.

    Attributes
    ----------
    name : str
    looks_at : str
        What it compares, in a few words.
    notices : callable
        From a `RunPair` to a boolean per step.
    """

    name: str
    looks_at: str
    notices: Callable[[RunPair], NDArray[np.bool_]]


def _every_bit(pair: RunPair) -> NDArray[np.bool_]:
    """What a SHA-256 of each step's state notices, without hashing."""
    flags = [differing_steps(pair.state[key], pair.reference_state[key]) for key in pair.state]
    return np.asarray(np.logical_or.reduce(flags))


def _rounded_log(pair: RunPair) -> NDArray[np.bool_]:
    return differing_steps(pair.trace.logged_loss, pair.reference.logged_loss)


def _full_loss(pair: RunPair) -> NDArray[np.bool_]:
    return differing_steps(pair.trace.loss, pair.reference.loss)


def _xor(pair: RunPair) -> NDArray[np.bool_]:
    flags = [
        _xor_per_step(pair.state[key]) != _xor_per_step(pair.reference_state[key])
        for key in pair.state
    ]
    return np.asarray(np.logical_or.reduce(flags))


def _l1_norm(pair: RunPair) -> NDArray[np.bool_]:
    flags = [
        np.array(_l1_per_step(pair.state[key])) != np.array(_l1_per_step(pair.reference_state[key]))
        for key in pair.state
        if pair.state[key].dtype.kind == "f"
    ]
    return np.asarray(np.logical_or.reduce(flags))


def _equal_values(pair: RunPair) -> NDArray[np.bool_]:
    flags = []
    for key, column in pair.state.items():
        unequal = column != pair.reference_state[key]
        flags.append(unequal.reshape(unequal.shape[0], -1).any(axis=1))
    return np.asarray(np.logical_or.reduce(flags))


def _final_hash(pair: RunPair) -> NDArray[np.bool_]:
    flags = np.zeros(pair.trace.steps, dtype=bool)
    last = {"weights": pair.state["weights"][-1]}
    flags[-1] = digest(last) != digest({"weights": pair.reference_state["weights"][-1]})
    return flags


TRUTH = Observer(
    name="SHA-256", looks_at="every bit of the state after every step", notices=_every_bit
)

OBSERVERS = (
    Observer(name="rounded log", looks_at="the loss as logged", notices=_rounded_log),
    Observer(name="full loss", looks_at="the loss with all its bits", notices=_full_loss),
    Observer(name="XOR digest", looks_at="the XOR of each array's words", notices=_xor),
    Observer(name="L1 norm", looks_at="the sum of absolute values of each array", notices=_l1_norm),
    Observer(name="==", looks_at="all numbers of the state, as floats", notices=_equal_values),
    Observer(name="final hash", looks_at="SHA-256 of the last weights only", notices=_final_hash),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """When each observer first notices one entry of the catalogue.

    Attributes
    ----------
    name : str
    truth : int or None
        First step at which a bit of the state differs; None if none does.
    first : dict of str to (int or None)
        Per observer; None where it never notices.
    """

    name: str
    truth: int | None
    first: dict[str, int | None]

    def missed_by(self, observer: str) -> bool:
        """Whether a real difference is never noticed."""
        return self.truth is not None and self.first[observer] is None

    def late_by(self, observer: str) -> int | None:
        """Steps between the difference and its first sighting."""
        first = self.first[observer]
        return None if first is None or self.truth is None else first - self.truth


@dataclass(frozen=True, slots=True, kw_only=True)
class ObserverResults:
    """The matrix of entries and observers."""

    config: StudyConfig
    sightings: tuple[Sighting, ...]

    @property
    def real(self) -> tuple[Sighting, ...]:
        """Entries in which a bit of the state differs."""
        return tuple(sighting for sighting in self.sightings if sighting.truth is not None)

    def missed(self, observer: str) -> tuple[str, ...]:
        """Entries that an observer never notices."""
        return tuple(entry.name for entry in self.sightings if entry.missed_by(observer))

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object: the same bytes wherever the bits are the same."""
        return {
            "format": "replay-lab-observers",
            "version": 1,
            "config": self.config.to_json(),
            "observers": {
                observer.name: {
                    "looks_at": observer.looks_at,
                    "missed": list(self.missed(observer.name)),
                }
                for observer in OBSERVERS
            },
            "entries": [
                {"name": entry.name, "sha256": entry.truth, **entry.first}
                for entry in self.sightings
            ],
        }

    def saved_bits(self) -> SavedBits:
        """Return what another machine compares."""
        return SavedBits(
            name="observers",
            settings=settings_as_texts(self.config.to_json()),
            digests={"observers": digest_of_json(self.to_json())},
        )

    def table(self) -> Table:
        """Return the matrix for people; a row per entry that differs at all."""
        missed = ("missed", "", *(len(self.missed(observer.name)) for observer in OBSERVERS))
        return Table.make(
            caption=(
                "First step at which each observer notices; "
                f"{len(self.real)} entries differ in at least one bit of the state"
            ),
            columns={
                "name": "Entry",
                "truth": TRUTH.name,
                **{observer.name: observer.name for observer in OBSERVERS},
            },
            rows=[
                *(
                    (entry.name, entry.truth, *map(_step_or_never, entry.first.values()))
                    for entry in self.real
                ),
                missed,
            ],
        )

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return self.table().mimebundle()


def run_observers(config: StudyConfig | None = None, names: Sequence[str] = ()) -> ObserverResults:
    """Let every observer watch the catalogue's entries.

    Parameters
    ----------
    config : StudyConfig, optional
        The default study if not given.
    names : sequence of str
        Which entries; all if empty.

    Returns
    -------
    ObserverResults
    """
    config = StudyConfig() if config is None else config
    runner = EntryRunner(config)
    sightings = []
    for fault in select(names):
        pair = see(*runner.run(fault))
        sightings.append(
            Sighting(
                name=fault.name,
                truth=first_step(TRUTH.notices(pair)),
                first={observer.name: first_step(observer.notices(pair)) for observer in OBSERVERS},
            )
        )
    return ObserverResults(config=config, sightings=tuple(sightings))


def see(run: ScenarioRun, reference: Trace, restored_at: int | None) -> RunPair:
    """Line up two runs; at the checkpoint step the restored state is seen."""
    state = {key: column for key, column in run.trace.columns.items() if key not in _NOT_STATE}
    if run.restored is not None and restored_at is not None:
        restored = run.restored.arrays()
        for key, column in state.items():
            seen = column.copy()
            seen[restored_at - 1] = restored[key]
            state[key] = seen
    return RunPair(
        state=state,
        reference_state={key: reference.columns[key] for key in state},
        trace=run.trace,
        reference=reference,
    )


def _xor_per_step(column: Array) -> Array:
    rows = np.ascontiguousarray(column.reshape(column.shape[0], -1))
    words = rows.view(np.dtype(f"<u{column.dtype.itemsize}"))
    return np.asarray(np.bitwise_xor.reduce(words, axis=1))


def _l1_per_step(column: Array) -> list[float]:
    rows = np.abs(column.reshape(column.shape[0], -1).astype(np.float64))
    return [math.fsum(row) for row in rows.tolist()]


def _step_or_never(step: int | None) -> object:
    return "never" if step is None else step
