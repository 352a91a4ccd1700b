"""Faults of the optimizer state and of the learning-rate schedule."""

from __future__ import annotations

import numpy as np

from ..config import StudyConfig
from ..metrics import Verdict
from ..optimizer import AdamState, init_adam
from ..recipe import PLAIN, Recipe
from ..scenarios import Restore, Scenario, StateEdit
from ..state_pieces import ConstantSchedule, LearningRateSchedule
from ..training import TrainState, init_state
from .edits import edit_optimizer, reset_extras
from .entry import Fault, FirstAt, Signature, Size

# From step 17,321 on beta2**step, as a running float32 product with beta2 = 0.999, is so
# small that 1 - beta2**step is exactly 1: the counter no longer reaches the update.
LATE_STEP = 18_000

_SCHEDULED = Recipe(pieces=(LearningRateSchedule(),))


def _fresh(optimizer: AdamState) -> AdamState:
    return init_adam(optimizer.first_moment.size)


def _lose_counter(optimizer: AdamState, restore: Restore) -> AdamState:
    fresh = _fresh(optimizer)
    return optimizer._replace(beta1_power=fresh.beta1_power, beta2_power=fresh.beta2_power)


def _one_step_behind(optimizer: AdamState, restore: Restore) -> AdamState:
    before = restore.states[-2].optimizer
    return optimizer._replace(beta1_power=before.beta1_power, beta2_power=before.beta2_power)


def _lose_first_moment(optimizer: AdamState, restore: Restore) -> AdamState:
    return optimizer._replace(first_moment=_fresh(optimizer).first_moment)


def _lose_second_moment(optimizer: AdamState, restore: Restore) -> AdamState:
    return optimizer._replace(second_moment=_fresh(optimizer).second_moment)


def _permute_moments(optimizer: AdamState, restore: Restore) -> AdamState:
    return optimizer._replace(
        first_moment=np.roll(optimizer.first_moment, 1),
        second_moment=np.roll(optimizer.second_moment, 1),
    )


def _start_late(config: StudyConfig, recipe: Recipe) -> TrainState:
    """Start with the beta powers of a long run, instead of training so long."""
    beta1_power = beta2_power = np.float32(1)
    for _ in range(LATE_STEP):
        beta1_power = beta1_power * np.float32(config.beta1)
        beta2_power = beta2_power * np.float32(config.beta2)
    state = init_state(config, recipe)
    late = state.optimizer._replace(beta1_power=beta1_power, beta2_power=beta2_power)
    return state._replace(optimizer=late)


def _schedule_behind(state: TrainState, restore: Restore) -> TrainState:
    step = np.array(int(state.extras["schedule_step"]) - 1, dtype="<i8")
    return state._replace(extras={**state.extras, "schedule_step": step})


def _fault(
    name: str,
    changed: str,
    edit: StateEdit,
    explanation: str,
    reports: tuple[str, ...],
    signature: Signature,
    *,
    family: str = "optimizer state",
    recipe: Recipe = PLAIN,
    reason: str = "",
) -> Fault:
    return Fault(
        name=name,
        family=family,
        explanation=explanation,
        reports=reports,
        scenario=Scenario(name=name, explanation=changed, recipe=recipe, after_restore=edit),
        reference=recipe,
        signature=signature,
        reason=reason,
    )


def _next(key: str, verdict: Verdict = Verdict.VISIBLE) -> Signature:
    return Signature(verdict=verdict, first=FirstAt.NEXT, size=Size.LARGE, key=key)


def _dormant(key: str) -> Signature:
    return Signature(verdict=Verdict.DORMANT, first=FirstAt.NEVER, size=Size.NONE, key=key)


OPTIMIZER = (
    _fault(
        "adam-counter-lost",
        "The beta powers restart at 1; the moments are kept.",
        edit_optimizer(_lose_counter),
        "Bias correction is applied to moments that need none: the next steps are several "
        "times too long.",
        ("deepspeedai/DeepSpeed#4396",),
        _next("beta1_power"),
    ),
    _fault(
        "adam-counter-off-by-one",
        "The beta powers are those of one step earlier.",
        edit_optimizer(_one_step_behind),
        "A dummy step, or a counter saved before the update: every later bias correction is "
        "slightly off.",
        ("pytorch/torchtitan#4382",),
        _next("beta1_power", Verdict.LATE),
    ),
    _fault(
        "first-moment-lost",
        "The first moment is reset; second moment and counter are kept.",
        edit_optimizer(_lose_first_moment),
        "The run loses its direction for about ten steps, and then remembers.",
        ("KempnerInstitute/KempnerForge#114", "KempnerInstitute/KempnerForge#115"),
        _next("first_moment"),
    ),
    _fault(
        "second-moment-lost",
        "The second moment is reset; first moment and counter are kept.",
        edit_optimizer(_lose_second_moment),
        "Without its brake Adam takes steps about thirty times too long: losing this alone is "
        "worse than losing everything.",
        ("KempnerInstitute/KempnerForge#114", "KempnerInstitute/KempnerForge#115"),
        _next("second_moment"),
    ),
    _fault(
        "moments-permuted",
        "The moments are shifted by one parameter.",
        edit_optimizer(_permute_moments),
        "State that is matched by position ends up at the wrong parameter; every sum and every "
        "XOR over it stays the same.",
        ("pytorch/pytorch#1489",),
        _next("first_moment"),
    ),
    Fault(
        name="adam-counter-off-by-one-late",
        family="true negatives",
        explanation="The same counter error after a long run, when bias correction has ended.",
        reports=("pytorch/torchtitan#4382",),
        scenario=Scenario(
            name="adam-counter-off-by-one-late",
            explanation=f"The beta powers are one step behind, {LATE_STEP} steps into a run.",
            after_restore=edit_optimizer(_one_step_behind),
            start=_start_late,
        ),
        signature=_dormant("beta2_power"),
        reason="1 - beta**step is exactly 1 in float32 with either counter",
    ),
    _fault(
        "schedule-one-behind",
        "The schedule's counter is one step behind.",
        _schedule_behind,
        "Optimizer and scheduler were saved on different sides of a step.",
        ("Lightning-AI/pytorch-lightning#4655",),
        _next("schedule_step", Verdict.LATE),
        family="learning-rate schedule",
        recipe=_SCHEDULED,
    ),
    _fault(
        "schedule-restarted",
        "The schedule starts again, with its warm-up.",
        reset_extras("schedule_step"),
        "The scheduler was not part of the checkpoint.",
        ("THUDM/slime#1546",),
        _next("schedule_step"),
        family="learning-rate schedule",
        recipe=_SCHEDULED,
    ),
    _fault(
        "schedule-one-behind-constant",
        "The counter of a constant schedule is one step behind.",
        _schedule_behind,
        "The same error as above under a constant rate: it waits for the day the rate changes.",
        ("Lightning-AI/pytorch-lightning#4655",),
        _dormant("schedule_step"),
        family="true negatives",
        recipe=Recipe(pieces=(ConstantSchedule(),)),
        reason="the rate is the same at every step",
    ),
)
