"""Faults of the order in which sums are added, and their cures."""

from __future__ import annotations

from ..gradient_rules import arrival_order, fused, ring, split_k, stored_by_rank, world_of
from ..metrics import Verdict
from ..recipe import PLAIN, GradientRule, Recipe, sharded_gradient
from ..reduction import (
    REVERSED,
    order_of,
    sum_kahan,
    sum_neumaier,
    sum_tree,
    sum_wide,
)
from ..scenarios import Scenario
from .entry import Fault, FirstAt, Signature, Size

_HIDDEN = Signature(verdict=Verdict.HIDDEN, first=FirstAt.START, size=Size.ROUNDING, key="gradient")
_CURED = Signature(verdict=Verdict.DORMANT, first=FirstAt.NEVER, size=Size.NONE, key="")


def _regrouped(
    name: str,
    changed: str,
    gradient: GradientRule,
    explanation: str,
    reports: tuple[str, ...],
    *,
    reference: Recipe = PLAIN,
    signature: Signature = _HIDDEN,
    family: str = "reduction order",
    reason: str = "",
) -> Fault:
    return Fault(
        name=name,
        family=family,
        explanation=explanation,
        reports=reports,
        scenario=Scenario(name=name, explanation=changed, recipe=Recipe(gradient=gradient)),
        reference=reference,
        signature=signature,
        reason=reason,
    )


REDUCTION = (
    _regrouped(
        "arrival-order",
        "Partial sums are added as they arrive.",
        sharded_gradient(arrival_order(1)),
        "An all-reduce that adds what comes first is a new order at every step, and no seed "
        "of the training program controls it.",
        ("NVIDIA/nccl#1497", "NVIDIA/Megatron-LM#2369"),
    ),
    _regrouped(
        "tree-reduction",
        "Partial sums are added along a binary tree.",
        sharded_gradient(order_of("tree", sum_tree)),
        "The library chose another algorithm; the addends are the same, the rounding is not.",
        ("NVIDIA/nccl#157",),
    ),
    _regrouped(
        "ring-reduction",
        "Every chunk of the gradient is added along a ring that starts at another rank.",
        ring,
        "In a ring each chunk has its own order, so even the coordinates of one gradient are "
        "not summed alike.",
        ("NVIDIA/nccl#157",),
    ),
    _regrouped(
        "world-size-4",
        "The batch is split over 4 ranks instead of 8.",
        world_of(4),
        "Restarting on half the machines groups the same rows differently.",
        ("NVIDIA/Megatron-LM#2369",),
    ),
    _regrouped(
        "world-size-4-accumulation-2",
        "4 ranks accumulate 2 micro-batches each, instead of 8 ranks.",
        world_of(4, 2),
        "The groups are the same eight, but neighbours are added first: a third grouping.",
        ("NVIDIA/nccl#157",),
    ),
    _regrouped(
        "split-k",
        "The dot product over the features is cut into two halves.",
        split_k,
        "A kernel for another shape or device splits the inner dimension; at zero weights the "
        "predictions are zero either way, so it shows from step 2 on.",
        ("microsoft/onnxruntime#27003",),
        signature=Signature(
            verdict=Verdict.HIDDEN, first=FirstAt.LATER, size=Size.ROUNDING, key="gradient"
        ),
        family="kernels",
    ),
    _regrouped(
        "fused-multiply-add",
        "Predictions use fused multiply-adds, emulated in float64.",
        fused,
        "A compiler may round once where the source rounds twice; IEEE 754 allows both.",
        ("openmc-dev/openmc#3823",),
        signature=Signature(
            verdict=Verdict.HIDDEN, first=FirstAt.LATER, size=Size.ROUNDING, key="gradient"
        ),
        family="kernels",
    ),
)

CURES = (
    _regrouped(
        "cure-float64",
        "Partial sums are added last to first, in a float64 accumulator.",
        sharded_gradient(order_of("float64, reversed", sum_wide, reverse=True)),
        "With 29 spare bits the sum of eight float32 is almost always exact before the one "
        "rounding: the order cannot be seen.",
        (),
        reference=Recipe(gradient=sharded_gradient(order_of("float64", sum_wide))),
        signature=_CURED,
        family="cures",
        reason="the float64 accumulator rounds once, after all addends are in",
    ),
    _regrouped(
        "cure-neumaier",
        "Partial sums are added last to first, with Neumaier's compensation.",
        sharded_gradient(order_of("Neumaier, reversed", sum_neumaier, reverse=True)),
        "The rounding error of every addition is kept and added back at the end.",
        (),
        reference=Recipe(gradient=sharded_gradient(order_of("Neumaier", sum_neumaier))),
        signature=_CURED,
        family="cures",
        reason="the errors of all additions are returned in one last addition",
    ),
    _regrouped(
        "cure-fixed-tree",
        "Partial sums arrive in any order, are stored by rank, and added along a fixed tree.",
        sharded_gradient(stored_by_rank(1)),
        "Not more precise, only fixed: the order of arrival no longer is the order of addition.",
        (),
        reference=Recipe(gradient=sharded_gradient(stored_by_rank(2))),
        signature=_CURED,
        family="cures",
        reason="the order of addition does not depend on the order of arrival",
    ),
    _regrouped(
        "no-cure-kahan",
        "Partial sums are added last to first, with Kahan's compensation.",
        sharded_gradient(order_of("Kahan, reversed", sum_kahan, reverse=True)),
        "Kahan's sum loses the error when the next addend is larger than the total, and "
        "returns a rounded total without its correction: the order still shows.",
        (),
        reference=Recipe(gradient=sharded_gradient(order_of("Kahan", sum_kahan))),
        signature=_HIDDEN,
        family="cures",
    ),
)

COMMUTING = _regrouped(
    "two-addends-reversed",
    "Two partial sums are added last to first.",
    world_of(2, order=REVERSED),
    "Addition commutes: with two addends there is only one sum.",
    (),
    reference=Recipe(gradient=world_of(2)),
    signature=_CURED,
    family="true negatives",
    reason="a + b and b + a have the same bits",
)

ACCUMULATED = _regrouped(
    "accumulation-for-ranks",
    "One rank accumulates 4 micro-batches, instead of 4 ranks.",
    world_of(1, 4),
    "The same groups in the same order: who adds them does not matter.",
    (),
    reference=Recipe(gradient=world_of(4)),
    signature=_CURED,
    family="true negatives",
    reason="the same groups are added in the same order",
)
