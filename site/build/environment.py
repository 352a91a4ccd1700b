"""The build's own Python environment, kept in the user's cache folder and named by what is in it."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from build.errors import BuildError
from build.kept import take_name
from build.progress import say

BUILD_REQUIREMENTS = ("flit_core==3.12.0", "numpy==2.4.3", "matplotlib==3.10.8")


def make_environment(name: str, requirements: Sequence[str], cache: Path) -> Path:
    """
    Find or make an environment that has exactly these requirements installed.

    Parameters
    ----------
    name : str
        What the environment is for, in one word.
    requirements : sequence of str
        As pip takes them.
    cache : Path
        The cache folder; the environment becomes a folder below it.

    Returns
    -------
    Path
        The environment's Python. Use it as `python -m …`: the environment was made under another
        name and then renamed, so that a half-made one is never mistaken for a whole one, and its
        console scripts still carry the first name.

    Raises
    ------
    BuildError
        This Python cannot make environments, or pip cannot get a requirement.
    """
    key = hashlib.sha256("\n".join([sys.version, sys.base_prefix, *requirements]).encode()).hexdigest()
    folder = cache / "environments" / f"{name}-{key[:16]}"
    if not folder.exists():
        say(f"Making an environment for the {name}: {' '.join(requirements)}")
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{name}-") as temporary:
            fresh = Path(temporary) / "environment"
            _create(fresh)
            _install(python_in(fresh), requirements)
            take_name(fresh, folder)
    return python_in(folder)


def python_in(environment: Path) -> Path:
    """Return the path of an environment's Python."""
    return environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def clean_variables() -> dict[str, str]:
    """Return this process's environment variables without those that redirect a Python."""
    redirecting = {"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONSAFEPATH", "VIRTUAL_ENV"}
    return {name: value for name, value in os.environ.items() if name not in redirecting}


def _create(folder: Path) -> None:
    """An empty environment with pip."""
    done = subprocess.run(
        [sys.executable, "-m", "venv", str(folder)],
        env=clean_variables(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise BuildError(
            f"{sys.executable} cannot make an environment: {(done.stdout + done.stderr).strip()}\n"
            "On Debian or Ubuntu, install the package python3-venv and run this again."
        )


def _install(python: Path, requirements: Sequence[str]) -> None:
    """pip's own report of sizes goes to standard error."""
    command = [str(python), "-m", "pip", "install", "--disable-pip-version-check", *requirements]
    done = subprocess.run(command, env=clean_variables(), stdout=sys.stderr, check=False)
    if done.returncode != 0:
        raise BuildError(
            f"pip could not install {' '.join(requirements)} (exit {done.returncode}, see above). "
            "This first build needs pip's package index, or pip set up to use a mirror of it."
        )
