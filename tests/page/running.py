"""The modules that run the page's cells, as plain Python."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[2] / "site" / "page" / "python"))

import cell_runner as cell_runner  # type: ignore[import-not-found] # noqa: E402
import cell_streams as cell_streams  # type: ignore[import-not-found] # noqa: E402
import cell_text as cell_text  # type: ignore[import-not-found] # noqa: E402


def in_a_loop(coroutine: Coroutine[Any, Any, str]) -> str:
    """What a coroutine returns; in a thread, as the browser's loop runs in this one."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def run_cell(runner: Any, source: str, name: str = "cell 1") -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Run a cell: how it ended, and the notices that came before."""
    notices: list[dict[str, Any]] = []
    ended = in_a_loop(runner.run(name, source, lambda text: notices.append(json.loads(text))))
    return json.loads(ended), notices
