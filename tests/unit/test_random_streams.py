"""Streams of raw words with a state that can be saved."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from replay_lab import random_streams
from replay_lab.bits import digest
from replay_lab.random_streams import (
    NEAR_NORMAL_SCALE,
    draw_indices,
    draw_near_normal,
    draw_words,
    open_stream,
)

# The first words of seed 0, as numpy 2.4.3 gives them; its streams of raw words are fixed.
FIRST_WORDS = {
    "dataset": ["f1645affcd5f76ee", "50fb78bc01675596", "b8eb71a2c24c942d"],
    "sampler": ["ad5cc5f1a97c42b5", "3e34612a5a50a3c0", "9c9c8d5a14388100"],
}


def pcg64_words(stream_state: Any, count: int) -> list[int]:
    """PCG64 (XSL RR) in integers of Python, independent of numpy."""
    high, low, inc_high, inc_low, _, _ = map(int, stream_state)
    state, increment = high << 64 | low, inc_high << 64 | inc_low
    words = []
    for _ in range(count):
        state = (state * 0x2360ED051FC65DA44385DF649FCCF645 + increment) % 2**128
        folded = (state >> 64) ^ (state % 2**64)
        turn = state >> 122
        words.append((folded >> turn | folded << (64 - turn)) % 2**64)
    return words


def give_words(monkeypatch: pytest.MonkeyPatch, words: list[int]) -> None:
    """Make the next draw return these words."""

    def draw(stream_state: Any, count: int) -> random_streams.Draw:
        return random_streams.Draw(stream_state, np.array(words, dtype="<u8"))

    monkeypatch.setattr(random_streams, "draw_words", draw)


@pytest.mark.parametrize("name", FIRST_WORDS)
def test_the_first_words_of_seed_zero_are_known(name: str) -> None:
    words = draw_words(open_stream(0, name), 3).values
    assert [f"{word:016x}" for word in words.tolist()] == FIRST_WORDS[name]


@pytest.mark.parametrize("name", ["dataset", "sampler"])
def test_the_words_are_those_of_the_published_generator(name: str) -> None:
    stream = open_stream(97, name)
    assert draw_words(stream, 50).values.tolist() == pcg64_words(stream, 50)


def test_words_drawn_in_two_parts_are_the_words_drawn_at_once() -> None:
    stream = open_stream(97, "sampler")
    middle, first = draw_words(stream, 7)
    end, second = draw_words(middle, 13)
    whole_end, whole = draw_words(stream, 20)
    assert first.tolist() + second.tolist() == whole.tolist()
    assert end.tolist() == whole_end.tolist()


def test_drawing_nothing_leaves_the_stream_where_it_was() -> None:
    stream = open_stream(97, "sampler")
    after, nothing = draw_words(stream, 0)
    assert after.tolist() == stream.tolist()
    assert nothing.shape == (0,) and nothing.dtype == np.dtype("<u8")


def test_drawing_leaves_the_given_state_as_it_was() -> None:
    stream = open_stream(97, "sampler")
    assert draw_words(stream, 4).values.tolist() == draw_words(stream, 4).values.tolist()


def test_a_stream_state_survives_as_little_endian_words() -> None:
    stream = open_stream(97, "sampler")
    again = np.frombuffer(stream.tobytes(), dtype="<u8")
    assert draw_words(again, 9).values.tolist() == draw_words(stream, 9).values.tolist()


def test_a_buffered_half_word_is_part_of_the_stream_state() -> None:
    generator = np.random.PCG64(3)
    np.random.Generator(generator).integers(0, 2**32, dtype=np.uint32)
    state = random_streams._read_state(generator)
    assert state[4] == 1
    assert random_streams._generator_at(state).state == generator.state


def test_an_index_draw_leaves_no_half_word_behind() -> None:
    stream = draw_indices(open_stream(97, "sampler"), 3, 10).stream_state
    assert stream[4:].tolist() == [0, 0]


def test_streams_of_one_seed_differ() -> None:
    dataset, sampler = open_stream(97, "dataset"), open_stream(97, "sampler")
    assert not set(draw_words(dataset, 500).values.tolist()) & set(
        draw_words(sampler, 500).values.tolist()
    )


def test_streams_of_neighbouring_seeds_differ() -> None:
    words = [draw_words(open_stream(seed, "sampler"), 1).values[0] for seed in range(200)]
    assert len(set(words)) == 200


def test_drawing_from_one_stream_does_not_move_another() -> None:
    before = open_stream(97, "sampler")
    draw_near_normal(open_stream(97, "dataset"), 1000)
    assert digest({"s": open_stream(97, "sampler")}) == digest({"s": before})


def test_an_unknown_stream_is_refused() -> None:
    with pytest.raises(KeyError, match="evaluation"):
        open_stream(97, "evaluation")


def test_numpy_s_global_generator_is_left_alone() -> None:
    before = np.random.get_state(legacy=False)["state"]["key"].tolist()
    draw_near_normal(open_stream(97, "dataset"), 100)
    assert np.random.get_state(legacy=False)["state"]["key"].tolist() == before


# --- Indices -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "bound", "index"),
    [
        (0, 7, 0),
        (2**64 - 1, 7, 6),
        (2**64 - 1, 65_536, 65_535),
        (2**63, 10, 5),
        (2**63 - 1, 10, 4),
        (2**32 - 1, 10, 0),
    ],
)
def test_an_index_is_the_scaled_high_half_of_its_word(
    monkeypatch: pytest.MonkeyPatch, word: int, bound: int, index: int
) -> None:
    give_words(monkeypatch, [word])
    assert draw_indices(open_stream(0, "sampler"), 1, bound).values.tolist() == [index]


def test_indices_are_eight_byte_integers_on_every_machine() -> None:
    assert draw_indices(open_stream(0, "sampler"), 4, 10).values.dtype.str == "<i8"


def test_every_index_is_drawn_about_equally_often() -> None:
    values = draw_indices(open_stream(0, "sampler"), 80_000, 8).values
    counts = np.bincount(values, minlength=8)
    # Chi-squared with 7 degrees of freedom exceeds 30 once in ten thousand fair draws.
    assert ((counts - 10_000.0) ** 2 / 10_000).sum() < 30


# --- Near-normal numbers -------------------------------------------------------------


@pytest.mark.parametrize("corners", list(product((0, 0xFFFF), repeat=4)))
def test_every_lane_of_the_word_counts_the_same(
    monkeypatch: pytest.MonkeyPatch, corners: tuple[int, ...]
) -> None:
    word = sum(lane << 16 * position for position, lane in enumerate(corners))
    give_words(monkeypatch, [word])
    value = draw_near_normal(open_stream(0, "dataset"), 1).values[0]
    assert value == np.float32(sum(corners) - 131070) * NEAR_NORMAL_SCALE


def test_near_normal_numbers_have_mean_zero_and_variance_one() -> None:
    # Exactly, from the distribution of one lane: four independent uniform integers.
    lanes = 4
    mean = lanes * (2**16 - 1) / 2 - 131070
    variance = lanes * (2.0**32 - 1) / 12 * float(NEAR_NORMAL_SCALE) ** 2
    assert mean == 0
    assert abs(variance - 1) < 1e-6


def test_near_normal_draws_look_as_they_should() -> None:
    values = draw_near_normal(open_stream(0, "dataset"), 100_000).values.astype(np.float64)
    # Five standard errors each: of the mean, the variance, the fourth moment 3 - 1.2 / 4.
    assert abs(values.mean()) < 5 / np.sqrt(1e5)
    assert abs(values.var() - 1) < 5 * np.sqrt(1.7 / 1e5)
    assert abs((values**4).mean() - 2.7) < 0.1


def test_near_normal_numbers_are_bounded() -> None:
    assert 3.46 < 131070 * NEAR_NORMAL_SCALE < 3.47


def test_near_normal_numbers_are_float32() -> None:
    assert draw_near_normal(open_stream(0, "dataset"), 3).values.dtype == np.float32


def test_the_integer_behind_a_near_normal_number_is_exact_in_float32() -> None:
    integers = np.arange(-131070, 131071)
    assert (integers.astype(np.float32).astype(np.int64) == integers).all()
