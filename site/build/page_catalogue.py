"""The catalogue as the page tells it: every text from the saved catalogue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Any

Json = Mapping[str, Any]

_REPORT_ADDRESS = "https://github.com/{}/issues/{}"


def catalogue_list(entries: Sequence[Json]) -> str:
    """
    Return every entry with its explanation, grouped by family.

    Parameters
    ----------
    entries : sequence of mapping
        `entries` of the saved catalogue, in catalogue order.
    """
    order = list(dict.fromkeys(entry["family"] for entry in entries))
    by_family = sorted(entries, key=lambda entry: order.index(entry["family"]))
    return "\n".join(
        f'<details class="family"><summary>{escape(family.capitalize())}, {len(group)} entries</summary>\n'
        f'<dl class="scenarios">\n{"".join(map(_entry, group))}</dl></details>'
        for family, group in _groups(by_family)
    )


def _groups(entries: Sequence[Json]) -> Iterator[tuple[str, list[Json]]]:
    for family, group in groupby(entries, key=lambda entry: str(entry["family"])):
        yield family, list(group)


def _entry(entry: Json) -> str:
    return (
        f"<dt>{escape(entry['name'])}</dt>\n"
        f"<dd>{escape(entry['changed'])} {escape(entry['explanation'])} "
        f'<span class="finding">Found: {escape(_finding(entry))}</span>{_reports(entry["reports"])}</dd>\n'
    )


def _finding(entry: Json) -> str:
    metrics = entry["metrics"]
    verdict = str(metrics["verdict"])
    if entry["reason"]:
        return f"{verdict}, {entry['reason']}."
    first, count = metrics["first_weight_mismatch"], metrics["weight_mismatch_steps"]
    difference = metrics["maximum_weight_difference"]
    return (
        f"{verdict}; the weights differ at {count} steps from step {first} on, "
        f"{metrics['hidden_weight_mismatch_steps']} of them hidden, by at most {difference:.2g}."
    )


def _reports(reports: Sequence[str]) -> str:
    if not reports:
        return ""
    links = ", ".join(
        f'<a href="{escape(_REPORT_ADDRESS.format(*report.split("#")))}">{escape(report)}</a>'
        for report in reports
    )
    return f' <span class="reports">Reported in the wild: {links}</span>'
