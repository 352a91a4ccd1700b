"""Every corner of the exact comparison: what is equal, and of which class it is if not."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from replay_lab import compare_arrays, compare_states
from replay_lab.comparison_results import CLASSES
from replay_lab.errors import StateError

F32 = np.finfo(np.float32)
F64 = np.finfo(np.float64)
STRUCTURED = np.zeros(2, dtype=[("x", "<f4")])


def f32(bits: int) -> np.float32:
    return np.array(bits, dtype="<u4").view("<f4")[()]


def f64(bits: int) -> np.float64:
    return np.array(bits, dtype="<u8").view("<f8")[()]


QUIET, SIGNALLING, PAYLOAD, NEGATIVE = map(f32, (0x7FC00000, 0x7FA00000, 0x7FC00001, 0xFFC00000))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        pytest.param(np.float32(1), np.array(1, np.float32), id="scalar and 0-d array"),
        pytest.param(QUIET, QUIET, id="the same NaN"),
        pytest.param(SIGNALLING, SIGNALLING, id="the same signalling NaN"),
        pytest.param(-0.0, -0.0, id="Python floats"),
        pytest.param(float("nan"), float("nan"), id="Python NaN"),
        pytest.param(
            np.arange(6, dtype=np.float32).reshape(2, 3),
            np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3)),
            id="Fortran order",
        ),
        pytest.param(np.arange(8.0)[::2], np.array([0.0, 2.0, 4.0, 6.0]), id="strided view"),
        pytest.param(np.arange(3, dtype=">f4"), np.arange(3, dtype="<f4"), id="big-endian floats"),
        pytest.param(np.arange(3, dtype=">u8"), np.arange(3, dtype="<u8"), id="big-endian integers"),
        pytest.param(np.zeros((2, 0)), np.zeros((2, 0)), id="empty"),
        pytest.param(np.array([True, False]), np.array([True, False]), id="booleans"),
        pytest.param(F32.smallest_subnormal, F32.smallest_subnormal, id="subnormal"),
    ],
)
def test_equal_logical_elements_are_equal(a: Any, b: Any) -> None:
    found = compare_arrays(a, b)
    assert found.equal
    assert found.classes == ()
    assert found.mismatches == 0
    assert found.first_difference is None


@pytest.mark.parametrize(
    ("a", "b", "kind", "max_ulp", "max_difference"),
    [
        pytest.param(np.float32(0), np.float32(-0.0), "signed_zero", 0, 0.0, id="zeros, float32"),
        pytest.param(0.0, -0.0, "signed_zero", 0, 0.0, id="zeros, Python float"),
        pytest.param(QUIET, PAYLOAD, "nan_payload", None, math.inf, id="NaN payload"),
        pytest.param(QUIET, NEGATIVE, "nan_payload", None, math.inf, id="NaN sign"),
        pytest.param(QUIET, SIGNALLING, "nan_payload", None, math.inf, id="NaN quiet bit"),
        pytest.param(np.float32(1), QUIET, "nan", None, math.inf, id="number against NaN"),
        pytest.param(np.float32(np.inf), QUIET, "nan", None, math.inf, id="infinity against NaN"),
        pytest.param(F32.max, np.float32(np.inf), "infinity", 1, math.inf, id="max to infinity"),
        pytest.param(
            np.float64(-np.inf), np.float64(np.inf), "infinity", 0xFFE0000000000000, math.inf,
            id="both infinities",
        ),
        pytest.param(
            -F32.max, F32.max, "value", 4278190078, 2 * float(F32.max), id="span of float32"
        ),
        pytest.param(
            -F64.max, F64.max, "value", 2 * 0x7FEFFFFFFFFFFFFF, math.inf, id="span of float64"
        ),
        pytest.param(
            F32.smallest_subnormal, -F32.smallest_subnormal, "value", 2, 2.0**-148,
            id="subnormals of both signs",
        ),
        pytest.param(
            np.float32(0), F32.smallest_subnormal, "value", 1, 2.0**-149, id="zero and subnormal"
        ),
        pytest.param(np.float16(1), np.float16(1.001), "value", 1, 2.0**-10, id="float16"),
        pytest.param(np.float64(1), np.nextafter(1.0, 2), "value", 1, 2.0**-52, id="float64"),
        pytest.param(1.0, 1.5, "value", 2**51, 0.5, id="Python floats"),
        pytest.param(np.True_, np.False_, "value", None, 1.0, id="booleans"),
        pytest.param(np.int8(-128), np.int8(127), "value", None, 255.0, id="span of int8"),
        pytest.param(
            np.int64(-(2**63)), np.int64(2**63 - 1), "value", None, float(2**64), id="span of int64"
        ),
        pytest.param(
            np.uint64(2**63), np.uint64(2**63 + 1), "value", None, 1.0,
            id="integers that float64 cannot tell apart",
        ),
    ],
)  # fmt: skip
def test_one_differing_element_has_its_class_ulp_and_difference(
    a: Any, b: Any, kind: str, max_ulp: int | None, max_difference: float
) -> None:
    for left, right in ((a, b), (b, a)):
        found = compare_arrays(left, right)
        assert not found.equal
        assert found.classes == (kind,)
        assert found.max_ulp == max_ulp
        assert found.max_difference == max_difference
        assert found.mismatches == 1
        assert found.first_difference is not None
        assert (found.first_difference.kind, found.first_difference.ulp) == (kind, max_ulp)


@pytest.mark.parametrize(
    ("a", "b", "classes"),
    [
        pytest.param(np.zeros(3), np.zeros(3, np.float32), ("dtype",), id="width"),
        pytest.param(np.zeros(3, np.int32), np.zeros(3, np.uint32), ("dtype",), id="sign"),
        pytest.param(np.zeros(3, np.bool_), np.zeros(3, np.uint8), ("dtype",), id="bool and byte"),
        pytest.param(np.zeros(3), np.zeros(4), ("length",), id="longer"),
        pytest.param(np.zeros(0), np.zeros(1), ("length",), id="empty and one"),
        pytest.param(np.zeros(3), np.zeros((3, 1)), ("shape",), id="column"),
        pytest.param(np.zeros((2, 3)), np.zeros((3, 2)), ("shape",), id="transposed"),
        pytest.param(np.zeros(1), np.float64(0), ("shape",), id="one element and scalar"),
        pytest.param(np.zeros((0, 2)), np.zeros((2, 0)), ("shape",), id="both empty"),
        pytest.param(np.zeros(3), np.zeros(4, np.float32), ("dtype", "length"), id="two at once"),
        pytest.param(1.0, np.float64(1), ("type",), id="Python float and its subclass"),
        pytest.param(1.0, np.float32(1), ("type",), id="Python float and float32"),
        pytest.param(1.0, np.array(1.0), ("type",), id="Python float and 0-d array"),
        pytest.param(1.0, np.ones(3), ("type",), id="Python float and array"),
    ],
)
def test_other_form_is_a_mismatch_and_no_part_is_compared(
    a: Any, b: Any, classes: tuple[str, ...]
) -> None:
    for left, right in ((a, b), (b, a)):
        found = compare_arrays(left, right)
        assert not found.equal
        assert found.classes == classes
        assert found.mismatches is None
        assert found.max_ulp is None
        assert found.max_difference is None
        assert found.first_difference is None


REFUSED = [
    pytest.param(np.array([None]), "object", id="objects"),
    pytest.param(STRUCTURED, "x", id="structured"),
    pytest.param(STRUCTURED[0], "x", id="structured scalar"),
    pytest.param(np.zeros(2, np.complex64), "complex64", id="complex"),
    pytest.param(np.array(["a"]), "U1", id="text"),
    pytest.param(np.zeros(2, "M8[s]"), "datetime64", id="datetime"),
    pytest.param(1, "int", id="Python int"),
    pytest.param(True, "bool", id="Python bool"),
    pytest.param([1.0], "list", id="list"),
    pytest.param(None, "NoneType", id="nothing"),
    pytest.param(
        np.zeros(2, np.longdouble),
        "float",
        id="long double",
        marks=pytest.mark.skipif(
            np.dtype(np.longdouble).itemsize == 8, reason="long double is float64 here"
        ),
    ),
]


@pytest.mark.parametrize(("value", "named"), REFUSED)
def test_what_has_no_portable_bits_is_refused_on_either_side(value: Any, named: str) -> None:
    for pair in ((value, np.zeros(2)), (np.zeros(2), value), (value, value)):
        with pytest.raises(StateError, match=named):
            compare_arrays(*pair)


@pytest.mark.parametrize(("value", "named"), REFUSED)
def test_refused_entry_is_named_even_without_a_partner(value: Any, named: str) -> None:
    with pytest.raises(StateError, match=rf"b\['moments'\].*{named}"):
        compare_states({}, {"moments": value})


def test_subclass_of_float_is_refused_not_taken_for_a_float() -> None:
    class Metres(float):
        pass

    with pytest.raises(StateError, match="Metres"):
        compare_arrays(Metres(1), 1.0)


def test_a_nan_anywhere_leaves_no_ulp_distance() -> None:
    a = np.array([1, QUIET, 3], np.float32)
    b = np.array([1, QUIET, 4], np.float32)
    found = compare_arrays(a, b)
    assert found.classes == ("value",)
    assert found.max_ulp is None
    assert found.max_difference == 1.0
    assert found.nonfinite_mismatches == 0
    assert compare_arrays(a, a).max_ulp is None


def test_classes_come_in_the_stated_order_and_nonfinite_mismatches_are_counted() -> None:
    a = np.array([F32.max, QUIET, 0.0, 1.0, QUIET, 7.0], np.float32)
    b = np.array([np.inf, PAYLOAD, -0.0, 2.0, 1.0, 7.0], np.float32)
    found = compare_arrays(a, b)
    assert found.classes == ("value", "signed_zero", "nan", "nan_payload", "infinity")
    assert found.classes == CLASSES[:5]
    assert found.mismatches == 5
    assert found.nonfinite_mismatches == 3
    assert found.max_difference == math.inf


def test_infinities_that_agree_do_not_spoil_the_difference_of_the_others() -> None:
    a, b = np.array([np.inf, 1.0]), np.array([np.inf, 1.25])
    assert compare_arrays(a, b).max_difference == 0.25


def test_first_difference_is_the_first_in_c_order_whatever_the_memory_order() -> None:
    a = np.zeros((2, 3), dtype=">f4", order="F")
    b = a.copy(order="C")
    b[0, 2], b[1, 0] = 1.0, -2.0
    first = compare_arrays(a, b).first_difference
    assert first is not None
    assert first.index == (0, 2)
    assert (first.a_bits, first.b_bits) == ("00000000", "3f800000")
    assert (first.a, first.b) == (0.0, 1.0)
    assert first.ulp == 0x3F800000


def test_ulps_of_the_largest_element_put_a_crossing_of_zero_into_proportion() -> None:
    a = np.array([1.0, 2.0**-26], np.float32)
    b = np.array([1.0, -(2.0**-26)], np.float32)
    found = compare_arrays(a, b)
    assert found.max_ulp is not None and found.max_ulp > 10**9
    assert found.ulps_of_largest == 0.25


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("position", ["largest", "one", "subnormal"])
def test_one_step_at_the_largest_element_is_one_ulp_of_it(dtype: Any, position: str) -> None:
    form = np.finfo(dtype)
    top = {"largest": form.max, "one": dtype(1.5), "subnormal": form.smallest_subnormal}[position]
    below = np.nextafter(top, dtype(0))
    assert compare_arrays(top, below).ulps_of_largest == 1.0


def test_comparison_json_has_no_nan_and_keeps_64_bit_integers() -> None:
    state = {
        "gap": np.array([1.0, np.inf]),
        "nan": np.array([QUIET]),
        "words": np.array([2**64 - 1], np.uint64),
        "gone": np.zeros(1),
    }
    other = {
        "gap": np.array([1.0, -np.inf]),
        "nan": np.array([PAYLOAD]),
        "words": np.array([2**64 - 2], np.uint64),
        "new": np.zeros(1),
    }
    found = compare_states(state, other).to_json()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["classes"] == ["value", "nan_payload", "infinity", "missing", "extra"]
    assert found["arrays"]["gap"]["max_difference"] is None
    assert found["arrays"]["gap"]["first_difference"]["a"] is None
    assert found["arrays"]["gap"]["first_difference"]["a_bits"] == "7ff0000000000000"
    assert found["arrays"]["words"]["first_difference"]["a"] == "18446744073709551615"
    assert (found["missing"], found["extra"]) == (["gone"], ["new"])


def test_state_answers_over_its_float_arrays() -> None:
    a = {"w": np.float32([1, 2]), "v": np.float64([1]), "words": np.uint64([7])}
    b = {"w": np.float32([1, 3]), "v": np.float64([1.25]), "words": np.uint64([2**63])}
    found = compare_states(a, b)
    assert found.classes == ("value",)
    assert found.differing == ("w", "v", "words")
    assert found.max_ulp == 2**50
    assert found.max_difference == 1.0


@pytest.mark.parametrize(
    ("changed", "kind"),
    [
        pytest.param({"w": np.zeros(2), "v": np.zeros(3)}, "length", id="length"),
        pytest.param({"w": np.zeros(2)}, "missing", id="missing"),
        pytest.param({"w": np.zeros(2), "v": np.zeros(2), "x": np.zeros(2)}, "extra", id="extra"),
        pytest.param({"w": np.zeros(2), "v": 0.0}, "type", id="type"),
    ],
)
def test_state_of_other_form_has_no_largest_difference(changed: dict[str, Any], kind: str) -> None:
    found = compare_states({"w": np.zeros(2), "v": np.zeros(2)}, changed)
    assert found.classes == (kind,)
    assert found.max_ulp is None
    assert found.max_difference is None


def test_renamed_entry_is_missing_and_extra() -> None:
    found = compare_states({"m": np.zeros(1)}, {"M": np.zeros(1)})
    assert found.classes == ("missing", "extra")
    assert found.differing == ("m", "M")


def test_order_of_names_does_not_decide_but_is_kept() -> None:
    a = {"sampler": np.zeros(1), "loss": np.zeros(1), "weights": np.zeros(1)}
    b = {"weights": np.ones(1), "sampler": np.ones(1), "loss": np.zeros(1)}
    found = compare_states(a, b)
    assert tuple(found.arrays) == ("sampler", "loss", "weights")
    assert found.differing == ("sampler", "weights")


def test_empty_states_are_equal() -> None:
    found = compare_states({}, {})
    assert found.equal
    assert found.max_ulp is None


def test_names_that_are_no_text_are_refused() -> None:
    with pytest.raises(StateError, match="names of type str, got 3"):
        compare_states({3: np.zeros(1)}, {})  # type: ignore[dict-item]


def test_operands_are_not_changed_and_results_are_frozen() -> None:
    a = np.arange(3, dtype=">f4")
    before = a.tobytes()
    found = compare_states({"a": a}, {"a": a + 1})
    assert a.tobytes() == before
    with pytest.raises(TypeError):
        found.arrays["a"] = None  # type: ignore[index]
    with pytest.raises(AttributeError):
        found.missing = ("a",)  # type: ignore[misc]
