"""One small sabotage per named check: it breaks exactly what the check guards.

A mutation takes a `Patch`, such as pytest's `monkeypatch`, and changes the lab in place, where the
changed name is looked up. `MUTATIONS` lists them by the check that must fail.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any, Protocol

import numpy as np

from replay_lab import (
    checkpoint,
    dataset,
    model,
    optimizer,
    random_streams,
    recipe,
    rows,
    scenarios,
    study,
    training,
)
from replay_lab.checks import arithmetic, lost_state, replays
from replay_lab.recipe import Recipe, sharded_gradient
from replay_lab.reduction import FORWARD, REVERSED, ReductionOrder
from replay_lab.scenarios import (
    OPTIMIZER_RESET,
    REVERSED_REDUCTION,
    SAMPLER_RESET,
)



class Patch(Protocol):
    """As much of pytest's `monkeypatch` as is needed: it is not at hand in a browser's tab."""

    def setattr(self, target: Any, name: str, value: Any) -> None:
        """Change an attribute until the test is over."""


Mutation = Callable[[Patch], None]
MUTATIONS: list[tuple[str, Mutation]] = []


def breaks(*names: str) -> Callable[[Mutation], Mutation]:
    """Register a mutation under each check that has to notice it."""

    def register(mutation: Mutation) -> Mutation:
        MUTATIONS.extend((name, mutation) for name in names)
        return mutation

    return register


def replace_everywhere(patch: Patch, name: str, value: Any, *modules: Any) -> None:
    for module in modules:
        patch.setattr(module, name, value)


def change_scenario(patch: Patch, name: str, **changes: Any) -> None:
    """Run the study with one entry of the table of scenarios changed."""
    changed = tuple(
        replace(entry, **changes) if entry.name == name else entry for entry in study.SCENARIOS
    )
    patch.setattr(study, "SCENARIOS", changed)


def change_step(patch: Patch, change: Callable[..., Any]) -> None:
    """Pass what every train step returns through `change(before, after, record, data)`."""

    def step(state: Any, data: Any, *rest: Any) -> Any:
        return change(state, *original(state, data, *rest), data)

    original = training.train_step
    replace_everywhere(patch, "train_step", step, training, scenarios)


def change_restored(patch: Patch, change: Callable[[Any], Any]) -> None:
    """Let every run continue from a changed state, as if the file held no more."""
    original = checkpoint.load_checkpoint
    patch.setattr(
        scenarios, "load_checkpoint", lambda data, template: change(original(data, template))
    )


def change_gradient(patch: Patch, change: Callable[[Any], Any]) -> None:
    patch.setattr(
        recipe, "batch_gradient", lambda batch, order: change(model.batch_gradient(batch, order))
    )


def in_order(combine: Callable[[Any, int], Any]) -> Recipe:
    """A recipe that combines the shards in this way."""
    return Recipe(gradient=sharded_gradient(ReductionOrder(name="mutated", combine=combine)))


# --- Replays that must agree ---------------------------------------------------------


@breaks("rerun-equals-reference")
def every_run_opens_another_sampler_stream(patch: Patch) -> None:
    runs = count()
    patch.setattr(
        training, "open_stream", lambda seed, name: random_streams.open_stream(next(runs), name)
    )


@breaks("full-restore-equals-reference")
def checkpoint_loses_the_first_moment(patch: Patch) -> None:
    change_restored(
        patch,
        lambda state: state._replace(
            optimizer=state.optimizer._replace(first_moment=np.zeros_like(state.weights))
        ),
    )


@breaks("full-restore-equals-reference")
def checkpoint_loses_the_second_moment(patch: Patch) -> None:
    change_restored(
        patch,
        lambda state: state._replace(
            optimizer=state.optimizer._replace(second_moment=np.zeros_like(state.weights))
        ),
    )


@breaks("full-restore-equals-reference")
def checkpoint_loses_the_beta_powers(patch: Patch) -> None:
    change_restored(
        patch,
        lambda state: state._replace(
            optimizer=state.optimizer._replace(
                beta1_power=np.float32(1), beta2_power=np.float32(1)
            )
        ),
    )


@breaks("full-restore-equals-reference")
def checkpoint_loses_the_sampler_state(patch: Patch) -> None:
    change_restored(
        patch, lambda state: state._replace(sampler=random_streams.open_stream(97, "sampler"))
    )


@breaks("full-restore-equals-reference")
def checkpoint_keeps_the_weights_in_half_precision(patch: Patch) -> None:
    change_restored(
        patch,
        lambda state: state._replace(
            weights=state.weights.astype(np.float16).astype(np.float32)
        ),
    )


@breaks("checkpoint-round-trip")
def loading_rounds_a_beta_power(patch: Patch) -> None:
    original = training.TrainState.from_arrays

    def load(arrays: Any) -> Any:
        state = original(arrays)
        rounded = np.float32(np.float16(state.optimizer.beta2_power))
        return state._replace(optimizer=state.optimizer._replace(beta2_power=rounded))

    patch.setattr(training.TrainState, "from_arrays", load)


@breaks("checkpoint-is-a-copy")
def the_checkpoint_refers_to_the_live_state(patch: Patch) -> None:
    live: list[Any] = []

    class Reference:
        """Bytes only when somebody asks, of whatever the state is then."""

        def __bytes__(self) -> bytes:
            return checkpoint.save_checkpoint(live[-1])

        def __len__(self) -> int:
            return len(bytes(self))

        def __eq__(self, other: object) -> bool:
            return bytes(self) == other

    def remember(before: Any, after: Any, record: Any, data: Any) -> Any:
        live.append(after)
        return after, record

    change_step(patch, remember)
    patch.setattr(scenarios, "save_checkpoint", lambda state: Reference())


@breaks("restored-runs-agree-until-checkpoint")
def a_restore_scenario_trains_in_another_order_from_the_start(patch: Patch) -> None:
    change_scenario(patch, SAMPLER_RESET, recipe=Recipe(gradient=sharded_gradient(REVERSED)))


# --- The arithmetic ------------------------------------------------------------------


@breaks("loss-precedes-update", "resets-are-hidden-once")
def the_loss_is_logged_after_the_update(patch: Patch) -> None:
    def later(before: Any, after: Any, record: Any, data: Any) -> Any:
        loss = model.full_loss(data, after.weights)
        return after, record._replace(loss=loss, logged_loss=model.logged(loss, 5))

    change_step(patch, later)


@breaks("first-gradient-closed-form")
def the_gradient_is_a_sum_and_not_a_mean(patch: Patch) -> None:
    change_gradient(patch, lambda gradient: gradient * np.float32(32))


@breaks("first-gradient-closed-form")
def the_gradient_leaves_out_the_last_shard(patch: Patch) -> None:
    original = model.shard_sums
    patch.setattr(model, "shard_sums", lambda rows, shards: original(rows, shards)[:-1])


@breaks("first-gradient-closed-form")
def the_gradient_passes_through_half_precision(patch: Patch) -> None:
    change_gradient(patch, lambda gradient: gradient.astype(np.float16).astype(np.float32))


@breaks("dtypes-stay-float32")
def the_state_starts_in_float64(patch: Patch) -> None:
    original = training.init_state

    def wide(*arguments: Any) -> Any:
        state = original(*arguments)
        moments = state.optimizer._replace(
            first_moment=state.optimizer.first_moment.astype(np.float64),
            second_moment=state.optimizer.second_moment.astype(np.float64),
        )
        return state._replace(weights=state.weights.astype(np.float64), optimizer=moments)

    replace_everywhere(patch, "init_state", wide, scenarios, lost_state, replays)
    for name in ("RERUN", "REVERSED_REDUCTION", "FULL_RESTORE", "OPTIMIZER_RESET", "SAMPLER_RESET"):
        change_scenario(patch, getattr(scenarios, name), start=wide)
    patch.setattr(
        study,
        "run_reference",
        lambda data, config: scenarios.run_reference(data, config, start=wide),
    )


@breaks("dtypes-stay-float32")
def the_recorded_gradient_is_widened(patch: Patch) -> None:
    change_step(
        patch,
        lambda before, after, record, data: (
            after, record._replace(gradient=record.gradient.astype(np.float64))
        ),
    )  # fmt: skip


@breaks("draws-in-range")
def an_index_is_one_too_low(patch: Patch) -> None:
    def draw(*arguments: Any) -> Any:
        stream, values = random_streams.draw_indices(*arguments)
        return random_streams.Draw(stream, values - 1)

    patch.setattr(training, "draw_indices", draw)


@breaks("data-unchanged")
def a_run_writes_into_the_shared_data(patch: Patch) -> None:
    def writable(config: Any) -> Any:
        data = dataset.make_dataset(config)
        return replace(data, targets=data.targets.copy())

    def scribble(data: Any, weights: Any) -> float:
        data.targets[0] += 1
        return model.full_loss(data, weights)

    patch.setattr(study, "make_dataset", writable)
    patch.setattr(training, "full_loss", scribble)


@breaks("two-shards-commute")
def the_first_addend_is_rounded_before_the_sum(patch: Patch) -> None:
    def add(parts: Any, step: int) -> Any:
        return parts[0].astype(np.float16).astype(np.float32) + parts[1:].sum(axis=0)

    patch.setattr(arithmetic, "FORWARD", replace(FORWARD, combine=add))


@breaks("wide-sum-is-order-free")
def the_wide_sum_accumulates_in_float32(patch: Patch) -> None:
    patch.setattr(arithmetic, "sum_wide", arithmetic.sum_first_to_last)


@breaks("wide-sum-is-order-free")
def the_partial_sums_are_too_short_to_round(patch: Patch) -> None:
    patch.setattr(
        arithmetic, "shard_sums", lambda rows, shards: rows[:8].astype(np.float16).astype(np.float32)
    )


@breaks("rows-are-consistent")
def every_step_with_an_equal_log_counts_as_hidden(patch: Patch) -> None:
    def compare(name: str, trace: Any, reference: Any) -> Any:
        row = rows.compare_traces(name, trace, reference)
        agrees = ~rows.differing_steps(trace.logged_loss, reference.logged_loss)
        return replace(row, hidden_weight_mismatch_steps=int(agrees.sum()))

    patch.setattr(study, "compare_traces", compare)


@breaks("training-learns")
def training_climbs(patch: Patch) -> None:
    change_gradient(patch, lambda gradient: -gradient)


# --- Reversed reduction --------------------------------------------------------------


@breaks("reversed-first-at-1", "reversed-never-heals", "reversed-all-hidden")
def the_reversed_order_is_a_no_op(patch: Patch) -> None:
    change_scenario(patch, REVERSED_REDUCTION, recipe=in_order(FORWARD.combine))


@breaks("reversed-first-at-1")
def the_reversed_order_begins_at_step_two(patch: Patch) -> None:
    late = in_order(
        lambda parts, step: (FORWARD if step == 1 else REVERSED).combine(parts, step)
    )
    change_scenario(patch, REVERSED_REDUCTION, recipe=late)


@breaks("reversed-never-heals")
def the_weights_heal_at_step_fifty(patch: Patch) -> None:
    traces: list[Any] = []

    def reference(*arguments: Any) -> Any:
        traces.append(scenarios.run_reference(*arguments))
        return traces[0]

    def run(scenario: Any, *arguments: Any) -> Any:
        found = scenarios.run_scenario(scenario, *arguments)
        if scenario.name != REVERSED_REDUCTION:
            return found
        weights = found.trace.weights.copy()
        weights[49] = traces[0].weights[49]
        columns = {**found.trace.columns, "weights": weights}
        return found._replace(trace=replace(found.trace, columns=columns))

    patch.setattr(study, "run_reference", reference)
    patch.setattr(study, "run_scenario", run)


@breaks("reversed-all-hidden")
def the_log_shows_twelve_digits(patch: Patch) -> None:
    patch.setattr(training, "logged", lambda loss, digits: model.logged(loss, 12))


@breaks("reversed-is-rounding-only", "resets-dwarf-rounding")
def the_reversed_order_loses_a_shard(patch: Patch) -> None:
    lossy = in_order(lambda parts, step: REVERSED.combine(parts[:-1], step))
    change_scenario(patch, REVERSED_REDUCTION, recipe=lossy)


# --- Lost state ----------------------------------------------------------------------


@breaks("optimizer-reset-first-after-checkpoint")
def the_optimizer_reset_resets_nothing(patch: Patch) -> None:
    change_scenario(patch, OPTIMIZER_RESET, after_restore=scenarios.keep)


@breaks("optimizer-reset-keeps-draws")
def the_optimizer_reset_draws_a_word(patch: Patch) -> None:
    def reset(state: Any, restore: Any) -> Any:
        stream = random_streams.draw_words(state.sampler, 1).stream_state
        return scenarios.reset_optimizer(state, restore)._replace(sampler=stream)

    change_scenario(patch, OPTIMIZER_RESET, after_restore=reset)


@breaks("optimizer-reset-first-move-is-learning-rate")
def the_optimizer_reset_forgets_the_beta_powers(patch: Patch) -> None:
    def reset(state: Any, restore: Any) -> Any:
        fresh = optimizer.init_adam(state.weights.size)
        return state._replace(
            optimizer=state.optimizer._replace(
                first_moment=fresh.first_moment, second_moment=fresh.second_moment
            )
        )

    change_scenario(patch, OPTIMIZER_RESET, after_restore=reset)


@breaks("sampler-reset-first-after-checkpoint", "sampler-reset-replays-draws")
def the_sampler_reset_resets_nothing(patch: Patch) -> None:
    change_scenario(patch, SAMPLER_RESET, after_restore=scenarios.keep)


@breaks("sampler-reset-replays-draws")
def the_sampler_restarts_one_word_late(patch: Patch) -> None:
    def reset(state: Any, restore: Any) -> Any:
        fresh = scenarios.reset_sampler(state, restore)
        return fresh._replace(sampler=random_streams.draw_words(fresh.sampler, 1).stream_state)

    change_scenario(patch, SAMPLER_RESET, after_restore=reset)


@breaks("sampler-reset-keeps-moments")
def the_sampler_reset_takes_the_moments_along(patch: Patch) -> None:
    def reset(state: Any, restore: Any) -> Any:
        return scenarios.reset_optimizer(scenarios.reset_sampler(state, restore), restore)

    change_scenario(patch, SAMPLER_RESET, after_restore=reset)


@breaks("resets-are-hidden-once")
def the_log_shows_one_digit(patch: Patch) -> None:
    patch.setattr(training, "logged", lambda loss, digits: model.logged(loss, 1))


@breaks("resets-dwarf-rounding")
def the_optimizer_reset_only_nudges_a_weight(patch: Patch) -> None:
    def nudge(state: Any, restore: Any) -> Any:
        weights = state.weights.copy()
        weights[0] = np.nextafter(weights[0], np.float32(1))
        return state._replace(weights=weights)

    change_scenario(patch, OPTIMIZER_RESET, after_restore=nudge)


# --- Everything ----------------------------------------------------------------------


@breaks("golden-digest")
def epsilon_stands_inside_the_square_root(patch: Patch) -> None:
    original = training.adam_update

    def update(state: Any, weights: Any, gradient: Any, config: Any, *rest: Any) -> Any:
        return original(state, weights, gradient, replace(config, epsilon=1e-7), *rest)

    patch.setattr(training, "adam_update", update)


@breaks("golden-digest")
def the_targets_have_one_other_bit(patch: Patch) -> None:
    def flipped(config: Any) -> Any:
        data = dataset.make_dataset(config)
        targets = data.targets.copy()
        targets.view(np.uint32)[0] ^= 1
        return replace(data, targets=targets)

    patch.setattr(study, "make_dataset", flipped)
