"""The notebook file and its execution by nbclient."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

Notebook = Any
Execute = Callable[..., Notebook]
_EXECUTE = Path(__file__).with_name("execute.py")


@pytest.fixture(scope="session")
def notebook_file(build_folder: Path) -> Path:
    """The notebook as the site offers it."""
    return build_folder / "notebook" / "deterministic-replay.ipynb"


@pytest.fixture
def notebook(notebook_file: Path) -> Notebook:
    """Its content."""
    return nbformat.read(notebook_file, as_version=4)


@pytest.fixture
def execute(tmp_path: Path) -> Execute:
    """A function from a notebook to the same one executed in an empty folder."""

    def run(notebook: Notebook, *, library: Path | None) -> Notebook:
        """Give the kernel a replay_lab from the folder `library`, or none."""
        before, after, work = tmp_path / "before.ipynb", tmp_path / "after.ipynb", tmp_path / "work"
        nbformat.write(notebook, before)
        work.mkdir()
        variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        if library is not None:
            variables["PYTHONPATH"] = str(library)
        variables |= {
            name: str(tmp_path / name.lower())
            for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
        }
        done = subprocess.run(
            [sys.executable, str(_EXECUTE), str(before), str(after)],
            cwd=work, env=variables, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return nbformat.read(after, as_version=4)

    return run


def cell(notebook: Notebook, cell_id: str) -> Any:
    """The cell with an id."""
    (found,) = [each for each in notebook.cells if each.id == cell_id]
    return found


def printed(notebook: Notebook, cell_id: str) -> str:
    """What a cell wrote to standard output."""
    return "".join(
        output.text
        for output in cell(notebook, cell_id).outputs
        if output.output_type == "stream" and output.name == "stdout"
    )
