"""The runner of cells as plain Python."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Coroutine
from typing import Any

import pytest

from tests.page.running import cell_runner, cell_streams, in_a_loop, run_cell


@pytest.fixture
def runner() -> Any:
    return cell_runner.CellRunner("{}", "{}")


def _await(coroutine: Coroutine[Any, Any, str]) -> Any:
    return json.loads(in_a_loop(coroutine))


_run = run_cell


def _printed(notices: list[dict[str, Any]], name: str = "stdout") -> str:
    return "".join(n["text"] for n in notices if n["type"] == "stream" and n["name"] == name)


def test_cells_share_a_namespace(runner: Any) -> None:
    _run(runner, "a = 20")
    ended, notices = _run(runner, "print(a)\na + 22", "cell 2")
    assert ended == {"outcome": "done", "error": None, "agreement": None}
    assert _printed(notices) == "20\n"
    assert notices[-1] == {"type": "display", "data": {"text/plain": "42"}, "metadata": {}}


def test_none_is_not_shown(runner: Any) -> None:
    assert _run(runner, "None")[1] == []


def test_streams_stay_apart_and_in_order(runner: Any) -> None:
    source = "import sys\nprint('a', end='')\nprint('b', file=sys.stderr)\nprint('c')"
    _, notices = _run(runner, source)
    assert [(n["name"], n["text"]) for n in notices if n["text"] != "\n"][:1] == [("stdout", "a")]
    assert _printed(notices) == "ac\n" and _printed(notices, "stderr") == "b\n"


def test_a_bundle_is_shown_by_type_and_a_tuple_of_bundles_one_by_one(runner: Any) -> None:
    source = (
        "class Figure:\n"
        "    def _repr_mimebundle_(self, include=None, exclude=None):\n"
        "        return {'image/svg+xml': '<svg/>'}, {'replay_lab': {'name': 'f'}}\n"
        "Figure(), Figure()"
    )
    _, notices = _run(runner, source)
    assert [n["metadata"] for n in notices] == [{"replay_lab": {"name": "f"}}] * 2


def test_top_level_await_works(runner: Any) -> None:
    _, notices = _run(runner, "import asyncio\nawait asyncio.sleep(0, 'slept')")
    assert notices[-1]["data"] == {"text/plain": "'slept'"}


def test_an_error_keeps_only_the_readers_lines(runner: Any) -> None:
    _run(runner, "import json\ndef read(text):\n    return json.loads(text)")
    ended, _ = _run(runner, "x = 1\nread('{')", "cell 2")
    error = ended["error"]
    assert (error["type"], error["cell"], error["line"]) == ("JSONDecodeError", "cell 2", 2)
    assert 'File "cell 1", line 3, in read' in error["traceback"]
    assert "decoder.py" not in error["traceback"]
    assert "more inside libraries" in error["traceback"]


@pytest.mark.parametrize(
    ("source", "kind", "line"),
    [
        ("a = 1\nb = = 2", "SyntaxError", 2),
        ("\n\nnot_there", "NameError", 3),
        ("import not_a_module", "ModuleNotFoundError", 1),
        ("raise SystemExit", "SystemExit", 1),
        ("def f(): f()\nf()", "RecursionError", 1),
    ],
)
def test_every_error_has_a_line_a_message_and_a_next_step(runner: Any, source: str, kind: str, line: int) -> None:
    ended, _ = _run(runner, source)
    assert ended["outcome"] == "failed"
    assert (ended["error"]["type"], ended["error"]["line"]) == (kind, line)
    assert ended["error"]["message"] and ended["error"]["hint"]


def test_an_interrupt_is_no_failure(runner: Any) -> None:
    ended, notices = _run(runner, "print('begun')\nraise KeyboardInterrupt")
    assert ended == {"outcome": "interrupted", "error": None, "agreement": None}
    assert _printed(notices) == "begun\n"


def test_cancel_ends_a_cell_that_awaits(runner: Any) -> None:
    async def run_and_cancel() -> str:
        run = asyncio.ensure_future(runner.run("cell 1", "import asyncio\nawait asyncio.sleep(60)", lambda _: None))
        await asyncio.sleep(0.01)
        runner.cancel()
        ended: str = await run
        return ended

    assert _await(run_and_cancel())["outcome"] == "interrupted"


def test_a_stream_is_cut_at_its_limit_and_the_rest_is_counted(runner: Any) -> None:
    more = 1234
    _, notices = _run(runner, f"print('x' * {cell_streams.STREAM_LIMIT + more}, end='')")
    assert len(_printed(notices)) == cell_streams.STREAM_LIMIT
    whole = cell_streams.STREAM_LIMIT + more
    assert notices[-1] == {"type": "cut", "name": "stdout", "characters": more, "keptCharacters": whole}
    assert len(runner.output_text("cell 1", "stdout")) == whole


def test_many_lines_make_few_notices(runner: Any) -> None:
    _, notices = _run(runner, "for number in range(20_000): print(number)")
    assert len(notices) < 400
    assert _printed(notices).endswith("19999\n")


def test_dataclasses_of_a_cell_find_their_module(runner: Any) -> None:
    source = "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: 'int'\nimport pickle\npickle.loads(pickle.dumps(P(3))).x"
    assert _run(runner, source)[1][-1]["data"] == {"text/plain": "3"}
    assert sys.modules["__main__"].__dict__.get("P") is None
