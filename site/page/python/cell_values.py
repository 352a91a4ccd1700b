"""The forms in which a cell's last value is shown, by media type, as notebooks have them."""

from __future__ import annotations

import base64
import io
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Bundle = tuple[dict[str, Any], dict[str, Any]]

TABLE_TYPE = "application/vnd.replay-lab.table+json"
TABLE_ROWS = 500
TABLE_COLUMNS = 50
CELL_CHARACTERS = 500
FORM_LIMIT = 20_000_000
"""Characters of one form; a larger one is left out, and the text says so."""
FIGURE_DPI = 144

_FORMS = {"image/svg+xml": "_repr_svg_", "image/png": "_repr_png_", "text/html": "_repr_html_"}


def shown_values(value: object) -> Iterator[Bundle]:
    """
    The forms of a value, as (data, metadata) by media type.

    A sequence whose items all know how to show themselves is shown item by item; None is not shown.
    """
    if value is None:
        return
    items = list(value) if isinstance(value, (tuple, list)) else []
    if items and all(_shows_itself(item) for item in items):
        for item in items:
            yield _bundle(item)
    else:
        yield _bundle(value)


def open_figures(shown: object) -> Iterator[Bundle]:
    """Figures that pyplot still holds, without those just shown as values; pyplot then forgets them."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return
    values = list(shown) if isinstance(shown, (tuple, list)) else [shown]
    for figure in [pyplot.figure(number) for number in pyplot.get_fignums()]:
        pyplot.close(figure)
        if not any(figure is value for value in values):
            yield _figure(figure)


def _shows_itself(value: object) -> bool:
    """Whether a value (not a class) has a richer form than text."""
    names = ("_repr_mimebundle_", *_FORMS.values())
    return _is_figure(value) or any(_method(value, name) for name in names)


def _method(value: object, name: str) -> Any:
    """One of a value's own methods, or None; a class has them for its instances only."""
    if isinstance(value, type):
        return None
    found = getattr(value, name, None)
    return found if callable(found) else None


def _bundle(value: Any) -> Bundle:
    """All forms of one value."""
    if make := _method(value, "_repr_mimebundle_"):
        bundle = make(include=None, exclude=None)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        if data:
            return _encoded(data), dict(metadata)
    if _is_figure(value):
        return _figure(value)
    forms = {kind: make() for kind, name in _FORMS.items() if (make := _method(value, name))}
    data = _encoded({kind: form for kind, form in forms.items() if form is not None})
    if not data and _is_table(value):
        data = {TABLE_TYPE: _table(value)}
    return {**data, "text/plain": repr(value)}, {}


def _encoded(data: Mapping[str, Any]) -> dict[str, Any]:
    """Forms as JSON has them, without those that are too large."""
    encoded = {}
    for kind, form in data.items():
        # A form may come with metadata of its own.
        content = form[0] if isinstance(form, tuple) else form
        if isinstance(content, (bytes, bytearray)):
            content = base64.b64encode(content).decode("ascii")
        if not isinstance(content, str) or len(content) <= FORM_LIMIT or kind == "text/plain":
            encoded[kind] = content
    return encoded


def _is_figure(value: object) -> bool:
    module = sys.modules.get("matplotlib.figure")
    return module is not None and isinstance(value, module.Figure)


def _figure(figure: Any) -> Bundle:
    """A matplotlib figure as a picture, with an alternative text made from its titles and labels."""
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=FIGURE_DPI, bbox_inches="tight")
    data = _encoded({"image/png": picture.getvalue(), "text/plain": repr(figure)})
    return data, {"image/png": {"alt": _description(figure)}}


def _description(figure: Any) -> str:
    """What is in a figure, as far as its texts tell."""
    parts = []
    for axes in figure.axes:
        labels = " against ".join(filter(None, (axes.get_ylabel(), axes.get_xlabel())))
        lines, others = len(axes.lines), len(axes.collections) + len(axes.patches) + len(axes.images)
        marks = [f"{count} {noun}" for count, noun in ((lines, "lines"), (others, "other marks")) if count]
        parts.append(", ".join(filter(None, (axes.get_title(), labels, *marks))) or "empty axes")
    return f"Figure drawn by this cell: {'; '.join(parts) or 'no axes'}"


def _is_table(value: object) -> bool:
    """Whether a value is a sequence of mappings from names to values."""
    return (
        isinstance(value, Sequence)
        and not isinstance(value, (str, bytes))
        and len(value) > 0
        and all(isinstance(row, Mapping) and row and all(isinstance(key, str) for key in row) for row in value)
    )


def _table(rows: Sequence[Mapping[str, object]]) -> dict[str, Any]:
    """A sequence of mappings as a table of texts."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    shown, columns = rows[:TABLE_ROWS], names[:TABLE_COLUMNS]
    caption = _of(len(shown), len(rows), "row") + ", " + _of(len(columns), len(names), "column")
    return {
        "caption": caption,
        "columns": [
            {"key": name, "title": name, "numeric": all(_is_number(row.get(name)) for row in shown)}
            for name in columns
        ],
        "rows": [{name: _cell(row[name]) for name in columns if name in row} for row in shown],
    }


def _of(shown: int, total: int, noun: str) -> str:
    plural = noun if total == 1 else f"{noun}s"
    return f"{total} {plural}" if shown == total else f"The first {shown} of {total} {plural}"


def _is_number(value: object) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _cell(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= CELL_CHARACTERS else f"{text[:CELL_CHARACTERS]}…"
