"""The synthetic regression data, every number from raw random words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .bits import Array, digest
from .config import StudyConfig
from .model import predict
from .random_streams import draw_near_normal, open_stream


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dataset:
    """Features and targets of one study; all arrays are read-only.

    Attributes
    ----------
    features : ndarray of shape (samples, features), float32
    targets : ndarray of shape (samples,), float32
    true_weights : ndarray of shape (features,), float32
    wide_columns : ndarray of shape (features, samples), float64
        The features once more, exactly, one row per feature: the loss sums
        over features first to last in float64.
    wide_targets : ndarray of shape (samples,), float64
    """

    features: NDArray[np.float32]
    targets: NDArray[np.float32]
    true_weights: NDArray[np.float32]
    wide_columns: NDArray[np.float64]
    wide_targets: NDArray[np.float64]

    def digest(self) -> str:
        """SHA-256 over features, targets and true weights."""
        return digest(
            {
                "features": self.features,
                "targets": self.targets,
                "true_weights": self.true_weights,
            }
        )


def make_dataset(config: StudyConfig) -> Dataset:
    """Draw features, true weights and noise, in this order, from one stream.

    Notes
    -----
    ``targets = features @ true_weights + noise``, with the product written as
    a first-to-last float32 sum over the features (see `model.predict`).
    """
    stream = open_stream(config.seed, "dataset")
    stream, flat = draw_near_normal(stream, config.samples * config.features)
    stream, unit_weights = draw_near_normal(stream, config.features)
    stream, unit_noise = draw_near_normal(stream, config.samples)
    features = flat.reshape(config.samples, config.features)
    true_weights = unit_weights * np.float32(config.weight_scale)
    targets = predict(features, true_weights) + unit_noise * np.float32(config.noise)
    return Dataset(
        features=_read_only(features),
        targets=_read_only(targets),
        true_weights=_read_only(true_weights),
        wide_columns=_read_only(np.ascontiguousarray(features.T, dtype=np.float64)),
        wide_targets=_read_only(targets.astype(np.float64)),
    )


def _read_only(array: Array) -> Array:
    array.setflags(write=False)
    return array
