"""The notebook file: valid, with saved outputs, and it runs wherever numpy and matplotlib are."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path
from typing import Any

import nbformat
import pytest

from build.cells import parse_cells
from build.folders import ROOT
from tests.notebook.conftest import Execute, cell, printed

Notebook = Any


@pytest.fixture
def installed() -> Path:
    """The folder that holds the wheel under test as installed."""
    return Path(os.environ["PYTHONPATH"])


def test_notebook_is_valid_nbformat_4_5_with_stable_ids(notebook: Notebook) -> None:
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    ids = [each.id for each in notebook.cells]
    assert ids == [
        "title", "library-loader", "library",
        "constants-title", "constants", "study-title", "study", "figures-title", "figures",
        "catalogue-section", "catalogue-title", "catalogue", "observers-title", "observers",
        "digits-title", "digits", "amplifier-title", "amplifier", "usual-style-title", "usual-style",
        "seeds-title", "seeds",
        "compare-title", "compare",
    ]  # fmt: skip


def test_cells_of_the_notebook_are_those_of_the_script(notebook: Notebook) -> None:
    script = (ROOT / "replay_lab" / "notebook.py").read_text(encoding="utf-8")
    for each in parse_cells(script):
        assert cell(notebook, each.id).source == each.source


def test_saved_outputs_show_the_saved_summary_and_both_figures(
    notebook: Notebook, build_folder: Path
) -> None:
    saved = json.loads((build_folder / "saved" / "summary.json").read_text(encoding="utf-8"))
    assert json.loads(printed(notebook, "study")) == saved
    figures = cell(notebook, "figures").outputs
    assert len(figures) == 2
    for figure in figures:
        assert {"image/svg+xml", "image/png"} <= set(figure.data)
        assert figure.metadata["image/svg+xml"]["alt"]


def test_library_in_the_notebook_is_every_module_of_the_wheel_as_written(
    notebook: Notebook, wheel: Path
) -> None:
    carried = cell(notebook, "library").source
    with zipfile.ZipFile(wheel) as archive:
        modules = [name for name in archive.namelist() if name.endswith(".py")]
        assert len(modules) > 10
        for name in modules:
            source = archive.read(name).decode().rstrip("\n")
            assert f"# ==== {name} ====\n{source}" in carried


def test_notebook_runs_with_its_own_library_where_none_is_installed(
    notebook: Notebook, execute: Execute
) -> None:
    after = execute(notebook, library=None)
    assert printed(after, "library").startswith("replay_lab is not installed: using the source")
    _assert_same_run(notebook, after)


def test_notebook_uses_an_installed_library_of_its_version(
    notebook: Notebook, execute: Execute, installed: Path
) -> None:
    after = execute(notebook, library=installed)
    assert printed(after, "library").startswith("Using the installed replay_lab")
    _assert_same_run(notebook, after)


def test_notebook_prefers_its_own_library_to_another_version(
    notebook: Notebook, execute: Execute, tmp_path: Path
) -> None:
    other = tmp_path / "other" / "replay_lab"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text('__version__ = "0.0.9"\n', encoding="utf-8")
    after = execute(notebook, library=other.parent)
    assert printed(after, "library").startswith("replay_lab is installed as 0.0.9: using the source")
    _assert_same_run(notebook, after)


def test_edited_constant_is_said_to_have_no_saved_run(notebook: Notebook, execute: Execute) -> None:
    constants = cell(notebook, "constants")
    constants.source = constants.source.replace("shards = 8", "shards = 2")
    after = execute(notebook, library=None)
    said = printed(after, "compare")
    assert said.startswith("Settings edited")
    assert "shards: saved 8, here 2" in said


def test_changed_arithmetic_is_said_to_give_other_bits(notebook: Notebook, execute: Execute) -> None:
    compare = cell(notebook, "compare")
    digest = json.loads(compare.source.split('"""')[1])["digests"]["study"]
    compare.source = compare.source.replace(digest, "0" * 64)
    said = printed(execute(notebook, library=None), "compare")
    assert said.startswith("Other bits than saved")
    assert f"study: saved {'0' * 64}, here {digest}" in said


def test_traceback_into_the_carried_library_shows_its_source(
    notebook: Notebook, execute: Execute
) -> None:
    constants = cell(notebook, "constants")
    constants.source = constants.source.replace("learning_rate = 0.05", "learning_rate = -1.0")
    constants.metadata["tags"] = ["raises-exception"]
    notebook.cells = notebook.cells[: notebook.cells.index(constants) + 1]
    (error,) = cell(execute(notebook, library=None), "constants").outputs
    shown = "\n".join(error.traceback)
    assert "learning_rate" in error.evalue
    assert "replay_lab/config.py" in shown
    assert "def __post_init__" in shown or "raise" in shown


def _assert_same_run(saved: Notebook, after: Notebook) -> None:
    """The execution printed the saved summary, drew the saved figures, and says so."""
    assert printed(after, "study") == printed(saved, "study")
    assert printed(after, "compare").startswith("Same bits as saved")
    here, then = (cell(notebook, "figures").outputs for notebook in (after, saved))
    assert [figure.output_type for figure in here] == [figure.output_type for figure in then]
    assert [figure.metadata for figure in here] == [figure.metadata for figure in then]
