"""Files of numpy arrays, read strictly: .npz as a state, .npy as one array.

numpy's own reader passes over what it does not understand; here every entry
is either an array with a portable bit pattern or refused by name.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .bits import Array, canonical_array
from .errors import ArrayFileError

_ARRAY_MAGIC = b"\x93NUMPY"
_ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")


class ArrayFile(NamedTuple):
    """What a file holds: named arrays, or one array that has no name there."""

    single: bool
    arrays: dict[str, Array]


def read_array_file(path: str) -> ArrayFile:
    """Read all arrays of a file.

    Parameters
    ----------
    path : str
        A file in numpy's ``.npz`` or ``.npy`` format, recognised by its first
        bytes, not by its name.

    Returns
    -------
    ArrayFile
        The arrays in the order of the file, little-endian and C-contiguous.
        The array of an ``.npy`` file is called ``array``.

    Raises
    ------
    ArrayFileError
        Naming the file and, where it is one entry's fault, the array: a file
        that cannot be read or is of another format, a damaged, doubled or
        unnamed entry, pickled Python objects (they are never loaded), bytes
        after an array.
    StateError
        Naming file and array, for a dtype without a portable bit pattern.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise ArrayFileError(f"{path}: cannot be read ({error.strerror or error})") from error
    if data.startswith(_ARRAY_MAGIC):
        return ArrayFile(True, {"array": _read_array(data, f"{path}: the array")})
    if data.startswith(_ZIP_MAGICS):
        return ArrayFile(False, _read_entries(path, data))
    begin = f"begins with {data[:8]!r}" if data else "is empty"
    raise ArrayFileError(
        f"{path}: expected a file written by numpy.savez (.npz) or numpy.save (.npy), but it {begin}"
    )


def _read_entries(path: str, data: bytes) -> dict[str, Array]:
    arrays: dict[str, Array] = {}
    for filename, content in _unpack(path, data):
        name = filename.removesuffix(".npy")
        if name == filename:
            raise ArrayFileError(f"{path}: entry {filename!r} is not an array (.npy)")
        if name in arrays:
            raise ArrayFileError(f"{path}: array {name!r} is there twice")
        arrays[name] = _read_array(content, f"{path}: array {name!r}")
    return arrays


def _unpack(path: str, data: bytes) -> list[tuple[str, bytes]]:
    """Read all entries of an archive, with their checksums verified."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return [(entry.filename, archive.read(entry)) for entry in archive.infolist()]
    except Exception as error:  # zipfile names no common base for what damage can cause
        raise ArrayFileError(f"{path}: the archive is damaged ({error})") from error


def _read_array(data: bytes, name: str) -> Array:
    """Read one array in .npy format; nothing may follow it."""
    stream = io.BytesIO(data)
    try:
        array = np.lib.format.read_array(stream, allow_pickle=False)
    except Exception as error:  # nor does numpy
        if _holds_objects(data):
            raise ArrayFileError(
                f"{name} holds pickled Python objects, which are never loaded: "
                "they can run code and have no bit pattern"
            ) from error
        raise ArrayFileError(f"{name} is damaged ({error})") from error
    if stream.tell() != len(data):
        raise ArrayFileError(f"{name} is followed by {len(data) - stream.tell()} more byte(s)")
    return canonical_array(array, name)


def _holds_objects(data: bytes) -> bool:
    stream = io.BytesIO(data)
    readers = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    try:
        _, _, dtype = readers[np.lib.format.read_magic(stream)](stream)
    except Exception:  # the caller raises: the array is damaged
        return False
    return bool(dtype.hasobject)
