"""What a comparison of two arrays or two states found, as typed values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

CLASSES = (
    "value",
    "signed_zero",
    "nan",
    "nan_payload",
    "infinity",
    "dtype",
    "shape",
    "length",
    "missing",
    "extra",
    "type",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementDifference:
    """One element that differs in at least one bit.

    Attributes
    ----------
    index : tuple of int
        Where it is; ``()`` for a scalar.
    a, b : bool, int or float
        Both values; a float16 or float32 as the float64 of the same value.
    a_bits, b_bits : str
        Both bit patterns, two hexadecimal digits per byte.
    ulp : int or None
        ULP distance; None for a NaN and for what is not a float.
    kind : str
        Its class.
    """

    index: tuple[int, ...]
    a: bool | int | float
    b: bool | int | float
    a_bits: str
    b_bits: str
    ulp: int | None
    kind: str

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object; integers as texts, NaN and infinity as null."""
        return {
            "index": list(self.index),
            "a": _json_number(self.a),
            "b": _json_number(self.b),
            "a_bits": self.a_bits,
            "b_bits": self.b_bits,
            "ulp": _json_count(self.ulp),
            "class": self.kind,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayComparison:
    """What `compare_arrays` found.

    Attributes
    ----------
    classes : tuple of str
        Which kinds of difference occur, in the order of `CLASSES`; empty when
        equal.
    forms : tuple of str
        Dtype and shape of both sides, for people.
    mismatches : int or None
        Number of elements that differ in at least one bit; None where the
        forms differ, because then no element has a partner.
    nonfinite_mismatches : int
        Those among them with a NaN or an infinity on either side.
    max_ulp : int or None
        Largest ULP distance; None with any NaN, and where the two are not
        floats of one form.
    max_difference : float or None
        Largest absolute difference, in float64; infinity with a non-finite
        mismatch or when float64 cannot hold it; None where the forms differ.
    ulps_of_largest : float or None
        `max_difference` in units of the spacing at the largest finite
        magnitude: near zero a count of ULPs alone misleads. None unless the
        difference is one of finite floats.
    first_difference : ElementDifference or None
        The first differing element in C order.
    """

    classes: tuple[str, ...]
    forms: tuple[str, str]
    mismatches: int | None
    nonfinite_mismatches: int
    max_ulp: int | None
    max_difference: float | None
    ulps_of_largest: float | None
    first_difference: ElementDifference | None

    @property
    def equal(self) -> bool:
        """Whether dtype, shape and every bit agree."""
        return not self.classes

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object; ULPs as texts, NaN and infinity as null.

        A null `max_difference` beside a number of mismatches is infinite; the
        class says why.
        """
        first = self.first_difference
        return {
            "equal": self.equal,
            "classes": list(self.classes),
            "forms": list(self.forms),
            "mismatches": self.mismatches,
            "nonfinite_mismatches": self.nonfinite_mismatches,
            "max_ulp": _json_count(self.max_ulp),
            "max_difference": _json_number(self.max_difference),
            "ulps_of_largest": _json_number(self.ulps_of_largest),
            "first_difference": None if first is None else first.to_json(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class StateComparison:
    """What `compare_states` found.

    Attributes
    ----------
    arrays : mapping of str to ArrayComparison
        The names that both states have, in the order of the first.
    missing : tuple of str
        Names that only the first state has.
    extra : tuple of str
        Names that only the second state has.
    """

    arrays: Mapping[str, ArrayComparison]
    missing: tuple[str, ...]
    extra: tuple[str, ...]

    @property
    def equal(self) -> bool:
        """Whether names, dtypes, shapes and every bit agree."""
        return not self.classes

    @property
    def classes(self) -> tuple[str, ...]:
        """The kinds of difference that occur anywhere, in the order of `CLASSES`."""
        found = [kind for part in self.arrays.values() for kind in part.classes]
        found += ["missing"] * bool(self.missing) + ["extra"] * bool(self.extra)
        return tuple(kind for kind in CLASSES if kind in found)

    @property
    def differing(self) -> tuple[str, ...]:
        """Names that differ: those of both states, then missing, then extra ones."""
        unequal = (name for name, part in self.arrays.items() if not part.equal)
        return (*unequal, *self.missing, *self.extra)

    @property
    def max_ulp(self) -> int | None:
        """Largest ULP distance over the float arrays.

        None when one of them holds a NaN, when forms or names differ, and
        when there is no float array. Integer arrays have no say.
        """
        distances = [part.max_ulp for part in self._floats()]
        known = [distance for distance in distances if distance is not None]
        return max(known) if known and len(known) == len(distances) else None

    @property
    def max_difference(self) -> float | None:
        """Largest difference over the float arrays; None as for `max_ulp`, NaN apart."""
        gaps = [part.max_difference for part in self._floats()]
        known = [gap for gap in gaps if gap is not None]
        return max(known) if known and len(known) == len(gaps) else None

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object; ULPs as texts, NaN and infinity as null."""
        return {
            "equal": self.equal,
            "classes": list(self.classes),
            "max_ulp": _json_count(self.max_ulp),
            "max_difference": _json_number(self.max_difference),
            "missing": list(self.missing),
            "extra": list(self.extra),
            "arrays": {name: part.to_json() for name, part in self.arrays.items()},
        }

    def _floats(self) -> list[ArrayComparison]:
        """Return the float arrays; none at all when a form or a name differs."""
        parts = list(self.arrays.values())
        if self.missing or self.extra or any(part.mismatches is None for part in parts):
            return []
        return [part for part in parts if "float" in part.forms[0]]


def _json_number(value: bool | int | float | None) -> bool | str | float | None:
    """JavaScript loses integers above 2**53, JSON has no NaN and no infinity."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool) else str(value)


def _json_count(value: int | None) -> str | None:
    return None if value is None else str(value)
