"""
Write `.br` and `.gz` beside the files of a folder.

A script for an environment that has brotli: `python -P compress_files.py FOLDER CACHE`.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import brotli

# Below this a header costs more than compression saves.
LEAST_BYTES = 1024
PACKED = {".png", ".whl", ".br", ".gz"}


def gzipped(data: bytes) -> bytes:
    """The same bytes on every day: no time, no name."""
    return gzip.compress(data, compresslevel=9, mtime=0)


def brotlied(data: bytes) -> bytes:
    """Brotli at its best level, with a window as large as the largest file."""
    packed: bytes = brotli.compress(data, quality=11, lgwin=24)
    return packed


FORMS: dict[str, Callable[[bytes], bytes]] = {".br": brotlied, ".gz": gzipped}


def compress(path: Path, cache: Path) -> int:
    """Write the copies of one file that are smaller; return the bytes of the smallest form."""
    data = path.read_bytes()
    smallest = len(data)
    for suffix, pack in FORMS.items():
        packed = kept(cache / f"{hashlib.sha256(data).hexdigest()}{suffix}", data, pack)
        if len(packed) < len(data):
            path.with_name(path.name + suffix).write_bytes(packed)
            smallest = min(smallest, len(packed))
    return smallest


def kept(place: Path, data: bytes, pack: Callable[[bytes], bytes]) -> bytes:
    """What lies in the cache, or is made and put there whole."""
    if not place.exists():
        partial_place = place.with_name(f".{place.name}.{os.getpid()}")
        partial_place.write_bytes(pack(data))
        partial_place.replace(place)
    return place.read_bytes()


def main(folder: Path, cache: Path) -> None:
    """Compress everything that is worth it, on all processors, and say what came of it."""
    cache.mkdir(parents=True, exist_ok=True)
    paths = [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix not in PACKED and path.stat().st_size >= LEAST_BYTES
    ]
    before = sum(path.stat().st_size for path in paths)
    with ProcessPoolExecutor() as pool:
        after = sum(pool.map(partial(compress, cache=cache), paths))
    print(f"Compressed {len(paths)} files: {before / 1e6:.1f} MB, {after / 1e6:.1f} MB at their smallest")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
