"""Files kept between builds under their SHA-256: what is found is what was asked for."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from build.digests import file_sha256
from build.pin import PinnedFile


class FileCache:
    """
    A folder of files named by their SHA-256.

    Parameters
    ----------
    folder : Path
        Made when the first file is kept.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, file: PinnedFile) -> Path:
        """Return where the file lies or would lie."""
        return self.folder / file.sha256

    def refusal(self, file: PinnedFile) -> str | None:
        """
        Check a file's bytes against its pin.

        Parameters
        ----------
        file : PinnedFile
            Which one.

        Returns
        -------
        str or None
            None when it is here and whole; otherwise why not. A damaged file is removed.
        """
        path = self.path(file)
        if not path.exists():
            return f"not in {self.folder}"
        found = file_sha256(path)
        if found == file.sha256:
            return None
        path.unlink()
        return f"damaged in {self.folder} (SHA-256 {found}) and removed"

    def keep(self, file: PinnedFile, chunks: Iterable[bytes]) -> str | None:
        """
        Take a file in, if it is the pinned one.

        Parameters
        ----------
        file : PinnedFile
            Which one it claims to be.
        chunks : iterable of bytes
            Its content in order.

        Returns
        -------
        str or None
            None when it is here now; otherwise why it was refused. It appears under its name whole
            or not at all.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self.folder, prefix=".arriving-")
        arriving = Path(name)
        try:
            with os.fdopen(handle, "wb") as target:
                target.writelines(chunks)
            found = file_sha256(arriving)
            if found != file.sha256:
                return f"wrong content: expected SHA-256 {file.sha256}, got {found}"
            arriving.replace(self.path(file))
            return None
        finally:
            arriving.unlink(missing_ok=True)

    def copy(self, file: PinnedFile, folder: Path) -> None:
        """Copy a kept file into a folder under its own name."""
        shutil.copyfile(self.path(file), folder / file.name)
