"""Faults of the data position and of random streams."""

from __future__ import annotations

import numpy as np

from ..metrics import Verdict
from ..recipe import Recipe
from ..scenarios import Restore, Scenario, StateEdit
from ..state_pieces import RankDropout
from ..training import TrainState
from .edits import skip_batches, skip_words
from .entry import Fault, FirstAt, Signature, Size

_MOVED = Signature(verdict=Verdict.VISIBLE, first=FirstAt.NEXT, size=Size.LARGE, key="sampler")


def _one_batch_behind(state: TrainState, restore: Restore) -> TrainState:
    return state._replace(sampler=restore.states[-2].sampler)


def _rank_zero_for_all(state: TrainState, restore: Restore) -> TrainState:
    streams = state.extras["dropout"]
    return state._replace(
        extras={**state.extras, "dropout": np.repeat(streams[:1], len(streams), axis=0)}
    )


def _moved(
    name: str, changed: str, edit: StateEdit, explanation: str, reports: tuple[str, ...]
) -> Fault:
    return Fault(
        name=name,
        family="data position",
        explanation=explanation,
        reports=reports,
        scenario=Scenario(name=name, explanation=changed, after_restore=edit),
        signature=_MOVED,
    )


_DROPOUT = Recipe(pieces=(RankDropout(),))

SAMPLER = (
    _moved(
        "sampler-one-ahead",
        "The restored sampler is one batch ahead.",
        skip_batches(1),
        "One batch is never trained on; every later step sees the data of the step after it.",
        ("huggingface/transformers#8624", "KempnerInstitute/KempnerForge#57"),
    ),
    _moved(
        "sampler-one-behind",
        "The restored sampler is one batch behind.",
        _one_batch_behind,
        "The last batch before the checkpoint is trained on twice.",
        ("Lightning-AI/pytorch-lightning#19815",),
    ),
    _moved(
        "sampler-stray-draw",
        "One more word is drawn from the sampler's stream after the restore.",
        skip_words(1),
        "Building an iterator, or restoring in the wrong order, draws once: all later "
        "batches are shifted by one row.",
        ("huggingface/transformers#17055", "meta-pytorch/data#1437"),
    ),
    _moved(
        "prefetch-lost",
        "The sampler was saved after two prefetched batches that the restore drops.",
        skip_batches(2),
        "The loader's position is that of the prefetcher, not that of the training; what "
        "was in flight is lost.",
        ("meta-pytorch/data#1520", "huggingface/datasets#8408"),
    ),
    Fault(
        name="observer-effect",
        family="data position",
        explanation=(
            "Evaluation that shares the training stream moves it: measuring the run changes it, "
            "and only from the next draw on."
        ),
        reports=("huggingface/optimum-graphcore#97",),
        scenario=Scenario(
            name="observer-effect",
            explanation="An evaluation after every tenth step draws one word from the sampler.",
            recipe=Recipe(draws_before_step=lambda step: int(step > 1 and step % 10 == 1)),
        ),
        signature=Signature(
            verdict=Verdict.VISIBLE, first=FirstAt.LATER, size=Size.LARGE, key="data_ids"
        ),
    ),
    Fault(
        name="rank-stream-copied",
        family="random streams",
        explanation=(
            "Every rank restores the dropout stream of rank 0: the masks look random, and are "
            "the same on all ranks."
        ),
        reports=("NVIDIA/Megatron-LM#6858", "pytorch/pytorch#5059"),
        scenario=Scenario(
            name="rank-stream-copied",
            explanation="All ranks get the dropout stream of rank 0.",
            recipe=_DROPOUT,
            after_restore=_rank_zero_for_all,
        ),
        reference=_DROPOUT,
        signature=Signature(
            verdict=Verdict.VISIBLE, first=FirstAt.NEXT, size=Size.LARGE, key="dropout"
        ),
    ),
)
