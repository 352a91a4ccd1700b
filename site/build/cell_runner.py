"""
Run cells in one namespace and keep what they show, as a Jupyter would write it down.

A script for the build's environment: `python -P cell_runner.py CELLS OUTPUTS`, two JSON files;
the cells write their own files into the working directory.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import linecache
import sys
from pathlib import Path
from typing import Any

Output = dict[str, Any]


def run_cell(source: str, name: str, namespace: dict[str, Any], count: int) -> list[Output]:
    """
    Run one cell.

    Parameters
    ----------
    source : str
        Its Python.
    name : str
        Where tracebacks say that it stands.
    namespace : dict
        Shared by all cells.
    count : int
        The execution count of its result.

    Returns
    -------
    list of dict
        nbformat 4.5 outputs: standard output, then the value of a last expression.
    """
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    value = None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, name, "exec"), namespace)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), name, "eval"), namespace)
    outputs: list[Output] = []
    if text := printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": text})
    return outputs + _shown(value, count)


def _shown(value: object, count: int) -> list[Output]:
    """The outputs for the value of a cell's last expression."""
    if value is None:
        return []
    if hasattr(value, "_repr_mimebundle_"):
        return [_result(value, {"output_type": "execute_result", "execution_count": count})]
    if isinstance(value, (tuple, list)) and all(hasattr(v, "_repr_mimebundle_") for v in value):
        return [_result(each, {"output_type": "display_data"}) for each in value]
    data = {"text/plain": repr(value)}
    return [
        {"output_type": "execute_result", "execution_count": count, "data": data, "metadata": {}}
    ]


def _result(value: Any, kind: Output) -> Output:
    """One rich value; its metadata may be left out, as in Jupyter."""
    bundle = value._repr_mimebundle_(include=None, exclude=None)
    data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
    return {**kind, "data": data, "metadata": metadata}


def main(cells: Path, outputs: Path) -> None:
    """Run all cells in order; write their outputs by id, and by name the bits that they leave."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    shown = {
        cell["id"]: run_cell(cell["source"], f"cell {count}: {cell['id']}", namespace, count)
        for count, cell in enumerate(json.loads(cells.read_text(encoding="utf-8")), start=1)
    }
    bits = {
        name: value.saved_bits().to_json()
        for name, value in namespace.items()
        if callable(getattr(value, "saved_bits", None)) and not isinstance(value, type)
    }
    outputs.write_text(json.dumps({"outputs": shown, "bits": bits}), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
