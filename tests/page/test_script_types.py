"""The scripts of page and worker keep the types that their comments state."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from build.folders import cache_folder

TYPESCRIPT = "5.9.3"


@pytest.fixture(scope="session")
def tsc() -> Path:
    """The type checker, kept in the cache folder."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed, so the type checker cannot be had here")
    folder = cache_folder() / f"typescript-{TYPESCRIPT}"
    program = folder / "node_modules" / "typescript" / "bin" / "tsc"
    if not program.exists():
        subprocess.run(
            [npm, "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--no-package-lock", f"typescript@{TYPESCRIPT}"],
            check=True, capture_output=True, env=os.environ | {"npm_config_cache": str(cache_folder() / "npm")},
        )  # fmt: skip
    return program


@pytest.mark.parametrize("end", ["page", "worker", "service-worker"])
def test_tsc_strict_finds_nothing(tsc: Path, end: str) -> None:
    settings = Path(__file__).with_name(f"jsconfig.{end}.json")
    done = subprocess.run(["node", str(tsc), "--project", str(settings)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
