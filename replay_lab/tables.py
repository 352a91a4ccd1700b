"""A small table of texts, shown by Jupyter, by the page and on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

MIME_TYPE = "application/vnd.replay-lab.table+json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column; `numeric` ones are aligned to the right."""

    key: str
    title: str
    numeric: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of formatted texts under titled columns."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]

    @classmethod
    def make(
        cls,
        *,
        caption: str,
        columns: dict[str, str],
        rows: Iterable[Sequence[object]],
        texts: tuple[str, ...] = (),
    ) -> Table:
        """Make a table; the first column and those in `texts` are words, the others numbers."""
        return cls(
            caption=caption,
            columns=tuple(
                Column(key=key, title=title, numeric=position > 0 and key not in texts)
                for position, (key, title) in enumerate(columns.items())
            ),
            rows=tuple(tuple(map(str, row)) for row in rows),
        )

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return self.mimebundle()

    def mimebundle(self) -> dict[str, Any]:
        """Return the table in the forms that notebooks understand."""
        return {
            MIME_TYPE: self.to_json(),
            "text/html": self.to_html(),
            "text/plain": self.to_text(),
        }

    def to_json(self) -> dict[str, Any]:
        """Return caption, columns, and one object per row."""
        keys = [column.key for column in self.columns]
        return {
            "caption": self.caption,
            "columns": [
                {"key": column.key, "title": column.title, "numeric": column.numeric}
                for column in self.columns
            ],
            "rows": [dict(zip(keys, row)) for row in self.rows],
        }

    def to_html(self) -> str:
        """Return a plain HTML table, every text escaped."""
        head = "".join(f'<th scope="col">{escape(column.title)}</th>' for column in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>"
            for row in self.rows
        )
        return (
            f"<table><caption>{escape(self.caption)}</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )

    def to_text(self) -> str:
        """Return the table as aligned lines."""
        lines = [tuple(column.title for column in self.columns), *self.rows]
        widths = [max(map(len, texts)) for texts in zip(*lines)]
        aligned = [
            "  ".join(
                text.rjust(width) if column.numeric else text.ljust(width)
                for text, width, column in zip(line, widths, self.columns)
            ).rstrip()
            for line in lines
        ]
        return "\n".join([self.caption, "", *aligned])
