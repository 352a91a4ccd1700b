"""Checkpoints that keep less than they were given."""

from __future__ import annotations

from ..metrics import Verdict
from ..scenarios import Restore, Scenario, StateEdit
from ..training import TrainState
from .edits import edit_weights, flip_bit, through_bfloat16, through_float16, through_text
from .entry import Fault, FirstAt, Signature, Size


def _moments_as_bfloat16(state: TrainState, restore: Restore) -> TrainState:
    optimizer = state.optimizer._replace(
        first_moment=through_bfloat16(state.optimizer.first_moment),
        second_moment=through_bfloat16(state.optimizer.second_moment),
    )
    return state._replace(optimizer=optimizer)


def _lossy(
    name: str,
    changed: str,
    edit: StateEdit,
    explanation: str,
    reports: tuple[str, ...],
    signature: Signature,
    *,
    is_fault: bool = True,
    reason: str = "",
) -> Fault:
    return Fault(
        name=name,
        family="lossy save" if is_fault else "true negatives",
        explanation=explanation,
        reports=reports,
        scenario=Scenario(name=name, explanation=changed, after_restore=edit, is_fault=is_fault),
        signature=signature,
        reason=reason,
    )


def _weights(verdict: Verdict, size: Size) -> Signature:
    return Signature(verdict=verdict, first=FirstAt.RESTORE, size=size, key="weights")


PRECISION = (
    _lossy(
        "weights-as-float16",
        "Weights are saved as float16.",
        edit_weights(through_float16),
        "Thirteen bits of every weight are gone, and the next logged losses round the same.",
        ("TensorAuto/OpenTau#185",),
        _weights(Verdict.LATE, Size.COARSE),
    ),
    _lossy(
        "weights-as-bfloat16",
        "Weights are saved as bfloat16.",
        edit_weights(through_bfloat16),
        "A master copy rebuilt from bfloat16 keeps eight bits of each weight.",
        ("TensorAuto/OpenTau#185",),
        _weights(Verdict.VISIBLE, Size.LARGE),
    ),
    _lossy(
        "moments-as-bfloat16",
        "Both moments are saved as bfloat16.",
        _moments_as_bfloat16,
        "The weights are whole, so the restored model evaluates the same; the next step does not.",
        ("deepspeedai/DeepSpeed#8496",),
        Signature(verdict=Verdict.LATE, first=FirstAt.NEXT, size=Size.COARSE, key="first_moment"),
    ),
    _lossy(
        "weights-as-6-digits",
        "Weights are saved as text with 6 significant digits.",
        edit_weights(through_text(6)),
        "The default precision of many a printf: good to read, not good enough to replay.",
        ("projectchrono/chrono#775",),
        _weights(Verdict.HIDDEN, Size.ROUNDING),
    ),
    _lossy(
        "weights-as-8-digits",
        "Weights are saved as text with 8 significant digits.",
        edit_weights(through_text(8)),
        "Eight digits give most float32 back exactly, which is the trap: a test on a few "
        "numbers passes.",
        ("projectchrono/chrono#775",),
        Signature(verdict=Verdict.DORMANT, first=FirstAt.NEVER, size=Size.NONE, key=""),
        reason="eight digits happen to be enough for each of these weights",
    ),
    _lossy(
        "flipped-bit-heals",
        "The last bit of one weight is flipped.",
        flip_bit(element=12, bit=0),
        "The run forgets the bit: a comparison of the final models finds nothing.",
        (),
        _weights(Verdict.HEALED, Size.ROUNDING),
    ),
    _lossy(
        "flipped-bit-grows",
        "A high bit of the fraction of one weight is flipped.",
        flip_bit(element=12, bit=22),
        "The same accident, twenty-two bits higher, is seen by everyone.",
        (),
        _weights(Verdict.VISIBLE, Size.LARGE),
    ),
)

NINE_DIGITS = _lossy(
    "weights-as-9-digits",
    "Weights are saved as text with 9 significant digits.",
    edit_weights(through_text(9)),
    "Nine significant decimals identify every float32: lossless, if the reader rounds right.",
    ("projectchrono/chrono#775",),
    Signature(verdict=Verdict.IDENTICAL, first=FirstAt.NEVER, size=Size.NONE, key=""),
    is_fault=False,
    reason="nine significant decimals identify every float32",
)
