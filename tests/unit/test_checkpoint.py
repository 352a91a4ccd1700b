"""A train state as bytes: everything in it comes back, everything wrong is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from replay_lab import checkpoint as checkpoint_module
from replay_lab.bits import digest
from replay_lab.checkpoint import (
    MAGIC,
    load_checkpoint,
    read_checkpoint,
    save_checkpoint,
    write_checkpoint,
)
from replay_lab.errors import CheckpointError
from replay_lab.training import TrainState, init_state
from tests.study.runs import SMALL, small_state

TEMPLATE = init_state(SMALL)
DATA = save_checkpoint(small_state())
START = len(MAGIC) + 12
NAMES = sorted(small_state().arrays())


def take_apart(data: bytes) -> tuple[list[dict[str, Any]], bytes]:
    length = int.from_bytes(data[len(MAGIC) + 4 : START], "little")
    return json.loads(data[START : START + length]), data[START + length :]


def put_together(manifest: Any, payload: bytes) -> bytes:
    header = json.dumps(manifest, sort_keys=True).encode()
    return DATA[: len(MAGIC) + 4] + len(header).to_bytes(8, "little") + header + payload


def edited(edit: Callable[[list[dict[str, Any]]], Any]) -> bytes:
    """The checkpoint with its manifest changed in place."""
    manifest, payload = take_apart(DATA)
    edit(manifest)
    return put_together(manifest, payload)


def entry(manifest: list[dict[str, Any]], name: str) -> dict[str, Any]:
    (found,) = [one for one in manifest if one["name"] == name]
    return found


def refused(data: bytes) -> str:
    with pytest.raises(CheckpointError) as caught:
        load_checkpoint(data, TEMPLATE)
    return str(caught.value)


def with_array(name: str, value: Any) -> TrainState:
    return TrainState.from_arrays({**small_state().arrays(), name: value})


# --- What is saved comes back --------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_every_array_comes_back_with_its_bits(name: str) -> None:
    loaded = load_checkpoint(DATA, TEMPLATE).arrays()[name]
    assert digest({name: loaded}) == digest({name: small_state().arrays()[name]})


@pytest.mark.parametrize("name", NAMES)
def test_no_array_of_the_tested_state_is_that_of_a_fresh_one(name: str) -> None:
    assert digest({name: TEMPLATE.arrays()[name]}) != digest({name: small_state().arrays()[name]})


def test_a_loaded_state_has_the_types_of_the_saved_one() -> None:
    loaded = load_checkpoint(DATA, TEMPLATE)
    assert type(loaded.step) is int
    assert type(loaded.optimizer.beta1_power) is np.float32


def test_save_load_save_gives_the_same_bytes() -> None:
    assert save_checkpoint(load_checkpoint(DATA, TEMPLATE)) == DATA


@pytest.mark.parametrize("bits", [0x7FC00001, 0xFFC00000, 0x7F800000, 0x80000000, 0x00000001])
def test_unusual_floats_keep_their_bits(bits: int) -> None:
    weights = np.array([bits, 0, 0], dtype="<u4").view("<f4")
    loaded = load_checkpoint(save_checkpoint(with_array("weights", weights)), TEMPLATE)
    assert loaded.weights.view("<u4")[0] == bits


def test_a_big_endian_state_is_saved_as_the_same_bytes() -> None:
    assert save_checkpoint(with_array("weights", small_state().weights.astype(">f4"))) == DATA


def test_the_checkpoint_shares_no_memory_with_the_state() -> None:
    weights = small_state().weights.copy()
    state = with_array("weights", weights)
    data = save_checkpoint(state)
    weights[:] = 7
    assert data == DATA


def test_loading_does_not_read_the_template_s_values() -> None:
    assert save_checkpoint(load_checkpoint(DATA, small_state())) == DATA


def test_a_loaded_array_is_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        load_checkpoint(DATA, TEMPLATE).weights[0] = 1


# --- What is damaged is refused ------------------------------------------------------


def test_a_checkpoint_cut_at_any_length_is_refused() -> None:
    for length in range(len(DATA)):
        refused(DATA[:length])


@pytest.mark.parametrize("mask", [0x01, 0x20, 0x80, 0xFF], ids=hex)
def test_a_flip_in_any_byte_is_refused(mask: int) -> None:
    for position in range(len(DATA)):
        refused(DATA[:position] + bytes([DATA[position] ^ mask]) + DATA[position + 1 :])


@pytest.mark.parametrize("name", NAMES)
def test_a_damaged_array_is_refused_by_name(name: str) -> None:
    manifest, payload = take_apart(DATA)
    position = 0
    for one in manifest:
        if one["name"] == name:
            break
        position += np.dtype(one["dtype"]).itemsize * int(np.prod(one["shape"]))
    damaged = bytearray(payload)
    damaged[position] ^= 1
    message = refused(put_together(manifest, bytes(damaged)))
    assert message.startswith(f"array '{name}' has digest ")
    assert entry(manifest, name)["sha256"][:12] in message


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "magic is b''"),
        (b"PK\x03\x04 is another kind of file", "this is not a checkpoint"),
        (DATA[: len(MAGIC) + 3], "the header ends after 13 of 22 bytes"),
        (DATA[: START + 9], "manifest has 9 of "),
        (DATA[:-1], "array 'weights' has 11 of 12 bytes; truncated"),
        (DATA + b"\x00", r"1 byte\(s\) follow the last array"),
        (DATA[: len(MAGIC)] + b"\x02" + DATA[len(MAGIC) + 1 :], "version is 2, .* reads version 1"),
        (put_together({}, b""), "manifest is not a list"),
        (put_together([3], b""), "manifest entry 3 lacks one of name, dtype, shape, sha256"),
        (put_together([], b""), "array 'beta1_power' is missing"),
        (DATA[: len(MAGIC) + 4] + (2).to_bytes(8, "little") + b"[}", "manifest is not JSON"),
        (DATA[: len(MAGIC) + 4] + (9**5).to_bytes(8, "little") + b"[" * 9**5, "is not JSON"),
    ],
    ids=lambda value: None if isinstance(value, str) else "",
)  # fmt: skip
def test_a_damaged_file_is_refused_by_what_is_wrong(data: bytes, message: str) -> None:
    with pytest.raises(CheckpointError, match=message):
        load_checkpoint(data, TEMPLATE)


# --- What does not fit is refused ----------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_array_is_refused_by_name(name: str) -> None:
    data = edited(lambda manifest: manifest.remove(entry(manifest, name)))
    assert refused(data).startswith(f"array '{name}' is missing")


@pytest.mark.parametrize("name", NAMES)
def test_a_renamed_array_is_refused_by_its_old_name(name: str) -> None:
    data = edited(lambda manifest: entry(manifest, name).update(name="momentum"))
    assert refused(data).startswith(f"array '{name}' is missing")


def test_an_extra_array_is_refused_by_name() -> None:
    extra = small_state()._replace(extras={"weight_average": np.zeros(3, np.float32)})
    assert refused(save_checkpoint(extra)).startswith("array 'weight_average' is extra")


def test_an_array_that_stands_twice_is_refused_by_name() -> None:
    data = edited(lambda manifest: manifest.append(entry(manifest, "sampler")))
    assert refused(data).startswith("array 'sampler' is extra")


@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_dtype_is_refused_by_name(name: str) -> None:
    data = edited(lambda manifest: entry(manifest, name).update(dtype="<f2"))
    assert refused(data).startswith(f"array '{name}' has dtype <f2, expected ")


@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_shape_is_refused_by_name(name: str) -> None:
    data = edited(lambda manifest: entry(manifest, name).update(shape=[4]))
    assert refused(data).startswith(f"array '{name}' has shape [4], expected ")


@pytest.mark.parametrize("shape", [[3.0], ["3"], [3, 1], [], [-1]], ids=str)
def test_a_shape_that_only_looks_right_is_refused(shape: Any) -> None:
    data = edited(lambda manifest: entry(manifest, "weights").update(shape=shape))
    assert refused(data).startswith("array 'weights' has shape ")


def test_two_arrays_that_exchanged_their_names_are_refused() -> None:
    def swap(manifest: Any) -> None:
        first, second = entry(manifest, "first_moment"), entry(manifest, "second_moment")
        first["name"], second["name"] = second["name"], first["name"]

    assert "expected sorted names; the file was edited" in refused(edited(swap))


def test_a_state_of_another_size_does_not_fit() -> None:
    wide = init_state(SMALL)._replace(weights=np.zeros(4, np.float32))
    with pytest.raises(CheckpointError, match=r"'weights' has shape \[3\], expected \[4\]"):
        load_checkpoint(DATA, wide)


# --- Files ---------------------------------------------------------------------------


def test_a_written_checkpoint_is_read_back(tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "state", small_state())
    assert save_checkpoint(read_checkpoint(tmp_path / "state", TEMPLATE)) == DATA


def test_writing_replaces_the_old_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "state", TEMPLATE)
    write_checkpoint(tmp_path / "state", small_state())
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"state": DATA}


@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()], ids=repr)
@pytest.mark.parametrize("moment", ["fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_file_whole(
    moment: str, error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise error

    write_checkpoint(tmp_path / "state", TEMPLATE)
    monkeypatch.setattr(checkpoint_module.os, moment, fail)
    with pytest.raises(type(error)):
        write_checkpoint(tmp_path / "state", small_state())
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        "state": save_checkpoint(TEMPLATE)
    }


@pytest.mark.parametrize("moment", ["fsync", "replace"])
def test_a_process_killed_while_writing_leaves_the_old_file_whole(
    moment: str, tmp_path: Path
) -> None:
    write_checkpoint(tmp_path / "state", TEMPLATE)
    program = (
        "import os, sys\n"
        f"os.{moment} = lambda *arguments: os._exit(9)\n"
        "from replay_lab.checkpoint import write_checkpoint\n"
        "from replay_lab.config import StudyConfig\n"
        "from replay_lab.training import init_state\n"
        "write_checkpoint(sys.argv[1], init_state(StudyConfig(features=7)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path / "state")], env=os.environ)
    assert done.returncode == 9
    assert (tmp_path / "state").read_bytes() == save_checkpoint(TEMPLATE)
