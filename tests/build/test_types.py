"""The package, the build and the tests keep their types; cells of the notebook have none."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from build.folders import ROOT


@pytest.mark.parametrize(
    ("target", "relaxed"),
    [
        ("replay_lab", ()),
        ("site/build", ()),
        ("build_wheel.py", ()),
        ("tests", ("--allow-untyped-calls",)),  # nbformat's functions have no types
    ],
)
def test_mypy_strict_finds_nothing(target: str, relaxed: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--python-version", "3.11", "--cache-dir", "/dev/null",
         "--explicit-package-bases", "--exclude", "site/build/carried/", *relaxed, target],
        cwd=ROOT, env={"MYPYPATH": os.pathsep.join(("site", "."))}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
