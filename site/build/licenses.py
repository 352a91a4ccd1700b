"""The licences of everything that the site ships, gathered from the files that carry them."""

from __future__ import annotations

import re
import shutil
import zipfile
from pathlib import Path

from build.errors import BuildError

_LICENSE_FILE = re.compile(r"(licen[cs]e|copying|notice)[^/]*$", re.IGNORECASE)
_NOT_A_TEXT = (".py", ".pyc", "/")


def write_licenses(root: Path, notices: Path, runtime: Path, folder: Path) -> None:
    """
    Lay out all licences.

    Parameters
    ----------
    root : Path
        The project's folder, for our own.
    notices : Path
        Committed texts, for what carries none itself; they say what they are for.
    runtime : Path
        A folder with the runtime's wheels, which carry theirs.
    folder : Path
        Made here.

    Raises
    ------
    BuildError
        A wheel carries no licence: its text must be added to the notices.
    """
    shutil.copytree(notices, folder)
    _copy(folder / "replay_lab" / "LICENSE", (root / "LICENSE").read_bytes())
    for wheel in sorted(runtime.glob("*.whl")):
        name, version = wheel.name.split("-")[:2]
        with zipfile.ZipFile(wheel) as archive:
            texts = [m for m in archive.namelist() if _is_license(m)]
            if not texts and not list(notices.glob(f"{name}*")):
                raise BuildError(f"{wheel.name} carries no licence; add its text to {notices}")
            for member in texts:
                _copy(folder / f"{name}-{version}" / member, archive.read(member))


def _is_license(member: str) -> bool:
    """Whether a member of a wheel is a licence text, by its name."""
    return not member.endswith(_NOT_A_TEXT) and _LICENSE_FILE.search(member) is not None


def _copy(path: Path, content: bytes) -> None:
    """Write one text, with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
