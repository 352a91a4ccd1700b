"""What a run leaves behind: one record per step, stacked into columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .bits import Array, digest


class StepRecord(NamedTuple):
    """One step, in causal order: what went in, what came out.

    `loss` belongs to the weights before the update, all state to after it.
    `extras` holds the state of optional pieces and becomes one column each.
    """

    data_ids: NDArray[np.int64]
    sampler: NDArray[np.uint64]
    loss: float
    logged_loss: float
    gradient: NDArray[np.float32]
    first_moment: NDArray[np.float32]
    second_moment: NDArray[np.float32]
    beta1_power: np.float32
    beta2_power: np.float32
    extras: Mapping[str, Array]
    weights: NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trace:
    """A run as columns; row k - 1 of a column belongs to step k.

    Attributes
    ----------
    columns : dict of str to ndarray
        One read-only array per field of `StepRecord` in causal order, steps
        first; a column for each optional array stands in the place of `extras`.
    final_loss : float
        Unrounded loss of the weights after the last update.
    """

    columns: dict[str, Array]
    final_loss: float

    @property
    def steps(self) -> int:
        """Number of steps."""
        return int(self.columns["loss"].shape[0])

    @property
    def weights(self) -> NDArray[np.float32]:
        """Weights after each step, shape (steps, features)."""
        return self.columns["weights"]

    @property
    def loss(self) -> NDArray[np.float64]:
        """Loss before each update, shape (steps,)."""
        return self.columns["loss"]

    @property
    def logged_loss(self) -> NDArray[np.float64]:
        """The loss log: `loss`, rounded."""
        return self.columns["logged_loss"]

    def digests_at(self, step: int) -> dict[str, str]:
        """Return the SHA-256 of every part of one step, in causal order.

        Parameters
        ----------
        step : int
            From 1 to `steps`.
        """
        if not 1 <= step <= self.steps:
            raise IndexError(f"step {step} is not in this trace: expected 1 to {self.steps}")
        return {
            name: digest({name: np.asarray(column[step - 1])})
            for name, column in self.columns.items()
        }

    def digest(self) -> str:
        """SHA-256 over every column and the final loss."""
        return digest({**self.columns, "final_loss": np.array(self.final_loss)})


def stack_records(records: list[StepRecord], final_loss: float) -> Trace:
    """Stack the records of steps 1, 2, ... into a trace."""
    columns: dict[str, Array] = {}
    for name, values in zip(StepRecord._fields, zip(*records)):
        if name == "extras":
            columns |= {key: _column([extras[key] for extras in values]) for key in values[0]}
        else:
            columns[name] = _column(values)
    return Trace(columns=columns, final_loss=final_loss)


def _column(values: Sequence[object]) -> Array:
    column = np.array(values)
    column.setflags(write=False)
    return column
