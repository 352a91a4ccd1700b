"""What a cell needs: it may run while packages that it cannot use are still on their way."""

from __future__ import annotations

import ast

_NEEDS = ("numbers", "figures", "everything")

_MAY_IMPORT = {"__import__", "compile", "eval", "exec", "help", "breakpoint"}


def needs(source: str) -> str:
    """
    Tell what must be in place before a cell runs.

    Parameters
    ----------
    source : str
        The cell.

    Returns
    -------
    str
        `numbers` when it can reach no more than numpy and the numbers of replay_lab: it imports
        names of replay_lab other than those that draw, or nothing; `figures` when it may draw with
        replay_lab; `everything` when it imports something else, or could.
    """
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return "numbers"
    return max((_need(node) for node in ast.walk(tree)), key=_NEEDS.index)


def _need(node: ast.AST) -> str:
    match node:
        case ast.ImportFrom(module="replay_lab", level=0):
            return max((_of_name(alias.name) for alias in node.names), key=_NEEDS.index)
        case ast.Import() | ast.ImportFrom():
            return "everything"
        case ast.Name(id=name):
            return _of_name(name)
        case ast.Attribute(attr=name):
            return _of_name(name)
    return "numbers"


def _of_name(name: str) -> str:
    """What a name may lead to, by the names that the package gives to what draws."""
    if name in _MAY_IMPORT:
        return "everything"
    draws = name in {"*", "show", "savefig"} or name.startswith(("draw", "figure", "plot"))
    return "figures" if draws else "numbers"
