"""The wheel of replay_lab, byte for byte the same whenever the source is the same."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

from build.environment import clean_variables
from build.errors import BuildError

_BUILD_WHEEL = "import sys, flit_core.buildapi as api; print(api.build_wheel(sys.argv[1]))"


def build_wheel(python: Path, root: Path, folder: Path, epoch: int) -> Path:
    """
    Build the wheel with flit.

    Parameters
    ----------
    python : Path
        Of an environment that has flit_core.
    root : Path
        The project's folder.
    folder : Path
        Where the wheel goes; made if it is missing.
    epoch : int
        The time that every member of the archive carries, in seconds since 1970.

    Returns
    -------
    Path
        The wheel.

    Raises
    ------
    BuildError
        flit refuses; what it said is in the message.
    """
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [str(python), "-c", _BUILD_WHEEL, str(folder.absolute())],
        cwd=root,
        env=clean_variables() | {"SOURCE_DATE_EPOCH": str(epoch), "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise BuildError(f"the wheel could not be built from {root}:\n{done.stderr.strip()}")
    return folder / done.stdout.split()[-1]


def unpack_wheel(wheel: Path, folder: Path) -> None:
    """Lay the wheel's files out in a folder, from where Python can import them."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)


def wheel_version(wheel: Path) -> str:
    """Return the version that a wheel's name carries."""
    return wheel.name.split("-")[1]
