"""The amplifier: one ulp grows to order one, in this network and not in the study's."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from numpy._core._multiarray_umath import (  # type: ignore[attr-defined]
    __cpu_dispatch__,
    __cpu_features__,
)
from numpy.typing import NDArray

from replay_lab.amplifier import (
    ORDER_ONE,
    AmplifierConfig,
    AmplifierResults,
    describe_amplifier,
    growth_rate,
    make_data,
    run_amplifier,
    train_network,
)
from replay_lab.errors import ConfigError, DivergenceError
from replay_lab.reduction import ReductionOrder
from replay_lab.softsign_network import forward, mean_loss, shard_gradients
from tests.study.choose_amplifier import margins


@pytest.fixture(scope="module")
def results() -> AmplifierResults:
    return run_amplifier()


def test_one_rounding_grows_to_order_one_within_the_preset(results: AmplifierResults) -> None:
    assert results.first_weight_mismatch == 1
    largest = np.abs(results.forward.weights[0]).max()
    assert 0 < results.weight_difference[0] <= 4 * np.spacing(largest)
    assert results.first_order_one is not None
    assert results.first_order_one <= results.config.steps // 2
    assert results.maximum_weight_difference >= 2 * ORDER_ONE
    assert results.growth is not None and results.growth > 1


def test_log_is_silent_at_first_and_then_shows_it(results: AmplifierResults) -> None:
    shown = results.first_log_difference
    assert shown is not None and shown > 20
    assert results.first_order_one is not None and shown < results.first_order_one
    assert results.hidden_weight_mismatch_steps >= shown - 1
    assert results.forward.logged_loss[: shown - 1] == results.reversed.logged_loss[: shown - 1]
    assert results.forward.logged_loss[shown - 1] != results.reversed.logged_loss[shown - 1]


@pytest.mark.parametrize("seed", range(20))
def test_it_amplifies_at_other_seeds_too(seed: int) -> None:
    found = run_amplifier(AmplifierConfig(seed=seed))
    assert found.maximum_weight_difference > 1e6 * found.weight_difference[0]


def test_default_seed_has_wide_margins_on_every_side() -> None:
    assert min(margins(AmplifierConfig())) > 4


def test_the_same_run_again_has_the_same_digests(results: AmplifierResults) -> None:
    assert run_amplifier().digests() == results.digests()
    assert len(set(results.digests().values())) == 4


def test_not_one_bit_depends_on_vector_instructions(results: AmplifierResults) -> None:
    """Here a single other rounding would end in another network."""
    optional = [name for name in __cpu_dispatch__ if __cpu_features__.get(name)]
    if not optional:
        pytest.skip("numpy dispatches nothing on this processor")
    report = "from replay_lab.amplifier import run_amplifier; print(run_amplifier().digests())"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", report],
        env=os.environ | {"NPY_DISABLE_CPU_FEATURES": " ".join(optional)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str(results.digests())


@pytest.mark.parametrize("shards", [1, 2])
def test_without_three_terms_no_order_matters(shards: int) -> None:
    found = run_amplifier(AmplifierConfig(shards=shards, steps=50))
    assert found.first_weight_mismatch is None
    assert found.forward.digest == found.reversed.digest
    assert found.growth is None
    assert describe_amplifier(found) == "The weights agree bit for bit in all 50 steps."


def test_json_has_no_nan_and_no_forbidden_word(results: AmplifierResults) -> None:
    text = json.dumps(results.to_json(), allow_nan=False)
    assert "computed" not in text
    assert json.loads(text)["digests"] == results.digests()


def test_finding_states_the_numbers_of_this_run(results: AmplifierResults) -> None:
    text = describe_amplifier(results)
    assert f"step {results.first_order_one} the difference has reached 1" in text
    assert f"shows it at step {results.first_log_difference}" in text


def test_gradient_is_that_of_the_loss() -> None:
    config = AmplifierConfig(seed=3)
    data = make_data(config)
    passed = forward(data.features, data.targets, data.weights)
    found = shard_gradients(data.features, data.weights, passed, config.shards)
    gradient = found.astype(np.float64).sum(axis=0) / config.samples
    for position in range(data.weights.size):
        slope = wide_slope(data.features, data.targets, data.weights, position)
        # float32 sums of 32 terms of order one keep six digits.
        assert math.isclose(gradient[position], slope, rel_tol=1e-4, abs_tol=1e-6)


def wide_slope(
    features: NDArray[Any], targets: NDArray[Any], weights: NDArray[Any], position: int
) -> float:
    """A central difference in float64, written without the library."""

    def loss(moved: NDArray[Any]) -> float:
        inner = moved[: -(moved.size // (features.shape[1] + 1))].reshape(features.shape[1], -1)
        inputs = features.astype(np.float64) @ inner
        predictions = (inputs / (1 + np.abs(inputs))) @ moved[inner.size :]
        return float(0.5 * np.mean((predictions - targets) ** 2))

    step = np.zeros(weights.size)
    step[position] = 1e-6
    wide = weights.astype(np.float64)
    return (loss(wide + step) - loss(wide - step)) / 2e-6


def test_loss_belongs_to_the_weights_before_the_update(results: AmplifierResults) -> None:
    data = make_data(results.config)
    assert results.forward.loss[0] == mean_loss(forward(*data))
    after = forward(data.features, data.targets, results.forward.weights[0])
    assert results.forward.loss[1] == mean_loss(after)


def test_growth_is_decades_per_hundred_steps() -> None:
    tenfold = 1e-7 * 10.0 ** (np.arange(201) / 50)
    assert growth_rate(np.concatenate([[0.0], tenfold]), until=202) == 2.0
    assert growth_rate(np.zeros(5), until=5) is None
    assert growth_rate(np.array([0.0, 1.0]), until=2) is None
    assert growth_rate(np.array([1.0, 0.0]), until=2) is None


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"shards": 5}, "shards"),
        ({"steps": 1}, "steps"),
        ({"hidden": 1.5}, "hidden"),
        ({"seed": -1}, "seed"),
        ({"learning_rate": math.nan}, "learning_rate"),
        ({"learning_rate": 11}, "learning_rate"),
        ({"logged_digits": True}, "logged_digits"),
    ],
)
def test_bad_settings_are_refused_by_name(settings: dict[str, Any], field: str) -> None:
    with pytest.raises(ConfigError, match=f"^{field} = "):
        AmplifierConfig(**settings)


def test_weights_that_leave_the_finite_numbers_are_an_error() -> None:
    config = AmplifierConfig(steps=2)
    data = make_data(config)
    broken = ReductionOrder(
        name="broken", combine=lambda parts, step: np.full_like(parts[0], np.inf)
    )
    with np.errstate(invalid="ignore"), pytest.raises(DivergenceError, match="not finite"):
        train_network(data, config, broken)


def test_arrays_of_a_run_are_read_only(results: AmplifierResults) -> None:
    with pytest.raises(ValueError, match="read-only"):
        results.forward.weights[0, 0] = 0
