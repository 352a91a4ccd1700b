"""What holds for every pair of floats and every pair of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from replay_lab.bits import bit_pattern, canonical_bytes, digest, ordered_integers, ulp_distance

PATTERNS = st.one_of(
    st.integers(0, 2**32 - 1),
    st.sampled_from([0, 1, 0x7F7FFFFF, 0x7F800000, 0x7FC00000, 0x80000000, 0x80000001, 0xFF800000]),
)
FLOATS = PATTERNS.map(lambda bits: np.array(bits, dtype="<u4").view("<f4")[()])
NUMBERS = FLOATS.filter(lambda value: not np.isnan(value))
ARRAYS = st.lists(PATTERNS, max_size=4).map(lambda bits: np.array(bits, dtype="<u4").view("<f4"))
NAMES = st.text(max_size=3)


@given(FLOATS, FLOATS)
def test_the_ulp_distance_is_symmetric(a: Any, b: Any) -> None:
    assert ulp_distance(a, b) == ulp_distance(b, a)


@given(FLOATS)
def test_the_ulp_distance_to_itself_is_zero_or_none(a: Any) -> None:
    assert ulp_distance(a, a) == (None if np.isnan(a) else 0)


@given(NUMBERS, NUMBERS)
@example(np.float32(0), np.float32(-0.0))
def test_the_ulp_distance_is_zero_exactly_for_equal_numbers(a: Any, b: Any) -> None:
    assert (ulp_distance(a, b) == 0) == (a == b)


@given(NUMBERS, NUMBERS, NUMBERS)
def test_ulp_distances_add_up_along_the_number_line(a: Any, b: Any, c: Any) -> None:
    low, middle, high = sorted([a, b, c])
    assert ulp_distance(low, high) == ulp_distance(low, middle) + ulp_distance(middle, high)


@given(NUMBERS.filter(lambda value: abs(value) < np.finfo(np.float32).max))
def test_the_next_float_is_one_ulp_away(a: Any) -> None:
    assert ulp_distance(a, np.nextafter(a, np.float32(np.inf))) == 1


@given(NUMBERS, NUMBERS)
def test_ordered_integers_keep_the_order_of_the_numbers(a: Any, b: Any) -> None:
    p, q = ordered_integers(np.array([a, b], dtype="<f4")).tolist()
    assert ((p < q), (p == q)) == (bool(a < b), bool(a == b))


@given(PATTERNS)
def test_a_bit_pattern_is_the_bits(bits: int) -> None:
    assert bit_pattern(np.array(bits, dtype="<u4").view("<f4")) == f"{bits:08x}"


@given(ARRAYS, ARRAYS)
def test_digests_are_equal_exactly_when_all_bits_are(a: Any, b: Any) -> None:
    assert (digest({"x": a}) == digest({"x": b})) == (a.tobytes() == b.tobytes())


@given(st.dictionaries(NAMES, ARRAYS, max_size=3), st.dictionaries(NAMES, ARRAYS, max_size=3))
def test_digests_of_states_are_equal_exactly_when_the_states_are(a: Any, b: Any) -> None:
    def plain(state: Any) -> Any:
        return {name: array.tobytes() for name, array in state.items()}

    assert (digest(a) == digest(b)) == (plain(a) == plain(b))


@given(NAMES, ARRAYS, NAMES, ARRAYS)
def test_no_canonical_form_is_the_start_of_another(
    name: str, array: Any, other_name: str, other: Any
) -> None:
    one, two = canonical_bytes(name, array), canonical_bytes(other_name, other)
    assert one == two or not two.startswith(one)
