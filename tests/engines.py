"""The engines besides Chromium that the site is tried in."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import pytest

from tests.firefox import firefox
from tests.other_browsers import FIREFOX, WEBKIT
from tests.webkit import webkit


@dataclass(frozen=True)
class Engine:
    """
    A browser with its driver.

    Attributes
    ----------
    name : str
    variable : str
        The environment variable that names the program.
    drive : callable
        Starts a program with a profile of its own; gives a driver that opens pages and evaluates expressions.
    """

    name: str
    variable: str
    drive: Callable[..., AbstractContextManager[Any]]

    def start(self, *settings: str) -> AbstractContextManager[Any]:
        """Start this browser; skip the test where there is none."""
        program = os.environ.get(self.variable)
        if not program:
            pytest.skip(f"there is no {self.name} here")
        return self.drive(program, *settings)


OTHER_ENGINES = {engine.name: engine for engine in (Engine("Firefox", FIREFOX, firefox), Engine("WebKitGTK", WEBKIT, webkit))}
IN_OTHER_ENGINES = pytest.mark.parametrize("engine", OTHER_ENGINES.values(), ids=OTHER_ENGINES)
