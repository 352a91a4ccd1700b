"""Runs the cells of the page in one shared namespace. Plain Python: knows neither the page nor Pyodide."""

from __future__ import annotations

import ast
import asyncio
import builtins
import inspect
import json
import linecache
import platform
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy
import replay_lab
from cell_agreement import SavedRun
from cell_company import shell_named
from cell_completion import names_beginning_with
from cell_display import Display, display_named
from cell_errors import describe_error
from cell_sleep import stoppable_sleep, wake_to_stop
from cell_streams import streams_to
from kept_output import KeptOutput
from python_itself import PythonItself
from working_files import WorkingFiles

Notice = dict[str, Any]
Emit = Callable[[str], object]

_RESERVE_BYTES = 4 << 20
_NAMES_TOLD = 5
# What JSON has no word for, such as NaN, is an error of the cell and not of the page.
_encoded = json.JSONEncoder(allow_nan=False).encode
_eval = eval


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
        self._kept: dict[str, KeptOutput] = {}
        self._files = WorkingFiles(Path.cwd())
        self._python = PythonItself()
        self._reserve: bytearray | None = None

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
            emit(_encoded(notice))

        try:
            return await self._run(filename, source, send)
        except (KeyboardInterrupt, asyncio.CancelledError):
            return _ending("interrupted")
        finally:
            _keep_running()

    def cancel(self) -> None:
        """Stop a cell that sleeps or waits at an `await`."""
        if not wake_to_stop() and self._task is not None:
            self._task.cancel()

    def output_text(self, filename: str, name: str) -> str:
        """All that the last run of a cell wrote under a name, of which the page may have had the beginning only."""
        return self._kept[filename].text(name) if filename in self._kept else ""

    def complete(self, typed: str) -> str:
        """Names that begin with what was typed, as JSON."""
        return _encoded(names_beginning_with(typed, self._main.__dict__))

    def list_files(self) -> str:
        """The files of the working directory as JSON, by name."""
        return _encoded(self._files.entries())

    def zip_files(self) -> bytes:
        """The files of the working directory as one archive."""
        return self._files.zipped()

    def versions(self) -> str:
        """What runs here, as JSON."""
        return _encoded({
            "python": platform.python_version(),
            "numpy": numpy.__version__,
            "replay_lab": replay_lab.__version__,
        })

    async def _run(self, filename: str, source: str, send: Callable[[Notice], None]) -> str:
        """Run a cell; an interrupt passes through."""
        # What earlier cells left behind may have run since.
        self._python.put_back()
        self._main.__dict__["__builtins__"] = builtins
        before = dict(self._main.__dict__)
        self._kept[filename] = kept = KeptOutput()
        display = Display(send, kept)
        replaced: list[str] = []
        try:
            # Held for the words about an error: a cell may leave no memory for them.
            self._reserve = bytearray(_RESERVE_BYTES)
            with self._as_main(), stoppable_sleep(), shell_named(), _study_progress_to(send), streams_to(send, kept) as flush, display_named(display):
                display.before_show = flush
                await self._execute(filename, source, display, replaced)
            return _ending("done", agreement=self._saved.agreement(before, self._main.__dict__))
        except (KeyboardInterrupt, asyncio.CancelledError):
            raise
        except BaseException as error:
            self._reserve = None
            return _ending("failed", error=describe_error(error, filename, list(self._main.__dict__)))
        finally:
            if replaced:
                send({"type": "put-back", "names": replaced[:_NAMES_TOLD], "more": len(replaced[_NAMES_TOLD:])})

    async def _execute(self, filename: str, source: str, display: Display, replaced: list[str]) -> None:
        """Run the statements, then show the value of a last expression and what was drawn; tell what was replaced in Python itself."""
        linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
        tree = ast.parse(source, filename)
        try:
            value = await self._value_of(tree, filename)
        finally:
            replaced += self._python.put_back()
        try:
            display.show(value)
            display.show_open_figures(value)
        finally:
            # A value runs code of the cell when it is shown.
            replaced += self._python.put_back()

    async def _value_of(self, tree: ast.Module, filename: str) -> object:
        """Run the statements; the value of a last expression, or None."""
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        # Compiled before anything runs: the cell may take `compile` away.
        statements = compile(tree, filename, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        if not isinstance(last, ast.Expr):
            await self._evaluate(statements)
            return None
        expression = compile(ast.Expression(last.value), filename, "eval", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        await self._evaluate(statements)
        return await self._evaluate(expression)

    async def _evaluate(self, code: types.CodeType) -> object:
        """The value of compiled code; a task that can be cancelled where the code awaits."""
        value = _eval(code, self._main.__dict__)
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


@contextmanager
def _study_progress_to(send: Callable[[Notice], None]) -> Iterator[None]:
    """Tell the page which part of a study is running."""
    from replay_lab.progress import StudyEvent, heard_by

    def tell(event: StudyEvent) -> None:
        send({"type": "study-progress", **event._asdict()})

    with heard_by(tell):
        yield


def _ending(outcome: str, *, error: Notice | None = None, agreement: Notice | None = None) -> str:
    return _encoded({"outcome": outcome, "error": error, "agreement": agreement})


def _keep_running() -> None:
    """Take back what a cell did to the task that runs it: cancelled, it could not answer."""
    task = asyncio.current_task()
    while task is not None and task.cancelling():
        task.uncancel()
