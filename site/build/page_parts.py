"""Pieces of HTML made from results and saved outputs. Every text goes through `escape`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from build.errors import BuildError
from build.facts import BuildFacts
from build.page_scripts import integrity

Json = Mapping[str, Any]

TABLE_TYPE = "application/vnd.replay-lab.table+json"
FIGURE_KEY = "replay_lab"

_VIEW_BOX = re.compile(r'viewBox="0 0 ([0-9.]+) ([0-9.]+)"')


def saved_outputs(outputs: Sequence[Json], base: str, *, fetched_late: bool = False) -> str:
    """
    Return one cell's saved outputs as the page shows them.

    Parameters
    ----------
    outputs : sequence of mapping
        As nbformat 4.5 writes them.
    base : str
        Address of the build's folder.
    fetched_late : bool
        Whether a browser may wait with figures until a reader comes near.

    Raises
    ------
    BuildError
        An output is of a kind the page does not know.
    """
    if not outputs:
        return '<p class="quiet">This cell prints nothing when it succeeds.</p>'
    shown = "\n".join(_saved_output(output, base, fetched_late) for output in outputs)
    several = len(outputs) > 1 and all(map(_is_figure, outputs))
    return f'<div class="plots">{shown}</div>' if several else shown


def _saved_output(output: Json, base: str, fetched_late: bool) -> str:
    if output["output_type"] == "stream":
        # Without its last line break the box has no empty line at its end.
        text = _text(output["text"]).removesuffix("\n")
        return f'<pre class="stream" tabindex="0">{escape(text, quote=False)}</pre>'
    data, extra = output.get("data", {}), output.get("metadata", {})
    if TABLE_TYPE in data:
        return table(data[TABLE_TYPE])
    if FIGURE_KEY in extra:
        return figure(output, base, fetched_late=fetched_late)
    if "text/plain" in data:
        text = _text(data["text/plain"])
        return f'<pre class="value" tabindex="0">{escape(text, quote=False)}</pre>'
    raise BuildError(f"the page cannot show a saved output with {', '.join(data) or 'no data'}")


def _is_figure(output: Json) -> bool:
    return FIGURE_KEY in output.get("metadata", {})


def table(content: Json) -> str:
    """Return a table from its JSON: caption, columns, rows of formatted texts."""
    columns = content["columns"]
    head = "".join(
        f'<th scope="col"{_numeric(column)}>{escape(column["title"])}</th>' for column in columns
    )
    body = "\n".join(f"<tr>{_table_row(columns, row)}</tr>" for row in content["rows"])
    caption = escape(content["caption"])
    return (
        f'<div class="table-box" tabindex="0" role="group" aria-label="{caption}"><table>'
        f"<caption>{caption}</caption>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>"
        "</table></div>"
    )


def _table_row(columns: Sequence[Json], row: Json) -> str:
    first, *others = columns
    cells = "".join(
        f"<td{_numeric(column)}>{escape(row[column['key']])}</td>" for column in others
    )
    return f'<th scope="row">{escape(row[first["key"]])}</th>{cells}'


def _numeric(column: Json) -> str:
    return ' class="numeric"' if column["numeric"] else ""


def figure(output: Json, base: str, *, fetched_late: bool = False) -> str:
    """
    Return a figure of the saved run with links to its files.

    Parameters
    ----------
    output : mapping
        As nbformat 4.5 writes it, with our metadata.
    base : str
        Address of the build's folder.
    fetched_late : bool
        Whether a browser may wait with it until a reader comes near.
    """
    extra = output["metadata"][FIGURE_KEY]
    width, height = _size(_text(output["data"]["image/svg+xml"]))
    loading = ' loading="lazy"' if fetched_late else ""
    address = f"{base}saved/{extra['name']}"
    links = " ".join(
        f'<a href="{escape(address)}.{suffix}" download aria-label="{suffix.upper()} of {escape(extra["name"])}">{suffix.upper()}</a>'
        for suffix in ("svg", "png", "csv")
    )
    links += (
        ' <button type="button" class="link with-scripts" data-enlarge aria-pressed="false" '
        f'aria-label="Full width of {escape(extra["name"])}">Full width</button>'
    )
    return (
        f'<figure class="plot"><img src="{escape(address)}.svg" alt="{escape(extra["alt"])}"'
        f' width="{width}" height="{height}"{loading}>\n'
        f'<figcaption>{escape(extra["caption"])} <span class="figure-links">{links}</span></figcaption></figure>'
    )


def _size(svg: str) -> tuple[int, int]:
    """Width and height in tenths of a point: with them a browser keeps the place before the file is here."""
    found = _VIEW_BOX.search(svg)
    if found is None:
        raise BuildError("a saved figure has no viewBox, so the page cannot keep its place")
    return round(float(found[1]) * 10), round(float(found[2]) * 10)


def log_table(results: Json) -> str:
    """Return what the two logs print beside what the weights hold, at a few steps."""
    steps, digits = results["config"]["steps"], results["config"]["logged_digits"]
    reference = results["reference"]["series"]
    reversed_run = _scenario(results, "Reversed reduction")["series"]
    shown = sorted({1, 2, max(1, steps // 2), steps})
    rows = [
        {
            "step": str(step),
            "first": f"{reference['logged_loss'][step - 1]:.{digits}f}",
            "last": f"{reversed_run['logged_loss'][step - 1]:.{digits}f}",
            "weights": f"{reversed_run['weight_difference'][step - 1]:.2e}",
        }
        for step in shown
    ]
    titles = {"step": "Step", "first": "Log, first to last", "last": "Log, last to first", "weights": "Largest weight difference"}
    columns = [{"key": key, "title": title, "numeric": True} for key, title in titles.items()]
    hidden = all(row["first"] == row["last"] and float(row["weights"]) > 0 for row in rows)
    caption = (
        "The log prints one number for both runs; the weights are not the same"
        if hidden
        else "What the logs of the two runs print, and how far their weights are apart"
    )
    return table({"caption": caption, "columns": columns, "rows": rows})


def script_links(build: BuildFacts) -> str:
    """Return the page's scripts, each with its digest, for the browser to fetch and hold to it."""
    return "\n".join(
        f'<link rel="modulepreload" href="{escape(build.base + address)}" integrity="{integrity(build.files[address])}">'
        for address in build.page_scripts
    )


def scenario_list(results: Json) -> str:
    """Return the scenarios, each with its explanation and its finding."""
    found = {text.partition(": ")[0]: text.partition(": ")[2] for text in results["findings"]}
    items = "\n".join(
        f"<dt>{escape(scenario['name'])}</dt>\n"
        f"<dd>{escape(scenario['explanation'])} <span class=\"finding\">Found: {escape(found.get(scenario['name'], ''))}</span></dd>"
        for scenario in results["scenarios"]
    )
    return f'<dl class="scenarios">\n{items}\n</dl>'


def checks_table(checks: Iterable[Json]) -> str:
    """Return what each check means and what it found."""
    titles = {"name": "Check", "status": "Status", "meaning": "What it says", "detail": "Found"}
    columns = [{"key": key, "title": title, "numeric": False} for key, title in titles.items()]
    return table({"caption": "Checks of the saved run", "columns": columns, "rows": list(checks)})


def saved_figure(name: str, outputs: Mapping[str, Sequence[Json]], base: str) -> str:
    """Return one figure of the saved run by its name."""
    for output in outputs.get("figures", ()):
        extra = output.get("metadata", {}).get(FIGURE_KEY, {})
        if extra.get("name") == name:
            return figure(output, base)
    raise BuildError(f"the saved outputs of cell `figures` have no figure named {name}")


def _scenario(results: Json, name: str) -> Json:
    for scenario in results["scenarios"]:
        if scenario["name"] == name:
            found: Json = scenario
            return found
    raise BuildError(f"the results have no scenario {json.dumps(name)}")


def _text(text: str | Sequence[str]) -> str:
    """The text of an nbformat field, which may be a list of lines."""
    return text if isinstance(text, str) else "".join(text)
