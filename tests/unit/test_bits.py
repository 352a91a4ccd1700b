"""Bit patterns, ULP distances, canonical bytes and the digest."""

from __future__ import annotations

import decimal
import hashlib
from typing import Any

import numpy as np
import pytest

from replay_lab.bits import (
    bit_pattern,
    canonical_array,
    canonical_bytes,
    digest,
    digest_of_texts,
    ordered_integers,
    ulp_distance,
)
from replay_lab.errors import StateError

F32 = np.finfo(np.float32)
F64 = np.finfo(np.float64)


def float32_from(bits: int) -> np.float32:
    return np.array(bits, dtype="<u4").view("<f4")[()]


# --- ULP distance --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        pytest.param(np.float32(0.0), np.float32(-0.0), 0, id="zeros of both signs"),
        pytest.param(np.float32(0), F32.smallest_subnormal, 1, id="zero to least subnormal"),
        pytest.param(-F32.smallest_subnormal, F32.smallest_subnormal, 2, id="across zero"),
        pytest.param(np.float32(0), F32.tiny, 2**23, id="zero to least normal"),
        pytest.param(np.float32(1), np.float32(2), 2**23, id="one binade"),
        pytest.param(np.float32(1), np.float32(1) - F32.epsneg, 1, id="below a power of two"),
        pytest.param(np.float32(1), np.float32(1) + F32.eps, 1, id="above a power of two"),
        pytest.param(F32.min, F32.max, 4278190078, id="span of float32"),
        pytest.param(F32.max, np.float32(np.inf), 1, id="max to infinity"),
        pytest.param(np.float32(-np.inf), np.float32(np.inf), 4278190080, id="infinities"),
        pytest.param(F64.min, F64.max, 2 * (0x7FEFFFFFFFFFFFFF), id="span of float64"),
        pytest.param(0.0, -0.0, 0, id="Python floats, zeros"),
        pytest.param(1.0, 1.0 + 2**-52, 1, id="Python floats, neighbours"),
        pytest.param(np.float16(0), np.float16(1), 0x3C00, id="float16"),
    ],
)
def test_ulp_distance_counts_the_steps_between_two_floats(a: Any, b: Any, expected: int) -> None:
    assert ulp_distance(a, b) == expected


def test_ulp_distance_of_scalars_is_a_python_int() -> None:
    assert type(ulp_distance(F64.min, F64.max)) is int


@pytest.mark.parametrize("other", [np.float32(1), np.float32(np.inf), np.float32(np.nan)])
def test_ulp_distance_to_nan_is_none(other: np.float32) -> None:
    assert ulp_distance(np.float32(np.nan), other) is None


def test_ulp_distance_of_arrays_is_unsigned_and_elementwise() -> None:
    left = np.array([F64.min, 0.0, 1.0])
    right = np.array([F64.max, -0.0, 1.0])
    found = ulp_distance(left, right)
    assert found.dtype == np.uint64
    assert found.tolist() == [2 * 0x7FEFFFFFFFFFFFFF, 0, 0]


def test_ulp_distance_of_arrays_keeps_none_where_a_nan_is() -> None:
    found = ulp_distance(np.array([1.0, np.nan]), np.array([1.0, 1.0]))
    assert found.tolist() == [0, None]


def test_ulp_distance_does_not_broadcast() -> None:
    with pytest.raises(StateError, match=r"equal shapes, got \(3,\) and \(1,\)"):
        ulp_distance(np.zeros(3), np.zeros(1))


def test_ulp_distance_refuses_two_dtypes() -> None:
    with pytest.raises(StateError, match="got float32 and float64"):
        ulp_distance(np.float32(1), np.float64(1))


def test_ulp_distance_refuses_integers() -> None:
    with pytest.raises(StateError, match="needs two floats"):
        ulp_distance(np.int32(1), np.int32(2))


def test_ordered_integers_ascend_with_the_numbers() -> None:
    numbers = [-np.inf, F32.min, -1, -F32.tiny, -F32.smallest_subnormal, 0,
               F32.smallest_subnormal, F32.tiny, 1, F32.max, np.inf]  # fmt: skip
    ordered = ordered_integers(np.array(numbers, dtype="<f4"))
    assert (np.diff(ordered.astype(object)) > 0).all()


# --- Bit patterns --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "bits"),
    [
        (np.float32(1), "3f800000"),
        (np.float32(-0.0), "80000000"),
        (F32.smallest_subnormal, "00000001"),
        (np.float16(-2), "c000"),
        (1.0, "3ff0000000000000"),
        (-0.0, "8000000000000000"),
        (np.float64(np.inf), "7ff0000000000000"),
        (np.array(1, dtype=">f4"), "3f800000"),
    ],
)
def test_bit_pattern_has_two_hexadecimal_digits_per_byte(value: Any, bits: str) -> None:
    assert bit_pattern(value) == bits


def test_bit_pattern_refuses_two_numbers() -> None:
    with pytest.raises(StateError, match=r"one number, got an array of shape \(2,\)"):
        bit_pattern(np.zeros(2))


# --- Digest --------------------------------------------------------------------------


def test_digest_does_not_depend_on_insertion_order() -> None:
    a, b = np.float32(1), np.arange(3)
    assert digest({"a": a, "b": b}) == digest({"b": b, "a": a})


@pytest.mark.parametrize(
    "layout",
    [
        pytest.param(lambda x: x.astype(x.dtype.newbyteorder(">")), id="big-endian"),
        pytest.param(np.asfortranarray, id="Fortran order"),
        pytest.param(lambda x: np.repeat(x, 2, axis=1)[:, ::2], id="strided view"),
        pytest.param(lambda x: x[::-1].copy()[::-1], id="negative stride"),
    ],
)
def test_digest_sees_the_elements_and_not_their_layout(layout: Any) -> None:
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert digest({"x": layout(array)}) == digest({"x": array})


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"y": np.zeros(4, np.float32)}, id="name"),
        pytest.param({"x": np.zeros(4, np.int32)}, id="dtype"),
        pytest.param({"x": np.zeros((2, 2), np.float32)}, id="shape"),
        pytest.param({"x": np.zeros((4, 1), np.float32)}, id="dimensions"),
        pytest.param({"x": np.array([0, 0, 0, -0.0], np.float32)}, id="sign of zero"),
        pytest.param({"x": np.zeros(5, np.float32)}, id="length"),
        pytest.param({"x": np.zeros(4, np.float32), "z": np.zeros(0)}, id="extra empty array"),
        pytest.param({}, id="nothing"),
    ],
)
def test_digest_sees_every_difference(other: dict[str, Any]) -> None:
    assert digest(other) != digest({"x": np.zeros(4, np.float32)})


def test_digest_sees_a_permutation() -> None:
    assert digest({"x": np.array([1.0, 2.0])}) != digest({"x": np.array([2.0, 1.0])})


def test_digest_sees_the_payload_of_a_nan() -> None:
    assert digest({"x": float32_from(0x7FC00001)}) != digest({"x": float32_from(0x7FC00000)})


def test_digest_takes_a_scalar_for_an_array_without_dimensions() -> None:
    assert digest({"x": np.float32(2)}) == digest({"x": np.array(2, dtype=np.float32)})


def test_digest_distinguishes_an_empty_name_with_data_from_a_name() -> None:
    assert digest({"ab": np.uint8(1)}) != digest({"a": np.uint8(1), "b": np.uint8(1)})


def test_canonical_bytes_of_one_array_are_never_the_start_of_another() -> None:
    states = [
        canonical_bytes(name, array)
        for name in ("", "a", "ab")
        for array in (np.zeros(0, np.uint8), np.zeros(1, np.uint8), np.zeros(9, np.uint8))
    ]
    for one in states:
        assert [other for other in states if other.startswith(one)] == [one]


def test_digest_is_the_sha256_of_the_length_prefixed_parts() -> None:
    def prefixed(data: bytes) -> bytes:
        return len(data).to_bytes(8, "little") + data

    parts = [b"w", b"<f4", b"(2,)", bytes.fromhex("0000803f00000080")]
    expected = hashlib.sha256(b"".join(map(prefixed, parts))).hexdigest()
    assert digest({"w": np.array([1.0, -0.0], dtype=np.float32)}) == expected


def test_digest_of_texts_keeps_names_and_texts_apart() -> None:
    assert digest_of_texts({"a": "bc"}) != digest_of_texts({"ab": "c"})


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(np.array([1, "a"], dtype=object), id="objects"),
        pytest.param(np.zeros(2, dtype=[("a", "f4")]), id="structured"),
        pytest.param(np.zeros(2, dtype=np.longdouble), id="long double"),
        pytest.param(np.zeros(2, dtype=np.complex64), id="complex"),
        pytest.param(np.array(["a"]), id="text"),
        pytest.param(np.array(["2026-01-01"], dtype="M8[D]"), id="date"),
        pytest.param(np.ma.masked_array([1.0, 2.0], mask=[True, False]), id="masked"),
        pytest.param(1.0, id="Python float"),
        pytest.param(1, id="Python int"),
        pytest.param([1.0], id="list"),
        pytest.param(None, id="None"),
        pytest.param(decimal.Decimal(1), id="Decimal"),
    ],
)
def test_digest_refuses_by_name_what_has_no_portable_bits(value: object) -> None:
    with pytest.raises(StateError, match="^momentum: "):
        digest({"momentum": value})


def test_canonical_array_keeps_a_dimensionless_array_dimensionless() -> None:
    assert canonical_array(np.float32(1)).shape == ()
