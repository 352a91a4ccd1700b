"""Names out of the namespace of the cells, as plain Python."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

sys.path.append(str(Path(__file__).resolve().parents[2] / "site" / "page" / "python"))

import cell_completion  # type: ignore[import-not-found] # noqa: E402


class _Watched:
    looked_up = 0

    @property
    def costly(self) -> int:
        _Watched.looked_up += 1
        return 1


def test_names_of_the_namespace_come_in_full() -> None:
    names = cell_completion.names_beginning_with("res", {"results": 1, "reset": 2, "other": 3})
    assert {"results", "reset"} <= set(names) and "other" not in names


def test_attributes_come_with_their_owner_and_without_brackets() -> None:
    namespace = {"results": SimpleNamespace(summary_text=print, rows=())}
    assert cell_completion.names_beginning_with("results.s", namespace) == ["results.summary_text"]


def test_a_property_is_not_computed() -> None:
    assert cell_completion.names_beginning_with("watched.co", {"watched": _Watched()}) == ["watched.costly"]
    assert _Watched.looked_up == 0


def test_what_is_no_name_completes_to_nothing() -> None:
    for typed in ("missing.x", "..."):
        assert cell_completion.names_beginning_with(typed, {"results": 1}) == []


def test_nothing_typed_offers_the_readers_own_names() -> None:
    assert cell_completion.names_beginning_with("", {"b": 1, "a": 2, "__name__": "x"}) == ["a", "b"]
