"""Bit patterns, ULP distances, canonical bytes and the digest.

Equality in this lab means that name, dtype, shape and every bit agree. Values
are compared as integers; a float comparison would call +0.0 and -0.0 equal and
a NaN different from itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import StateError

Array = NDArray[Any]

_KINDS = "biuf"


def canonical_array(value: object, name: str = "value") -> Array:
    """Return the logical elements of `value` as a little-endian C-order array.

    Parameters
    ----------
    value : ndarray or numpy scalar
        Booleans, integers or floats of at most 8 bytes. Byte order, strides
        and memory order are layout, not content, and are normalised away.
    name : str
        How an error names the value.

    Returns
    -------
    ndarray
        Same dtype and shape, little-endian, C-contiguous.

    Raises
    ------
    StateError
        For anything that has no portable bit pattern: Python objects,
        structured, complex, text, datetime, long double and masked arrays.
    """
    if not isinstance(value, (np.ndarray, np.generic)):
        raise StateError(
            f"{name}: expected a numpy array or numpy scalar, got "
            f"{type(value).__name__}; wrap it with an explicit dtype, "
            "for example numpy.float32(...)"
        )
    if isinstance(value, np.ma.MaskedArray):
        raise StateError(f"{name}: a masked array has elements without a value; fill it first")
    dtype = value.dtype
    if dtype.kind not in _KINDS or dtype.itemsize > 8:
        raise StateError(
            f"{name}: dtype {dtype} has no portable bit pattern; expected bool, "
            "integer or float of at most 8 bytes"
        )
    array: Array = np.array(value, dtype=dtype.newbyteorder("<"), order="C", copy=None, subok=False)
    return array


def canonical_bytes(name: str, value: object) -> bytes:
    """Encode one named array: length-prefixed name, dtype, shape, then data."""
    array = canonical_array(value, name)
    header = b"".join(
        _length_prefixed(text.encode())
        for text in (name, array.dtype.str, repr(tuple(map(int, array.shape))))
    )
    return header + _length_prefixed(array.tobytes())


def digest(state: Mapping[str, object]) -> str:
    """Return the SHA-256 of a state, as 64 hexadecimal digits.

    Parameters
    ----------
    state : mapping of str to ndarray or numpy scalar
        Keys are hashed in sorted order, so insertion order does not matter.

    Returns
    -------
    str
        Equal for two states exactly when names, dtypes, shapes and all bits
        are equal (up to collisions of SHA-256).

    Notes
    -----
    Every part is length-prefixed, so no two different states share their
    bytes. An XOR or a norm of the elements would not notice a permutation.
    """
    sha = hashlib.sha256()
    for name in sorted(state):
        sha.update(canonical_bytes(name, state[name]))
    return sha.hexdigest()


def digest_of_texts(texts: Mapping[str, str]) -> str:
    """Return the SHA-256 over named texts (such as digests), keys sorted."""
    sha = hashlib.sha256()
    for name in sorted(texts):
        sha.update(_length_prefixed(name.encode()))
        sha.update(_length_prefixed(texts[name].encode()))
    return sha.hexdigest()


def bit_patterns(array: Array) -> Array:
    """View a canonical array as unsigned integers of the same width."""
    unsigned = np.dtype(f"<u{array.dtype.itemsize}")
    return array.view(unsigned)


def bit_pattern(value: object) -> str:
    """Return the bits of one number as hexadecimal digits, two per byte.

    Examples
    --------
    >>> bit_pattern(np.float32(1.0))
    '3f800000'
    >>> bit_pattern(-0.0)
    '8000000000000000'
    """
    number = np.float64(value) if type(value) is float else value
    array = canonical_array(number)
    if array.size != 1:
        raise StateError(f"expected one number, got an array of shape {array.shape}")
    return format(int(bit_patterns(array.reshape(1))[0]), f"0{2 * array.dtype.itemsize}x")


def ordered_integers(array: Array) -> NDArray[np.uint64]:
    """Map floats to unsigned integers in numerical order, both zeros to one.

    Notes
    -----
    Positive patterns already ascend. A negative pattern is mirrored below the
    common zero: with s the sign bit, p goes to s + p for p < s, and to
    s - (p - s) for p >= s. Everything stays unsigned: the span of float64
    does not fit into a signed 64-bit difference.
    """
    patterns = bit_patterns(array).astype(np.uint64)
    sign = np.uint64(1 << (8 * array.dtype.itemsize - 1))
    negative = patterns >= sign
    magnitude = np.where(negative, patterns - sign, patterns)
    ordered: NDArray[np.uint64] = np.where(negative, sign - magnitude, sign + magnitude)
    return ordered


def ulp_distance(a: object, b: object) -> Any:
    """Count the representable numbers between two floats, elementwise.

    Parameters
    ----------
    a, b : float, numpy float scalar or ndarray of floats
        Same dtype and shape; nothing is broadcast. A Python float is float64.

    Returns
    -------
    int, None or ndarray
        For scalars an ``int``, or None when one of them is NaN. For arrays
        uint64 of the same shape; with a NaN anywhere an object array that
        holds None there, so that no later ``max`` can skip it silently.

    Raises
    ------
    StateError
        When dtypes or shapes differ, or the values are not floats.

    Examples
    --------
    >>> ulp_distance(np.float32(1), np.nextafter(np.float32(1), np.float32(2)))
    1
    >>> ulp_distance(0.0, -0.0)
    0
    """
    left, right = (
        canonical_array(np.float64(value) if type(value) is float else value) for value in (a, b)
    )
    if left.dtype.kind != "f" or left.dtype != right.dtype:
        raise StateError(
            f"ULP distance needs two floats of one dtype, got {left.dtype} and {right.dtype}"
        )
    if left.shape != right.shape:
        raise StateError(f"ULP distance needs equal shapes, got {left.shape} and {right.shape}")
    p, q = ordered_integers(left), ordered_integers(right)
    distance = np.where(p > q, p - q, q - p)
    no_number = np.isnan(left) | np.isnan(right)
    if left.ndim == 0:
        return None if bool(no_number) else int(distance)
    if no_number.any():
        distances = distance.astype(object)
        distances[no_number] = None
        return distances
    return distance


def _length_prefixed(data: bytes) -> bytes:
    return len(data).to_bytes(8, "little") + data
