"""A run as read-only columns, with one digest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from replay_lab.trace import StepRecord
from replay_lab.training import init_state, train, train_step
from tests.study.runs import SMALL, small_dataset, small_reference, small_state

COLUMNS = list(small_reference().columns)


def test_the_columns_stand_in_causal_order() -> None:
    assert COLUMNS == [name for name in StepRecord._fields if name != "extras"]
    assert COLUMNS.index("data_ids") < COLUMNS.index("loss") < COLUMNS.index("gradient")
    assert COLUMNS[-1] == "weights"


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_has_one_read_only_row_for_every_step(name: str) -> None:
    column = small_reference().columns[name]
    assert column.shape[0] == SMALL.steps
    assert not column.flags.writeable


@pytest.mark.parametrize("name", COLUMNS)
def test_the_trace_digest_sees_one_bit_of_every_column(name: str) -> None:
    column = small_reference().columns[name].copy()
    column.view(f"u{column.dtype.itemsize}").reshape(-1)[-1] ^= 1
    changed = replace(small_reference(), columns={**small_reference().columns, name: column})
    assert changed.digest() != small_reference().digest()


def test_the_trace_digest_sees_the_final_loss() -> None:
    final = float(np.nextafter(small_reference().final_loss, 1))
    assert replace(small_reference(), final_loss=final).digest() != small_reference().digest()


def test_training_does_not_write_into_the_state_it_starts_from() -> None:
    state = small_state()
    before = {name: array.tobytes() for name, array in state.arrays().items()}
    train(state, SMALL.steps, small_dataset(), SMALL)
    assert {name: array.tobytes() for name, array in state.arrays().items()} == before


def test_training_in_two_parts_gives_the_records_of_one() -> None:
    state, first = train(init_state(SMALL), 2, small_dataset(), SMALL)
    _, second = train(state, SMALL.steps, small_dataset(), SMALL)
    weights = np.array([record.weights for record in first + second])
    assert weights.tobytes() == small_reference().weights.tobytes()


def test_a_state_starts_at_step_zero_with_zero_weights() -> None:
    state = init_state(SMALL)
    assert state.step == 0
    assert not state.weights.any()


def test_a_step_records_the_loss_before_its_update() -> None:
    state = init_state(SMALL)
    after, record = train_step(state, small_dataset(), SMALL)
    _, next_record = train_step(after, small_dataset(), SMALL)
    assert record.loss == small_reference().loss[0]
    assert next_record.loss == small_reference().loss[1] != record.loss


def test_training_until_a_step_that_is_done_does_nothing() -> None:
    assert train(small_state(), 1, small_dataset(), SMALL) == (small_state(), [])


def test_a_step_has_a_digest_for_every_part_in_causal_order() -> None:
    digests = small_reference().digests_at(1)
    assert list(digests) == COLUMNS
    assert digests != small_reference().digests_at(2)


def test_the_digest_of_a_part_sees_one_bit_of_it_and_no_other_part() -> None:
    weights = small_reference().weights.copy()
    weights.view("<u4")[1, 0] ^= 1
    changed = replace(small_reference(), columns={**small_reference().columns, "weights": weights})
    before, after = small_reference().digests_at(2), changed.digests_at(2)
    assert [name for name in COLUMNS if before[name] != after[name]] == ["weights"]


@pytest.mark.parametrize("step", [0, SMALL.steps + 1])
def test_a_step_outside_the_trace_is_refused(step: int) -> None:
    with pytest.raises(IndexError, match=f"step {step} is not in this trace: expected 1 to"):
        small_reference().digests_at(step)
