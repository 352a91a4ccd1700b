"""A small network of one hidden layer, in portable float32 arithmetic.

Softsign needs a division and an absolute value only; tanh and its kin pass
through a math library, whose last bit depends on the machine.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .reduction import sum_first_to_last


class ForwardPass(NamedTuple):
    """What the gradient needs of a prediction.

    Attributes
    ----------
    widths : ndarray of shape (samples, hidden), float32
        ``1 + |z|`` of every hidden unit's input ``z``.
    activations : ndarray of shape (samples, hidden), float32
        ``z / (1 + |z|)``.
    residuals : ndarray of shape (samples,), float32
        Prediction minus target.
    """

    widths: NDArray[np.float32]
    activations: NDArray[np.float32]
    residuals: NDArray[np.float32]


def num_weights(features: int, hidden: int) -> int:
    """Return the number of weights: inputs times hidden units, then one per unit."""
    return features * hidden + hidden


def forward(
    features: NDArray[np.float32],
    targets: NDArray[np.float32],
    weights: NDArray[np.float32],
) -> ForwardPass:
    """Predict every sample and subtract its target.

    Parameters
    ----------
    features : ndarray of shape (samples, features), float32
    targets : ndarray of shape (samples,), float32
    weights : ndarray of shape (features * hidden + hidden,), float32
        The input layer row by row, then the output layer; no biases.

    Returns
    -------
    ForwardPass

    Notes
    -----
    ``z = x W; a = z / (1 + |z|); prediction = a . u``, with both products as
    first-to-last sums, over the features and over the hidden units.

    References
    ----------
    J. Bergstra, G. Desjardins, P. Lamblin, Y. Bengio: Quadratic Polynomials
    Learn Better Image Features, 2009 (softsign).
    """
    inner, outer = _layers(weights, features.shape[1])
    columns = features.T[:, :, np.newaxis]
    inputs = sum_first_to_last(columns * inner[:, np.newaxis, :])
    widths = np.float32(1) + np.abs(inputs)
    activations = np.asarray(inputs / widths, dtype=np.float32)
    predictions = sum_first_to_last((activations * outer).T)
    return ForwardPass(widths, activations, predictions - targets)


def shard_gradients(
    features: NDArray[np.float32],
    weights: NDArray[np.float32],
    passed: ForwardPass,
    shards: int,
) -> NDArray[np.float32]:
    """Return each shard's sum of per-sample gradients, samples first to last.

    Parameters
    ----------
    features : ndarray of shape (samples, features), float32
    weights : ndarray of shape (features * hidden + hidden,), float32
    passed : ForwardPass
        What `forward` returned for the two.
    shards : int
        Divides the number of samples.

    Returns
    -------
    ndarray of shape (shards, features * hidden + hidden), float32
        Not yet divided by the number of samples.

    Notes
    -----
    Of half the squared residual ``r``: ``r a`` for the output layer, and
    ``x r u / (1 + |z|)^2`` for the input layer.
    """
    samples = features.shape[0]
    _, outer = _layers(weights, features.shape[1])
    residuals = passed.residuals[:, np.newaxis]
    back = residuals * (outer / (passed.widths * passed.widths))
    inner_rows = features[:, :, np.newaxis] * back[:, np.newaxis, :]
    outer_rows = passed.activations * residuals
    rows = np.concatenate([inner_rows.reshape(samples, -1), outer_rows], axis=1)
    return sum_first_to_last(rows.reshape(shards, -1, weights.size).transpose(1, 0, 2))


def mean_loss(passed: ForwardPass) -> float:
    """Return half the mean squared residual, summed exactly in float64."""
    wide = passed.residuals.astype(np.float64)
    return 0.5 * math.fsum((wide * wide).tolist()) / wide.size


def _layers(
    weights: NDArray[np.float32], features: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Split the weights into the input layer (features, hidden) and the output layer."""
    hidden = weights.size // (features + 1)
    return weights[: features * hidden].reshape(features, hidden), weights[features * hidden :]
