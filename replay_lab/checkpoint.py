"""A train state as bytes, and back.

Layout: the magic, a version, the length of the manifest, the manifest as
JSON, then the arrays in the manifest's order. The manifest names every array
with dtype, shape and SHA-256. Equal states give equal bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from .bits import Array, canonical_array
from .errors import CheckpointError
from .training import TrainState

MAGIC = b"REPLAYLAB\x00"
VERSION = 1
_FIXED = len(MAGIC) + 4 + 8


def save_checkpoint(state: TrainState) -> bytes:
    """Return `state` as bytes that share no memory with it."""
    manifest = []
    payload = []
    for name, value in sorted(state.arrays().items()):
        array = canonical_array(value, name)
        data = array.tobytes()
        manifest.append(
            {
                "name": name,
                "dtype": array.dtype.str,
                "shape": list(array.shape),
                "sha256": hashlib.sha256(data).hexdigest(),
            }
        )
        payload.append(data)
    header = json.dumps(manifest, sort_keys=True).encode()
    return b"".join(
        (MAGIC, VERSION.to_bytes(4, "little"), len(header).to_bytes(8, "little"), header, *payload)
    )


def load_checkpoint(data: bytes, template: TrainState) -> TrainState:
    """Read a state, checking every entry against `template`.

    Parameters
    ----------
    data : bytes
        What `save_checkpoint` returned.
    template : TrainState
        A state with the names, dtypes and shapes that are expected; its
        values are not used.

    Returns
    -------
    TrainState

    Raises
    ------
    CheckpointError
        Naming the entry that is missing, extra, misshaped, mistyped or
        damaged, or the part of the header that is wrong.
    """
    entries, payload = _split(bytes(data))
    expected = template.arrays()
    names = [entry["name"] for entry in entries]
    for name in sorted(set(expected) - set(names)):
        raise CheckpointError(f"array {name!r} is missing; the checkpoint holds {names}")
    arrays: dict[str, Array] = {}
    offset = 0
    for entry in entries:
        name = entry["name"]
        if name not in expected or name in arrays:
            raise CheckpointError(f"array {name!r} is extra; expected exactly {sorted(expected)}")
        dtype, shape = _checked_form(entry, canonical_array(expected[name], name))
        size = dtype.itemsize * int(np.prod(shape, dtype=np.int64))
        part = payload[offset : offset + size]
        offset += size
        _check_content(name, part, size, entry["sha256"])
        arrays[name] = np.frombuffer(part, dtype=dtype).reshape(shape)
    if names != sorted(names):
        raise CheckpointError(
            f"arrays stand as {names}, expected sorted names; the file was edited"
        )
    if offset != len(payload):
        raise CheckpointError(
            f"{len(payload) - offset} byte(s) follow the last array; the file is damaged"
        )
    return TrainState.from_arrays(arrays)


def write_checkpoint(path: str | os.PathLike[str], state: TrainState) -> None:
    """Write a checkpoint file so that a crash leaves the old one whole.

    The bytes go to a temporary file in the same folder, which is flushed to
    disk and then renamed over `path`.
    """
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        with temporary.open("wb") as file:
            file.write(save_checkpoint(state))
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def read_checkpoint(path: str | os.PathLike[str], template: TrainState) -> TrainState:
    """Read a checkpoint file; see `load_checkpoint`."""
    return load_checkpoint(Path(path).read_bytes(), template)


def _split(data: bytes) -> tuple[list[dict[str, Any]], bytes]:
    if data[: len(MAGIC)] != MAGIC:
        raise CheckpointError(
            f"magic is {data[: len(MAGIC)]!r}, expected {MAGIC!r}; this is not a checkpoint"
        )
    if len(data) < _FIXED:
        raise CheckpointError(f"the header ends after {len(data)} of {_FIXED} bytes; truncated")
    version = int.from_bytes(data[len(MAGIC) : len(MAGIC) + 4], "little")
    if version != VERSION:
        raise CheckpointError(f"version is {version}, this lab reads version {VERSION}")
    length = int.from_bytes(data[len(MAGIC) + 4 : _FIXED], "little")
    header = data[_FIXED : _FIXED + length]
    if len(header) != length:
        raise CheckpointError(f"manifest has {len(header)} of {length} bytes; truncated")
    try:
        entries = json.loads(header)
    except (ValueError, RecursionError) as error:
        raise CheckpointError(f"manifest is not JSON ({error}); the file is damaged") from error
    keys = {"name": str, "dtype": str, "shape": list, "sha256": str}
    if not isinstance(entries, list):
        raise CheckpointError("manifest is not a list of entries; the file is damaged")
    for entry in entries:
        if not isinstance(entry, dict) or any(
            not isinstance(entry.get(key), kind) for key, kind in keys.items()
        ):
            raise CheckpointError(f"manifest entry {entry!r} lacks one of {', '.join(keys)}")
    return entries, data[_FIXED + length :]


def _checked_form(entry: dict[str, Any], expected: Array) -> tuple[np.dtype[Any], tuple[int, ...]]:
    name = entry["name"]
    if entry["dtype"] != expected.dtype.str:
        raise CheckpointError(
            f"array {name!r} has dtype {entry['dtype']}, expected {expected.dtype.str}"
        )
    if repr(entry["shape"]) != repr(list(expected.shape)):  # 3.0 == 3, but it is no length
        raise CheckpointError(
            f"array {name!r} has shape {entry['shape']}, expected {list(expected.shape)}"
        )
    return expected.dtype, expected.shape


def _check_content(name: str, part: bytes, size: int, promised: str) -> None:
    if len(part) != size:
        raise CheckpointError(f"array {name!r} has {len(part)} of {size} bytes; truncated")
    found = hashlib.sha256(part).hexdigest()
    if found != promised:
        raise CheckpointError(
            f"array {name!r} has digest {found[:12]}…, manifest says {promised[:12]}…; "
            "the file is damaged or edited"
        )
