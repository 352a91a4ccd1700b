"""The named checks of a study.

A check states one expectation, can fail, and says in a sentence what it means.
Invariants hold at every valid setting. Checks of the published shape belong to
the default settings; elsewhere an unmet one is "not expected here".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from .bits import Array, bit_patterns, canonical_array, digest, digest_of_texts
from .checkpoint import load_checkpoint, save_checkpoint
from .rows import ComparisonRow, differing_steps
from .config import StudyConfig
from .dataset import Dataset
from .golden import STUDY_DIGEST
from .model import Batch, full_loss, row_gradients, shard_sums
from .reduction import FORWARD, REVERSED, sum_first_to_last, sum_wide
from .scenarios import (
    FULL_RESTORE,
    OPTIMIZER_RESET,
    RERUN,
    REVERSED_REDUCTION,
    SAMPLER_RESET,
    ScenarioRun,
)
from .trace import Trace
from .training import init_state

PASSED = "passed"
FAILED = "failed"
NOT_EXPECTED = "not expected here"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evidence:
    """What the checks look at: a finished study with everything it produced.

    Attributes
    ----------
    dataset_digest : str
        Digest of the data before the first run.
    runs : dict of str to ScenarioRun
    rows : dict of str to ComparisonRow
    """

    config: StudyConfig
    dataset: Dataset
    dataset_digest: str
    reference: Trace
    runs: dict[str, ScenarioRun]
    rows: dict[str, ComparisonRow]

    @property
    def is_default(self) -> bool:
        """Whether the published shape is expected."""
        return self.config == StudyConfig()

    def trace_digests(self) -> dict[str, str]:
        """Digest of each scenario's trace, by name."""
        return {name: run.trace.digest() for name, run in self.runs.items()}


class Finding(tuple[bool, str]):
    """Whether a check holds, and the numbers that say so."""

    def __new__(cls, holds: object, detail: str) -> Finding:
        return super().__new__(cls, (bool(holds), detail))


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A named expectation; `invariant` ones hold at every valid setting."""

    name: str
    meaning: str
    invariant: bool
    test: Callable[[Evidence], Finding]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """The outcome of one check; `status` is one of the three words above."""

    name: str
    meaning: str
    status: str
    detail: str


CHECKS: list[Check] = []


def study_digest(dataset_digest: str, reference: str, scenarios: dict[str, str]) -> str:
    """Combine the digests of data, reference trace and scenario traces."""
    parts = {f"scenario {name}": text for name, text in scenarios.items()}
    return digest_of_texts({"dataset": dataset_digest, "reference": reference, **parts})


def run_checks(evidence: Evidence) -> tuple[CheckResult, ...]:
    """Run every check, in declared order."""
    return tuple(_run(check, evidence) for check in CHECKS)


def _run(check: Check, evidence: Evidence) -> CheckResult:
    holds, detail = check.test(evidence)
    unmet = FAILED if check.invariant or evidence.is_default else NOT_EXPECTED
    return CheckResult(
        name=check.name,
        meaning=check.meaning,
        status=PASSED if holds else unmet,
        detail=detail,
    )


def _check(
    name: str, meaning: str, *, invariant: bool
) -> Callable[[Callable[[Evidence], Finding]], Callable[[Evidence], Finding]]:
    def register(test: Callable[[Evidence], Finding]) -> Callable[[Evidence], Finding]:
        CHECKS.append(Check(name=name, meaning=meaning, invariant=invariant, test=test))
        return test

    return register


# --- Replays that must agree ---------------------------------------------------------


@_check(
    "rerun-equals-reference",
    "The same seed and the whole state give the same bits in every column of the trace.",
    invariant=True,
)
def _rerun(evidence: Evidence) -> Finding:
    return _equal_columns(evidence.runs[RERUN].trace, evidence.reference, evidence.config.steps)


@_check(
    "full-restore-equals-reference",
    "A run that is saved, loaded and continued with all its state loses no bit.",
    invariant=True,
)
def _full_restore(evidence: Evidence) -> Finding:
    trace = evidence.runs[FULL_RESTORE].trace
    return _equal_columns(trace, evidence.reference, evidence.config.steps)


@_check(
    "checkpoint-round-trip",
    "Save, load and save again gives the same bytes.",
    invariant=True,
)
def _round_trip(evidence: Evidence) -> Finding:
    holds, sizes = True, []
    for _, data in _checkpoints(evidence):
        again = save_checkpoint(load_checkpoint(data, init_state(evidence.config)))
        holds &= again == data
        sizes.append(len(data))
    return Finding(holds and sizes, f"{len(sizes)} checkpoints of {sizes} bytes")


@_check(
    "checkpoint-is-a-copy",
    "Training on after saving does not reach into the checkpoint.",
    invariant=True,
)
def _copy(evidence: Evidence) -> Finding:
    row = evidence.config.checkpoint_step - 1
    wrong = []
    for name, data in _checkpoints(evidence):
        saved = load_checkpoint(data, init_state(evidence.config)).arrays()
        step = int(saved.pop("step"))
        then = {key: evidence.reference.columns[key][row] for key in saved}
        if step != row + 1 or digest(saved) != digest(then):
            wrong.append(name)
    return Finding(not wrong, f"not the state of step {row + 1}: {wrong or 'none'}")


@_check(
    "restored-runs-agree-until-checkpoint",
    "Every restore scenario equals the reference in all columns up to the checkpoint.",
    invariant=True,
)
def _until_checkpoint(evidence: Evidence) -> Finding:
    until = evidence.config.checkpoint_step
    for name, _ in _checkpoints(evidence):
        holds, detail = _equal_columns(evidence.runs[name].trace, evidence.reference, until)
        if not holds:
            return Finding(False, f"{name}: {detail}")
    return Finding(True, f"steps 1 to {until} agree")


# --- The arithmetic ------------------------------------------------------------------


@_check(
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


@_check(
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


@_check("dtypes-stay-float32", "No step widens the state to float64.", invariant=True)
def _dtypes(evidence: Evidence) -> Finding:
    names = ("gradient", "first_moment", "second_moment", "beta1_power", "beta2_power", "weights")
    wide = [
        f"{label}: {name} is {trace.columns[name].dtype}"
        for label, trace in _traces(evidence)
        for name in names
        if trace.columns[name].dtype != np.float32
    ]
    return Finding(not wide, "; ".join(wide) or f"{len(names)} columns are float32 in every run")


@_check("draws-in-range", "Every drawn row exists.", invariant=True)
def _draws(evidence: Evidence) -> Finding:
    ids = np.stack([trace.columns["data_ids"] for _, trace in _traces(evidence)])
    low, high = int(ids.min()), int(ids.max())
    samples = evidence.config.samples
    return Finding(0 <= low and high < samples, f"{low} to {high} of 0 to {samples - 1}")


@_check(
    "data-unchanged", "No run wrote into the data that all of them share.", invariant=True
)
def _data(evidence: Evidence) -> Finding:
    now = evidence.dataset.digest()
    return Finding(now == evidence.dataset_digest, f"{evidence.dataset_digest[:12]} and {now[:12]}")


@_check(
    "two-shards-commute",
    "Two addends give the same bits in either order: a fault that is none.",
    invariant=True,
)
def _commute(evidence: Evidence) -> Finding:
    pair = evidence.dataset.features[:2]
    return Finding(
        _same_bits(FORWARD.combine(pair, 1), REVERSED.combine(pair, 1)),
        "first two rows of the data, added both ways",
    )


@_check(
    "wide-sum-is-order-free",
    "A float64 accumulator, rounded once, hides the order that float32 shows.",
    invariant=False,
)
def _wide(evidence: Evidence) -> Finding:
    partial_sums = _first_partial_sums(evidence)
    back = partial_sums[::-1]
    wide = _same_bits(sum_wide(partial_sums), sum_wide(back))
    narrow = _same_bits(sum_first_to_last(partial_sums), sum_first_to_last(back))
    return Finding(
        wide and not narrow, f"float64 agrees: {wide}; float32 agrees: {narrow}"
    )


@_check("rows-are-consistent", "The fields of each row fit together.", invariant=True)
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


@_check("training-learns", "The loss falls to less than half.", invariant=False)
def _learns(evidence: Evidence) -> Finding:
    first, last = float(evidence.reference.loss[0]), evidence.reference.final_loss
    return Finding(last < first / 2, f"{first:.5f} to {last:.5f}")


# --- Reversed reduction --------------------------------------------------------------


@_check(
    "reversed-first-at-1",
    "Another reduction order changes the weights in the very first step.",
    invariant=False,
)
def _reversed_first(evidence: Evidence) -> Finding:
    first = evidence.rows[REVERSED_REDUCTION].first_weight_mismatch
    return Finding(first == 1, f"first mismatch at {first}")


@_check("reversed-never-heals", "From then on no step has the same weights.", invariant=False)
def _reversed_never_heals(evidence: Evidence) -> Finding:
    count, steps = evidence.rows[REVERSED_REDUCTION].weight_mismatch_steps, evidence.config.steps
    return Finding(count == steps, f"{count} of {steps} steps differ")


@_check("reversed-all-hidden", "The rounded loss log shows it at no step.", invariant=False)
def _reversed_hidden(evidence: Evidence) -> Finding:
    row, steps = evidence.rows[REVERSED_REDUCTION], evidence.config.steps
    hidden = row.hidden_weight_mismatch_steps
    return Finding(hidden == steps, f"{hidden} of {steps} steps are hidden")


@_check(
    "reversed-is-rounding-only",
    "The difference is above zero and at most 8 ULP of the largest weight.",
    invariant=False,
)
def _reversed_rounding(evidence: Evidence) -> Finding:
    difference = evidence.rows[REVERSED_REDUCTION].maximum_weight_difference
    ulp = float(np.spacing(np.abs(evidence.reference.weights).max()))
    return Finding(0 < difference <= 8 * ulp, f"{difference / ulp:.3g} ULP of the largest weight")


# --- Lost state ----------------------------------------------------------------------


@_check(
    "optimizer-reset-first-after-checkpoint",
    "Lost moments move the weights at the first step after the restore.",
    invariant=False,
)
def _optimizer_first(evidence: Evidence) -> Finding:
    return _first_after_checkpoint(evidence, OPTIMIZER_RESET)


@_check(
    "optimizer-reset-keeps-draws", "Losing the moments changes no drawn row.", invariant=True
)
def _optimizer_draws(evidence: Evidence) -> Finding:
    ids = evidence.runs[OPTIMIZER_RESET].trace.columns["data_ids"]
    return Finding(_same_bits(ids, evidence.reference.columns["data_ids"]), f"{ids.size} draws")


@_check(
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


@_check(
    "sampler-reset-first-after-checkpoint",
    "A restarted sampler moves the weights at the first step after the restore.",
    invariant=False,
)
def _sampler_first(evidence: Evidence) -> Finding:
    return _first_after_checkpoint(evidence, SAMPLER_RESET)


@_check(
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
    return Finding(_same_bits(again, first), f"{count} steps draw the rows of steps 1 to {count}")


@_check(
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
    lost = [name for name in saved if not _same_bits(restored[name], saved[name])]
    return Finding(set(lost) <= {"sampler"}, f"changed by the reset: {lost or 'nothing'}")


@_check(
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


@_check(
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


@_check(
    "golden-digest",
    "Data and traces have the digest that is stored in the package.",
    invariant=False,
)
def _golden(evidence: Evidence) -> Finding:
    found = study_digest(
        evidence.dataset.digest(), evidence.reference.digest(), evidence.trace_digests()
    )
    return Finding(found == STUDY_DIGEST, f"{found[:16]}…, stored {STUDY_DIGEST[:16]}…")


# --- Helpers -------------------------------------------------------------------------


def _traces(evidence: Evidence) -> Iterator[tuple[str, Trace]]:
    yield "reference", evidence.reference
    for name, run in evidence.runs.items():
        yield name, run.trace


def _checkpoints(evidence: Evidence) -> Iterator[tuple[str, bytes]]:
    for name, run in evidence.runs.items():
        if run.checkpoint is not None:
            yield name, run.checkpoint


def _same_bits(a: Array, b: Array) -> bool:
    a, b = canonical_array(a), canonical_array(b)
    return (a.dtype, a.shape) == (b.dtype, b.shape) and bool(
        (bit_patterns(a) == bit_patterns(b)).all()
    )


def _equal_columns(trace: Trace, reference: Trace, until: int) -> Finding:
    """Compare steps 1 to `until` in every column, and name the first difference."""
    for name, column in reference.columns.items():
        differ = differing_steps(trace.columns[name][:until], column[:until])
        if differ.any():
            return Finding(False, f"{name} differs first at step {int(differ.argmax()) + 1}")
    return Finding(True, f"{len(reference.columns)} columns agree in {until} steps")


def _first_partial_sums(evidence: Evidence) -> Array:
    config, dataset = evidence.config, evidence.dataset
    ids = evidence.reference.columns["data_ids"][0]
    start = np.zeros(config.features, dtype=np.float32)
    batch = Batch(dataset.features[ids], dataset.targets[ids], start, config.shards, step=1)
    return shard_sums(row_gradients(batch), config.shards)


def _first_after_checkpoint(evidence: Evidence, name: str) -> Finding:
    expected = evidence.config.checkpoint_step + 1
    first = evidence.rows[name].first_weight_mismatch
    return Finding(first == expected, f"first mismatch at {first}, restored after {expected - 1}")
