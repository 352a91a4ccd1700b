"""Folders kept between builds under a hash of all that they were made from."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path


def keep_folder(
    cache: Path, name: str, made_from: Iterable[bytes], make: Callable[[Path], None] | None
) -> Path | None:
    """
    Find or make a folder.

    Parameters
    ----------
    cache : Path
        Where such folders lie.
    name : str
        What it holds, in one word.
    made_from : iterable of bytes
        Everything that its content depends on.
    make : callable or None
        Fills an empty folder; what it raises leaves nothing behind. With None, nothing is made.

    Returns
    -------
    Path or None
        The folder, whole; None if it is not kept and may not be made. The hash in its name says what it was made from, so it is never changed.
    """
    key = hashlib.sha256()
    for part in made_from:
        key.update(hashlib.sha256(part).digest())
    folder = cache / f"{name}-{key.hexdigest()[:16]}"
    if not folder.exists():
        if make is None:
            return None
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache, prefix=f".{name}-") as temporary:
            fresh = Path(temporary, "fresh")
            fresh.mkdir()
            make(fresh)
            take_name(fresh, folder)
    return folder


def take_name(fresh: Path, folder: Path) -> None:
    """Rename a finished folder, unless a build running beside this one has taken the name."""
    try:
        fresh.rename(folder)
    except OSError:
        if not folder.exists():
            raise
        shutil.rmtree(fresh, ignore_errors=True)
