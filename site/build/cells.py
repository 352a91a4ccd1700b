"""The notebook script cut into cells at its `# %% id=… title="…"` lines.

A marker may name a section between the two: `# %% id=… section="…" title="…"`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from build.errors import BuildError

_MARKER = re.compile(r'^# %% id=(?P<id>[a-z][a-z0-9-]*) (?:section="(?P<section>[^"]+)" )?title="(?P<title>[^"]+)"$')


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One unit of the notebook; those without a section are the published ones."""

    id: str
    title: str
    source: str
    section: str = ""


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
    found: list[tuple[Cell, list[str]]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("# %%"):
            found.append((_read_marker(line, number), []))
        elif found:
            found[-1][1].append(line)
    if not found:
        raise BuildError('the notebook script has no line `# %% id=… title="…"`: nothing to show')
    ids = [cell.id for cell, _ in found]
    for cell_id in ids:
        if ids.count(cell_id) > 1:
            raise BuildError(f"cell id {cell_id!r} is used {ids.count(cell_id)} times; ids must differ")
    return tuple(replace(cell, source="\n".join(lines).strip("\n")) for cell, lines in found)


def _read_marker(line: str, number: int) -> Cell:
    """The cell that a marker line begins, without its source."""
    match = _MARKER.match(line)
    if match is None:
        raise BuildError(
            f'line {number} of the notebook script: expected `# %% id=<id> title="<title>"`, got {line!r}'
        )
    return Cell(id=match["id"], title=match["title"], source="", section=match["section"] or "")
