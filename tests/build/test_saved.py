"""The saved results are what the command line writes here too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from build.saved import BEYOND_FILES, BITS_NAME, SAVED_FILES

TEXTS = [name for name in SAVED_FILES if not name.endswith(".png")]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `python -m replay_lab --out` writes."""
    folder = tmp_path_factory.mktemp("out")
    subprocess.run(
        [sys.executable, "-m", "replay_lab", "--out", str(folder)], check=True, capture_output=True
    )
    return folder


@pytest.mark.parametrize("name", TEXTS)
def test_command_writes_the_saved_file(written: Path, build_folder: Path, name: str) -> None:
    assert (written / name).read_bytes() == (build_folder / "saved" / name).read_bytes()


def test_command_and_cells_write_the_same_names(written: Path, build_folder: Path) -> None:
    names = {path.name for path in written.iterdir()}
    saved = {path.name for path in (build_folder / "saved").iterdir()}
    assert names == saved - {*BEYOND_FILES, BITS_NAME}


@pytest.mark.parametrize(("command", "name"), [("catalogue", "catalogue"), ("observers", "observers"), ("sweep-digits", "digits")])
def test_command_prints_the_json_that_the_cell_wrote(
    build_folder: Path, command: str, name: str
) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "replay_lab", command, "--json"], check=True, capture_output=True
    )
    assert run.stdout == (build_folder / "saved" / f"{name}.json").read_bytes()
