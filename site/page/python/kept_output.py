"""The whole text output of a cell's last run, of which the page shows the beginning."""

from __future__ import annotations

from typing import Any

KEEP_LIMIT = 64_000_000
"""Characters of one run that are kept; what comes after is counted only."""


class KeptOutput:
    """Texts by name: `stdout`, `stderr`, and `value-1` and so on for texts of values."""

    def __init__(self) -> None:
        self._parts: dict[str, list[str]] = {}
        self._room = KEEP_LIMIT

    def add(self, name: str, text: str) -> None:
        """Keep a further piece of a text, as far as there is room."""
        kept = text[: self._room]
        self._room -= len(kept)
        self._parts.setdefault(name, []).append(kept)

    def text(self, name: str) -> str:
        """All that is kept under a name."""
        return "".join(self._parts.get(name, ()))

    def cut_notice(self, name: str, characters: int) -> dict[str, Any]:
        """What the page is told where it gets no more of a text."""
        kept = sum(len(part) for part in self._parts.get(name, ()))
        return {"type": "cut", "name": name, "characters": characters, "keptCharacters": kept}
