"""The package, the build and its tests keep their types; cells of the notebook have none."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from build.folders import ROOT

_COMMAND = (
    sys.executable, "-m", "mypy", "--strict", "--python-version", "3.11", "--cache-dir", os.devnull,
    "--explicit-package-bases", "--exclude", "site/build/(carried|node)/",
    "--untyped-calls-exclude=IPython", "--untyped-calls-exclude=nbformat",
)  # fmt: skip


@pytest.mark.parametrize(
    "targets",
    [
        ("replay_lab",),
        ("build_wheel.py", "site/build"),
        ("tests/__main__.py", "tests/build", "tests/notebook"),
    ],
    ids=lambda targets: targets[-1],
)
def test_mypy_strict_finds_nothing(targets: tuple[str, ...]) -> None:
    variables = {**os.environ, "MYPYPATH": os.pathsep.join(("site", "."))}
    del variables["PYTHONPATH"]
    done = subprocess.run(
        [*_COMMAND, *targets], cwd=ROOT, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
