"""A memory snapshot from its parts, with what has to be found by comparing."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from build.bundle import write_bundle
from build.errors import BuildError

_WORD = 4


def pack_snapshot(parts: Path, folder: Path) -> None:
    """
    Write the snapshot that the page restores, its head apart from the pages of memory.

    Parameters
    ----------
    parts : Path
        What snapshot.mjs wrote as `full`, `bare` and `bare-switching`.
    folder : Path
        Gets `snapshot.bundle` and `snapshot-pages-00.bundle`, `snapshot-pages-01.bundle` and so on.

    Raises
    ------
    BuildError
        The two bare ones do not differ in exactly one word.
    """
    facts = _facts(parts / "full") | {"stackSwitching": _stack_switching(parts)}
    complete = parts / "snapshot.json"
    complete.write_text(json.dumps(facts, separators=(",", ":")), encoding="utf-8", newline="\n")
    head = {"snapshot.json": complete, "pyodide": parts / "full" / "pyodide"}
    write_bundle(folder / "snapshot.bundle", head)
    for pages in (parts / "full").glob("pages-*.zst"):
        write_bundle(folder / f"snapshot-{pages.stem}.bundle", {"pages.zst": pages})


def _stack_switching(parts: Path) -> dict[str, int]:
    """The word that remembers whether the engine could switch stacks: the only one that differs."""
    found = list(_differing_words(parts / "bare", parts / "bare-switching"))
    if len(found) != 1:
        raise BuildError(
            "two snapshots of engines with and without stack switching were to differ in one word, "
            f"and differ in {len(found)}, at {[address for address, *_ in found[:5]]}; "
            "this Pyodide remembers it otherwise, see site/page/js/snapshot-restore.js"
        )
    address, without, switching = found[0]
    return {"address": address, "without": without, "with": switching}


def _differing_words(one: Path, other: Path) -> Iterator[tuple[int, int, int]]:
    """Address and both values of each 32-bit word that differs between two snapshots."""
    ones, others = _pages(one), _pages(other)
    for start in sorted(ones.keys() | others.keys()):
        left, right = ones.get(start), others.get(start)
        if left == right:
            continue
        zero = bytes(len(left or right or b""))
        pairs = zip(struct.iter_unpack("<I", left or zero), struct.iter_unpack("<I", right or zero))
        for index, ((before,), (after,)) in enumerate(pairs):
            if before != after:
                yield start + index * _WORD, before, after


def _pages(folder: Path) -> dict[int, bytes]:
    """The pages of a snapshot by their address in memory."""
    facts, content = _facts(folder), (folder / "pages").read_bytes()
    size = facts["pageSize"]
    addresses = [page * size for first, count in facts["runs"] for page in range(first, first + count)]
    return {
        address: content[index * size : (index + 1) * size] for index, address in enumerate(addresses)
    }


def _facts(folder: Path) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads((folder / "snapshot.json").read_text(encoding="utf-8"))
    return facts
