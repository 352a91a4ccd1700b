"""Named streams of raw random words, with a state that can be saved.

Only raw PCG64 words are used, never a distribution of numpy: the words are
integers and equal everywhere, the distributions pass through a math library.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np
from numpy.random.bit_generator import ISeedSequence
from numpy.typing import NDArray

from .bits import Array

_STREAM_KEYS = {"dataset": 0, "sampler": 1, "dropout": 2, "arrival": 3, "amplifier": 4}
_WORD = (1 << 64) - 1

NEAR_NORMAL_SCALE = np.float32(np.sqrt(np.float64(3)) / 65536)


class Draw(NamedTuple):
    """A stream's state after a draw, and what was drawn."""

    stream_state: NDArray[np.uint64]
    values: Array


def open_stream(seed: int, name: str, *indices: int) -> NDArray[np.uint64]:
    """Return the initial state of a named stream.

    Parameters
    ----------
    seed : int
        The seed of the study. Streams of one seed are independent: each has
        its own spawn key in numpy's ``SeedSequence``.
    name : {"dataset", "sampler", "dropout", "arrival", "amplifier"}
        Which stream.
    *indices : int
        One more for each level below the name, such as the rank.

    Returns
    -------
    ndarray of shape (6,), uint64
        State and increment of PCG64 (high word, low word each), then the
        buffered half word that a 32-bit draw leaves behind (flag, value).
    """
    sequence = np.random.SeedSequence(seed, spawn_key=(_STREAM_KEYS[name], *indices))
    return _read_state(np.random.PCG64(sequence))


def draw_words(stream_state: NDArray[np.uint64], count: int) -> Draw:
    """Draw `count` raw 64-bit words; the state goes in and comes out."""
    if count == 0:
        return Draw(stream_state, np.empty(0, dtype="<u8"))
    generator = _generator_at(stream_state)
    words = generator.random_raw(count).astype("<u8", copy=False)
    return Draw(_read_state(generator), words)


def draw_indices(stream_state: NDArray[np.uint64], count: int, bound: int) -> Draw:
    """Draw integers in ``[0, bound)`` with replacement.

    Notes
    -----
    ``(high 32 bits of the word * bound) >> 32``: integers only, one word per
    index, hence no hidden half word. The bias is below ``bound / 2**32``.
    """
    stream_state, words = draw_words(stream_state, count)
    indices = ((words >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32)
    return Draw(stream_state, indices.astype("<i8"))


def draw_near_normal(stream_state: NDArray[np.uint64], count: int) -> Draw:
    """Draw float32 numbers of mean 0 and variance 1, bell-shaped, in +-3.47.

    Notes
    -----
    The sum of the four 16-bit lanes of one word, minus 131070, times
    float32(sqrt(3) / 65536). The sum is an exact integer below 2**18, so the
    product rounds once and no math library is involved.
    """
    stream_state, words = draw_words(stream_state, count)
    lane = np.uint64(0xFFFF)
    total = np.zeros(count, dtype=np.int64)
    for shift in (0, 16, 32, 48):
        total += ((words >> np.uint64(shift)) & lane).astype(np.int64)
    return Draw(stream_state, (total - 131070).astype(np.float32) * NEAR_NORMAL_SCALE)


class _AnySeed(ISeedSequence):
    """For a generator that gets its state afterwards: hashing a real seed takes longer than a draw."""

    _WORDS = np.zeros(4, dtype=np.uint64)

    def generate_state(self, n_words: int, dtype: Any = np.uint64) -> NDArray[np.uint64]:
        return self._WORDS


# The interface is all that numpy asks for; its types leave that out.
_ANY_SEED = cast("np.random.SeedSequence", _AnySeed())


def _generator_at(stream_state: NDArray[np.uint64]) -> np.random.PCG64:
    high, low, inc_high, inc_low, has_half, half = stream_state.tolist()
    generator = np.random.PCG64(_ANY_SEED)
    generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": high << 64 | low, "inc": inc_high << 64 | inc_low},
        "has_uint32": has_half,
        "uinteger": half,
    }
    return generator


def _read_state(generator: np.random.PCG64) -> NDArray[np.uint64]:
    full = generator.state
    state, inc = int(full["state"]["state"]), int(full["state"]["inc"])
    words = (
        state >> 64,
        state & _WORD,
        inc >> 64,
        inc & _WORD,
        int(full["has_uint32"]),
        int(full["uinteger"]),
    )
    return np.array(words, dtype="<u8")
