"""What cells show, as plain Python: values, figures, cleaned text, files, progress."""

from __future__ import annotations

import base64
import io
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.page.running import cell_runner, cell_text, run_cell

TABLE = "application/vnd.replay-lab.table+json"
PNG_HEAD = b"\x89PNG"


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    return cell_runner.CellRunner("{}", "{}")


def _shown(runner: Any, source: str) -> list[dict[str, Any]]:
    ended, notices = run_cell(runner, source)
    assert ended["outcome"] == "done", ended
    return [notice["data"] for notice in notices if notice["type"] == "display"]


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        (["\x1b[1;31mred\x1b[0m and plain"], "red and plain"),
        (["cut \x1b[", "31mred\x1b", "[0m"], "cut red"),
        (["\x1b]8;;http://x\x07link\x1b]8;;\x07"], "link"),
        (["10%\r20%\r30%\n"], "30%\n"),
        (["10%", "\r", "20%"], "10%\n20%"),
        (["dos\r", "\nline\r\n"], "dos\nline\n"),
        (["bell\x07 back\x08\ttab"], "bell back\ttab"),
    ],
)
def test_terminal_text_becomes_plain_text(pieces: list[str], text: str) -> None:
    plain = cell_text.PlainText()
    assert "".join(plain.clean(piece) for piece in pieces) == text


@pytest.mark.parametrize(
    ("method", "value", "kind", "content"),
    [
        ("_repr_svg_", "'<svg/>'", "image/svg+xml", "<svg/>"),
        ("_repr_png_", "b'png'", "image/png", base64.b64encode(b"png").decode()),
        ("_repr_html_", "'<b>1</b>'", "text/html", "<b>1</b>"),
    ],
)
def test_a_rich_form_is_sent_by_its_media_type(runner: Any, method: str, value: str, kind: str, content: str) -> None:
    (data,) = _shown(runner, f"class V:\n    def {method}(self): return {value}\nV()")
    assert data[kind] == content and "V object" in data["text/plain"]


def test_a_class_is_shown_as_text_whatever_its_instances_can(runner: Any) -> None:
    (data,) = _shown(runner, "class V:\n    def _repr_html_(self): return 1\nV")
    assert list(data) == ["text/plain"]


def test_a_list_of_dicts_is_a_table(runner: Any) -> None:
    (data,) = _shown(runner, "[{'step': 1, 'loss': 0.5}, {'step': 2, 'note': 'x'}]")
    table = data[TABLE]
    assert table["caption"] == "2 rows, 3 columns"
    assert [(c["key"], c["numeric"]) for c in table["columns"]] == [("step", True), ("loss", True), ("note", False)]
    assert table["rows"] == [{"step": "1", "loss": "0.5"}, {"step": "2", "note": "x"}]


def test_a_long_list_of_dicts_says_how_much_of_it_is_shown(runner: Any) -> None:
    (data,) = _shown(runner, "[{'n': n} for n in range(2000)]")
    assert data[TABLE]["caption"] == "The first 500 of 2000 rows, 1 column"


def test_a_figure_is_shown_once_and_says_what_is_in_it(runner: Any) -> None:
    source = "import matplotlib.pyplot as plt\nfigure, axes = plt.subplots()\naxes.plot([1, 2])\naxes.set(title='Loss', xlabel='step')\nfigure"
    _, notices = run_cell(runner, source)
    (notice,) = notices
    assert base64.b64decode(notice["data"]["image/png"]).startswith(PNG_HEAD)
    assert "Loss, step, 1 lines" in notice["metadata"]["image/png"]["alt"]


def test_figures_left_open_are_shown_and_closed(runner: Any) -> None:
    shown = _shown(runner, "import matplotlib.pyplot as plt\nfor n in range(3):\n    plt.figure()\n    plt.plot([n])")
    assert ["image/png" in data for data in shown] == [True] * 3
    assert _shown(runner, "plt.get_fignums()") == [{"text/plain": "[]"}]


def test_display_shows_in_its_place_among_what_is_printed(runner: Any) -> None:
    _, notices = run_cell(runner, "print('before', end='')\ndisplay(1, 2)\nprint('after', end='')")
    assert [notice.get("text") or notice["data"]["text/plain"] for notice in notices] == ["before", "1", "2", "after"]


def test_the_text_of_a_large_value_is_cut_and_kept(runner: Any) -> None:
    _, (shown, cut) = run_cell(runner, "'x' * 300_000")
    assert len(shown["data"]["text/plain"]) == 100_000
    assert cut["characters"] == 200_002
    assert runner.output_text("cell 1", cut["name"]) == repr("x" * 300_000)


def test_very_many_values_are_counted_instead_of_shown(runner: Any) -> None:
    _, notices = run_cell(runner, "for n in range(1000): display(n)")
    assert len(notices) == 61
    assert notices[-1]["name"] == "display" and notices[-1]["characters"] == 940


def test_a_study_tells_which_part_runs(runner: Any) -> None:
    _, notices = run_cell(runner, "from replay_lab import *\nrun_study(StudyConfig(steps=10, checkpoint_step=4))\nNone")
    parts = [notice["running"] for notice in notices if notice["type"] == "study-progress"]
    assert parts == [
        "reference", "Same seed + full state", "Full checkpoint", "Reversed reduction",
        "Optimizer reset", "Sampler RNG reset", "checks",
    ]  # fmt: skip


def test_files_are_listed_with_folders_and_zipped(runner: Any, tmp_path: Path) -> None:
    run_cell(runner, "import os\nfrom pathlib import Path\nos.mkdir('d')\nPath('d/b.txt').write_text('bb')\nPath('a').write_text('a')\nPath('.c').touch()\nos.chdir('/')")
    assert runner.list_files() == '[{"name": "a", "sizeBytes": 1}, {"name": "d/b.txt", "sizeBytes": 2}]'
    archive = runner.zip_files()
    with zipfile.ZipFile(io.BytesIO(archive)) as zipped:
        assert {name: zipped.read(name) for name in zipped.namelist()} == {"a": b"a", "d/b.txt": b"bb"}
    assert runner.zip_files() == archive


def test_sleep_takes_its_time_and_refuses_what_it_always_refused(runner: Any) -> None:
    began = time.perf_counter()
    run_cell(runner, "import time\ntime.sleep(0.12)")
    assert time.perf_counter() - began >= 0.12
    assert run_cell(runner, "time.sleep(-1)")[0]["error"]["type"] == "ValueError"
