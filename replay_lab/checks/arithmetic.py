"""Checks of the arithmetic: what is summed, in which order and width."""

from __future__ import annotations

import math

import numpy as np

from ..bits import Array
from ..model import Batch, full_loss, row_gradients, shard_sums
from ..reduction import FORWARD, REVERSED, sum_first_to_last, sum_wide
from .check import Check, Finding, states
from .evidence import Evidence, same_bits, traces

CHECKS: list[Check] = []


@states(
    CHECKS,
    "loss-precedes-update",
    "The loss logged at a step belongs to the weights before its update.",
    invariant=True,
)
def _loss_precedes(evidence: Evidence) -> Finding:
    trace = evidence.reference
    before = np.concatenate([np.zeros_like(trace.weights[:1]), trace.weights[:2]])
    expected = [full_loss(evidence.dataset, weights) for weights in before[:2]]
    found = trace.loss[:2].tolist()
    return Finding(found == expected, f"steps 1 and 2: {found}, expected {expected}")


@states(
    CHECKS,
    "first-gradient-closed-form",
    "The gradient of step 1 is -mean(x y) over the drawn rows, within float32 rounding.",
    invariant=True,
)
def _closed_form(evidence: Evidence) -> Finding:
    config, dataset = evidence.config, evidence.dataset
    ids = evidence.reference.columns["data_ids"][0]
    terms = dataset.features[ids].astype(np.float64) * dataset.wide_targets[ids][:, np.newaxis]
    exact = [-math.fsum(column) / config.batch_size for column in terms.T.tolist()]
    # One rounding per product and per addition, relative to the sum of absolute terms.
    scale = np.abs(terms).max(axis=0) * config.batch_size
    bound = np.finfo(np.float32).eps * scale + np.finfo(np.float32).tiny
    error = np.abs(evidence.reference.columns["gradient"][0].astype(np.float64) - exact)
    return Finding(
        (error <= bound).all(), f"largest error {error.max():.2e}, bound {bound.max():.2e}"
    )


@states(CHECKS, "dtypes-stay-float32", "No step widens the state to float64.", invariant=True)
def _dtypes(evidence: Evidence) -> Finding:
    names = ("gradient", "first_moment", "second_moment", "beta1_power", "beta2_power", "weights")
    wide = [
        f"{label}: {name} is {trace.columns[name].dtype}"
        for label, trace in traces(evidence)
        for name in names
        if trace.columns[name].dtype != np.float32
    ]
    return Finding(not wide, "; ".join(wide) or f"{len(names)} columns are float32 in every run")


@states(CHECKS, "draws-in-range", "Every drawn row exists.", invariant=True)
def _draws(evidence: Evidence) -> Finding:
    ids = np.stack([trace.columns["data_ids"] for _, trace in traces(evidence)])
    low, high = int(ids.min()), int(ids.max())
    samples = evidence.config.samples
    return Finding(0 <= low and high < samples, f"{low} to {high} of 0 to {samples - 1}")


@states(
    CHECKS, "data-unchanged", "No run wrote into the data that all of them share.", invariant=True
)
def _data(evidence: Evidence) -> Finding:
    now = evidence.dataset.digest()
    return Finding(now == evidence.dataset_digest, f"{evidence.dataset_digest[:12]} and {now[:12]}")


@states(
    CHECKS,
    "two-shards-commute",
    "Two addends give the same bits in either order: a fault that is none.",
    invariant=True,
)
def _commute(evidence: Evidence) -> Finding:
    pair = evidence.dataset.features[:2]
    return Finding(
        same_bits(FORWARD.combine(pair, 1), REVERSED.combine(pair, 1)),
        "first two rows of the data, added both ways",
    )


@states(
    CHECKS,
    "wide-sum-is-order-free",
    "A float64 accumulator, rounded once, hides the order that float32 shows.",
    invariant=False,
)
def _wide(evidence: Evidence) -> Finding:
    partial_sums = _first_partial_sums(evidence)
    back = partial_sums[::-1]
    wide = same_bits(sum_wide(partial_sums), sum_wide(back))
    narrow = same_bits(sum_first_to_last(partial_sums), sum_first_to_last(back))
    return Finding(wide and not narrow, f"float64 agrees: {wide}; float32 agrees: {narrow}")


@states(CHECKS, "rows-are-consistent", "The fields of each row fit together.", invariant=True)
def _rows(evidence: Evidence) -> Finding:
    steps = evidence.config.steps
    wrong = [
        row.scenario
        for row in evidence.rows.values()
        if not (
            0 <= row.hidden_weight_mismatch_steps <= row.weight_mismatch_steps <= steps
            and (row.first_weight_mismatch is None) == (row.weight_mismatch_steps == 0)
            and row.weight_mismatch_steps <= steps - (row.first_weight_mismatch or 1) + 1
            and row.maximum_weight_difference >= 0
            and (row.maximum_weight_difference == 0 or row.weight_mismatch_steps > 0)
        )
    ]
    return Finding(not wrong, f"inconsistent: {wrong or 'none'}")


@states(CHECKS, "training-learns", "The loss falls to less than half.", invariant=False)
def _learns(evidence: Evidence) -> Finding:
    first, last = float(evidence.reference.loss[0]), evidence.reference.final_loss
    return Finding(last < first / 2, f"{first:.5f} to {last:.5f}")


def _first_partial_sums(evidence: Evidence) -> Array:
    config, dataset = evidence.config, evidence.dataset
    ids = evidence.reference.columns["data_ids"][0]
    start = np.zeros(config.features, dtype=np.float32)
    batch = Batch(dataset.features[ids], dataset.targets[ids], start, config.shards, step=1)
    return shard_sums(row_gradients(batch), config.shards)
