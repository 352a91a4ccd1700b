"""Small changes to a restored state, shared by several faults."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..optimizer import AdamState
from ..random_streams import draw_indices, draw_words
from ..scenarios import Restore, StateEdit
from ..training import TrainState


def skip_words(count: int) -> StateEdit:
    """Draw `count` words that nobody uses from the sampler's stream."""

    def edit(state: TrainState, restore: Restore) -> TrainState:
        return state._replace(sampler=draw_words(state.sampler, count).stream_state)

    return edit


def skip_batches(count: int) -> StateEdit:
    """Move the sampler ahead by whole batches."""

    def edit(state: TrainState, restore: Restore) -> TrainState:
        sampler = state.sampler
        for _ in range(count):
            sampler, _ = draw_indices(sampler, restore.config.batch_size, restore.config.samples)
        return state._replace(sampler=sampler)

    return edit


def edit_optimizer(change: Callable[[AdamState, Restore], AdamState]) -> StateEdit:
    """Change the optimizer state alone."""

    def edit(state: TrainState, restore: Restore) -> TrainState:
        return state._replace(optimizer=change(state.optimizer, restore))

    return edit


def edit_weights(change: Callable[[NDArray[np.float32]], NDArray[np.float32]]) -> StateEdit:
    """Change the weights alone."""

    def edit(state: TrainState, restore: Restore) -> TrainState:
        return state._replace(weights=change(state.weights))

    return edit


def reset_extras(*names: str) -> StateEdit:
    """Put optional arrays back to where they were before step 1."""

    def edit(state: TrainState, restore: Restore) -> TrainState:
        fresh = {name: restore.states[0].extras[name] for name in names}
        return state._replace(extras={**state.extras, **fresh})

    return edit


def through_float16(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Round to float16 and back."""
    return values.astype(np.float16).astype(np.float32)


def through_bfloat16(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Round to the upper 16 bits, half to even, and back.

    Notes
    -----
    bfloat16 is the upper half of a float32: on its bits p, rounding half to
    even is ``(p + 0x7fff + bit 16 of p) & 0xffff0000``.
    """
    bits = values.view("<u4").astype(np.uint64)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return rounded.astype("<u4").view("<f4")


def through_text(digits: int) -> Callable[[NDArray[np.float32]], NDArray[np.float32]]:
    """Write every value with `digits` significant decimals, and read it back."""

    def change(values: NDArray[np.float32]) -> NDArray[np.float32]:
        texts = [f"{value:.{digits - 1}e}" for value in values.tolist()]
        return np.array([np.float32(text) for text in texts], dtype=np.float32)

    return change


def flip_bit(element: int, bit: int) -> StateEdit:
    """Flip one bit of one weight; bit 0 is the last of the fraction, 31 the sign."""

    def edit(state: TrainState, restore: Restore) -> TrainState:
        patterns = state.weights.view("<u4").copy()
        patterns[element % patterns.size] ^= np.uint32(1 << bit)
        return state._replace(weights=patterns.view("<f4"))

    return edit
