"""The page's scripts: which of them others need, and the digests they are held to."""

from __future__ import annotations

import base64
import re
from pathlib import Path, PurePosixPath

from build.facts import FileFact

START = "page/js/start.js"
PAGE = "page/js/main.js"
WORKERS = ("page/js/worker.js", "page/js/supply-worker.js")

_IMPORT = re.compile(r"""^(?:import|export)\b[^;]*?["'](\.[^"']+)["'];""", re.MULTILINE)


def scripts_needed_by(folder: Path, *firsts: str) -> list[str]:
    """
    Find scripts and all that they import, and so on, before they run.

    Parameters
    ----------
    folder : Path
        Of the build.
    *firsts : str
        Addresses below the folder.

    Returns
    -------
    list of str
        Addresses below the folder; the given ones first, then in the order in which they are met.

    Raises
    ------
    FileNotFoundError
        A script imports what is not there.
    """
    found = list(firsts)
    for address in found:
        here = PurePosixPath(address).parent
        for imported in _IMPORT.findall((folder / address).read_text(encoding="utf-8")):
            target = (folder / here / imported).resolve().relative_to(folder.resolve()).as_posix()
            if target not in found:
                found.append(target)
    return found


def integrity(fact: FileFact) -> str:
    """Return a file's digest as HTML's `integrity` says it."""
    return "sha256-" + base64.b64encode(bytes.fromhex(fact.sha256)).decode()
