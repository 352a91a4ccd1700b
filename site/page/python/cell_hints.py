"""The next step after an error: what a reader most likely wants to do."""

from __future__ import annotations

import difflib
import linecache
import re
import sys
import traceback
from collections.abc import Iterable

from cell_company import SENTENCE, asks_for_company

_USUAL_IMPORTS = {
    "np": "import numpy as np",
    "numpy": "import numpy",
    "plt": "import matplotlib.pyplot as plt",
    "matplotlib": "import matplotlib",
    "replay_lab": "import replay_lab",
}
_HERE = ("numpy", "matplotlib", "replay_lab", "micropip")
_BACK = "Reset brings back the published text."
_OFFLINE = "This page contacts no other site, so nothing can be installed."


def next_step(error: BaseException, filename: str, line: int | None, names: Iterable[str]) -> str:
    """
    A sentence or two with the next step.

    Parameters
    ----------
    error : BaseException
    filename : str
        Of the cell: `cell 2`.
    line : int or None
        Where in the cell.
    names : iterable of str
        What the cells have defined.
    """
    where = f"line {line} of {filename}" if line is not None else filename
    if str(type(error).__module__).partition(".")[0] == "replay_lab":
        return f"Change the value in {filename} and run it again; {_BACK}"
    if _raised_by(error, "micropip"):
        return f"{_OFFLINE} Python source can be pasted into a cell instead."
    if asks_for_company(error, filename, line):
        return SENTENCE
    if isinstance(error, SyntaxError):
        return f"Python could not read {where}. Mend it and run again."
    if isinstance(error, NameError):
        return _for_name(error, where, names)
    if isinstance(error, AttributeError):
        return _for_attribute(error, where)
    if isinstance(error, ModuleNotFoundError):
        return _for_module(error)
    if isinstance(error, MemoryError):
        return "Make the arrays smaller, or restart Python to free what earlier cells hold."
    if isinstance(error, RecursionError):
        return f"A function called from {where} calls itself without end."
    if isinstance(error, EOFError):
        return f"Assign the value in {where} instead of asking for it."
    if isinstance(error, SystemExit):
        return f"Nothing was ended: variables are kept. Take the exit out of {where} to run on."
    if hidden := _hidden_builtin(filename, line, names):
        return f"`{hidden}` is not Python's own here, a cell has given it another meaning; `del {hidden}` brings Python's own back."
    return f"Mend {where} and run it again; {_BACK}"


def _hidden_builtin(filename: str, line: int | None, names: Iterable[str]) -> str | None:
    """A builtin that the failing line uses and a cell has defined anew."""
    own = set(names) & set(sys.modules["builtins"].__dict__)
    used = re.findall(r"\w+", linecache.getline(filename, line)) if line is not None else []
    return next((name for name in used if name in own and not name.startswith("_")), None)


def _for_name(error: NameError, where: str, names: Iterable[str]) -> str:
    name = getattr(error, "name", None) or ""
    if statement := _USUAL_IMPORTS.get(name) or (f"import {name}" if name in sys.stdlib_module_names else None):
        return f"`{name}` has not been imported: add `{statement}` before {where}."
    builtin = sys.modules["builtins"].__dict__
    if near := nearest(name, [*names, *builtin]):
        return f"Did you mean `{near}`? Otherwise run the cell that defines `{name}` first."
    return f"Check the spelling in {where}, and that the cell defining the name has run."


def _for_attribute(error: AttributeError, where: str) -> str:
    name = getattr(error, "name", None)
    owner = getattr(error, "obj", None)
    near = nearest(name, dir(owner)) if name and owner is not None else None
    return f"Did you mean `{near}`? Mend {where} and run it again." if near else f"Mend {where} and run it again; {_BACK}"


def _for_module(error: ModuleNotFoundError) -> str:
    name = (error.name or "").partition(".")[0]
    if near := nearest(name, _HERE) or nearest(name, sys.stdlib_module_names):
        return f"Did you mean `{near}`? {_present()}"
    return f"{_present()} {_OFFLINE}"


def _present() -> str:
    return "Python here has its standard library, numpy, matplotlib and replay_lab."


def _raised_by(error: BaseException, package: str) -> bool:
    """Whether code of a package was active when an error was raised."""
    frames = traceback.walk_tb(error.__traceback__)
    return any(str(frame.f_globals.get("__name__")).partition(".")[0] == package for frame, _ in frames)


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that is written most alike; only when it is another one and much alike."""
    known = [candidate for candidate in dict.fromkeys(candidates) if candidate != name and not candidate.startswith("_")]
    for candidate in known:
        if candidate.lower() == name.lower():
            return candidate
    found = difflib.get_close_matches(name, known, n=1, cutoff=0.7)
    return found[0] if found else None
