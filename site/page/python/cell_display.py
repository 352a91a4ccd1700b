"""Values on their way to the page: so many of them, and so much text of each."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from cell_values import Bundle, open_figures, shown_values
from kept_output import KeptOutput

Send = Callable[[dict[str, Any]], None]

TEXT_LIMIT = 100_000
"""Characters of one value's text that the page gets; the whole text is kept here."""
DISPLAY_LIMIT = 60
"""Values of one run that the page shows."""


class Display:
    """
    Shows values of one run.

    Parameters
    ----------
    send : callable
        Receives notices.
    kept : KeptOutput
        Of the run.
    """

    def __init__(self, send: Send, kept: KeptOutput) -> None:
        self._send = send
        self._kept = kept
        self._count = 0
        self.before_show: Callable[[], None] = lambda: None
        """Sends what was printed so far, which stands before."""

    def show(self, *values: object) -> None:
        """Show values as if each were the last of a cell; cells know this as `display`."""
        for value in values:
            self._show(shown_values(value))

    def show_open_figures(self, value: object) -> None:
        """Show what was drawn with pyplot, unless it was the cell's value."""
        self._show(open_figures(value))

    def finish(self) -> None:
        """Say how much was not shown."""
        if self._count > DISPLAY_LIMIT:
            self._send(self._kept.cut_notice("display", self._count - DISPLAY_LIMIT))

    def _show(self, bundles: Iterable[Bundle]) -> None:
        for data, metadata in bundles:
            self.before_show()
            self._count += 1
            if self._count > DISPLAY_LIMIT:
                continue
            text = data.get("text/plain")
            cut = None
            if isinstance(text, str) and len(text) > TEXT_LIMIT:
                data = {**data, "text/plain": text[:TEXT_LIMIT]}
                if set(data) == {"text/plain"}:
                    name = f"value-{self._count}"
                    self._kept.add(name, text)
                    cut = self._kept.cut_notice(name, len(text) - TEXT_LIMIT)
            self._send({"type": "display", "data": data, "metadata": metadata})
            if cut is not None:
                self._send(cut)


@contextmanager
def display_named(display: Display) -> Iterator[None]:
    """While a cell runs, `display` is at hand, as in a notebook."""
    builtins.__dict__["display"] = display.show
    try:
        yield
    finally:
        builtins.__dict__.pop("display", None)
        display.finish()
