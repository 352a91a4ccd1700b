"""Two arrays or two states, bit by bit: the right answer for every awkward pair."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from replay_lab.bits import digest
from replay_lab.comparison import compare_arrays, compare_states
from replay_lab.comparison_results import CLASSES
from replay_lab.errors import StateError

f = np.float32
MAX = np.finfo(np.float32).max


def from_bits(*patterns: int) -> Any:
    return np.array(patterns, dtype="<u4").view("<f4")


@pytest.mark.parametrize(
    ("a", "b", "kind", "ulp", "difference"),
    [
        pytest.param(f(1), f(1) + f(2**-23), "value", 1, 2.0**-23, id="neighbours"),
        pytest.param(f(0.0), f(-0.0), "signed_zero", 0, 0.0, id="zeros"),
        pytest.param(f(1), f(np.nan), "nan", None, math.inf, id="number and NaN"),
        pytest.param(f(np.inf), f(np.nan), "nan", None, math.inf, id="infinity and NaN"),
        pytest.param(
            from_bits(0x7FC00000), from_bits(0x7FC00001), "nan_payload", None, math.inf, id="payload"
        ),
        pytest.param(
            from_bits(0x7FC00000), from_bits(0xFFC00000), "nan_payload", None, math.inf, id="NaN sign"
        ),
        pytest.param(MAX, f(np.inf), "infinity", 1, math.inf, id="max and infinity"),
        pytest.param(f(-np.inf), f(np.inf), "infinity", 4278190080, math.inf, id="infinities"),
        pytest.param(-MAX, MAX, "value", 4278190078, 2 * float(MAX), id="span of float32"),
        pytest.param(0.5, 0.5 + 2**-53, "value", 1, 2.0**-53, id="Python floats"),
        pytest.param(
            np.finfo(float).min, np.finfo(float).max, "value", 2 * 0x7FEFFFFFFFFFFFFF, math.inf,
            id="span of float64",
        ),
        pytest.param(np.int8(-128), np.int8(127), "value", None, 255.0, id="span of int8"),
        pytest.param(np.uint64(0), np.uint64(2**64 - 1), "value", None, 2.0**64, id="uint64"),
        pytest.param(np.int64(-(2**63)), np.int64(2**63 - 1), "value", None, 2.0**64, id="int64"),
        pytest.param(np.True_, np.False_, "value", None, 1.0, id="bool"),
    ],
)  # fmt: skip
def test_a_pair_of_elements_has_its_class_distance_and_difference(
    a: Any, b: Any, kind: str, ulp: int | None, difference: float
) -> None:
    found = compare_arrays(a, b)
    assert (found.equal, found.classes) == (False, (kind,))
    assert found.max_ulp == ulp
    assert found.max_difference == difference


@pytest.mark.parametrize(
    ("a", "b"),
    [
        pytest.param(from_bits(0x7FC00001), from_bits(0x7FC00001), id="same NaN bits"),
        pytest.param(f(-0.0), f(-0.0), id="negative zeros"),
        pytest.param(f(2), np.array(2, f), id="scalar and 0-d array"),
        pytest.param(np.arange(6.0), np.arange(6.0, dtype=">f8"), id="big-endian"),
        pytest.param(np.ones((2, 3)), np.asfortranarray(np.ones((2, 3))), id="Fortran order"),
        pytest.param(np.arange(3), np.arange(6)[::2] // 2, id="view"),
        pytest.param(np.zeros(0), np.zeros(0), id="empty"),
        pytest.param(1.5, 1.5, id="Python floats"),
        pytest.param(np.float64("inf"), np.float64("inf"), id="infinity"),
    ],
)
def test_values_of_one_form_and_the_same_bits_are_equal(a: Any, b: Any) -> None:
    found = compare_arrays(a, b)
    assert found.equal
    assert (found.mismatches, found.max_difference, found.first_difference) == (0, 0.0, None)


@pytest.mark.parametrize(
    ("a", "b", "kinds"),
    [
        pytest.param(np.zeros(3, f), np.zeros(3), ("dtype",), id="dtype"),
        pytest.param(np.zeros(3), np.zeros(4), ("length",), id="length"),
        pytest.param(np.zeros(3), np.zeros((3, 1)), ("shape",), id="dimensions"),
        pytest.param(np.zeros((2, 3)), np.zeros((3, 2)), ("shape",), id="transposed"),
        pytest.param(np.zeros((1, 3)), np.zeros((2, 3)), ("shape",), id="broadcastable"),
        pytest.param(np.zeros(1), np.float64(0), ("shape",), id="one element and scalar"),
        pytest.param(np.zeros(2, f), np.zeros(3), ("dtype", "length"), id="dtype and length"),
        pytest.param(1.0, np.float64(1), ("type",), id="Python float and numpy's"),
        pytest.param(np.float64(1), 1.0, ("type",), id="numpy's and Python float"),
    ],
)
def test_values_of_other_form_are_unequal_and_not_compared_in_part(
    a: Any, b: Any, kinds: tuple[str, ...]
) -> None:
    found = compare_arrays(a, b)
    assert found.classes == kinds
    assert (found.mismatches, found.max_ulp, found.max_difference) == (None, None, None)


@pytest.mark.parametrize(
    "value",
    [object(), np.array([None]), np.zeros(1, "c8"), np.array("a"), np.zeros(1, [("a", "f4")]), 1],
    ids=["object", "objects", "complex", "text", "structured", "int"],
)
def test_what_has_no_portable_bits_is_refused_on_either_side(value: Any) -> None:
    with pytest.raises(StateError, match="^a: "):
        compare_arrays(value, f(1))
    with pytest.raises(StateError, match="^b: "):
        compare_arrays(f(1), value)


def test_the_first_difference_is_named_with_index_and_both_patterns() -> None:
    a = np.arange(6, dtype=f).reshape(2, 3)
    b = a.copy()
    b[1, 0], b[1, 2] = 3.5, 7
    first = compare_arrays(a, b).first_difference
    assert first is not None
    assert (first.index, first.a, first.b) == ((1, 0), 3.0, 3.5)
    assert (first.a_bits, first.b_bits, first.kind) == ("40400000", "40600000", "value")


def test_a_non_finite_mismatch_is_counted_and_makes_the_difference_infinite() -> None:
    a = np.array([1, np.inf, np.nan, 2], f)
    b = np.array([1, -np.inf, 0, 3], f)
    found = compare_arrays(a, b)
    assert (found.mismatches, found.nonfinite_mismatches) == (3, 2)
    assert found.max_difference == math.inf
    assert found.classes == ("value", "nan", "infinity")


def test_an_equal_infinity_does_not_make_the_difference_infinite() -> None:
    found = compare_arrays(np.array([np.inf, 1], f), np.array([np.inf, 2], f))
    assert found.max_difference == 1.0


def test_a_huge_distance_near_zero_is_small_beside_the_largest_weight() -> None:
    a = np.array([2.0**-60, 1], f)
    b = np.array([-(2.0**-60), 1], f)
    found = compare_arrays(a, b)
    assert found.max_ulp is not None and found.max_ulp > 10**9
    assert found.ulps_of_largest == 2.0**-59 / 2.0**-23


def test_one_ulp_of_the_largest_is_one() -> None:
    assert compare_arrays(f(1.5), np.nextafter(f(1.5), f(2))).ulps_of_largest == 1


# --- States --------------------------------------------------------------------------

STATE = {"step": np.int64(3), "weights": np.arange(3, dtype=f), "power": f(0.9)}


def test_a_state_equals_its_copy_in_any_order() -> None:
    found = compare_states(STATE, dict(reversed(STATE.items())))
    assert found.equal
    assert list(found.arrays) == list(STATE)


@pytest.mark.parametrize(
    ("other", "kinds"),
    [
        ({**STATE, "weights": np.array([0, 1, 3], f)}, ("value",)),
        ({**STATE, "weights": np.array([-0.0, 1, 2], f)}, ("signed_zero",)),
        ({**STATE, "more": f(1)}, ("extra",)),
        ({"step": STATE["step"], "power": STATE["power"]}, ("missing",)),
        ({**STATE, "step": np.int32(3)}, ("dtype",)),
        ({"step": np.int64(3), "weight": STATE["weights"]}, ("missing", "extra")),
    ],
)
def test_a_state_that_differs_has_its_classes_and_another_digest(
    other: dict[str, Any], kinds: tuple[str, ...]
) -> None:
    found = compare_states(STATE, other)
    assert (found.equal, found.classes) == (False, kinds)
    assert digest(STATE) != digest(other)


def test_missing_and_extra_names_are_listed() -> None:
    found = compare_states({"a": f(1), "b": f(1)}, {"b": f(1), "c": f(1)})
    assert (found.missing, found.extra, found.differing) == (("a",), ("c",), ("a", "c"))


def test_an_entry_without_partner_must_be_comparable_too() -> None:
    with pytest.raises(StateError, match=r"b\['note'\]"):
        compare_states(STATE, {**STATE, "note": "text"})


def test_a_name_that_is_no_text_is_refused() -> None:
    with pytest.raises(StateError, match="names of type str, got 3"):
        compare_states({3: f(1)}, {})  # type: ignore[dict-item]


@pytest.mark.parametrize("b", [f(np.nan), f(np.inf), f(2), f(-0.0)])
def test_a_comparison_is_plain_json(b: Any) -> None:
    value = compare_states({"x": f(0), "n": np.uint64(1)}, {"x": b, "n": np.uint64(2**63)})
    text = json.dumps(value.to_json(), allow_nan=False)
    assert json.loads(text)["arrays"]["n"]["first_difference"]["b"] == str(2**63)


def test_the_classes_are_the_agreed_words() -> None:
    assert set(CLASSES) == set(
        "value signed_zero nan nan_payload infinity dtype shape length missing extra type".split()
    )
