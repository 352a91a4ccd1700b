"""Runs inside Pyodide: puts bytecode in the place of source."""

from __future__ import annotations

import io
import sys
import zipfile
from importlib._bootstrap_external import _code_to_hash_pyc  # type: ignore[attr-defined]
from pathlib import Path

SITE_PACKAGES = Path("/lib/python3.14/site-packages")
STDLIB = Path("/lib/python314.zip")
PAGE_MODULES = Path("/cell_runner")

_FIXED_DATE = (1980, 1, 1, 0, 0, 0)
_CHECKED = False
_NO_HASH = bytes(8)


def bytecode(source: bytes, name: str) -> bytes | None:
    """
    Compile one file.

    Parameters
    ----------
    source : bytes
        Its text.
    name : str
        What tracebacks call it.

    Returns
    -------
    bytes or None
        A .pyc that is never compared with its source; None when the text is no valid Python, as
        some templates and test data are.
    """
    try:
        code = compile(source, name, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return None
    return bytes(_code_to_hash_pyc(code, _NO_HASH, _CHECKED))


def compile_stdlib(target: Path) -> None:
    """Write the standard library as a stored archive of bytecode: no source, nothing to inflate."""
    archive = io.BytesIO()
    with zipfile.ZipFile(STDLIB) as sources, zipfile.ZipFile(archive, "w") as compiled:
        for name in sorted(sources.namelist()):
            content = sources.read(name)
            pyc = bytecode(content, f"{STDLIB}/{name}") if name.endswith(".py") else None
            member = name if pyc is None else f"{name}c"
            compiled.writestr(zipfile.ZipInfo(member, _FIXED_DATE), content if pyc is None else pyc)
    target.write_bytes(archive.getvalue())


def compile_folder(source: Path, target: Path) -> None:
    """
    Copy a folder, with bytecode instead of source.

    Parameters
    ----------
    source : Path
        A folder of packages in the place where they will be imported from.
    target : Path
        Where the copy goes.
    """
    for path in _files(source):
        content, place = path.read_bytes(), target / path.relative_to(source)
        pyc = bytecode(content, str(path)) if path.suffix == ".py" else None
        _write(place if pyc is None else place.with_suffix(".pyc"), content if pyc is None else pyc)


def add_bytecode(source: Path, target: Path) -> None:
    """
    Copy a folder, with bytecode beside its source: tracebacks can show the source.

    Parameters
    ----------
    source : Path
        A folder of modules in the place where they will be imported from.
    target : Path
        Where the copy goes.
    """
    for path in _files(source):
        content, place = path.read_bytes(), target / path.relative_to(source)
        _write(place, content)
        if path.suffix == ".py" and (pyc := bytecode(content, str(path))) is not None:
            _write(place.parent / "__pycache__" / f"{path.stem}.{sys.implementation.cache_tag}.pyc", pyc)


def _files(folder: Path) -> list[Path]:
    """Every file below a folder, in one fixed order."""
    return sorted(p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
