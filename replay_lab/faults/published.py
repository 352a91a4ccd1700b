"""The five published rows."""

from __future__ import annotations

from ..metrics import Verdict
from ..scenarios import (
    FULL_RESTORE,
    OPTIMIZER_RESET,
    RERUN,
    REVERSED_REDUCTION,
    SAMPLER_RESET,
    SCENARIOS,
)
from .entry import Fault, FirstAt, Signature, Size

_BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}
_AGREES = Signature(verdict=Verdict.IDENTICAL, first=FirstAt.NEVER, size=Size.NONE, key="")

PUBLISHED = (
    Fault(
        name="rerun",
        family="published",
        explanation="The control: the same program on the same machine repeats itself.",
        scenario=_BY_NAME[RERUN],
        reason="nothing is changed",
        signature=_AGREES,
    ),
    Fault(
        name="full-checkpoint",
        family="published",
        explanation="A checkpoint that holds the whole train state makes a restart a replay.",
        scenario=_BY_NAME[FULL_RESTORE],
        reason="the checkpoint holds everything that a step reads",
        signature=_AGREES,
    ),
    Fault(
        name="reversed-reduction",
        family="published",
        explanation=(
            "The same eight numbers, added in another order, round differently in the last bit; "
            "from then on no state is the same, and no rounded loss says so."
        ),
        reports=("NVIDIA/nccl#1497", "NVIDIA/nccl#157", "NVIDIA/Megatron-LM#2369"),
        scenario=_BY_NAME[REVERSED_REDUCTION],
        signature=Signature(
            verdict=Verdict.HIDDEN, first=FirstAt.START, size=Size.ROUNDING, key="gradient"
        ),
    ),
    Fault(
        name="optimizer-reset",
        family="published",
        explanation=(
            "Weights and data are right, but Adam starts to average anew; "
            "its first step is a full learning rate in every coordinate."
        ),
        reports=("KempnerInstitute/KempnerForge#114", "deepspeedai/DeepSpeed#4396"),
        scenario=_BY_NAME[OPTIMIZER_RESET],
        signature=Signature(
            verdict=Verdict.VISIBLE, first=FirstAt.NEXT, size=Size.LARGE, key="first_moment"
        ),
    ),
    Fault(
        name="sampler-reset",
        family="published",
        explanation="The weights are right, but the run sees the data of step 1 once more.",
        reports=("mosaicml/streaming#437", "huggingface/accelerate#4071"),
        scenario=_BY_NAME[SAMPLER_RESET],
        signature=Signature(
            verdict=Verdict.VISIBLE, first=FirstAt.NEXT, size=Size.LARGE, key="sampler"
        ),
    ),
)
