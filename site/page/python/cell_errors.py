"""What the page tells about an exception in a cell."""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from typing import Any

from cell_hints import next_step
from cell_text import plain, shortened

_CELL_PREFIX = "cell "
_MESSAGE_CHARACTERS = 2000
_LINE_CHARACTERS = 300
_SHOWN_FRAMES = 12
_SHOWN_CAUSES = 3


def describe_error(error: BaseException, filename: str, names: Iterable[str] = ()) -> dict[str, Any]:
    """
    What the page tells about an exception.

    The traceback keeps only lines of cells: the reader's code. `line` is the last line of this cell
    that was active, or the line that does not parse. `names` are those that cells have defined.
    """
    stack = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in stack if frame.filename.startswith(_CELL_PREFIX)]
    here = [frame.lineno for frame in own if frame.filename == filename]
    line = here[-1] if here else None
    if isinstance(error, SyntaxError) and error.filename == filename:
        line = error.lineno
    return {
        "type": _kind(error),
        "message": _message(error),
        "traceback": plain("".join([*_frames(stack, own), *_last_lines(error, filename)])),
        "cell": filename if line is not None else None,
        "line": line,
        "hint": _hint(error, filename, line, names),
    }


def _kind(error: BaseException) -> str:
    """The name of an exception's class, whatever the class says of itself."""
    return plain(shortened(type.__dict__["__name__"].__get__(type(error)), _LINE_CHARACTERS))


def _hint(error: BaseException, filename: str, line: int | None, names: Iterable[str]) -> str:
    """The next step; an exception of the cell's own making may not let itself be looked at."""
    try:
        return next_step(error, filename, line, names)
    except BaseException as trouble:
        return f"Mend {filename} and run it again; looking closer at this error raised {_kind(trouble)}."


def _message(error: BaseException) -> str:
    """What an exception says, or a sentence for those that say nothing."""
    try:
        text = str(error)
    except BaseException as trouble:
        return f"its message could not be made: {_kind(trouble)}"
    if isinstance(error, SystemExit):
        return "the cell asked Python to exit; Python goes on"
    if isinstance(error, MemoryError) and not text:
        return "there is not enough memory"
    return plain(shortened(text, _MESSAGE_CHARACTERS)) or "no message was given"


def _frames(stack: list[traceback.FrameSummary], own: list[traceback.FrameSummary]) -> list[str]:
    """The traceback down to the last line of a cell; of very many frames the first and last."""
    if not own:
        return []
    shown = ["Traceback (most recent call last):\n"]
    if len(own) > 2 * _SHOWN_FRAMES:
        shown += _written(own[:_SHOWN_FRAMES])
        shown.append(f"  ({len(own) - 2 * _SHOWN_FRAMES} more calls)\n")
        own_end = own[-_SHOWN_FRAMES:]
    else:
        own_end = own
    shown += _written(own_end)
    hidden = len(stack) - stack.index(own[0]) - len(own)
    if hidden > 0:
        shown.append(f"  ({hidden} more inside libraries)\n")
    return shown


def _written(frames: list[traceback.FrameSummary]) -> list[str]:
    return [
        "".join(f"{shortened(line, _LINE_CHARACTERS)}\n" for line in text.splitlines())
        for text in traceback.StackSummary.from_list(frames).format()
    ]


def _last_lines(error: BaseException, filename: str) -> list[str]:
    """The exception itself and what it came from."""
    if isinstance(error, SyntaxError) and error.filename == filename:
        return [shortened(line, _LINE_CHARACTERS * 4) for line in traceback.format_exception_only(error)]
    lines = [f"{_kind(error)}: {_message(error)}\n"]
    cause = error.__cause__
    while cause is not None and len(lines) <= _SHOWN_CAUSES:
        lines.append(f"  because of {_kind(cause)}: {_message(cause)}\n")
        cause = cause.__cause__
    return lines
