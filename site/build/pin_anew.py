"""
Make site/runtime.json anew from the npm package of a Pyodide version.

From the project's folder, with npm installed, giving the version to pin:

    PYTHONPATH=site python -m build.pin_anew 314.0.3

The SHA-256 of the core files and the official lock come from `npm pack pyodide@<version>`; the
lock is reduced to what our packages need. The carrier is not looked up: when a new version needs
another one, edit it in the file by hand; every file taken from it is checked against the pin.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from build.folders import PIN
from build.pin import CORE_FILES, LOCK_FILE, closure


def pin_from_package(archive: Path, version: str, old: dict[str, Any]) -> dict[str, Any]:
    """
    Build the content of site/runtime.json.

    Parameters
    ----------
    archive : Path
        What `npm pack` wrote.
    version : str
        Of Pyodide.
    old : dict
        The present content: its packages, carrier and distribution are kept.

    Returns
    -------
    dict
    """
    with tarfile.open(archive) as members:
        contents = {
            name: _member(members, f"package/{name}") for name in (*CORE_FILES, LOCK_FILE)
        }
    lock = json.loads(contents[LOCK_FILE])
    needed = closure(lock, old["packages"])
    return {
        **old,
        "version": version,
        "distribution": old["distribution"].replace(old["version"], version),
        "core": {name: hashlib.sha256(contents[name]).hexdigest() for name in CORE_FILES},
        "lock": {"info": lock["info"], "packages": {name: lock["packages"][name] for name in needed}},
    }


def main(version: str) -> None:
    """Get the package, write the pin."""
    with tempfile.TemporaryDirectory() as temporary:
        subprocess.run(["npm", "pack", f"pyodide@{version}"], cwd=temporary, check=True)
        (archive,) = Path(temporary).glob("*.tgz")
        pin = pin_from_package(archive, version, json.loads(PIN.read_text(encoding="utf-8")))
    PIN.write_text(json.dumps(pin, indent=2) + "\n", encoding="utf-8")


def _member(archive: tarfile.TarFile, name: str) -> bytes:
    """The bytes of one file of the archive."""
    file = archive.extractfile(name)
    assert file is not None, f"{name} is not a file"
    return file.read()


if __name__ == "__main__":
    main(sys.argv[1])
