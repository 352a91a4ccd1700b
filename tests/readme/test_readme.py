"""The README's numbers and commands are true."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from replay_lab import StudyConfig, run_study
from tests.golden.readme import FIGURE, README, kept_blocks, read_block, results_block


def test_the_results_block_is_what_a_run_gives_now() -> None:
    assert read_block("results") == results_block(run_study(StudyConfig()))


@pytest.mark.parametrize("name", ["boots", "faults"])
def test_a_table_of_a_long_run_is_what_that_run_kept(name: str) -> None:
    assert read_block(name) == kept_blocks()[name]


def test_the_figure_exists_and_is_an_svg() -> None:
    assert FIGURE.read_text(encoding="utf-8").startswith("<?xml")


def test_the_library_example_prints_what_its_comments_say(tmp_path: Path) -> None:
    code = re.search(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert code is not None
    promised = re.findall(r"print\(.*\)\s+# ([^:\n]+)", code[1])
    run = subprocess.run(
        [sys.executable, "-c", code[1]], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert run.stdout.splitlines() == [text.strip() for text in promised]


def test_every_listed_command_of_the_library_exists() -> None:
    commands = re.findall(r"python -m replay_lab ([a-z-]+)", README.read_text(encoding="utf-8"))
    assert {"catalogue", "observers", "sweep-digits", "compare"} <= set(commands)
    for command in set(commands):
        subprocess.run(
            [sys.executable, "-m", "replay_lab", command, "--help"], check=True, capture_output=True
        )


def test_every_path_of_the_layout_exists() -> None:
    layout = README.read_text(encoding="utf-8").split("## Layout")[1].split("##")[0]
    paths = re.findall(r"^    (\S+)", layout, re.MULTILINE)
    assert len(paths) >= 5
    for path in paths:
        assert (README.parent / path).exists(), path
