"""Runs the cells of the page in one shared namespace. Plain Python: knows neither the page nor Pyodide."""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import linecache
import os
import platform
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import metadata
from typing import Any

from cell_agreement import SavedRun
from cell_errors import describe_error
from cell_streams import streams_to

Notice = dict[str, Any]
Emit = Callable[[str], object]

REPR_LIMIT = 100_000


class CellRunner:
    """
    Cells share the namespace of a module named `__main__`, as in a notebook.

    Parameters
    ----------
    saved_results, saved_bits : str
        What a run is compared with, as JSON texts; see `SavedRun`.
    """

    def __init__(self, saved_results: str, saved_bits: str) -> None:
        self._saved = SavedRun(saved_results, saved_bits)
        self._main = types.ModuleType("__main__")
        self._task: asyncio.Task[None] | None = None

    async def run(self, filename: str, source: str, emit: Emit) -> str:
        """
        Execute one cell and tell how it ended.

        Parameters
        ----------
        filename : str
            What tracebacks call the cell: `cell 2`.
        source : str
            Python, with `await` allowed at the top level.
        emit : callable
            Receives each notice as JSON text while the cell runs.

        Returns
        -------
        str
            JSON: `outcome` (done, failed, interrupted), `error` and `agreement`, the last two null
            where there is nothing to say.
        """
        def send(notice: Notice) -> None:
            emit(json.dumps(notice))

        before = dict(self._main.__dict__)
        error: BaseException | None = None
        try:
            with self._as_main(), streams_to(send):
                await self._execute(filename, source, send)
        except (KeyboardInterrupt, asyncio.CancelledError):
            return _ending("interrupted")
        except BaseException as raised:
            error = raised
        if error is not None:
            return _ending("failed", error=describe_error(error, filename))
        return _ending("done", agreement=self._saved.agreement(before, self._main.__dict__))

    def cancel(self) -> None:
        """Stop a cell that is waiting at an `await`."""
        if self._task is not None:
            self._task.cancel()

    def list_files(self) -> str:
        """The files of the working directory as JSON, by name."""
        with os.scandir() as entries:
            files = [
                {"name": entry.name, "sizeBytes": entry.stat().st_size}
                for entry in entries
                if entry.is_file() and not entry.name.startswith(".")
            ]
        return json.dumps(sorted(files, key=lambda file: str(file["name"])))

    def versions(self) -> str:
        """What runs here, as JSON."""
        return json.dumps({
            "python": platform.python_version(),
            **{name: metadata.version(name) for name in ("numpy", "replay_lab")},
        })

    async def _execute(self, filename: str, source: str, send: Callable[[Notice], None]) -> None:
        """Run the statements, then show the value of a last expression."""
        linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
        tree = ast.parse(source, filename)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        await self._evaluate(compile(tree, filename, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT))
        if isinstance(last, ast.Expr):
            expression = ast.Expression(last.value)
            value = await self._evaluate(
                compile(expression, filename, "eval", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            )
            for data, extra in rich_values(value):
                send({"type": "display", "data": data, "metadata": extra})

    async def _evaluate(self, code: types.CodeType) -> object:
        """The value of compiled code; a task that can be cancelled where the code awaits."""
        value = eval(code, self._main.__dict__)
        if not code.co_flags & inspect.CO_COROUTINE:
            return value
        self._task = asyncio.ensure_future(value)
        try:
            return await self._task
        finally:
            self._task = None

    @contextmanager
    def _as_main(self) -> Iterator[None]:
        """While a cell runs, `__main__` is its namespace: dataclasses and pickle look there."""
        before = sys.modules["__main__"]
        sys.modules["__main__"] = self._main
        try:
            yield
        finally:
            sys.modules["__main__"] = before


def rich_values(value: object) -> Iterator[tuple[Notice, Notice]]:
    """
    The forms in which a cell's last value is shown, as (data, metadata) by media type.

    A sequence whose items all know how to show themselves is shown item by item; None is not shown.
    """
    if value is None:
        return
    items = list(value) if isinstance(value, Sequence) and not isinstance(value, (str, bytes)) else []
    if items and all(_has_bundle(item) for item in items):
        for item in items:
            yield _bundle(item)
    elif _has_bundle(value):
        yield _bundle(value)
    else:
        text = repr(value)
        if len(text) > REPR_LIMIT:
            text = f"{text[:REPR_LIMIT]}\n… {len(text) - REPR_LIMIT} more characters not shown"
        yield {"text/plain": text}, {}


def _has_bundle(value: object) -> bool:
    """Whether a value (not a class) can show itself."""
    return not isinstance(value, type) and callable(getattr(value, "_repr_mimebundle_", None))


def _bundle(value: Any) -> tuple[Notice, Notice]:
    """A value's own forms; the metadata may be left out by the protocol of notebooks."""
    bundle = value._repr_mimebundle_(include=None, exclude=None)
    return bundle if isinstance(bundle, tuple) else (bundle, {})


def _ending(outcome: str, *, error: Notice | None = None, agreement: Notice | None = None) -> str:
    return json.dumps({"outcome": outcome, "error": error, "agreement": agreement})
