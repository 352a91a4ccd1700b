"""Python itself, put back where a cell replaced parts of it: the page stands on it, and so does every later cell."""

from __future__ import annotations

import builtins
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

_NEEDED = (
    "ast", "asyncio", "asyncio.coroutines", "asyncio.events", "asyncio.futures", "asyncio.tasks", "base64", "contextlib",
    "difflib", "inspect", "io", "json", "json.decoder", "json.encoder", "linecache", "pathlib", "re", "traceback", "types",
    "zipfile",
)  # fmt: skip
_BUILTINS = builtins.__dict__
_HERE = str(Path(__file__).parent)
_GONE = object()


class PythonItself:
    """
    The builtins, and the contents of those modules that the page's own code uses, as they are now.

    What a cell adds is its own. A study stays open to experiments: replay_lab and numpy are left as a cell changed them.
    """

    def __init__(self) -> None:
        own = [name for name, module in sys.modules.items() if (getattr(module, "__file__", None) or "").startswith(_HERE)]
        self._builtins = _BUILTINS.copy()
        self._contents = {name: _contents(sys.modules[name]) for name in (*_NEEDED, *own) if name in sys.modules}
        self._modules = {name: module for name, module in sys.modules.items() if name != "__main__"}
        self._lists = {name: list(getattr(sys, name)) for name in ("path", "meta_path", "path_hooks")}
        self._recursion_limit = sys.getrecursionlimit()
        self._watchers = {"settrace": sys.gettrace(), "setprofile": sys.getprofile()}

    def put_back(self) -> list[str]:
        """Put back what is not as it was; the names of it, as a reader writes them."""
        # Until these two lines have run there may be no `len`, no `str` and no `print`.
        found = _BUILTINS.copy()
        _BUILTINS.update(self._builtins)
        names = [name for name, value in self._builtins.items() if found.get(name, _GONE) is not value]
        names += self._put_back_modules()
        for module, contents in self._contents.items():
            names += _put_back(vars(self._modules[module]), contents, f"{module}.")
        return names + self._put_back_settings()

    def _put_back_modules(self) -> list[str]:
        # A reader may want to import the package under study anew.
        free = {name for name in self._modules if name.partition(".")[0] == "replay_lab" and sys.modules.get(name, _GONE) is not None}
        kept = {name: module for name, module in self._modules.items() if name not in free}
        return [f"sys.modules['{name}']" for name in _put_back(sys.modules, kept, "")]

    def _put_back_settings(self) -> list[str]:
        names = []
        for name, entries in self._lists.items():
            here = getattr(sys, name)
            missing = [entry for entry in entries if entry not in here]
            here.extend(missing)
            names += [f"sys.{name}"] if missing else []
        if sys.getrecursionlimit() < self._recursion_limit:
            sys.setrecursionlimit(self._recursion_limit)
            names.append("sys.setrecursionlimit")
        for name, watch in {"settrace": sys.gettrace(), "setprofile": sys.getprofile()}.items():
            if watch is not self._watchers[name]:
                getattr(sys, name)(self._watchers[name])
                names.append(f"sys.{name}")
        return names


def _contents(module: ModuleType) -> dict[str, Any]:
    """All but what a module may still make when it is first asked for it."""
    return {name: value for name, value in vars(module).items() if value is not None}


def _put_back(here: dict[str, Any] | dict[str, ModuleType], before: dict[str, Any], prefix: str) -> list[str]:
    replaced = [name for name, value in before.items() if here.get(name, _GONE) is not value]
    here.update({name: before[name] for name in replaced})
    return [f"{prefix}{name}" for name in replaced]
