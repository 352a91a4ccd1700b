"""`python -m replay_lab`: exit codes, streams and files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from replay_lab import cli
from replay_lab.errors import FiguresUnavailable
from replay_lab.results import StudyResults
from replay_lab.study import run_study
from tests.study.mutations import checkpoint_loses_the_second_moment
from tests.study.runs import SMALL, default_results

FILES = [
    "losses.csv",
    "reduction_order.csv",
    "reduction_order.png",
    "reduction_order.svg",
    "restore_variants.csv",
    "restore_variants.png",
    "restore_variants.svg",
    "results.json",
    "summary.json",
]
SMALL_SETTINGS = [
    part
    for name in ("samples", "features", "steps", "checkpoint_step", "batch_size", "shards")
    for part in ("--set", f"{name}={getattr(SMALL, name)}")
] + ["--set", "logged_digits=3"]


def small(folder: Path, *more: str) -> int:
    return cli.main([*SMALL_SETTINGS, "--out", str(folder), *more])


def test_the_command_as_a_user_types_it(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "replay_lab"],
        cwd=tmp_path,
        env=os.environ,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == FILES
    summary, _ = json.JSONDecoder().raw_decode(done.stdout)
    assert summary == default_results().summary()
    assert f"Study digest {default_results().study_digest}" in done.stdout
    assert done.stderr.splitlines()[0] == "[1/7] reference"


def test_the_summary_comes_first_and_a_table_follows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small(tmp_path)
    out = capsys.readouterr().out
    summary, end = json.JSONDecoder().raw_decode(out)
    assert summary == run_study(SMALL).summary()
    assert "Each scenario against the reference run, 6 steps" in out[end:]


def test_progress_goes_to_standard_error_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small(tmp_path)
    lines = capsys.readouterr().err.splitlines()
    assert [line[:5] for line in lines] == [f"[{part}/7]" for part in range(1, 8)]


def test_the_files_are_those_of_the_results(tmp_path: Path) -> None:
    small(tmp_path / "new" / "folder")
    written = tmp_path / "new" / "folder"
    results = StudyResults.from_json((written / "results.json").read_text())
    assert results == run_study(SMALL)
    assert json.loads((written / "summary.json").read_text()) == results.summary()
    assert sorted(path.name for path in written.iterdir()) == FILES


def test_a_second_run_writes_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        small(tmp_path / name)
    assert [(tmp_path / "one" / name).read_bytes() for name in FILES] == [
        (tmp_path / "two" / name).read_bytes() for name in FILES
    ]


def test_a_failed_check_is_exit_code_one_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint_loses_the_second_moment(monkeypatch)
    assert small(tmp_path) == 1
    shown = capsys.readouterr()
    assert "check full-restore-equals-reference failed: " in shown.err
    assert json.JSONDecoder().raw_decode(shown.out)[0]["checks_passed"] > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "learning_rate=-1"], "learning_rate = -1 is refused: expected a number from"),
        (["--set", "shards=5"], "shards = 5 is refused: expected a divisor of batch_size = 32"),
        (["--set", "lr=1"], "lr = 1 is refused: expected one of seed"),
        (["--set", "steps"], "expected name=value"),
    ],
)
def test_bad_input_is_exit_code_two_and_says_what_is_allowed(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([*arguments, "--out", str(tmp_path / "out")]) == 2
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.out == ""
    assert not (tmp_path / "out").exists()


def test_an_unknown_option_is_exit_code_two(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["--steps", "3"])
    assert caught.value.code == 2
    assert "unrecognized arguments" in capsys.readouterr().err


def test_a_file_in_the_place_of_the_folder_is_exit_code_two(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "taken").write_text("")
    assert small(tmp_path / "taken") == 2
    assert "--out" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["results.json", "reduction_order.svg"])
def test_a_file_that_cannot_be_written_is_exit_code_two(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).mkdir()
    assert small(tmp_path) == 2
    assert name in capsys.readouterr().err


def test_without_matplotlib_everything_but_the_figures_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(results: Any) -> Any:
        raise FiguresUnavailable("figures need matplotlib")

    monkeypatch.setattr(cli, "draw_figures", refuse)
    assert small(tmp_path) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "losses.csv", "results.json", "summary.json",
    ]  # fmt: skip
    assert "no figures: figures need matplotlib" in capsys.readouterr().err


# --- Other commands ------------------------------------------------------------------


@pytest.mark.parametrize("command", ["catalogue", "observers", "sweep-digits"])
def test_a_command_refuses_a_bad_setting_by_name(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([command, "--set", "shards=5"]) == 2
    assert "shards = 5 is refused" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["catalogue", "observers", "sweep-digits"])
def test_a_command_prints_plain_json(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    names = [] if command == "sweep-digits" else ["reversed-reduction"]
    assert cli.main([command, "--json", *names]) == 0
    assert json.loads(capsys.readouterr().out)["version"] == 1
