"""Checkpoints that are not one moment in time, and auxiliary state that is lost."""

from __future__ import annotations

import numpy as np

from ..config import StudyConfig
from ..gradient_rules import mean_of_uneven_means, world_of
from ..metrics import Verdict
from ..recipe import Recipe
from ..scenarios import Restore, Scenario, keep
from ..state_pieces import FrozenParameter, LossScaler, MovingAverage
from ..training import TrainState
from .edits import reset_extras
from .entry import Fault, FirstAt, Signature, Size

ALIAS_STEPS = 3

_AVERAGE = Recipe(pieces=(MovingAverage(),))
_FROZEN = Recipe(pieces=(FrozenParameter(),))
_SCALER = Recipe(pieces=(LossScaler(),))


def _alias(state: TrainState, restore: Restore) -> TrainState:
    later = restore.go_on(state, ALIAS_STEPS)
    return later._replace(step=state.step)


def _torn(state: TrainState, restore: Restore) -> TrainState:
    return state._replace(optimizer=restore.states[-2].optimizer)


def _copy_average(state: TrainState, restore: Restore) -> TrainState:
    return state._replace(weights=state.extras["weight_average"])


def _lose_sign_of_zero(state: TrainState, restore: Restore) -> TrainState:
    unsigned = state.extras["frozen"] + np.float32(0)
    return state._replace(extras={**state.extras, "frozen": unsigned})


def _every_step(config: StudyConfig) -> tuple[int, ...]:
    return tuple(range(1, config.steps))


def _twice(config: StudyConfig) -> tuple[int, ...]:
    first, second = config.checkpoint_step, config.steps - 1
    return (first, (first + second + 1) // 2) if first < second else (first,)


_IDENTICAL = Signature(verdict=Verdict.IDENTICAL, first=FirstAt.NEVER, size=Size.NONE, key="")

SNAPSHOT = (
    Fault(
        name="snapshot-aliasing",
        family="snapshot",
        explanation=(
            "The checkpoint kept references, and training went on writing into them: what is "
            "restored as the checkpoint is a later state, and the lab can say which."
        ),
        reports=("WenjieDu/PyPOTS#667",),
        scenario=Scenario(
            name="snapshot-aliasing",
            explanation=f"The saved arrays are those of {ALIAS_STEPS} steps later.",
            after_restore=_alias,
        ),
        signature=Signature(
            verdict=Verdict.VISIBLE, first=FirstAt.RESTORE, size=Size.LARGE, key="sampler"
        ),
    ),
    Fault(
        name="torn-checkpoint",
        family="snapshot",
        explanation=(
            "Weights and optimizer state were written by different ranks at different times: "
            "each file is whole, together they are no state that ever was."
        ),
        scenario=Scenario(
            name="torn-checkpoint",
            explanation="The optimizer state is that of one step earlier.",
            after_restore=_torn,
        ),
        signature=Signature(
            verdict=Verdict.VISIBLE, first=FirstAt.NEXT, size=Size.LARGE, key="first_moment"
        ),
    ),
)

AUXILIARY = (
    Fault(
        name="loss-scaler-reset",
        family="auxiliary state",
        explanation=(
            "The scale starts again at its initial power of two; while nothing overflows the "
            "gradient has the same bits."
        ),
        reports=("facebookresearch/metaseq#3",),
        scenario=Scenario(
            name="loss-scaler-reset",
            explanation="The loss scale and its counter of good steps are reset.",
            recipe=_SCALER,
            after_restore=reset_extras("loss_scale", "good_steps"),
        ),
        reference=_SCALER,
        reason="multiplying by a power of two is exact while nothing overflows",
        signature=Signature(
            verdict=Verdict.DORMANT, first=FirstAt.NEVER, size=Size.NONE, key="loss_scale"
        ),
    ),
    Fault(
        name="average-lost",
        family="auxiliary state",
        explanation=(
            "The moving average of the weights starts again at zero: training goes on as before, "
            "and every evaluation that uses the average is wrong."
        ),
        reports=("ai2cm/ace#349",),
        scenario=Scenario(
            name="average-lost",
            explanation="The moving average of the weights is reset.",
            recipe=_AVERAGE,
            after_restore=reset_extras("weight_average"),
        ),
        reference=_AVERAGE,
        reason="no step reads the moving average",
        signature=Signature(
            verdict=Verdict.DORMANT, first=FirstAt.NEVER, size=Size.NONE, key="weight_average"
        ),
    ),
    Fault(
        name="average-copied-into-weights",
        family="auxiliary state",
        explanation="An evaluation swapped the moving average in, and the checkpoint was taken then.",
        reports=("ai2cm/ace#349",),
        scenario=Scenario(
            name="average-copied-into-weights",
            explanation="The moving average is restored as the weights.",
            recipe=_AVERAGE,
            after_restore=_copy_average,
        ),
        reference=_AVERAGE,
        signature=Signature(
            verdict=Verdict.VISIBLE, first=FirstAt.RESTORE, size=Size.LARGE, key="weights"
        ),
    ),
)

SIGNED_ZERO = Fault(
    name="sign-of-zero-lost",
    family="lossy save",
    explanation=(
        "-0.0 comes back as +0.0: equal as numbers, so == finds nothing, and 1/x or atan2 would."
    ),
    reports=("torch-spyre/torch-spyre#628",),
    scenario=Scenario(
        name="sign-of-zero-lost",
        explanation="A frozen parameter of -0.0 is restored as +0.0.",
        recipe=_FROZEN,
        after_restore=_lose_sign_of_zero,
    ),
    reference=_FROZEN,
    reason="no step reads a frozen parameter",
    signature=Signature(verdict=Verdict.DORMANT, first=FirstAt.NEVER, size=Size.NONE, key="frozen"),
)

ACCUMULATION = (
    Fault(
        name="accumulation-regrouped",
        family="accumulation",
        explanation="Four micro-batches instead of eight shards: another grouping, a rounding.",
        reports=("Nerogar/OneTrainer#1465",),
        scenario=Scenario(
            name="accumulation-regrouped",
            explanation="One rank accumulates 4 micro-batches instead of 8 shards.",
            recipe=Recipe(gradient=world_of(1, 4)),
        ),
        signature=Signature(
            verdict=Verdict.HIDDEN, first=FirstAt.START, size=Size.ROUNDING, key="gradient"
        ),
    ),
    Fault(
        name="mean-of-uneven-means",
        family="accumulation",
        explanation=(
            "The rows of a short micro-batch weigh more when means are averaged: it looks like "
            "a regrouping and is a wrong gradient."
        ),
        reports=("modelscope/ms-swift#10084",),
        scenario=Scenario(
            name="mean-of-uneven-means",
            explanation="The means of three micro-batches of unequal size are averaged.",
            recipe=Recipe(gradient=mean_of_uneven_means),
        ),
        signature=Signature(
            verdict=Verdict.VISIBLE, first=FirstAt.START, size=Size.LARGE, key="gradient"
        ),
    ),
)

CADENCE = (
    Fault(
        name="checkpoint-every-step",
        family="true negatives",
        explanation="Saving and loading after every step must not be a step of its own.",
        scenario=Scenario(
            name="checkpoint-every-step",
            explanation="Saved, loaded and continued after every step.",
            after_restore=keep,
            restore_after=_every_step,
            is_fault=False,
        ),
        reason="the checkpoint holds everything that a step reads",
        signature=_IDENTICAL,
    ),
    Fault(
        name="two-resumes",
        family="true negatives",
        explanation="Two restarts, one after the other, equal the uninterrupted run.",
        reports=("KempnerInstitute/KempnerForge#57",),
        scenario=Scenario(
            name="two-resumes",
            explanation="Restored after the checkpoint step and once more later.",
            after_restore=keep,
            restore_after=_twice,
            is_fault=False,
        ),
        reason="the checkpoint holds everything that a step reads",
        signature=_IDENTICAL,
    ),
)
