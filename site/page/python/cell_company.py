"""What asks for threads, processes or other programs, none of which a browser tab has."""

from __future__ import annotations

import linecache
import os
import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

SENTENCE = "Python in a browser tab has one thread and starts no other programs: do this work in the cell itself."

_PACKAGES = {"subprocess", "multiprocessing", "concurrent"}
_STARTS = re.compile(r"\b(?:fork\w*|exec[lv]\w*|spawn\w*|posix_spawn\w*|popen|system)\b")


def asks_for_company(error: BaseException, filename: str, line: int | None) -> bool:
    """Whether an error comes from asking for a thread or a program."""
    if isinstance(error, RuntimeError) and "new thread" in str(error):
        return True
    if isinstance(error, NotImplementedError) and "subprocess" in str(error):
        return True
    if isinstance(error, (ImportError, NotImplementedError, OSError)) and _went_through(error):
        return True
    text = linecache.getline(filename, line) if line is not None else ""
    return isinstance(error, (OSError, AttributeError)) and _STARTS.search(text) is not None


def _went_through(error: BaseException) -> bool:
    frames = traceback.walk_tb(error.__traceback__)
    return any(str(frame.f_globals.get("__name__")).partition(".")[0] in _PACKAGES for frame, _ in frames)


@contextmanager
def shell_named() -> Iterator[None]:
    """While a cell runs, `os.system` says why it starts nothing; its own answer is a bare -1."""
    before = os.system

    def system(command: str | bytes) -> int:
        status = before(command)
        if sys.platform == "emscripten":
            print(SENTENCE, file=sys.stderr)
        return status

    os.system = system
    try:
        yield
    finally:
        os.system = before
