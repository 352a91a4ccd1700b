"""StudyConfig: validation at construction, JSON both ways."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np
import pytest

from replay_lab.config import MAXIMUM_SEEDS, StudyConfig
from replay_lab.errors import ConfigError, ReplayLabError

INTEGERS = {
    "seed": (0, 2**53 - 1),
    "samples": (2, 65_536),
    "features": (2, 512),
    "steps": (2, 10_000),
    "checkpoint_step": (1, 9_999),
    "batch_size": (1, 4_096),
    "shards": (1, 1_024),
    "logged_digits": (1, 12),
}
NUMBERS = {
    "learning_rate": (1e-6, 10.0),
    "beta1": (0.0, 0.999),
    "beta2": (0.5, 0.99999),
    "epsilon": (1e-10, 0.1),
    "weight_scale": (0.0, 100.0),
    "noise": (0.0, 100.0),
}
# What else has to hold so that a field can reach the end of its range.
COMPANIONS: dict[tuple[str, float], dict[str, Any]] = {
    ("samples", 65_536): {"features": 2, "checkpoint_step": 1},
    ("features", 512): {"samples": 100},
    ("steps", 2): {"checkpoint_step": 1},
    ("steps", 10_000): {"features": 2, "samples": 2},
    ("checkpoint_step", 9_999): {"steps": 10_000, "features": 2, "samples": 2},
    ("batch_size", 1): {"shards": 1},
    ("shards", 1_024): {"batch_size": 1_024},
    ("beta1", 0.999): {"beta2": 0.9999},
    ("beta2", 0.5): {"beta1": 0.5},
}


def refusal(**settings: Any) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        StudyConfig(**settings)
    return caught.value


def test_a_study_is_repeated_at_other_seeds() -> None:
    study = StudyConfig(steps=50)
    assert study.at_seeds(range(3, 6)) == tuple(StudyConfig(seed=seed, steps=50) for seed in (3, 4, 5))


@pytest.mark.parametrize(
    "seeds", [7, (), (-1,), (True,), ("7",), (2**53,), "7", range(MAXIMUM_SEEDS + 1), range(10**12)], ids=str
)
def test_what_is_no_list_of_seeds_is_refused_by_name(seeds: Any) -> None:
    with pytest.raises(ConfigError, match="^seeds = .* is refused: expected .*integer"):
        StudyConfig().at_seeds(seeds)


def test_as_many_seeds_as_allowed_are_taken() -> None:
    assert len(StudyConfig().at_seeds(range(MAXIMUM_SEEDS))) == MAXIMUM_SEEDS


def test_every_field_has_a_range_here() -> None:
    names = [field.name for field in dataclasses.fields(StudyConfig)]
    assert sorted(names) == sorted([*INTEGERS, *NUMBERS])


def test_the_field_names_are_the_published_ones_in_order() -> None:
    assert " ".join(StudyConfig().to_json()) == (
        "seed samples features steps checkpoint_step batch_size shards learning_rate "
        "beta1 beta2 epsilon weight_scale noise logged_digits"
    )


@pytest.mark.parametrize(
    ("name", "end"),
    [(name, end) for name, ends in (INTEGERS | NUMBERS).items() for end in ends],
)
def test_both_ends_of_a_range_are_accepted(name: str, end: float) -> None:
    config = StudyConfig(**COMPANIONS.get((name, end), {}) | {name: end})
    assert getattr(config, name) == end


@pytest.mark.parametrize(
    ("name", "value"),
    [
        pytest.param(name, value, id=f"{name}={value!r}")
        for name, (low, high) in INTEGERS.items()
        for value in (low - 1, high + 1, 2.0, 2.5, "2", None, True, float("nan"), [2], 2 + 0j)
    ],
)
def test_an_integer_field_refuses_by_name_value_and_range(name: str, value: Any) -> None:
    low, high = INTEGERS[name]
    assert str(refusal(**{name: value})) == (
        f"{name} = {value!r} is refused: expected an integer from {low} to {high}"
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        pytest.param(name, value, id=f"{name}={value!r}")
        for name, (least, most) in NUMBERS.items()
        for value in (
            float(np.nextafter(least, -1)),
            float(np.nextafter(most, 1e9)),
            -1,
            float("nan"),
            float("inf"),
            float("-inf"),
            "0.9",
            True,
            np.True_,
            None,
            0.9 + 0j,
        )
    ],
)
def test_a_number_field_refuses_by_name_value_and_range(name: str, value: Any) -> None:
    least, most = NUMBERS[name]
    assert str(refusal(**{name: value})) == (
        f"{name} = {value!r} is refused: expected a number from {least:g} to {most:g}"
    )


def test_a_refusal_carries_field_value_and_range() -> None:
    error = refusal(learning_rate=-1)
    assert (error.field, error.value, error.allowed) == (
        "learning_rate", -1, "a number from 1e-06 to 10"
    )  # fmt: skip


@pytest.mark.parametrize("base", [ReplayLabError, ValueError])
def test_a_refusal_is_an_error_of_the_lab_and_a_value_error(base: type[Exception]) -> None:
    assert isinstance(refusal(steps=-1), base)


def test_a_number_too_long_to_print_is_refused_by_name() -> None:
    assert str(refusal(seed=10**5000)).startswith("seed = a value of type int that is too long")


def test_a_long_text_is_cut_in_the_message() -> None:
    assert len(str(refusal(seed="7" * 100_000))) < 300


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"shards": 5}, "shards = 5 is refused: expected a divisor of batch_size = 32"),
        ({"shards": 64}, "shards = 64 is refused: expected a divisor of batch_size = 32"),
        ({"steps": 40}, "checkpoint_step = 40 is refused: expected a step before the last"),
        ({"checkpoint_step": 100}, "1 to 99 with steps = 100"),
        ({"beta1": 0.9, "beta2": 0.81}, "beta1 = 0.9 is refused: expected less than the square root"),
        ({"samples": 65_536, "features": 33}, "samples = 65536 .* samples \\* features"),
        ({"steps": 10_000, "features": 105, "samples": 2}, "steps = 10000 .* steps \\* features"),
        ({"steps": 10_000, "batch_size": 128}, "steps = 10000 .* steps \\* batch_size"),
        ({"steps": 5_000, "samples": 8_192}, "steps \\* samples \\* features .* tab survives"),
    ],
)
def test_fields_that_do_not_fit_together_are_refused(
    settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        StudyConfig(**settings)


@pytest.mark.parametrize("value", [np.int64(3), np.uint8(3)])
def test_a_numpy_integer_is_taken_as_an_integer(value: Any) -> None:
    assert type(StudyConfig(seed=value).seed) is int


@pytest.mark.parametrize("value", [1, np.float32(0.5), np.int32(1)])
def test_any_real_number_is_taken_as_a_float(value: Any) -> None:
    assert type(StudyConfig(noise=value).noise) is float


def test_settings_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        StudyConfig().steps = 3  # type: ignore[misc]


def test_settings_are_given_by_name_only() -> None:
    with pytest.raises(TypeError):
        StudyConfig(97)  # type: ignore[misc]


def test_replacing_a_field_validates_again() -> None:
    with pytest.raises(ConfigError, match="shards = 3"):
        dataclasses.replace(StudyConfig(), shards=3)


# --- JSON ----------------------------------------------------------------------------


def test_settings_survive_json() -> None:
    config = StudyConfig(seed=2**53 - 1, learning_rate=0.1, epsilon=1e-9, shards=2)
    assert StudyConfig.from_json(json.loads(json.dumps(config.to_json()))) == config


def test_missing_settings_take_their_defaults() -> None:
    assert StudyConfig.from_json({"shards": 2}) == StudyConfig(shards=2)


def test_an_unknown_setting_is_refused_by_name() -> None:
    with pytest.raises(ConfigError, match="lr = 0.1 is refused: expected one of seed, samples"):
        StudyConfig.from_json({"lr": 0.1})


@pytest.mark.parametrize("value", [None, [], "seed", 3])
def test_settings_that_are_no_object_are_refused(value: object) -> None:
    with pytest.raises(ConfigError, match="config = .* expected an object"):
        StudyConfig.from_json(value)


# --- name=value ----------------------------------------------------------------------


def test_settings_are_read_from_texts() -> None:
    found = StudyConfig.from_settings(["shards=2", " noise = 0.5 "])
    assert found == StudyConfig(shards=2, noise=0.5)


def test_the_last_of_two_equal_names_wins() -> None:
    assert StudyConfig.from_settings(["seed=1", "seed=2"]).seed == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("steps", "setting = 'steps' is refused: expected name=value"),
        ("=3", "^ = 3 is refused: expected one of seed"),
        ("stepz=3", "stepz = 3 is refused"),
        ("steps=", "steps = '' is refused: expected an integer"),
        ("steps=ten", "steps = 'ten' is refused"),
        ("steps=true", "steps = True is refused"),
        ("noise=NaN", "noise = nan is refused"),
        ("noise=1e999", "noise = inf is refused"),
        ("steps=[3]", "steps = \\[3\\] is refused"),
    ],
)
def test_a_bad_text_is_refused(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        StudyConfig.from_settings([text])
