"""A table of texts in three forms."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from replay_lab.tables import Table

NASTY = "<b>&\"'</b>"
TABLE = Table.make(
    caption=f"Caption {NASTY}",
    columns={"name": f"Name {NASTY}", "count": "Count"},
    rows=[(NASTY, 7), ("b", 1234567)],
)


def test_the_html_of_a_table_holds_its_texts_and_nothing_of_their_markup() -> None:
    root = ElementTree.fromstring(TABLE.to_html())
    assert root.findtext("caption") == f"Caption {NASTY}"
    assert [cell.text for cell in root.iter("th")] == [f"Name {NASTY}", "Count"]
    assert [cell.text for cell in root.iter("td")] == [NASTY, "7", "b", "1234567"]
    assert root.find(".//b") is None


def test_the_headings_of_a_table_are_headings_of_columns() -> None:
    root = ElementTree.fromstring(TABLE.to_html())
    assert [cell.get("scope") for cell in root.iter("th")] == ["col", "col"]


def test_the_json_of_a_table_has_one_object_of_texts_per_row() -> None:
    assert TABLE.to_json()["rows"] == [
        {"name": NASTY, "count": "7"},
        {"name": "b", "count": "1234567"},
    ]


def test_the_json_of_a_table_describes_its_columns() -> None:
    assert TABLE.to_json()["columns"] == [
        {"key": "name", "title": f"Name {NASTY}", "numeric": False},
        {"key": "count", "title": "Count", "numeric": True},
    ]


def test_the_text_of_a_table_aligns_numbers_to_the_right() -> None:
    lines = Table.make(
        caption="C", columns={"a": "A", "b": "B"}, rows=[("long name", 1), ("x", 100)]
    ).to_text()
    assert lines.splitlines() == ["C", "", "A            B", "long name    1", "x          100"]


def test_a_table_without_rows_has_its_headings() -> None:
    assert "A" in Table.make(caption="C", columns={"a": "A"}, rows=[]).to_text()


@pytest.mark.parametrize("form", ["text/html", "text/plain"])
def test_every_form_shows_the_caption(form: str) -> None:
    assert "Caption" in TABLE.mimebundle()[form]
