"""The wheel: the same bytes from the same source, and the one that the tests import."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import replay_lab
from build.folders import ROOT
from build.wheel import build_wheel, wheel_version

EPOCH = 1_700_000_000


def test_tests_import_the_installed_wheel() -> None:
    assert "site-packages" in Path(replay_lab.__file__).parts


def test_wheel_built_twice_has_equal_bytes(tmp_path: Path) -> None:
    first, second = (
        build_wheel(Path(sys.executable), ROOT, tmp_path / name, EPOCH) for name in ("one", "two")
    )
    assert first.read_bytes() == second.read_bytes()


def test_wheel_carries_the_date_it_is_given(tmp_path: Path) -> None:
    wheel = build_wheel(Path(sys.executable), ROOT, tmp_path, EPOCH)
    with zipfile.ZipFile(wheel) as archive:
        assert {member.date_time[:3] for member in archive.infolist()} == {(2023, 11, 14)}


def test_wheel_has_types_licence_and_its_version(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert "replay_lab/py.typed" in names
    assert any(name.endswith("LICENSE") for name in names)
    assert wheel_version(wheel) == replay_lab.__version__
