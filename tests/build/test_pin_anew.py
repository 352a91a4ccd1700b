"""The pin made anew from an npm package."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path
from typing import Any

from build.pin import CORE_FILES, LOCK_FILE
from build.pin_anew import pin_from_package
from tests.build.conftest import sha256

LOCK = {
    "info": {"python": "3.14.0"},
    "packages": {
        "numpy": {"depends": [], "file_name": "numpy.whl"},
        "matplotlib": {"depends": ["Pillow", "numpy"], "file_name": "matplotlib.whl"},
        "pillow": {"depends": [], "file_name": "pillow.whl"},
        "scipy": {"depends": ["numpy"], "file_name": "scipy.whl"},
    },
}
OLD: dict[str, Any] = {
    "format": "replay-lab-runtime",
    "version": "1.0",
    "packages": ["matplotlib"],
    "distribution": "https://example.org/v1.0/full/",
}


def test_pin_has_the_hashes_of_the_package_and_its_lock_reduced_to_our_needs(tmp_path: Path) -> None:
    archive = tmp_path / "pyodide-2.0.tgz"
    contents = {name: name.encode() for name in CORE_FILES}
    contents[LOCK_FILE] = json.dumps(LOCK).encode()
    with tarfile.open(archive, "w:gz") as package:
        for name, content in contents.items():
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(content)
            package.addfile(member, io.BytesIO(content))

    pin = pin_from_package(archive, "2.0", OLD)

    assert pin["core"] == {name: sha256(name.encode()) for name in CORE_FILES}
    assert sorted(pin["lock"]["packages"]) == ["matplotlib", "numpy", "pillow"]
    assert (pin["version"], pin["distribution"]) == ("2.0", "https://example.org/v2.0/full/")
