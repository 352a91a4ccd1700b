"""The date of a build is its commit's, and what is uncertain about it is said."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from build.source_date import read_source_date

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with one commit."""
    (tmp_path / "LICENSE").write_text("free", encoding="utf-8")
    variables = os.environ | {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_COMMITTER_DATE": "2026-11-06T12:30:00+02:00",
    }
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for arguments in (("init", "-q"), ("add", "."), (*who, "commit", "-q", "-m", "One")):
        subprocess.run(["git", *arguments], cwd=tmp_path, env=variables, check=True)
    return tmp_path


def test_date_is_the_commits_in_utc(checkout: Path) -> None:
    date = read_source_date(checkout)
    assert (date.iso, date.epoch, date.note) == ("2026-11-06T10:30:00Z", 1793961000, "")


def test_changed_source_is_noted(checkout: Path) -> None:
    (checkout / "LICENSE").write_text("changed", encoding="utf-8")
    assert read_source_date(checkout).note == "with changes that are not committed"


def test_files_that_no_build_reads_are_no_change(checkout: Path) -> None:
    (checkout / "notes.txt").touch()
    assert read_source_date(checkout).note == ""


def test_folder_without_commit_has_no_date_and_says_so(tmp_path: Path) -> None:
    date = read_source_date(tmp_path)
    assert (date.iso, date.note) == ("", "the source is not a git checkout")


def test_folder_inside_another_checkout_does_not_take_its_date(checkout: Path) -> None:
    (checkout / "inner").mkdir()
    assert read_source_date(checkout / "inner").iso == ""
