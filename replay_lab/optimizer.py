"""Adam in float32, state in and state out."""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from .config import StudyConfig


class AdamState(NamedTuple):
    """What Adam remembers between two steps.

    Attributes
    ----------
    first_moment, second_moment : ndarray of shape (features,), float32
        Running means of the gradient and of its square.
    beta1_power, beta2_power : float32
        ``beta1**step`` and ``beta2**step`` as running float32 products, so
        that no ``pow`` is needed, and one more thing a checkpoint can lose.
    """

    first_moment: NDArray[np.float32]
    second_moment: NDArray[np.float32]
    beta1_power: np.float32
    beta2_power: np.float32


class AdamStep(NamedTuple):
    """The state after a step and the weights that go with it."""

    optimizer: AdamState
    weights: NDArray[np.float32]


def init_adam(features: int) -> AdamState:
    """Return the state before the first step: zero moments, powers of one."""
    return AdamState(
        first_moment=np.zeros(features, dtype=np.float32),
        second_moment=np.zeros(features, dtype=np.float32),
        beta1_power=np.float32(1),
        beta2_power=np.float32(1),
    )


def adam_update(
    state: AdamState,
    weights: NDArray[np.float32],
    gradient: NDArray[np.float32],
    config: StudyConfig,
    learning_rate: np.float32 | None = None,
) -> AdamStep:
    """Take one step of Adam.

    Parameters
    ----------
    state : AdamState
    weights, gradient : ndarray of shape (features,), float32
    config : StudyConfig
        Supplies learning rate, betas and epsilon; each is rounded to float32
        once, before it is used.
    learning_rate : float32, optional
        Takes the place of the constant rate of `config`.

    Returns
    -------
    AdamStep

    Notes
    -----
    The variant of Algorithm 1 of the paper, with bias-corrected moments and
    epsilon outside the square root::

        m = beta1 * m + (1 - beta1) * g
        v = beta2 * v + (1 - beta2) * (g * g)
        w = w - learning_rate * (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)

    References
    ----------
    D. P. Kingma, J. Ba: Adam: A Method for Stochastic Optimization, 2015.
    """
    one = np.float32(1)
    beta1, beta2 = np.float32(config.beta1), np.float32(config.beta2)
    first_moment = beta1 * state.first_moment + (one - beta1) * gradient
    second_moment = beta2 * state.second_moment + (one - beta2) * (gradient * gradient)
    beta1_power = state.beta1_power * beta1
    beta2_power = state.beta2_power * beta2
    direction = (first_moment / (one - beta1_power)) / (
        np.sqrt(second_moment / (one - beta2_power)) + np.float32(config.epsilon)
    )
    rate = np.float32(config.learning_rate) if learning_rate is None else learning_rate
    moved = weights - rate * direction
    return AdamStep(
        AdamState(first_moment, second_moment, beta1_power, beta2_power),
        cast("NDArray[np.float32]", moved),
    )
