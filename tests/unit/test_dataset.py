"""The synthetic data."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from replay_lab.config import StudyConfig
from replay_lab.dataset import Dataset, make_dataset
from replay_lab.random_streams import draw_near_normal, open_stream
from tests.study.runs import SMALL, small_dataset


@pytest.mark.parametrize("name", [field.name for field in fields(Dataset)])
def test_every_array_of_the_data_is_read_only(name: str) -> None:
    with pytest.raises(ValueError, match="read-only"):
        getattr(small_dataset(), name).flat[0] = 1


@pytest.mark.parametrize(
    ("name", "dtype", "shape"),
    [
        ("features", np.float32, (12, 3)),
        ("targets", np.float32, (12,)),
        ("true_weights", np.float32, (3,)),
        ("wide_columns", np.float64, (3, 12)),
        ("wide_targets", np.float64, (12,)),
    ],
)
def test_the_data_have_their_form(name: str, dtype: Any, shape: tuple[int, ...]) -> None:
    array = getattr(small_dataset(), name)
    assert (array.dtype, array.shape) == (dtype, shape)


def test_the_wide_columns_are_the_features_once_more() -> None:
    data = small_dataset()
    assert (data.wide_columns.T == data.features).all()


def test_features_weights_and_noise_are_drawn_in_this_order() -> None:
    data = small_dataset()
    count = data.features.size + data.true_weights.size + data.targets.size
    drawn = draw_near_normal(open_stream(SMALL.seed, "dataset"), count).values
    assert data.features.ravel().tolist() == drawn[:36].tolist()
    assert data.true_weights.tolist() == (drawn[36:39] * np.float32(0.25)).tolist()


def test_targets_are_the_model_plus_noise() -> None:
    data = small_dataset()
    noise = data.wide_targets - data.features.astype(float) @ data.true_weights.astype(float)
    assert 0 < np.abs(noise).max() < 3.47 * SMALL.noise + 1e-5


def test_without_noise_and_weights_every_target_is_zero() -> None:
    data = make_dataset(replace(SMALL, noise=0.0, weight_scale=0.0))
    assert not data.targets.any()


@pytest.mark.parametrize(
    ("change", "equal"),
    [
        ({}, True),
        ({"seed": 98}, False),
        ({"noise": 0.3}, False),
        ({"weight_scale": 0.5}, False),
        ({"steps": 7, "shards": 2, "learning_rate": 0.1}, True),
    ],
)
def test_the_data_digest_sees_what_the_data_depend_on(change: Any, equal: bool) -> None:
    found = make_dataset(replace(SMALL, **change)).digest()
    assert (found == small_dataset().digest()) is equal


def test_default_features_have_mean_zero_and_variance_one() -> None:
    features = make_dataset(StudyConfig()).features.astype(float)
    # 6144 numbers: five standard errors.
    assert abs(features.mean()) < 0.064
    assert abs(features.var() - 1) < 0.084
