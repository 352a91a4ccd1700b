"""How a run takes its steps: all that it does and no checkpoint holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .bits import Array
from .config import StudyConfig
from .model import ONE, Batch, batch_gradient
from .reduction import FORWARD, ReductionOrder

Extras = Mapping[str, Array]
GradientRule = Callable[[Batch], NDArray[np.float32]]


class StatePiece:
    """An optional part of training that has state of its own.

    The base class does nothing. Every hook takes the named arrays of all
    pieces and returns them, changed where they are its own; nothing is kept
    in the object.
    """

    def init(self, config: StudyConfig) -> dict[str, Array]:
        """Return this piece's arrays before step 1."""
        return {}

    def on_batch(
        self, extras: Extras, features: NDArray[np.float32]
    ) -> tuple[Extras, NDArray[np.float32]]:
        """Change the features of a batch, of shape (batch_size, features)."""
        return extras, features

    def loss_scale(self, extras: Extras, scale: np.float32) -> np.float32:
        """Return the factor on the loss, a power of two."""
        return scale

    def learning_rate(self, extras: Extras, rate: np.float32) -> tuple[Extras, np.float32]:
        """Change the learning rate of this step."""
        return extras, rate

    def after_update(self, extras: Extras, weights: NDArray[np.float32]) -> Extras:
        """See the weights after the update."""
        return extras


def sharded_gradient(order: ReductionOrder) -> GradientRule:
    """Return the study's gradient with the shards combined in `order`."""
    return lambda batch: batch_gradient(batch, order)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How every step is taken.

    Attributes
    ----------
    gradient : callable
        From a `Batch` to its gradient, float32 of shape (features,).
    pieces : tuple of StatePiece
        Optional parts with state of their own; none by default.
    draws_before_step : callable
        From the number of a step to how many words something else draws from
        the sampler's stream before it; 0 by default.
    """

    gradient: GradientRule = sharded_gradient(FORWARD)
    pieces: tuple[StatePiece, ...] = ()
    draws_before_step: Callable[[int], int] = lambda step: 0

    def init_extras(self, config: StudyConfig) -> dict[str, Array]:
        """Return the arrays of all pieces before step 1."""
        return {name: array for piece in self.pieces for name, array in piece.init(config).items()}

    def change_batch(
        self, extras: Extras, features: NDArray[np.float32]
    ) -> tuple[Extras, NDArray[np.float32]]:
        """Pass the features of a batch through every piece."""
        for piece in self.pieces:
            extras, features = piece.on_batch(extras, features)
        return extras, features

    def loss_scale(self, extras: Extras) -> np.float32:
        """Return the loss scale of this step, 1 without a scaler."""
        scale = ONE
        for piece in self.pieces:
            scale = piece.loss_scale(extras, scale)
        return scale

    def learning_rate(self, extras: Extras, config: StudyConfig) -> tuple[Extras, np.float32]:
        """Return the learning rate of this step, constant without a schedule."""
        rate = np.float32(config.learning_rate)
        for piece in self.pieces:
            extras, rate = piece.learning_rate(extras, rate)
        return extras, rate

    def after_update(self, extras: Extras, weights: NDArray[np.float32]) -> Extras:
        """Show the new weights to every piece."""
        for piece in self.pieces:
            extras = piece.after_update(extras, weights)
        return extras


PLAIN = Recipe()
