"""Text of a terminal as plain text: no colours, no cursor movements, the last state of a rewritten line."""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-Z\\^-~])")
_UNFINISHED = re.compile(r"(?:\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b]*\x1b?|[ -/]*)|\r)\Z")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SPECIAL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_LONGEST_ESCAPE = 1000


class PlainText:
    """Cleans a text that comes in pieces; a sequence cut by the end of a piece waits for the next."""

    def __init__(self) -> None:
        self._waiting = ""
        self._within_line = False

    def clean(self, piece: str) -> str:
        """The plain text of the next piece."""
        text, self._waiting = self._waiting + piece, ""
        if _SPECIAL.search(text):
            unfinished = _UNFINISHED.search(text, max(0, len(text) - _LONGEST_ESCAPE))
            if unfinished:
                text, self._waiting = text[: unfinished.start()], unfinished[0]
            text = self._rewritten(_ESCAPE.sub("", text).replace("\r\n", "\n"))
            text = _CONTROL.sub("", text)
        if text:
            self._within_line = not text.endswith("\n")
        return text

    def _rewritten(self, text: str) -> str:
        """Of each line what stands after its last carriage return."""
        if "\r" not in text:
            return text
        first, *others = text.split("\n")
        # What was already sent of this line cannot be taken back.
        head = "\n" if self._within_line and "\r" in first else ""
        return head + "\n".join(line.rsplit("\r", 1)[-1] for line in (first, *others))


def plain(text: str) -> str:
    """A whole text, cleaned."""
    return PlainText().clean(text)


def shortened(text: str, limit: int) -> str:
    """The beginning of a text, and how much is missing."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… ({len(text) - limit:,} more characters)"
