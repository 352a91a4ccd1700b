"""A figure as a value: its files, its texts, and the numbers behind it."""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .exhibits import Exhibits


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyFigure:
    """One figure with everything that belongs to it.

    Attributes
    ----------
    name : str
        Stem of its file names.
    caption, alt : str
        For those who see it and for those who do not.
    svg : str
        Transparent, follows the light or dark preference of the reader.
    png : bytes
        The same on white.
    csv : str
        The numbers behind it.
    """

    name: str
    caption: str
    alt: str
    svg: str
    png: bytes
    csv: str

    def write(self, folder: str | os.PathLike[str] = ".") -> tuple[Path, ...]:
        """Write ``name.svg``, ``name.png`` and ``name.csv`` into `folder`."""
        contents = {".svg": self.svg.encode(), ".png": self.png, ".csv": self.csv.encode()}
        paths = {Path(folder) / (self.name + suffix): data for suffix, data in contents.items()}
        for path, data in paths.items():
            path.write_bytes(data)
        return tuple(paths)

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        data = {
            "image/svg+xml": self.svg,
            "image/png": base64.b64encode(self.png).decode(),
            "text/plain": self.alt,
        }
        alt = {"alt": self.alt}
        about = {"name": self.name, "alt": self.alt, "caption": self.caption}
        return data, {"image/svg+xml": alt, "image/png": alt, "replay_lab": about}


class StudyFigures(Exhibits):
    """Several figures, shown below each other."""

    def write(self, folder: str | os.PathLike[str] = ".") -> tuple[Path, ...]:
        """Write the files of every figure into `folder`."""
        return tuple(path for figure in self for path in figure.write(folder))
