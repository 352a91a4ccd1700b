"""Checks of the two scenarios that lose state."""

from __future__ import annotations

import numpy as np

from ..checkpoint import load_checkpoint
from ..scenarios import OPTIMIZER_RESET, REVERSED_REDUCTION, SAMPLER_RESET
from ..training import init_state
from .check import Check, Finding, states
from .evidence import Evidence, same_bits

CHECKS: list[Check] = []


@states(
    CHECKS,
    "optimizer-reset-first-after-checkpoint",
    "Lost moments move the weights at the first step after the restore.",
    invariant=False,
)
def _optimizer_first(evidence: Evidence) -> Finding:
    return _first_after_checkpoint(evidence, OPTIMIZER_RESET)


@states(
    CHECKS,
    "optimizer-reset-keeps-draws",
    "Losing the moments changes no drawn row.",
    invariant=True,
)
def _optimizer_draws(evidence: Evidence) -> Finding:
    ids = evidence.runs[OPTIMIZER_RESET].trace.columns["data_ids"]
    return Finding(same_bits(ids, evidence.reference.columns["data_ids"]), f"{ids.size} draws")


@states(
    CHECKS,
    "optimizer-reset-first-move-is-learning-rate",
    "With fresh moments Adam moves every weight by the learning rate, whatever the gradient.",
    invariant=False,
)
def _optimizer_move(evidence: Evidence) -> Finding:
    after = evidence.config.checkpoint_step
    weights = evidence.runs[OPTIMIZER_RESET].trace.weights[after - 1 : after + 1]
    moves = np.abs(np.diff(weights.astype(np.float64), axis=0))
    ratio = moves / evidence.config.learning_rate
    # |g| / (|g| + epsilon), and a few float32 roundings of weights of order one.
    return Finding(
        (np.abs(ratio - 1) < 1e-3).all(),
        f"moves of {ratio.min():.6f} to {ratio.max():.6f} learning rates",
    )


@states(
    CHECKS,
    "sampler-reset-first-after-checkpoint",
    "A restarted sampler moves the weights at the first step after the restore.",
    invariant=False,
)
def _sampler_first(evidence: Evidence) -> Finding:
    return _first_after_checkpoint(evidence, SAMPLER_RESET)


@states(
    CHECKS,
    "sampler-reset-replays-draws",
    "After the reset the rows of step 1, 2, ... are drawn again.",
    invariant=True,
)
def _sampler_replays(evidence: Evidence) -> Finding:
    ids = evidence.runs[SAMPLER_RESET].trace.columns["data_ids"]
    after = evidence.config.checkpoint_step
    count = evidence.config.steps - after
    again, reference = ids[after:], evidence.reference.columns["data_ids"]
    first = np.concatenate([reference, again])[:count]
    return Finding(same_bits(again, first), f"{count} steps draw the rows of steps 1 to {count}")


@states(
    CHECKS,
    "sampler-reset-keeps-moments",
    "Right after the reset, weights and moments are those of the checkpoint.",
    invariant=True,
)
def _sampler_moments(evidence: Evidence) -> Finding:
    run = evidence.runs[SAMPLER_RESET]
    if run.restored is None or run.checkpoint is None:
        return Finding(False, "the run was not interrupted")
    restored = run.restored.arrays()
    saved = load_checkpoint(run.checkpoint, init_state(evidence.config)).arrays()
    lost = [name for name in saved if not same_bits(restored[name], saved[name])]
    return Finding(set(lost) <= {"sampler"}, f"changed by the reset: {lost or 'nothing'}")


@states(
    CHECKS,
    "resets-are-hidden-once",
    "The log lags one step behind the weights, and shows both resets at the next step.",
    invariant=False,
)
def _hidden_once(evidence: Evidence) -> Finding:
    hidden = [
        evidence.rows[name].hidden_weight_mismatch_steps
        for name in (OPTIMIZER_RESET, SAMPLER_RESET)
    ]
    return Finding(hidden == [1, 1], f"hidden steps {hidden}")


@states(
    CHECKS,
    "resets-dwarf-rounding",
    "Lost state moves the weights at least a thousand times as far as rounding does.",
    invariant=False,
)
def _dwarf(evidence: Evidence) -> Finding:
    rounding = evidence.rows[REVERSED_REDUCTION].maximum_weight_difference
    least = min(
        evidence.rows[name].maximum_weight_difference for name in (OPTIMIZER_RESET, SAMPLER_RESET)
    )
    return Finding(least > 1000 * rounding, f"{least:.2e} against {rounding:.2e}")


def _first_after_checkpoint(evidence: Evidence, name: str) -> Finding:
    expected = evidence.config.checkpoint_step + 1
    first = evidence.rows[name].first_weight_mismatch
    return Finding(first == expected, f"first mismatch at {first}, restored after {expected - 1}")
