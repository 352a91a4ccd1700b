"""SHA-256 of files and of whole folders."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from build.facts import FileFact

_BUILD_DIGEST_LENGTH = 16


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file as 64 hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def folder_facts(folder: Path) -> dict[str, FileFact]:
    """
    Describe every file below a folder.

    Parameters
    ----------
    folder : Path
        Where to look.

    Returns
    -------
    dict
        Address relative to the folder, with forward slashes and in sorted order, to its fact.
    """
    addresses = sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )
    return {
        address: FileFact(
            sha256=file_sha256(folder / address), size=(folder / address).stat().st_size
        )
        for address in addresses
    }


def build_digest(files: Mapping[str, FileFact], *also: str) -> str:
    """
    Name a set of files by its content.

    Parameters
    ----------
    files : mapping
        As `folder_facts` returns it.
    *also : str
        Further text that is part of the build, such as its date.

    Returns
    -------
    str
        16 hex digits; any changed byte, name or further text changes them.
    """
    lines = [f"{fact.sha256} {fact.size} {address}" for address, fact in sorted(files.items())]
    text = "\n".join([*lines, *also])
    return hashlib.sha256(text.encode()).hexdigest()[:_BUILD_DIGEST_LENGTH]
