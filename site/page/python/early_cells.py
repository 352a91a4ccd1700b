"""Which cells may run while matplotlib and the rest of Python's packages are still on their way."""

from __future__ import annotations

import ast
import builtins

_MAY_IMPORT = {"__import__", "compile", "eval", "exec", "help", "breakpoint"}


def runs_early(source: str) -> bool:
    """
    Tell whether a cell gets along with numpy and the numbers of replay_lab.

    Parameters
    ----------
    source : str
        The cell.

    Returns
    -------
    bool
        True only when nothing in it can reach another package: it imports names of replay_lab
        other than those that draw, or nothing, and calls nothing that could import.
    """
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return True
    return all(_is_early(node) for node in ast.walk(tree))


def _is_early(node: ast.AST) -> bool:
    match node:
        case ast.Import():
            return False
        case ast.ImportFrom(module="replay_lab", level=0):
            return not any(_draws(alias.name) for alias in node.names)
        case ast.ImportFrom():
            return False
        case ast.Name(id=name):
            return name not in _MAY_IMPORT and not _draws(name)
        case ast.Attribute(attr=name):
            return not _draws(name)
    return True


def _draws(name: str) -> bool:
    """Whether a name may lead to matplotlib, by the names that this package gives."""
    return name in {"*", "show", "savefig"} or name.startswith(("draw", "figure", "plot"))


assert _MAY_IMPORT <= set(dir(builtins))
