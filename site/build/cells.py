"""The notebook script cut into cells at its `# %% id=… title="…"` lines."""

from __future__ import annotations

import re
from dataclasses import dataclass

from build.errors import BuildError

_MARKER = re.compile(r'^# %% id=(?P<id>[a-z][a-z0-9-]*) title="(?P<title>[^"]+)"$')


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One unit of the notebook."""

    id: str
    title: str
    source: str


def parse_cells(text: str) -> tuple[Cell, ...]:
    """
    Cut the text of the notebook script into its cells.

    Parameters
    ----------
    text : str
        The whole script. What stands before the first marker belongs to no cell.

    Returns
    -------
    tuple of Cell
        In the order of the script; sources without blank lines at either end.

    Raises
    ------
    BuildError
        A marker line is malformed, an id is used twice, or there is no cell.
    """
    found: list[tuple[str, str, list[str]]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("# %%"):
            found.append((*_read_marker(line, number), []))
        elif found:
            found[-1][2].append(line)
    if not found:
        raise BuildError('the notebook script has no line `# %% id=… title="…"`: nothing to show')
    ids = [cell_id for cell_id, _, _ in found]
    for cell_id in ids:
        if ids.count(cell_id) > 1:
            raise BuildError(f"cell id {cell_id!r} is used {ids.count(cell_id)} times; ids must differ")
    return tuple(
        Cell(id=cell_id, title=title, source="\n".join(lines).strip("\n"))
        for cell_id, title, lines in found
    )


def _read_marker(line: str, number: int) -> tuple[str, str]:
    """The id and title of one marker line."""
    match = _MARKER.match(line)
    if match is None:
        raise BuildError(
            f'line {number} of the notebook script: expected `# %% id=<id> title="<title>"`, got {line!r}'
        )
    return match["id"], match["title"]
