"""What a study costs: its work, counted from the settings before anything runs."""

from __future__ import annotations

from typing import NamedTuple

from .config import StudyConfig
from .scenarios import SCENARIOS

# What the numpy calls of one update cost, in values of the data that a loss reads in the
# same time: 30 to 70 thousand where it was measured. `python -m tests.benchmarks loop` prints
# what follows from it beside what it measures.
UPDATE_CALLS = 40_000


class Work(NamedTuple):
    """The work of one study, counted over all of its runs.

    Attributes
    ----------
    updates : int
        Steps taken; each takes one gradient, one loss and one update of the weights.
    gradient_values : int
        Values of the data that the gradients read: rows of the batch times features.
    loss_values : int
        Values of the data that the losses read: all samples times features.
    """

    updates: int
    gradient_values: int
    loss_values: int

    @property
    def cost(self) -> int:
        """One number, to be compared with that of other settings."""
        return self.updates * UPDATE_CALLS + self.gradient_values + self.loss_values


def estimated_work(config: StudyConfig) -> Work:
    """Count what `run_study` will do.

    Parameters
    ----------
    config : StudyConfig

    Returns
    -------
    Work

    Notes
    -----
    The reference and every scenario take `steps` updates and one loss more than that::

        updates         = runs * steps
        gradient_values = updates * batch_size * features
        loss_values     = (updates + runs) * samples * features

    So the cost grows in proportion to `steps`. With `samples` it hardly grows until the pass
    over ``samples * features`` values outweighs the calls of an update, then in proportion.
    Making the data and the checks come on top; a long study does not feel them.
    """
    runs = 1 + len(SCENARIOS)
    updates = runs * config.steps
    return Work(
        updates=updates,
        gradient_values=updates * config.batch_size * config.features,
        loss_values=(updates + runs) * config.samples * config.features,
    )
