"""What the page takes from npm is what the lock file says, bundled by the documented command."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from build.bundle_vendor import MADE, SOURCES, bundle
from build.folders import VENDOR


def test_the_bundle_is_what_the_command_makes_byte_for_byte(tmp_path: Path) -> None:
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("Node.js with npm is not installed, so nothing can be bundled anew here")
    bundle(VENDOR, tmp_path)
    for name in MADE:
        assert (tmp_path / name).read_bytes() == (VENDOR / name).read_bytes(), name


def test_the_lock_names_content_and_no_address() -> None:
    for name in SOURCES:
        assert not re.search(r"https?://", (VENDOR / name).read_text(encoding="utf-8")), name


def test_only_what_is_made_and_its_licences_are_served(build_folder: Path) -> None:
    assert {path.name for path in (build_folder / "page" / "vendor").iterdir()} == set(MADE)
