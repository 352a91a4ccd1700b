"""What a cell replaces in Python itself ends with the cell, and is named; as plain Python."""

from __future__ import annotations

import builtins
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.page.running import cell_runner, run_cell


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path, "a place of its own"])
    return cell_runner.CellRunner("{}", "{}")


def _put_back(notices: list[dict[str, Any]]) -> list[str]:
    (notice,) = [notice for notice in notices if notice["type"] == "put-back"]
    names: list[str] = notice["names"]
    return names


@pytest.mark.parametrize("name", sorted(name for name, value in vars(builtins).items() if callable(value)))
def test_a_replaced_builtin_is_put_back_and_named(runner: Any, name: str) -> None:
    before = vars(builtins)[name]
    ended, notices = run_cell(runner, f"import builtins\nbuiltins.{name} = None")
    assert ended["outcome"] == "done" and _put_back(notices) == [name]
    assert vars(builtins)[name] is before


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ("import json\njson.dumps = None", "json.dumps"),
        ("import json\ndel json._default_encoder", "json._default_encoder"),
        ("import sys\nsys.modules['json'] = None", "sys.modules['json']"),
        ("import sys\nsys.path.remove('a place of its own')", "sys.path"),
        ("import cell_errors\ncell_errors.describe_error = None", "cell_errors.describe_error"),
        ("import sys\nsys.setprofile(lambda *_: None)", "sys.setprofile"),
        ("import builtins\nclass Late:\n    def __repr__(self): builtins.len = None; return ''\nLate()", "len"),
        ("import builtins\nbuiltins.print = None\n1 / 0", "print"),
        ("import builtins\nbuiltins.print = None\nimport asyncio\nawait asyncio.sleep(0)", "print"),
    ],
)
def test_so_is_what_else_the_page_needs(runner: Any, source: str, named: str) -> None:
    _, notices = run_cell(runner, source)
    assert _put_back(notices) == [named]
    assert json.dumps([len("ab")]) == "[2]" and sys.modules["json"] is json


def test_many_names_are_counted(runner: Any) -> None:
    _, notices = run_cell(runner, "import builtins\nfor name in ['len', 'print', 'repr', 'str', 'int', 'max', 'min']: setattr(builtins, name, 0)")
    assert [(len(notice["names"]), notice["more"]) for notice in notices] == [(5, 2)]


def test_an_ordinary_cell_is_told_nothing(runner: Any) -> None:
    source = "import sys, re, tempfile, logging\nsys.path.append('here')\ntempfile.gettempdir()\nre.compile('a')\nsys.setrecursionlimit(5000)\ntotal = 1"
    limit = sys.getrecursionlimit()
    try:
        assert run_cell(runner, source)[1] == []
        assert sys.getrecursionlimit() == 5000
    finally:
        sys.setrecursionlimit(limit)
        sys.path.remove("here")


def test_the_package_under_study_can_be_imported_anew(runner: Any) -> None:
    before = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "replay_lab"}
    try:
        again = "import sys\nfor name in list(sys.modules):\n    if name.startswith('replay_lab'): del sys.modules[name]\nimport replay_lab"
        ended, notices = run_cell(runner, again)
        assert (ended["outcome"], notices) == ("done", []) and sys.modules["replay_lab"] is not before["replay_lab"]
        _, notices = run_cell(runner, "import sys\nsys.modules['replay_lab'] = None")
        assert _put_back(notices) == ["sys.modules['replay_lab']"]
    finally:
        sys.modules.update(before)


def test_the_package_under_study_stays_as_a_cell_changed_it(runner: Any) -> None:
    run_cell(runner, "import replay_lab.optimizer as changed\nchanged.added = changed.adam_update")
    ended, notices = run_cell(runner, "assert changed.added\ndel changed.added")
    assert (ended["outcome"], notices) == ("done", [])


@pytest.mark.parametrize(
    "source",
    [
        "class E(Exception):\n    def __str__(self): raise SystemExit\nraise E",
        "class E(Exception):\n    __module__ = 3\nraise E",
        "class M(type):\n    @property\n    def __name__(cls): return 1 / 0\nclass E(Exception, metaclass=M): pass\nraise E",
        "class E(RuntimeError):\n    def __str__(self): raise KeyboardInterrupt\nraise E",
    ],
)
def test_an_error_that_lies_about_itself_is_told(runner: Any, source: str) -> None:
    ended, _ = run_cell(runner, source)
    assert ended["outcome"] == "failed" and ended["error"]["type"] == "E"


def test_a_name_that_hides_a_builtin_is_pointed_out(runner: Any) -> None:
    run_cell(runner, "def print(*_): raise ValueError('mine')")
    ended, _ = run_cell(runner, "print(1)", "cell 2")
    assert "`del print` brings Python's own back" in ended["error"]["hint"]
