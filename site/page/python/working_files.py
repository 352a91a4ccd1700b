"""The files of the working directory, for the page."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

FILE_LIMIT = 500
_ZIP_DATE = (1980, 1, 1, 0, 0, 0)


class WorkingFiles:
    """
    The files below a folder.

    Parameters
    ----------
    folder : Path
        Where the cells run; a cell that goes elsewhere does not take the list along.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def entries(self) -> list[dict[str, object]]:
        """Name and size of each file, by name; names that begin with a dot are left out."""
        return [{"name": name, "sizeBytes": path.stat().st_size} for name, path in self._paths()]

    def zipped(self) -> bytes:
        """All files in one archive; equal files make equal archives."""
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
            for name, path in self._paths():
                entry = zipfile.ZipInfo(name, _ZIP_DATE)
                entry.compress_type = zipfile.ZIP_DEFLATED
                target.writestr(entry, path.read_bytes())
        return archive.getvalue()

    def _paths(self) -> list[tuple[str, Path]]:
        if not self._folder.is_dir():
            return []
        named = [(path.relative_to(self._folder), path) for path in self._folder.rglob("*") if path.is_file()]
        shown = [(name.as_posix(), path) for name, path in named if not any(part.startswith(".") for part in name.parts)]
        return sorted(shown)[:FILE_LIMIT]
