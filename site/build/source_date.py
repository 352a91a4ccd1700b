"""The date of the source: its commit's, so that the same commit gives the same bytes."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime
from pathlib import Path

from build.facts import SourceDate

_EPOCH_WITHOUT_COMMIT = 315532800
"""1980-01-01, the earliest day that a zip archive can hold."""
BUILT_FROM = ("LICENSE", "README.md", "build_wheel.py", "pyproject.toml", "replay_lab", "site")


def read_source_date(root: Path) -> SourceDate:
    """
    Ask git when the checked-out commit was made.

    Parameters
    ----------
    root : Path
        The project's folder.

    Returns
    -------
    SourceDate
        Without a date when the folder is no git checkout, and with a note when what the build
        reads differs from the commit.
    """
    seconds = _git(root, "log", "-1", "--format=%ct")
    top = _git(root, "rev-parse", "--show-toplevel")
    if seconds is None or top is None or Path(top).resolve() != root.resolve():
        return SourceDate(iso="", epoch=_EPOCH_WITHOUT_COMMIT, note="the source is not a git checkout")
    changed = _git(root, "status", "--porcelain", "--", *BUILT_FROM)
    return SourceDate(
        iso=datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        epoch=int(seconds),
        note="with changes that are not committed" if changed else "",
    )


def _git(root: Path, *arguments: str) -> str | None:
    """What git prints, or None when it fails or is not installed."""
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False
        )
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None
