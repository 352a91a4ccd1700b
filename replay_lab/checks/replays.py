"""Checks of replays that must agree in every bit."""

from __future__ import annotations

from ..bits import digest
from ..checkpoint import load_checkpoint, save_checkpoint
from ..scenarios import FULL_RESTORE, RERUN
from ..trace import Trace
from ..training import init_state
from .check import Check, Finding, states
from .evidence import Evidence, checkpoints, first_difference

CHECKS: list[Check] = []


@states(
    CHECKS,
    "rerun-equals-reference",
    "The same seed and the whole state give the same bits in every column of the trace.",
    invariant=True,
)
def _rerun(evidence: Evidence) -> Finding:
    return _equal_columns(evidence.runs[RERUN].trace, evidence.reference, evidence.config.steps)


@states(
    CHECKS,
    "full-restore-equals-reference",
    "A run that is saved, loaded and continued with all its state loses no bit.",
    invariant=True,
)
def _full_restore(evidence: Evidence) -> Finding:
    trace = evidence.runs[FULL_RESTORE].trace
    return _equal_columns(trace, evidence.reference, evidence.config.steps)


@states(
    CHECKS,
    "checkpoint-round-trip",
    "Save, load and save again gives the same bytes.",
    invariant=True,
)
def _round_trip(evidence: Evidence) -> Finding:
    holds, sizes = True, []
    for _, data in checkpoints(evidence):
        again = save_checkpoint(load_checkpoint(data, init_state(evidence.config)))
        holds &= again == data
        sizes.append(len(data))
    return Finding(holds and sizes, f"{len(sizes)} checkpoints of {sizes} bytes")


@states(
    CHECKS,
    "checkpoint-is-a-copy",
    "Training on after saving does not reach into the checkpoint.",
    invariant=True,
)
def _copy(evidence: Evidence) -> Finding:
    row = evidence.config.checkpoint_step - 1
    wrong = []
    for name, data in checkpoints(evidence):
        saved = load_checkpoint(data, init_state(evidence.config)).arrays()
        step = int(saved.pop("step"))
        then = {key: evidence.reference.columns[key][row] for key in saved}
        if step != row + 1 or digest(saved) != digest(then):
            wrong.append(name)
    return Finding(not wrong, f"not the state of step {row + 1}: {wrong or 'none'}")


@states(
    CHECKS,
    "restored-runs-agree-until-checkpoint",
    "Every restore scenario equals the reference in all columns up to the checkpoint.",
    invariant=True,
)
def _until_checkpoint(evidence: Evidence) -> Finding:
    until = evidence.config.checkpoint_step
    for name, _ in checkpoints(evidence):
        holds, detail = _equal_columns(evidence.runs[name].trace, evidence.reference, until)
        if not holds:
            return Finding(False, f"{name}: {detail}")
    return Finding(True, f"steps 1 to {until} agree")


def _equal_columns(trace: Trace, reference: Trace, until: int) -> Finding:
    difference = first_difference(trace, reference, until)
    return Finding(
        not difference, difference or f"{len(reference.columns)} columns agree in {until} steps"
    )
