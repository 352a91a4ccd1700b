"""The runtime's files, from the nearest place that has them, every one checked against the pin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from build.errors import BuildError
from build.file_cache import FileCache
from build.pin import LOCK_FILE, PinnedFile, RuntimePin
from build.progress import say


class Route(Protocol):
    """A way to get files into the cache."""

    @property
    def name(self) -> str:
        """Said in messages."""

    def fetch(self, files: Sequence[PinnedFile], cache: FileCache) -> Mapping[str, str]:
        """Return the reason for each file that is still missing, by name."""


def gather_runtime(pin: RuntimePin, cache: FileCache, routes: Iterator[Route]) -> None:
    """
    Make sure that the cache holds every file of the runtime.

    Parameters
    ----------
    pin : RuntimePin
        What is needed.
    cache : FileCache
        Looked into first; files that lie there damaged are fetched again.
    routes : iterator of Route
        Asked in order, each for what is still missing; none is asked when nothing is.

    Raises
    ------
    BuildError
        Something is still missing: each such file with the reason of every route.
    """
    missing: dict[str, list[str]] = {}
    for file in pin.files:
        refusal = cache.refusal(file)
        if refusal is not None:
            missing[file.name] = [f"cache: {refusal}"]
    while missing and (route := next(routes, None)) is not None:
        wanted = [file for file in pin.files if file.name in missing]
        say(f"Getting {len(wanted)} of {len(pin.files)} runtime files from {route.name}")
        reasons = route.fetch(wanted, cache)
        for name, reason in reasons.items():
            missing[name].append(f"{route.name}: {reason}")
        if reasons:
            say(f"  {len(reasons)} not there: {next(iter(reasons.values()))}")
        missing = {name: told for name, told in missing.items() if name in reasons}
    if missing:
        raise BuildError(_complaint(pin, missing))


def write_runtime(pin: RuntimePin, cache: FileCache, folder: Path) -> None:
    """
    Lay out the runtime as the site serves it.

    Parameters
    ----------
    pin : RuntimePin
        What belongs to it.
    cache : FileCache
        Holds every file of it.
    folder : Path
        Made here; gets the files and the reduced lock.
    """
    folder.mkdir()
    for file in pin.files:
        cache.copy(file, folder)
    (folder / LOCK_FILE).write_text(pin.lock_text, encoding="utf-8", newline="\n")


def name_for_hosts(folder: Path) -> None:
    """
    Give the runtime's modules the one ending that every host sends as a script.

    Parameters
    ----------
    folder : Path
        The runtime, as `write_runtime` laid it out; Node has no further use for it.
    """
    for module in folder.glob("*.mjs"):
        module.rename(folder / served_name(module.name))


def served_name(name: str) -> str:
    """Return what a file of the runtime is called in the site."""
    return f"{name.removesuffix('.mjs')}.js" if name.endswith(".mjs") else name


def _complaint(pin: RuntimePin, missing: Mapping[str, Sequence[str]]) -> str:
    """Which files are missing and why each route did not have them."""
    lines = [f"{len(missing)} of {len(pin.files)} files of Pyodide {pin.version} could not be had:"]
    for name, reasons in missing.items():
        lines += [f"  {name}", *(f"    {reason}" for reason in reasons)]
    lines.append("Give this machine one of these routes and run the same command again.")
    return "\n".join(lines)
