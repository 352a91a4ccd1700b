"""The notebook file with the reader's edits and outputs."""

from __future__ import annotations

import json
from typing import Any

import nbformat
from tests.notebook.conftest import Execute, execute, printed  # noqa: F401
from tests.page.lab import Lab


def _download(lab: Lab) -> dict[str, Any]:
    with lab.page.expect_download() as download:
        lab.page.get_by_role("link", name="Download notebook", exact=True).click()
    notebook: dict[str, Any] = json.loads(download.value.path().read_text())
    return notebook


def _cell(notebook: dict[str, Any], cell_id: str) -> dict[str, Any]:
    cells: list[dict[str, Any]] = [cell for cell in notebook["cells"] if cell.get("id") == cell_id]
    (cell,) = cells
    return cell


def test_the_file_carries_edits_and_outputs(lab: Lab) -> None:
    lab.edit(1, "shards = 8 ", "shards = 2 ")
    lab.run_all()
    notebook = _download(lab)
    assert "shards = 2 " in "".join(_cell(notebook, "constants")["source"])
    printed = "".join(_cell(notebook, "study")["outputs"][0]["text"])
    assert json.loads(printed) == lab.summary()
    shown = _cell(notebook, "figures")["outputs"]
    assert [output["output_type"] for output in shown] == ["display_data"] * 2
    for output in shown:
        assert output["data"]["image/svg+xml"].startswith("<?xml") or "<svg" in output["data"]["image/svg+xml"]
        assert output["metadata"]["image/svg+xml"]["alt"]


def test_the_file_carries_an_error(lab: Lab) -> None:
    lab.run(3, "1 / 0")
    (output,) = _cell(_download(lab), "figures")["outputs"]
    assert output["output_type"] == "error"
    assert output["ename"] == "ZeroDivisionError"


def test_the_edited_file_executes_elsewhere_to_the_same_summary(lab: Lab, execute: Execute) -> None:  # noqa: F811
    lab.edit(1, "shards = 8 ", "shards = 2 ")
    lab.run_all()
    notebook = nbformat.from_dict(_download(lab))  # type: ignore[no-untyped-call]
    nbformat.validate(notebook)
    executed = execute(notebook, library=None)
    assert json.loads(printed(executed, "study")) == lab.summary()
