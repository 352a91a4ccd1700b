"""The committed editor is what its lock file says, bundled by the documented command."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from build.bundle_editor import MADE, SOURCES, bundle
from build.folders import EDITOR


def test_the_bundle_is_what_the_command_makes_byte_for_byte(tmp_path: Path) -> None:
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("Node.js with npm is not installed, so the editor cannot be bundled anew here")
    bundle(EDITOR, tmp_path)
    for name in MADE:
        assert (tmp_path / name).read_bytes() == (EDITOR / name).read_bytes(), name


def test_the_lock_names_content_and_no_address() -> None:
    for name in SOURCES:
        assert not re.search(r"https?://", (EDITOR / name).read_text(encoding="utf-8")), name


def test_only_the_bundle_and_its_licence_are_served(build_folder: Path) -> None:
    assert {path.name for path in (build_folder / "page" / "vendor").iterdir()} == set(MADE)
