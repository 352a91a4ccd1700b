"""What holds for every pair of states: the comparison against the digest and a file."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from replay_lab import compare_arrays, compare_states, digest, ulp_distance
from replay_lab.bits import bit_patterns, canonical_array
from replay_lab.comparison_results import CLASSES, ArrayComparison

Array = NDArray[Any]

DTYPES = ["|b1", "|i1", "<i8", "<u8", "<f2", "<f4", "<f8", ">f4", ">u8"]
SPECIAL = {
    2: [0x0000, 0x8000, 0x0001, 0x8001, 0x7BFF, 0x7C00, 0xFC00, 0x7E00, 0xFE00, 0x7D01, 0x3C00],
    4: [0, 1 << 31, 1, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7FA00000],
    8: [0, 1 << 63, 1, 0x7FEFFFFFFFFFFFFF, 0x7FF << 52, 0xFFF << 52, 0x7FF8 << 48, 0x7FF4 << 48],
}
SWAPPED = {"missing": "extra", "extra": "missing"}


@st.composite
def arrays(draw: st.DrawFn, dtypes: list[str] = DTYPES) -> Array:
    """An array of a few elements, any bits, special patterns often."""
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    shape = draw(st.sampled_from([(), (1,), (2,), (3,), (1, 2), (2, 1), (2, 2), (0,), (0, 2)]))
    size = math.prod(shape)
    if dtype.kind == "b":
        bits = st.integers(0, 1)
    else:
        bits = st.integers(0, 2 ** (8 * dtype.itemsize) - 1)
        if dtype.itemsize in SPECIAL:
            bits = st.sampled_from(SPECIAL[dtype.itemsize]) | bits
    words = draw(st.lists(bits, min_size=size, max_size=size))
    unsigned = np.array(words, dtype=f"<u{dtype.itemsize}")
    array = unsigned.view(dtype.newbyteorder("<")).reshape(shape)
    if dtype.byteorder == ">":
        array = array.byteswap().view(dtype)
    return array


@st.composite
def states(draw: st.DrawFn) -> dict[str, Array]:
    return draw(st.dictionaries(st.sampled_from(["w", "m", "v", "step", "é"]), arrays(), max_size=4))


@st.composite
def state_pairs(draw: st.DrawFn) -> tuple[dict[str, Array], dict[str, Array]]:
    """Two states that share most of their entries, so that equality is not rare."""
    a = draw(states())
    b = {name: draw(st.sampled_from([value, value.copy(order="F")])) for name, value in a.items()}
    change = draw(st.sampled_from(["nothing", "bit", "entry", "all", "order"]))
    if change == "bit" and any(value.size for value in b.values()):
        name = draw(st.sampled_from(sorted(name for name, value in b.items() if value.size)))
        flat = bytearray(canonical_array(b[name]).tobytes())
        position = draw(st.integers(0, len(flat) - 1))
        flat[position] ^= 1 if b[name].dtype.kind == "b" else 1 << draw(st.integers(0, 7))
        dtype = b[name].dtype.newbyteorder("<")
        b[name] = np.frombuffer(bytes(flat), dtype=dtype).reshape(b[name].shape)
    elif change == "entry":
        b |= draw(st.dictionaries(st.sampled_from(["w", "x"]), arrays(), min_size=1, max_size=1))
    elif change == "all":
        b = draw(states())
    elif change == "order":
        b = dict(reversed(b.items()))
    return a, b


def swapped(classes: tuple[str, ...]) -> tuple[str, ...]:
    turned = [SWAPPED.get(kind, kind) for kind in classes]
    return tuple(kind for kind in CLASSES if kind in turned)


def mirrored(found: ArrayComparison) -> dict[str, Any]:
    turned = found.to_json()
    turned["forms"].reverse()
    if turned["first_difference"] is not None:
        first = turned["first_difference"]
        first["a"], first["b"] = first["b"], first["a"]
        first["a_bits"], first["b_bits"] = first["b_bits"], first["a_bits"]
    return turned


@given(states())
def test_state_equals_itself(state: dict[str, Array]) -> None:
    assert compare_states(state, state).equal


@given(state_pairs())
def test_comparison_is_symmetric_with_missing_and_extra_exchanged(
    pair: tuple[dict[str, Array], dict[str, Array]],
) -> None:
    a, b = pair
    there, back = compare_states(a, b), compare_states(b, a)
    assert back.classes == swapped(there.classes)
    assert (set(back.missing), set(back.extra)) == (set(there.extra), set(there.missing))
    assert (back.max_ulp, back.max_difference) == (there.max_ulp, there.max_difference)
    for name, part in there.arrays.items():
        assert mirrored(part) == back.arrays[name].to_json()


@settings(max_examples=300)
@given(state_pairs())
def test_states_are_equal_exactly_when_their_digests_are(
    pair: tuple[dict[str, Array], dict[str, Array]],
) -> None:
    a, b = pair
    assert compare_states(a, b).equal == (digest(a) == digest(b))


@given(states())
def test_state_survives_an_archive_bit_for_bit(state: dict[str, Array]) -> None:
    file = io.BytesIO()
    np.savez(file, **state)
    file.seek(0)
    with np.load(file, allow_pickle=False) as archive:
        loaded = dict(archive)
    assert compare_states(state, loaded).equal
    assert digest(state) == digest(loaded)


@settings(max_examples=300)
@given(state_pairs())
def test_description_agrees_with_the_bits(
    pair: tuple[dict[str, Array], dict[str, Array]],
) -> None:
    a, b = pair
    for name, found in compare_states(a, b).arrays.items():
        if found.mismatches is None:
            assert set(found.classes) <= {"dtype", "shape", "length"} and found.classes
            continue
        left, right = canonical_array(a[name]), canonical_array(b[name])
        differ = bit_patterns(left.reshape(-1)) != bit_patterns(right.reshape(-1))
        assert found.mismatches == differ.sum()
        assert found.equal == (found.mismatches == 0) == (found.first_difference is None)
        assert set(found.classes) <= set(CLASSES[:5])
        if found.first_difference is not None:
            assert found.first_difference.kind in found.classes
            places = list(np.ndindex(left.shape))
            assert places.index(found.first_difference.index) == differ.argmax()


@given(arrays(["<f2", "<f4", "<f8", ">f4"]), st.data())
def test_largest_ulp_is_the_largest_of_the_elementwise_distances(
    a: Array, data: st.DataObject
) -> None:
    b = data.draw(arrays([a.dtype.str]))
    if a.shape != b.shape:
        return
    distances = np.asarray(ulp_distance(a, b)).reshape(-1).tolist()
    found = compare_arrays(a, b)
    assert found.max_ulp == (None if None in distances else max(distances, default=0))
