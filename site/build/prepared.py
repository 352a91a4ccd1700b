"""What every visit would do again, done once: bytecode, bundles and a memory snapshot for fast boots."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from build.bundle import write_bundle
from build.errors import BuildError
from build.folders import PAGE
from build.kept import keep_folder
from build.node import NODE_REQUIREMENTS, Node
from build.pin import RuntimePin
from build.progress import say
from build.snapshot import pack_snapshot

STOCK, BYTECODE, SNAPSHOT = "stock", "bytecode", "snapshot"
BOOTS = (SNAPSHOT, BYTECODE, STOCK)
"""Fastest first."""

_COMPILING = (
    "node/compile.mjs",
    "node/compiling.py",
    "node/frozen-world.mjs",
    "node/python-environment.mjs",
)
_OBSERVING = ("node/observe.mjs", "node/observing.py", "node/warm_up.py")
_PAGE_MODULES = PAGE / "python"
_EMPTY_ZIP = b"PK\x05\x06" + bytes(18)
_SNAPPING = ("node/snapshot.mjs", "node/tidying.py", "snapshot.py", "bundle.py")
_TELLS_VERSION = re.compile(r"numpy-[^/]*\.dist-info/")
_RESTORING = (PAGE / "js" / "native-modules.js", PAGE / "js" / "snapshot-restore.js")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """Files for the fast boots of one build."""

    folders: tuple[Path, ...]
    """Whose files belong into the site's folder `prepared`."""
    boots: tuple[str, ...]
    """What the page may try, fastest first; always ends with stock."""

    def write(self, folder: Path) -> None:
        """Copy the files; without any, there is no folder."""
        for source in self.folders:
            shutil.copytree(source, folder, dirs_exist_ok=True)


NOTHING_PREPARED = Prepared(folders=(), boots=(STOCK,))


def prepare_boots(
    pin: RuntimePin, runtime: Path, wheel: Path, cache: Path, *, fastest: str, making: bool = True
) -> Prepared:
    """
    Make what the fast boots need, or find it made.

    Parameters
    ----------
    pin : RuntimePin
        Names all that is in `runtime`.
    runtime : Path
        The runtime as the site serves it.
    wheel : Path
        Of replay_lab.
    cache : Path
        Where all of it is kept under a hash of what it was made from.
    fastest : str
        Of `BOOTS`; no faster one is prepared.
    making : bool
        Whether to make what is missing, which takes half a minute; otherwise only what an earlier
        build has kept is taken.

    Returns
    -------
    Prepared
        With fewer boots where this machine cannot make more; one line on standard error says so.
    """
    preparation = _Preparation(pin, runtime, wheel, cache, making)
    steps = {BYTECODE: preparation.bundles, SNAPSHOT: preparation.snapshot}
    prepared = NOTHING_PREPARED
    for boot, make in list(steps.items())[: len(BOOTS) - 1 - BOOTS.index(fastest)]:
        try:
            folder = make()
        except BuildError as error:
            say(f"Without the {boot} boot: {error}")
            break
        if folder is None:
            break
        prepared = Prepared(folders=(*prepared.folders, folder), boots=(boot, *prepared.boots))
    return prepared


class _Preparation:
    """The steps; each is made from the one before, and kept."""

    def __init__(
        self, pin: RuntimePin, runtime: Path, wheel: Path, cache: Path, making: bool
    ) -> None:
        self._pin = pin
        self._runtime = runtime
        self._wheel = wheel
        self._cache = cache
        self._making = making

    def bundles(self) -> Path | None:
        """The standard library and all packages as bytecode."""
        made_from = [*self._observed_from(), *_texts("prepared.py", "bundle.py")]
        return self._find("bundles", made_from, self._write_bundles)

    def snapshot(self) -> Path | None:
        """The memory of a Python that has imported and drawn."""
        restoring = [path.read_bytes() for path in _RESTORING]
        made_from = [*self._observed_from(), *restoring, *_texts(*_SNAPPING)]
        return self._find("snapshot", made_from, self._write_snapshot)

    def _find(self, name: str, made_from: list[bytes], make: Callable[[Path], None]) -> Path | None:
        return keep_folder(self._cache / "prepared", name, made_from, make if self._making else None)

    def _compiled(self) -> Path:
        return self._made("compiled", self._compiled_from(), self._compile)

    def _observed(self) -> Path:
        return self._made("observed", self._observed_from(), self._observe)

    def _made(self, name: str, made_from: list[bytes], make: Callable[[Path], None]) -> Path:
        folder = keep_folder(self._cache / "prepared", name, made_from, make)
        assert folder is not None
        return folder

    def _node(self) -> Node:
        return Node(self._cache)

    def _compiled_from(self) -> list[bytes]:
        pinned = [json.dumps([self._pin.core, self._pin.lock], sort_keys=True).encode()]
        return [*pinned, repr(NODE_REQUIREMENTS).encode(), *_texts(*_COMPILING)]

    def _observed_from(self) -> list[bytes]:
        page = [path.read_bytes() for path in _files(_PAGE_MODULES).values()]
        return [*self._compiled_from(), self._wheel.read_bytes(), *page, *_texts(*_OBSERVING)]

    def _compile(self, folder: Path) -> None:
        say("Compiling the standard library and the packages to bytecode")
        self._node().run("compile.mjs", self._runtime, ",".join(self._pin.packages), folder)

    def _observe(self, folder: Path) -> None:
        say("Finding out what a study needs")
        self._node().run(
            "observe.mjs", self._runtime, self._compiled(), self._wheel, _PAGE_MODULES, folder
        )

    def _write_bundles(self, folder: Path) -> None:
        compiled, observed = self._compiled(), self._observed()
        uses = json.loads((observed / "uses.json").read_text(encoding="utf-8"))
        shutil.copyfile(compiled / "stdlib.zip", folder / "stdlib.zip")
        (folder / "empty.zip").write_bytes(_EMPTY_ZIP)
        write_bundle(folder / "page.bundle", _files(_PAGE_MODULES) | _files(observed / "page"))
        for native in uses["native"]:
            # By themselves: browsers keep compiled code only for whole WebAssembly files.
            place = folder / "native" / f"{native}.wasm"
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(compiled / "site" / native, place)
        lab = _files(observed / "lab")
        for name, files in divide(_files(compiled / "site"), lab, uses).items():
            write_bundle(folder / f"{name}.bundle", files)

    def _write_snapshot(self, folder: Path) -> None:
        say("Making the memory snapshot")
        parts = folder / "parts"
        for kind in ("full", "bare", "bare-switching"):
            (parts / kind).mkdir(parents=True)
            self._node().run(
                "snapshot.mjs", self._runtime, self._compiled(), self._observed(), parts / kind, kind
            )
        pack_snapshot(parts, folder)
        shutil.rmtree(parts)


def divide(
    files: Mapping[str, Path], lab: Mapping[str, Path], uses: Mapping[str, list[str]]
) -> dict[str, dict[str, Path]]:
    """
    Divide the installed files into bundles by when a visit needs them.

    Parameters
    ----------
    files : mapping
        Address below site-packages to file.
    lab : mapping
        The same of our own package.
    uses : mapping
        What observe.mjs found: addresses for `numbers`, for `figures` and of `native` modules.
        The native ones go by themselves.

    Returns
    -------
    dict
        `lab`, `numbers`, `figures` (code), `figures-data` and `rest`; each file that is not among
        the native ones is in exactly one of them. `lab` is ours and what tells numpy's version.
    """
    native = set(uses["native"])
    version = {path: file for path, file in files.items() if _TELLS_VERSION.match(path)}
    bundles: dict[str, dict[str, Path]] = {"lab": {**lab, **version}}
    used = {
        stage: {path: files[path] for path in uses[stage] if path in files and path not in native}
        for stage in ("numbers", "figures")
    }
    bundles["numbers"] = used["numbers"]
    for name, is_code in (("figures", True), ("figures-data", False)):
        bundles[name] = {
            path: file for path, file in used["figures"].items() if (file.suffix == ".pyc") == is_code
        }
    placed = native.union(*bundles.values())
    bundles["rest"] = {path: file for path, file in files.items() if path not in placed}
    return bundles


def _files(folder: Path) -> dict[str, Path]:
    """Every file below a folder by its address, in sorted order."""
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return dict(sorted(found.items()))


def _texts(*names: str) -> list[bytes]:
    """Sources of the build, by their path."""
    return [(Path(__file__).parent / name).read_bytes() for name in names]
