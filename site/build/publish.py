"""Swapping a finished site in: what stands under its name is always a whole one."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from build.swap import claimed, swap_in


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """
    Give a folder to fill that becomes the target when the block ends without an error.

    Parameters
    ----------
    target : Path
        The folder to replace; it is untouched until then, and for good when the block raises.

    Yields
    ------
    Path
        An empty folder beside the target.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with _beside(target) as temporary:
        fresh = temporary / "fresh"
        fresh.mkdir()
        yield fresh
        swap_in(fresh, target)


@contextmanager
def adding_to(target: Path) -> Iterator[Path]:
    """
    Give a folder to fill with a further build of a site that is being served.

    Parameters
    ----------
    target : Path
        The site. When the block ends without an error it gets the new build's folder, then the new
        page; a page that was loaded before still finds the folder it came from.

    Yields
    ------
    Path
        An empty folder beside the target.
    """
    with _beside(target) as temporary:
        fresh = temporary / "fresh"
        fresh.mkdir()
        yield fresh
        for build in (fresh / "b").iterdir():
            if not (target / "b" / build.name).exists():
                build.rename(target / "b" / build.name)
        for file in fresh.iterdir():
            if file.is_file():
                file.replace(target / file.name)


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """A folder beside the target, on the same disk; those that killed builds left are removed first."""
    prefix = f".{target.name}-"
    for left in target.parent.glob(f"{prefix}????????"):
        with claimed(left) as free:
            if free:
                shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=prefix) as temporary, claimed(Path(temporary)):
        yield Path(temporary)


def copy_page(page: Path, folder: Path) -> None:
    """
    Copy what the page loads, as written.

    Parameters
    ----------
    page : Path
        The page's source.
    folder : Path
        Made here. It gets all but what stands beside it (the document, the service worker), hidden
        files, bytecode and what only bundling the editor needs.
    """
    unserved = (".*", "__pycache__", "*.pyc", "node_modules", "package*.json", "entry.js", "zstd.mjs", "*.md")
    beside = ("index.html", "service-worker.js")
    shutil.copytree(page, folder, ignore=shutil.ignore_patterns(*unserved, *beside))


def write_text(path: Path, text: str) -> None:
    """Write one text file, with its folder, with the same bytes on every system."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
