"""What a cell found, beside what the saved run found."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

Namespace = Mapping[str, object]


class SavedRun:
    """
    The saved run as far as it is compared.

    Parameters
    ----------
    results : str
        The saved study in its full form, as JSON text.
    bits : str
        JSON text: digests of the other saved results by the name of their variable.
    """

    def __init__(self, results: str, bits: str) -> None:
        self._results = results
        self._bits: dict[str, Any] = json.loads(bits)

    def agreement(self, before: Namespace, after: Namespace) -> dict[str, Any] | None:
        """
        Compare what a cell made; None when it made nothing that was saved.

        Parameters
        ----------
        before, after : mapping
            The variables before and after the cell.
        """
        made = {name: value for name, value in after.items() if value is not before.get(name)}
        if "results" in made:
            return self._study(made["results"])
        for name in self._bits:
            if name in made:
                return self._other(name, made[name])
        return None

    def _study(self, results: object) -> dict[str, Any] | None:
        from replay_lab import StudyResults, compare_with_saved

        if not isinstance(results, StudyResults):
            return None
        return compare_with_saved(results, StudyResults.from_json(self._results)).to_json()

    def _other(self, name: str, value: object) -> dict[str, Any] | None:
        from replay_lab import SavedBits, compare_bits

        here = value.saved_bits() if hasattr(value, "saved_bits") else None
        if not isinstance(here, SavedBits):
            return None
        return compare_bits(here, SavedBits.from_json(self._bits[name])).to_json()
