"""Two arrays or two states, bit by bit: equal or not, and what differs.

Equality is decided on integers: form and every bit. Everything else that a
comparison holds (classes, ULPs, differences) only describes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .bits import Array, bit_pattern, bit_patterns, canonical_array, ordered_integers
from .comparison_results import CLASSES, ArrayComparison, ElementDifference, StateComparison
from .errors import StateError

_INFINITY_PATTERNS = {2: 0x7C00, 4: 0x7F80_0000, 8: 0x7FF0_0000_0000_0000}


def compare_arrays(a: object, b: object) -> ArrayComparison:
    """Compare two arrays bit by bit.

    Parameters
    ----------
    a, b : ndarray, numpy scalar or Python float
        Booleans, integers or floats of at most 8 bytes. A 0-d array and a
        numpy scalar of its dtype are the same thing; a Python float is not,
        it is compared (as float64) with another Python float only. Byte
        order, strides and memory order are layout and do not count.

    Returns
    -------
    ArrayComparison

    Raises
    ------
    StateError
        For values without a portable bit pattern: Python objects, structured,
        complex, text and long double arrays.

    Notes
    -----
    Nothing is broadcast, and arrays of different form are not compared in
    their common part. Two one-dimensional arrays of different length are of
    class ``length``, all other differences of shape of class ``shape``.

    An element differs when its bits do. Its class is the first that applies:
    ``nan_payload`` (both NaN), ``nan`` (one is), ``signed_zero`` (both zero),
    ``infinity`` (one is infinite), ``value``.

    The ULP distance is the difference of the ordered integers of both (see
    `bits.ordered_integers`): 0 between the zeros, 1 from the largest finite
    number to infinity. Integer differences are exact before they become
    float64.

    References
    ----------
    B. Dawson: Comparing Floating Point Numbers, 2012 edition (the mapping of
    floats to ordered integers; here with unsigned distances).

    Examples
    --------
    >>> compare_arrays(np.float32(0.0), np.float32(-0.0)).classes
    ('signed_zero',)
    """
    return _compare(a, b, "a", "b")


def compare_states(a: Mapping[str, object], b: Mapping[str, object]) -> StateComparison:
    """Compare two states, name by name and bit by bit.

    Parameters
    ----------
    a, b : mapping of str to ndarray, numpy scalar or Python float
        The first is the one that the second is measured against: a name that
        only `a` has is missing, a name that only `b` has is extra. Names in
        causal order give a comparison in causal order.

    Returns
    -------
    StateComparison
        Equal exactly when `bits.digest` of both is.

    Raises
    ------
    StateError
        Naming the entry that has no portable bit pattern, on either side,
        also where the other side has no entry of that name.
    """
    for side, state in (("a", a), ("b", b)):
        for name, value in state.items():
            if not isinstance(name, str):
                raise StateError(f"{side}: expected names of type str, got {name!r}")
            _canonical(value, f"{side}[{name!r}]")
    return StateComparison(
        arrays=MappingProxyType(
            {
                name: _compare(a[name], b[name], f"a[{name!r}]", f"b[{name!r}]")
                for name in a
                if name in b
            }
        ),
        missing=tuple(name for name in a if name not in b),
        extra=tuple(name for name in b if name not in a),
    )


class _Pairs(NamedTuple):
    """Two canonical arrays of one form, flat, and where their bits differ."""

    a: Array
    b: Array
    differ: NDArray[np.bool_]


def _compare(a: object, b: object, a_name: str, b_name: str) -> ArrayComparison:
    left, right = _canonical(a, a_name), _canonical(b, b_name)
    forms = (_form(a, left), _form(b, right))
    kinds = _form_classes(a, b, left, right)
    if kinds:
        return ArrayComparison(
            classes=kinds,
            forms=forms,
            mismatches=None,
            nonfinite_mismatches=0,
            max_ulp=None,
            max_difference=None,
            ulps_of_largest=None,
            first_difference=None,
        )
    flat_left, flat_right = left.reshape(-1), right.reshape(-1)
    pairs = _Pairs(flat_left, flat_right, bit_patterns(flat_left) != bit_patterns(flat_right))
    describe = _describe_floats if left.dtype.kind == "f" else _describe_integers
    return describe(pairs, forms, left.shape)


def _canonical(value: object, name: str) -> Array:
    return canonical_array(np.float64(value) if type(value) is float else value, name)


def _form(value: object, array: Array) -> str:
    if type(value) is float:
        return "Python float"
    return f"{array.dtype.name} of shape {tuple(map(int, array.shape))}"


def _form_classes(a: object, b: object, left: Array, right: Array) -> tuple[str, ...]:
    """Say what keeps two values from having elements in pairs."""
    if (type(a) is float) != (type(b) is float):
        return ("type",)
    kinds = () if left.dtype == right.dtype else ("dtype",)
    if left.shape == right.shape:
        return kinds
    return (*kinds, "length" if left.ndim == right.ndim == 1 else "shape")


def _describe_integers(
    pairs: _Pairs, forms: tuple[str, str], shape: tuple[int, ...]
) -> ArrayComparison:
    """Describe pairs of integers or booleans."""
    left, right = _ascending(pairs.a), _ascending(pairs.b)
    gaps = np.where(left > right, left - right, right - left)
    differ = bool(pairs.differ.any())
    return ArrayComparison(
        classes=("value",) if differ else (),
        forms=forms,
        mismatches=int(pairs.differ.sum()),
        nonfinite_mismatches=0,
        max_ulp=None,
        max_difference=float(int(gaps.max(initial=0))),
        ulps_of_largest=None,
        first_difference=_first(pairs, shape, "value", None) if differ else None,
    )


def _describe_floats(
    pairs: _Pairs, forms: tuple[str, str], shape: tuple[int, ...]
) -> ArrayComparison:
    """Describe pairs of floats; every question about a float is one about its bits."""
    left, right = _magnitudes(pairs.a), _magnitudes(pairs.b)
    infinity = np.uint64(_INFINITY_PATTERNS[pairs.a.dtype.itemsize])
    nan = (left > infinity).astype(np.int8) + (right > infinity)
    infinite = (left == infinity) | (right == infinity)
    finite = (left < infinity) & (right < infinity)
    both_zero = (left == 0) & (right == 0)
    codes = np.select(
        [~pairs.differ, nan == 2, nan == 1, both_zero, infinite],
        [0, *map(_code, ("nan_payload", "nan", "signed_zero", "infinity"))],
        default=_code("value"),
    )
    p, q = ordered_integers(pairs.a), ordered_integers(pairs.b)
    ulps = np.where(p > q, p - q, q - p)
    lost = int((pairs.differ & ~finite).sum())
    gap = math.inf if lost else _largest_gap(pairs.a[finite], pairs.b[finite])
    first = int(pairs.differ.argmax()) if pairs.differ.any() else None
    return ArrayComparison(
        classes=tuple(kind for kind in CLASSES if (codes == _code(kind)).any()),
        forms=forms,
        mismatches=int(pairs.differ.sum()),
        nonfinite_mismatches=lost,
        max_ulp=None if nan.any() else int(ulps.max(initial=0)),
        max_difference=gap,
        ulps_of_largest=_in_ulps_of_largest(gap, pairs.a, pairs.b, finite),
        first_difference=None
        if first is None
        else _first(
            pairs, shape, CLASSES[codes[first] - 1], None if nan[first] else int(ulps[first])
        ),
    )


def _first(pairs: _Pairs, shape: tuple[int, ...], kind: str, ulp: int | None) -> ElementDifference:
    position = int(pairs.differ.argmax())
    a, b = pairs.a[position], pairs.b[position]
    return ElementDifference(
        index=tuple(map(int, np.unravel_index(position, shape))),
        a=a.item(),
        b=b.item(),
        a_bits=bit_pattern(a),
        b_bits=bit_pattern(b),
        ulp=ulp,
        kind=kind,
    )


def _code(kind: str) -> int:
    """Number a class of elements; 0 is left for equal ones."""
    return CLASSES.index(kind) + 1


def _ascending(array: Array) -> NDArray[np.uint64]:
    """Map integers to unsigned ones with the same differences."""
    if array.dtype.kind == "i":
        return array.astype(np.int64).view(np.uint64) ^ np.uint64(1 << 63)
    return bit_patterns(array).astype(np.uint64)


def _magnitudes(array: Array) -> NDArray[np.uint64]:
    """Bit patterns without the sign bit."""
    sign = 1 << (8 * array.dtype.itemsize - 1)
    return bit_patterns(array).astype(np.uint64) & np.uint64(sign - 1)


def _largest_gap(a: Array, b: Array) -> float:
    with np.errstate(over="ignore"):
        gaps = np.abs(a.astype(np.float64) - b.astype(np.float64))
    return float(gaps.max(initial=0.0))


def _in_ulps_of_largest(gap: float, a: Array, b: Array, finite: NDArray[np.bool_]) -> float | None:
    if math.isinf(gap) or not finite.any():
        return None
    largest = max(float(np.abs(side[finite]).max()) for side in (a, b))
    form = np.finfo(a.dtype)
    exponent = math.frexp(largest)[1] - form.nmant - 1
    return gap / math.ldexp(1.0, max(exponent, int(form.minexp) - form.nmant))
