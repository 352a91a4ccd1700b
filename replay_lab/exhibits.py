"""Several values as one last expression: each is shown by itself."""

from __future__ import annotations

from typing import Any


class Exhibits(tuple[Any, ...]):
    """Values with a ``_repr_mimebundle_``, shown one after the other.

    Jupyter shows a tuple as text; this one it asks to show itself. The page
    shows the items of any tuple of such values.
    """

    def _ipython_display_(self) -> None:
        from IPython.display import display

        for value in self:
            display(value)


def show(*values: Any) -> Exhibits:
    """Show a table, a figure, ... below each other, as a cell's last expression."""
    return Exhibits(values)
