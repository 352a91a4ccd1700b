"""Many files in one, for fast boots; site/page/js/bundle.js reads it."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from pathlib import Path

_MAGIC = b"RLBUNDL1"
_ALIGNMENT = 16


def write_bundle(target: Path, files: Mapping[str, Path]) -> None:
    """
    Write a bundle.

    Parameters
    ----------
    target : Path
        The bundle. It begins with a table of paths, sizes and SHA-256; each content begins at a
        multiple of 16 bytes.
    files : mapping
        Path inside the bundle to the file that is put there; the order is kept.
    """
    contents = {path: file.read_bytes() for path, file in files.items()}
    table = json.dumps(
        [[path, len(content), hashlib.sha256(content).hexdigest()] for path, content in contents.items()],
        separators=(",", ":"),
    ).encode()
    with target.open("wb") as bundle:
        bundle.write(_MAGIC + struct.pack("<I", len(table)) + table)
        for content in contents.values():
            bundle.write(bytes(-bundle.tell() % _ALIGNMENT) + content)
