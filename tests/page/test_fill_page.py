"""The slots of the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from build import page
from build.errors import BuildError


def test_a_slot_without_content_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "_texts", lambda results, build: {"claim": "1"})
    monkeypatch.setattr(page, "_pieces", lambda results, catalogue, cells, build: {})
    with pytest.raises(BuildError, match="slots without content .'typo'"):
        page.fill_page("{{claim}} {{typo}}", results={}, catalogue={}, cells=(), build=None)  # type: ignore[arg-type]
    with pytest.raises(BuildError, match="content without a slot .'claim'"):
        page.fill_page("", results={}, catalogue={}, cells=(), build=None)  # type: ignore[arg-type]


def test_the_built_page_has_no_slot_left(dist: Path) -> None:
    assert not re.findall(r"\{\{.*?\}\}", (dist / "index.html").read_text(encoding="utf-8"))


def test_the_template_states_no_number_of_the_study() -> None:
    template = (Path(__file__).parents[2] / "site" / "page" / "index.html").read_text(encoding="utf-8")
    body = template.partition("<body>")[2]
    text = re.sub(r"<[^>]*>|\{\{[^}]*\}\}", " ", body)
    cells = map(str, range(1, template.count("data-cell=") + 1))
    allowed = {*cells, "2026", "64", "32", "754", "256"}
    assert set(re.findall(r"\d+", text)) <= allowed
