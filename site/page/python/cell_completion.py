"""Names that begin with what was typed, out of the namespace of the cells."""

from __future__ import annotations

import rlcompleter
from itertools import count, takewhile
from typing import Any

_LIMIT = 200
_AFTER_NAMES = " (:)"


def names_beginning_with(typed: str, namespace: dict[str, Any]) -> list[str]:
    """
    Complete a name, or an attribute of one.

    Parameters
    ----------
    typed : str
        Such as `res` or `results.sum`. Nothing is called: only attributes are looked up.
    namespace : dict
        Where names are looked for, besides keywords and builtins.

    Returns
    -------
    list of str
        In full, each once.
    """
    if not typed.strip():
        return sorted(name for name in namespace if not name.startswith("_"))[:_LIMIT]
    completer = rlcompleter.Completer(namespace)
    found = takewhile(bool, (completer.complete(typed, state) for state in count()))
    return list(dict.fromkeys(str(name).rstrip(_AFTER_NAMES) for name, _ in zip(found, range(_LIMIT))))
