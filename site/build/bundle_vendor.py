"""
Bundle what the page takes from npm anew into site/page/vendor/.

From the project's folder, with Node.js and npm installed:

    PYTHONPATH=site python -m build.bundle_vendor

What is taken is named in entry.js, zstd.mjs, package.json and package-lock.json of that folder; npm checks
each package against the SHA-512 in the lock. To change a version, edit package.json and make the
lock with `npm install --package-lock-only --omit-lockfile-registry-resolved`, which leaves out the
addresses: they differ from one package index to the next, the content does not.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from build.errors import BuildError
from build.folders import VENDOR, cache_folder

SOURCES = ("entry.js", "zstd.mjs", "package.json", "package-lock.json")
MADE = ("codemirror.js", "zstd.wasm", "LICENSE.txt")

_LICENSES = {"MIT", "MIT AND BSD-3-Clause"}
_LICENSE_HEAD = """\
zstd.wasm is out of the package zstddec, codemirror.js is made of all others, each under the licence that follows its name.
"""


def bundle(sources: Path, target: Path) -> None:
    """
    Bundle into a folder.

    Parameters
    ----------
    sources : Path
        A folder with what `SOURCES` names.
    target : Path
        An existing folder; it gets what `MADE` names.

    Raises
    ------
    BuildError
        There is no npm, or it could not get or bundle the packages.
    """
    with tempfile.TemporaryDirectory(prefix="replay-lab-vendor-") as temporary:
        folder = Path(temporary)
        for name in SOURCES:
            shutil.copy(sources / name, folder)
        _npm(folder, "ci", "--ignore-scripts")
        _npm(folder, "run", "build")
        (folder / "LICENSE.txt").write_text(_licenses(folder), encoding="utf-8", newline="\n")
        for name in MADE:
            shutil.copyfile(folder / name, target / name)


def _npm(folder: Path, *arguments: str) -> None:
    """Run npm, its packages kept in our own cache."""
    npm = shutil.which("npm")
    if npm is None:
        raise BuildError("bundling needs npm, which is not installed")
    variables = {
        **os.environ,
        "npm_config_cache": str(cache_folder() / "npm"),
        "npm_config_audit": "false",
        "npm_config_fund": "false",
        "npm_config_update_notifier": "false",
    }
    done = subprocess.run(
        [npm, *arguments], cwd=folder, env=variables, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        said = (done.stdout + done.stderr).strip()
        raise BuildError(f"`npm {' '.join(arguments)}` failed with exit {done.returncode}: {said}")


def _licenses(folder: Path) -> str:
    """The licence of every package that is bundled, which is all but the bundler."""
    texts = [_LICENSE_HEAD]
    for package in sorted(folder.glob("node_modules/**/package.json")):
        about = json.loads(package.read_text(encoding="utf-8"))
        text = package.with_name("LICENSE")
        if "version" not in about or "esbuild" in about["name"]:
            continue
        if about["license"] not in _LICENSES:
            raise BuildError(f"{about['name']} is under {about['license']}, expected one of {sorted(_LICENSES)}")
        texts.append(f"{about['name']} {about['version']}\n\n{text.read_text(encoding='utf-8').strip()}\n")
    rule = f"\n{'-' * 80}\n\n"
    return rule.join(texts)


if __name__ == "__main__":
    try:
        bundle(VENDOR, VENDOR)
    except BuildError as error:
        sys.exit(f"bundle_vendor: {error}")
