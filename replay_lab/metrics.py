"""All that is measured of one run against its reference, and the verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .bits import Array, bit_pattern, bit_patterns, canonical_array, ulp_distance
from .model import logged
from .rows import differing_steps, first_step, weight_differences
from .scenarios import ScenarioRun
from .trace import Trace

LOG_DIGITS = (2, 3, 4, 5, 6, 7, 8, 9)
FULL_PRECISION = "full"


class Verdict(StrEnum):
    """What became of the weights; the first word that applies.

    identical
        Nothing was changed, and no bit differs.
    dormant
        Something was changed, and no bit of the weights differs.
    healed
        The weights differed, and agree again after the last step.
    hidden
        They differ to the end, and the log never shows it.
    visible
        The log shows it at the first step at which it can.
    late
        The log shows it later than that.
    """

    IDENTICAL = "identical"
    DORMANT = "dormant"
    HEALED = "healed"
    HIDDEN = "hidden"
    VISIBLE = "visible"
    LATE = "late"


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstDifference:
    """The earliest difference in causal order.

    Attributes
    ----------
    step : int
    at_restore : bool
        Found in the restored state, before any further step was taken.
    key : str
        Which part: data ids, loss, gradient, moments, ..., weights.
    element : tuple of int
        Index inside the part; empty for a number.
    bits, reference_bits : str
    ulp : int or None
        None where the part does not hold floats.
    """

    step: int
    at_restore: bool
    key: str
    element: tuple[int, ...]
    bits: str
    reference_bits: str
    ulp: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """One run against its reference.

    Attributes
    ----------
    verdict : Verdict
        About the weights alone.
    first_difference : FirstDifference or None
        Of the whole state.
    other_differences : tuple of str
        Parts other than the weights that differ somewhere, in causal order.
    first_weight_mismatch, last_weight_mismatch : int or None
        Steps. A state that a restore changed counts at the checkpoint step.
    weight_mismatch_steps : int
    weight_mismatch_intervals : int
        Runs of consecutive such steps; more than one means they healed between.
    hidden_weight_mismatch_steps : int
        Mismatching steps at which the rounded log is the same.
    hidden_beyond_lag : int
        The same without the first, which is hidden because the log lags a step.
    false_alarm_steps : int
        Steps whose unrounded loss differs although the weights agree.
    first_log_difference : dict of str to (int or None)
        First step at which a log of 2 to 9 digits, or of full precision, differs.
    maximum_weight_difference : float
    maximum_weight_ulp : int
        Raw ULP distance; large near zero without meaning much.
    difference_in_ulp_of_largest_weight : float
        `maximum_weight_difference` in units in the last place of the largest weight.
    growth : float or None
        Decades by which the difference grows per 100 steps, first mismatching
        step to last; None under ten mismatching steps or from an exact zero.
    final_loss : float
    trace_digest : str
    """

    verdict: Verdict
    first_difference: FirstDifference | None
    other_differences: tuple[str, ...]
    first_weight_mismatch: int | None
    last_weight_mismatch: int | None
    weight_mismatch_steps: int
    weight_mismatch_intervals: int
    hidden_weight_mismatch_steps: int
    hidden_beyond_lag: int
    false_alarm_steps: int
    first_log_difference: dict[str, int | None]
    maximum_weight_difference: float
    maximum_weight_ulp: int
    difference_in_ulp_of_largest_weight: float
    growth: float | None
    final_loss: float
    trace_digest: str

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object; ULP counts travel as texts."""
        value = asdict(self) | {"maximum_weight_ulp": str(self.maximum_weight_ulp)}
        if self.first_difference is not None and self.first_difference.ulp is not None:
            value["first_difference"]["ulp"] = str(self.first_difference.ulp)
        return value

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Metrics:
        """Read what `to_json` returned."""
        first = value["first_difference"]
        if first is not None:
            ulp = None if first["ulp"] is None else int(first["ulp"])
            first = FirstDifference(**{**first, "element": tuple(first["element"]), "ulp": ulp})
        changed = {
            "verdict": Verdict(value["verdict"]),
            "first_difference": first,
            "other_differences": tuple(value["other_differences"]),
            "maximum_weight_ulp": int(value["maximum_weight_ulp"]),
        }
        return cls(**{**value, **changed})


def measure(
    run: ScenarioRun, reference: Trace, digits: int, *, changed: bool, restored_at: int | None
) -> Metrics:
    """Measure a run against its reference.

    Parameters
    ----------
    run : ScenarioRun
    reference : Trace
    digits : int
        Decimals of the loss log.
    changed : bool
        Whether the run contains a fault; decides between identical and dormant.
    restored_at : int or None
        Step of the last restore, whose state is compared before any step.

    Returns
    -------
    Metrics
    """
    trace = run.trace
    differ, gaps, ulps = _weights_by_step(run, reference, restored_at)
    steps = np.flatnonzero(differ) + 1
    first = int(steps[0]) if steps.size else None
    hidden = differ & ~differing_steps(trace.logged_loss, reference.logged_loss)
    loss_differs = differing_steps(trace.loss, reference.loss)
    log = {str(count): _first_log(trace, reference, count) for count in LOG_DIGITS}
    log[FULL_PRECISION] = first_step(loss_differs)
    shown = _first_log(trace, reference, digits)
    largest = float(gaps.max())
    return Metrics(
        verdict=_verdict(differ, first, shown, changed=changed),
        first_difference=_first_difference(run, reference, restored_at),
        other_differences=_other_differences(run, reference, restored_at),
        first_weight_mismatch=first,
        last_weight_mismatch=int(steps[-1]) if steps.size else None,
        weight_mismatch_steps=int(steps.size),
        weight_mismatch_intervals=int((np.diff(steps) > 1).sum()) + 1 if steps.size else 0,
        hidden_weight_mismatch_steps=int(hidden.sum()),
        hidden_beyond_lag=int(hidden.sum()) - int(first is not None and hidden[first - 1]),
        false_alarm_steps=int((loss_differs & ~differ).sum()),
        first_log_difference=log,
        maximum_weight_difference=largest,
        maximum_weight_ulp=max(ulps),
        difference_in_ulp_of_largest_weight=largest / _ulp_of_largest(reference),
        growth=_growth(steps, gaps),
        final_loss=trace.final_loss,
        trace_digest=trace.digest(),
    )


def _weights_by_step(
    run: ScenarioRun, reference: Trace, restored_at: int | None
) -> tuple[NDArray[np.bool_], NDArray[np.float64], list[int]]:
    """Per step: differs or not, largest difference, largest ULP distance."""
    differ = differing_steps(run.trace.weights, reference.weights).copy()
    gaps = weight_differences(run.trace, reference)
    ulps = ulp_distance(run.trace.weights, reference.weights).max(axis=1).tolist()
    if run.restored is not None and restored_at is not None:
        row = restored_at - 1
        before = reference.weights[row]
        restored = run.restored.weights
        differ[row] |= bool(differing_steps(restored[np.newaxis], before[np.newaxis])[0])
        gap = np.abs(restored.astype(np.float64) - before.astype(np.float64)).max()
        gaps[row] = max(gaps[row], float(gap))
        ulps[row] = max(ulps[row], int(ulp_distance(restored, before).max()))
    return differ, gaps, [int(value) for value in ulps]


def _verdict(
    differ: NDArray[np.bool_], first: int | None, shown: int | None, *, changed: bool
) -> Verdict:
    if first is None:
        return Verdict.DORMANT if changed else Verdict.IDENTICAL
    if not differ[-1]:
        return Verdict.HEALED
    if shown is None:
        return Verdict.HIDDEN
    return Verdict.VISIBLE if shown <= first + 1 else Verdict.LATE


def _first_log(trace: Trace, reference: Trace, digits: int) -> int | None:
    pairs = zip(trace.loss.tolist(), reference.loss.tolist())
    for step, (here, there) in enumerate(pairs, start=1):
        if here != there and logged(here, digits) != logged(there, digits):
            return step
    return None


def _ulp_of_largest(reference: Trace) -> float:
    return float(np.spacing(np.abs(reference.weights).max()))


def _growth(steps: NDArray[np.int64], gaps: NDArray[np.float64]) -> float | None:
    if steps.size < 10:
        return None
    first, last = gaps[steps[0] - 1], gaps[steps[-1] - 1]
    if first == 0 or last == 0:
        return None
    # Rounded: a library logarithm may differ in its last bit between machines.
    return round(math.log10(last / first) * 100 / int(steps[-1] - steps[0]), 6)


def _rows(
    run: ScenarioRun, reference: Trace, restored_at: int | None
) -> Sequence[tuple[str, bool, Array, Array]]:
    """Every part as (key, at restore, ours, reference's), steps first, causal order."""
    parts = [
        (key, False, run.trace.columns[key], column)
        for key, column in reference.columns.items()
        if key != "logged_loss"
    ]
    if run.restored is None or restored_at is None:
        return parts
    row = slice(restored_at - 1, restored_at)
    saved = run.restored.arrays()
    at_restore = [
        (key, True, saved[key][np.newaxis], column[row])
        for key, column in reference.columns.items()
        if key in saved
    ]
    return [*at_restore, *parts]


def _first_difference(
    run: ScenarioRun, reference: Trace, restored_at: int | None
) -> FirstDifference | None:
    found: list[tuple[tuple[int, int], FirstDifference]] = []
    for position, (key, at_restore, here, there) in enumerate(_rows(run, reference, restored_at)):
        step = first_step(differing_steps(here, there))
        if step is None:
            continue
        ours, theirs = canonical_array(here[step - 1]), canonical_array(there[step - 1])
        unequal = np.asarray(bit_patterns(ours) != bit_patterns(theirs))
        element = tuple(int(part) for part in np.argwhere(unequal)[0])
        a, b = ours[element], theirs[element]
        when = restored_at if at_restore and restored_at is not None else step
        # A restored state follows the step it belongs to and precedes the next.
        order = (2 * when + 1 if at_restore else 2 * when, position)
        difference = FirstDifference(
            step=when,
            at_restore=at_restore,
            key=key,
            element=element,
            bits=bit_pattern(a),
            reference_bits=bit_pattern(b),
            ulp=ulp_distance(a, b) if a.dtype.kind == "f" else None,
        )
        found.append((order, difference))
    return min(found, key=lambda pair: pair[0])[1] if found else None


def _other_differences(
    run: ScenarioRun, reference: Trace, restored_at: int | None
) -> tuple[str, ...]:
    differing = {
        key
        for key, _, here, there in _rows(run, reference, restored_at)
        if key != "weights" and differing_steps(here, there).any()
    }
    return tuple(key for key in reference.columns if key in differing)
