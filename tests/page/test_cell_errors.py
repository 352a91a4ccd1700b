"""What the page says about errors, as plain Python: the next step, and never too much."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.page.running import cell_runner, run_cell


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    return cell_runner.CellRunner("{}", "{}")


def _error(runner: Any, source: str) -> dict[str, Any]:
    ended, _ = run_cell(runner, source)
    assert ended["outcome"] == "failed", ended
    error: dict[str, Any] = ended["error"]
    return error


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("results = 1\nprint(resluts)", "Did you mean `results`?"),
        ("Results = 1\nprint(results)", "Did you mean `Results`?"),
        ("np.zeros(3)", "add `import numpy as np` before line 1 of cell 1"),
        ("math.pi", "add `import math`"),
        ("import nunpy", "Did you mean `numpy`?"),
        ("import torch", "This page contacts no other site, so nothing can be installed"),
        ("'x'.uper()", "Did you mean `upper`?"),
        ("raise MemoryError", "Make the arrays smaller"),
        ("def f(): f()\nf()", "calls itself without end"),
        ("input('name')", "Assign the value in line 1"),
        ("raise SystemExit(3)", "variables are kept"),
    ],
)
def test_common_errors_come_with_what_to_do(runner: Any, source: str, said: str) -> None:
    assert said in _error(runner, source)["hint"]


def test_an_error_from_micropip_says_that_nothing_can_be_installed(runner: Any) -> None:
    code = "exec(compile('def install(name): raise ValueError(name)', 'm.py', 'exec'), names)"
    error = _error(runner, f"names = {{'__name__': 'micropip.package_manager'}}\n{code}\nnames['install']('x')")
    assert error["hint"].startswith("This page contacts no other site")


def test_a_huge_message_is_cut(runner: Any) -> None:
    error = _error(runner, "raise ValueError('x' * 5_000_000)")
    assert len(error["message"]) < 2100 and error["message"].endswith("(4,998,000 more characters)")
    assert len(error["traceback"]) < 3000


def test_an_endless_recursion_keeps_its_first_and_last_calls(runner: Any) -> None:
    error = _error(runner, "def f(): g()\ndef g(): f()\nf()")
    assert "more calls)" in error["traceback"]
    assert error["traceback"].count("File") == 24


def test_a_cause_is_named(runner: Any) -> None:
    assert "because of KeyError: 'y'" in _error(runner, "raise ValueError('x') from KeyError('y')")["traceback"]


def test_an_error_that_cannot_say_anything_is_told_all_the_same(runner: Any) -> None:
    error = _error(runner, "class Odd(Exception):\n    def __str__(self): return 1 / 0\nraise Odd")
    assert error["message"] == "its message could not be made: ZeroDivisionError"
