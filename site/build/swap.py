"""Folders that change places in one step, and folders that say whether a build is still at work in them."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform != "win32":
    import fcntl

_HERE = {"linux": -100, "darwin": -2}
_EXCHANGE = 2
_EXCHANGERS = {"linux": "renameat2", "darwin": "renameatx_np"}


def swap_in(fresh: Path, target: Path) -> None:
    """
    Let a finished folder take the place of another.

    Parameters
    ----------
    fresh : Path
        Takes the target's name. What stood there takes this name, or `old` beside it.
    target : Path
        There is a whole folder under this name at any moment where the system can exchange two names
        in one step (Linux, macOS). Elsewhere it is missing for an instant between two steps.
    """
    if not target.exists():
        try:
            fresh.rename(target)
            return
        except OSError:
            # A build running beside this one has just put its own there.
            if not target.exists():
                raise
    if not _exchange(fresh, target):
        target.rename(fresh.with_name("old"))
        fresh.rename(target)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two names in one step; False where the system or the disk cannot."""
    if sys.platform not in _EXCHANGERS:
        return False
    exchanger = getattr(ctypes.CDLL(None), _EXCHANGERS[sys.platform], None)
    if exchanger is None:
        return False
    here = _HERE[sys.platform]
    return bool(exchanger(here, os.fsencode(one), here, os.fsencode(other), _EXCHANGE) == 0)


@contextmanager
def claimed(folder: Path) -> Iterator[bool]:
    """
    Hold a folder for as long as the block runs; the system lets go of it when the process dies.

    Parameters
    ----------
    folder : Path
        Where a build works.

    Yields
    ------
    bool
        False when another process holds it or it is gone, and where the system has no such locks.
    """
    if sys.platform == "win32":
        yield False
        return
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        yield False
        return
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
        else:
            yield True
    finally:
        os.close(handle)
