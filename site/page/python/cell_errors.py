"""What the page tells about an exception in a cell."""

from __future__ import annotations

import traceback
from typing import Any

_CELL_PREFIX = "cell "


def describe_error(error: BaseException, filename: str) -> dict[str, Any]:
    """
    What the page tells about an exception.

    The traceback keeps only lines of cells: the reader's code. `line` is the last line of this cell
    that was active, or the line that does not parse.
    """
    stack = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in stack if frame.filename.startswith(_CELL_PREFIX)]
    here = [frame.lineno for frame in own if frame.filename == filename]
    line = here[-1] if here else None
    if isinstance(error, SyntaxError) and error.filename == filename:
        line = error.lineno
    shown = traceback.StackSummary.from_list(own).format()
    first = stack.index(own[0]) if own else len(stack)
    hidden = len(stack) - first - len(own)
    if hidden > 0:
        shown.append(f"  ({hidden} more inside libraries)\n")
    head = ["Traceback (most recent call last):\n"] if own else []
    return {
        "type": type(error).__name__,
        "message": str(error) or _without_message(error),
        "traceback": "".join([*head, *shown, *traceback.format_exception_only(error)]),
        "cell": filename if line is not None else None,
        "line": line,
        "hint": _hint(error, filename, line),
    }


def _without_message(error: BaseException) -> str:
    """A sentence for exceptions that carry none."""
    if isinstance(error, SystemExit):
        return "the cell asked Python to exit; Python goes on"
    return "no message was given"


def _hint(error: BaseException, filename: str, line: int | None) -> str:
    """The next step."""
    where = f"line {line} of {filename}" if line is not None else filename
    if type(error).__module__.partition(".")[0] == "replay_lab":
        return f"Change the value in {filename} and run it again; Reset brings back the published text."
    if isinstance(error, SyntaxError):
        return f"Python could not read {where}. Mend it and run again."
    if isinstance(error, NameError):
        return f"Check the spelling in {where}, and that the cell defining the name has run."
    if isinstance(error, ModuleNotFoundError):
        return (
            "Python here has its standard library, numpy, matplotlib and replay_lab; "
            "nothing else is on this site."
        )
    if isinstance(error, MemoryError):
        return "Make the arrays smaller, or restart Python to free what earlier cells hold."
    if isinstance(error, RecursionError):
        return f"A function called from {where} calls itself without end."
    return f"Mend {where} and run it again; Reset brings back the published text."
