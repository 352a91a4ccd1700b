"""Runs the cells of the page in one shared namespace. Plain Python: knows neither the page nor Pyodide."""

from __future__ import annotations

import ast
import asyncio
import inspect
import io
import json
import linecache
import os
import platform
import sys
import time
import traceback
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from importlib import metadata
from typing import Any

Notice = dict[str, Any]
Emit = Callable[[str], object]

STREAM_LIMIT = 200_000
"""Characters of one stream that a run may send to the page; what comes after is counted only."""

REPR_LIMIT = 100_000
_CELL_PREFIX = "cell "


class CellRunner:
    """
    Cells share the namespace of a module named `__main__`, as in a notebook.

    Parameters
    ----------
    saved_results : str
        The full form of the saved study, as JSON text: what a run is compared with.
    """

    def __init__(self, saved_results: str) -> None:
        self._saved_results = saved_results
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

        results_before = self._main.__dict__.get("results")
        error: BaseException | None = None
        try:
            with self._as_main(), _streams(send):
                await self._execute(filename, source, send)
        except (KeyboardInterrupt, asyncio.CancelledError):
            return _ending("interrupted")
        except BaseException as raised:
            error = raised
        if error is not None:
            return _ending("failed", error=describe_error(error, filename))
        return _ending("done", agreement=self._agreement(results_before))

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

    def _agreement(self, results_before: object) -> Notice | None:
        """The comparison with the saved study, when this run made new results."""
        results = self._main.__dict__.get("results")
        if results is None or results is results_before:
            return None
        from replay_lab import StudyResults, compare_with_saved

        if not isinstance(results, StudyResults):
            return None
        agreement: Notice = compare_with_saved(results, StudyResults.from_json(self._saved_results)).to_json()
        return agreement


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


def describe_error(error: BaseException, filename: str) -> Notice:
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
    hidden = len(stack) - len(own) - sum(frame.filename == __file__ for frame in stack)
    if hidden > 0 and own:
        shown.append(f"  ({hidden} more frames inside libraries)\n")
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


def _has_bundle(value: object) -> bool:
    """Whether a value (not a class) can show itself."""
    return not isinstance(value, type) and callable(getattr(value, "_repr_mimebundle_", None))


def _bundle(value: Any) -> tuple[Notice, Notice]:
    """A value's own forms; the metadata may be left out by the protocol of notebooks."""
    bundle = value._repr_mimebundle_(include=None, exclude=None)
    return bundle if isinstance(bundle, tuple) else (bundle, {})


def _ending(outcome: str, *, error: Notice | None = None, agreement: Notice | None = None) -> str:
    return json.dumps({"outcome": outcome, "error": error, "agreement": agreement})


@contextmanager
def _streams(send: Callable[[Notice], None]) -> Iterator[None]:
    """Send what is printed, standard output and standard error apart but in order."""
    output, errors = Stream("stdout", send), Stream("stderr", send)
    output.before_write = errors.flush
    errors.before_write = output.flush
    try:
        with redirect_stdout(output), redirect_stderr(errors):
            yield
    finally:
        for stream in (output, errors):
            stream.finish()


class Stream(io.TextIOBase):
    """
    Text for the page, in few and not too large notices.

    The first lines are sent at once; a cell that prints much is gathered up for 50 ms or 16 KB.
    """

    _EAGER_LINES = 40
    _GATHER_SECONDS = 0.05
    _GATHER_CHARACTERS = 16_384

    def __init__(self, name: str, send: Callable[[Notice], None]) -> None:
        self._name = name
        self._send = send
        self._parts: list[str] = []
        self._held = 0
        self._sent = 0
        self._eager = self._EAGER_LINES
        self._last_flush = time.perf_counter()
        self._dropped = 0
        self.before_write: Callable[[], None] = lambda: None

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        room = STREAM_LIMIT - self._sent - self._held
        kept = text if len(text) <= room else text[:room]
        self._dropped += len(text) - len(kept)
        if kept:
            if not self._parts:
                self.before_write()
            self._parts.append(kept)
            self._held += len(kept)
            if self._due(kept):
                self.flush()
        return len(text)

    def flush(self) -> None:
        if self._parts:
            self._send({"type": "stream", "name": self._name, "text": "".join(self._parts)})
            self._sent += self._held
            self._parts, self._held = [], 0
            self._last_flush = time.perf_counter()

    def finish(self) -> None:
        """Send what is left, and how much was not sent."""
        self.flush()
        if self._dropped:
            self._send({"type": "cut", "name": self._name, "characters": self._dropped})

    def _due(self, text: str) -> bool:
        if self._held >= self._GATHER_CHARACTERS:
            return True
        if "\n" in text and self._eager > 0:
            self._eager -= 1
            return True
        if time.perf_counter() - self._last_flush > self._GATHER_SECONDS:
            self._eager = self._EAGER_LINES
            return True
        return False
