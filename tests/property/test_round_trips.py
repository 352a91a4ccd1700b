"""What is written is read back, for every value that can be written."""

from __future__ import annotations

import csv
import io
import json
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay_lab.bits import digest
from replay_lab.checkpoint import load_checkpoint, save_checkpoint
from replay_lab.config import StudyConfig
from replay_lab.errors import CheckpointError, ConfigError
from replay_lab.figure_data import columns_csv
from replay_lab.optimizer import AdamState
from replay_lab.random_streams import draw_words
from replay_lab.tables import Table
from replay_lab.training import TrainState
from tests.property.valid_settings import configs

WORDS = st.integers(0, 2**32 - 1)


def floats(count: int) -> st.SearchStrategy[Any]:
    return st.lists(WORDS, min_size=count, max_size=count).map(
        lambda bits: np.array(bits, dtype="<u4").view("<f4")
    )


@st.composite
def states(draw: st.DrawFn) -> TrainState:
    count = draw(st.integers(1, 4))
    return TrainState(
        step=draw(st.integers(0, 10_000)),
        weights=draw(floats(count)),
        optimizer=AdamState(
            draw(floats(count)), draw(floats(count)), draw(floats(1))[0], draw(floats(1))[0]
        ),
        sampler=np.array(
            draw(st.lists(st.integers(0, 2**64 - 1), min_size=6, max_size=6)), dtype="<u8"
        ),
    )


def blank(state: TrainState) -> TrainState:
    return TrainState.from_arrays(
        {name: np.zeros_like(array) for name, array in state.arrays().items()}
    )


@given(states())
def test_every_state_survives_a_checkpoint(state: TrainState) -> None:
    loaded = load_checkpoint(save_checkpoint(state), blank(state))
    assert digest(loaded.arrays()) == digest(state.arrays())


@given(states(), st.data())
def test_no_changed_byte_of_a_checkpoint_is_taken_for_the_state(
    state: TrainState, data: st.DataObject
) -> None:
    saved = bytearray(save_checkpoint(state))
    position = data.draw(st.integers(0, len(saved) - 1))
    saved[position] ^= data.draw(st.integers(1, 255))
    try:
        loaded = load_checkpoint(bytes(saved), blank(state))
    except CheckpointError:
        return
    # White space of the manifest may be exchanged; its content may not.
    assert digest(loaded.arrays()) == digest(state.arrays())


@given(st.binary(max_size=200))
def test_arbitrary_bytes_are_no_checkpoint(data: bytes) -> None:
    state = TrainState(0, np.zeros(1, "<f4"), AdamState(*[np.zeros(1, "<f4")] * 4), np.zeros(6, "<u8"))
    with pytest.raises(CheckpointError):
        load_checkpoint(data, state)


@given(configs())
def test_every_valid_setting_survives_json(config: StudyConfig) -> None:
    assert StudyConfig.from_json(json.loads(json.dumps(config.to_json()))) == config


@given(configs())
def test_every_valid_setting_survives_a_command_line(config: StudyConfig) -> None:
    texts = [f"{name}={json.dumps(value)}" for name, value in config.to_json().items()]
    assert StudyConfig.from_settings(texts) == config


@given(st.text(max_size=20))
def test_a_text_is_a_setting_or_is_refused_and_nothing_else_happens(text: str) -> None:
    try:
        StudyConfig.from_settings([text])
    except ConfigError as error:
        assert error.field and str(error)


@given(
    st.sampled_from(list(StudyConfig().to_json())),
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.binary(max_size=3)
    ),
)
def test_a_value_is_accepted_as_it_is_or_refused_by_its_name(name: str, value: Any) -> None:
    try:
        config = StudyConfig(**{name: value})
    except ConfigError as error:
        # Fields that have to fit together can be refused for each other's sake.
        assert error.field in {name, "shards", "checkpoint_step", "beta1", "steps", "samples"}
    else:
        assert getattr(config, name) == value


@given(
    st.lists(
        st.tuples(
            st.floats(allow_nan=False, allow_infinity=False),
            st.floats(allow_nan=False, allow_infinity=False),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_every_finite_number_survives_csv(pairs: list[tuple[float, float]]) -> None:
    first, second = zip(*pairs)
    rows = list(csv.DictReader(io.StringIO(columns_csv({"a": first, "b": second}))))
    found = [(float(row["a"]).hex(), float(row["b"]).hex()) for row in rows]
    assert found == [(a.hex(), b.hex()) for a, b in pairs]


PRINTABLE = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FFF), max_size=8)


@given(PRINTABLE, st.lists(st.tuples(PRINTABLE, PRINTABLE), max_size=3))
def test_every_text_survives_a_table_of_html(caption: str, rows: list[tuple[str, str]]) -> None:
    table = Table.make(caption=caption, columns={"a": "A", "b": "B"}, rows=rows)
    root = ElementTree.fromstring(table.to_html())
    assert (root.findtext("caption") or "") == caption
    assert [cell.text or "" for cell in root.iter("td")] == [text for row in rows for text in row]


@given(
    st.lists(st.integers(0, 2**64 - 1), min_size=4, max_size=4), st.integers(0, 9), st.integers(0, 9)
)
def test_words_drawn_in_parts_are_the_words_drawn_at_once(
    state: list[int], first: int, second: int
) -> None:
    stream = np.array([*state, 0, 0], dtype="<u8")
    stream[3] |= np.uint64(1)  # the increment of the generator is odd
    middle, one = draw_words(stream, first)
    end, two = draw_words(middle, second)
    whole_end, whole = draw_words(stream, first + second)
    assert [*one.tolist(), *two.tolist()] == whole.tolist()
    assert end.tolist() == whole_end.tolist()
