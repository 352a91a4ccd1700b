"""The page: index.html with its slots filled. Every number comes from the results."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from build import page_parts as parts
from build.cells import Cell
from build.errors import BuildError
from build.facts import BuildFacts
from build.offline import kept_bytes
from build.page_catalogue import catalogue_list
from build.page_scripts import START, integrity
from build.tries import try_list

_SLOT = re.compile(r"\{\{([a-z_.-]+)\}\}")
# What each boot's `firstFiles` names on the page, and what every boot needs besides.
_CORE = r"runtime/pyodide[^/]*$|saved/(results|bits)\.json$"
FIRST_FILES = {
    "stock": re.compile(rf"{_CORE}|runtime/(python_stdlib\.zip|numpy-[^/]*)$|wheel/|page/python/"),
    "bytecode": re.compile(rf"{_CORE}|prepared/(stdlib\.zip|native/numpy/|(numbers|lab|page)\.bundle)"),
    "snapshot": re.compile(rf"{_CORE}|prepared/(snapshot[^/]*|native/.*|empty\.zip|(lab|page)\.bundle)$|page/vendor/zstd"),
}
_BYTES_PER_MB = 1_000_000
_KEPT_SIZE = "{{kept_size}}"
_SHORT_NAMES = {"reversed": "Reversed reduction", "optimizer": "Optimizer reset", "sampler": "Sampler RNG reset"}


def fill_page(
    template: str,
    *,
    results: Mapping[str, Any],
    catalogue: Mapping[str, Any],
    cells: Sequence[Cell],
    build: BuildFacts,
) -> str:
    """
    Fill the slots of the page.

    Parameters
    ----------
    template : str
        index.html, with slots such as ``{{claim}}``.
    results : mapping
        The saved results in their full form.
    catalogue : mapping
        The saved catalogue of faults.
    cells : sequence of Cell
        The notebook's, in order.
    build : BuildFacts
        Addresses, date, saved outputs.

    Returns
    -------
    str
        A page that is complete without Python and without scripts.

    Raises
    ------
    BuildError
        The template asks for what nobody gives, or leaves out what it is given.
    """
    slots = _texts(results, build) | _pieces(results, catalogue, cells, build)
    asked = set(_SLOT.findall(template))
    if asked != set(slots):
        lacking, unused = sorted(asked - set(slots)), sorted(set(slots) - asked)
        raise BuildError(f"index.html: slots without content {lacking}, content without a slot {unused}")
    page = _SLOT.sub(lambda match: slots[match[1]], template)
    # The page is kept, too: nothing else in it depends on how long it is.
    return page.replace(_KEPT_SIZE, f"{kept_bytes(build, len(page.encode())) / _BYTES_PER_MB:.0f} MB")


def _texts(results: Mapping[str, Any], build: BuildFacts) -> dict[str, str]:
    """Slots that hold plain text."""
    rows = {scenario["name"]: scenario["row"] for scenario in results["scenarios"]}
    reversed_row, config = rows["Reversed reduction"], results["config"]
    environment = results["environment"]
    hidden, differing = (
        reversed_row[key] for key in ("hidden_weight_mismatch_steps", "weight_mismatch_steps")
    )
    passed = results["checks_passed"]
    shown_config = ("steps", "shards", "batch_size", "samples", "features", "checkpoint_step", "logged_digits")
    texts = {
        "claim": f"{hidden} identical loss logs, {differing} different model states",
        "description": (
            f"Equal seeds and equal loss logs do not make two training runs equal: {differing} of "
            f"{config['steps']} model states differ, {hidden} of them unseen by the log. "
            "A notebook that runs in this tab."
        ),
        "reversed.hidden": str(hidden),
        "reversed.differing": str(differing),
        **{
            f"{short}.maximum": f"{rows[name]['maximum_weight_difference']:.2g}"
            for short, name in _SHORT_NAMES.items()
        },
        **{name: str(config[name]) for name in shown_config},
        "after_checkpoint": str(config["checkpoint_step"] + 1),
        "checks.summary": f"{passed} checks passed in the saved run",
        "environment": (
            f"replay_lab {environment['replay_lab']}, Python {environment['python']}, numpy "
            f"{environment['numpy']}, {environment['system']} {environment['machine']}"
        ),
        "study_digest": results["digests"]["study"],
        "base": build.base,
        "notebook": build.notebook,
        "wheel": build.wheel,
        "version": build.version,
        "digest": build.digest,
        "manifest_digest": build.manifest_sha256,
        "start_integrity": integrity(build.files[START]),
        "date": _date(build),
        "run_size": f"{_run_bytes(build) / _BYTES_PER_MB:.0f} MB",
        "kept_size": _KEPT_SIZE,
    }
    return {name: escape(text) for name, text in texts.items()}


def _pieces(
    results: Mapping[str, Any],
    catalogue: Mapping[str, Any],
    cells: Sequence[Cell],
    build: BuildFacts,
) -> dict[str, str]:
    """Slots that hold HTML."""
    day = build.date.iso[:10]
    numpy, machine = results["environment"]["numpy"], results["environment"]["machine"]
    badge = "Saved " + (f'<time datetime="{escape(day)}">{escape(day)}</time>, ' if day else "")
    pieces = {
        "badge": f"{badge}numpy {escape(numpy)}, {escape(machine)}",
        "script_links": parts.script_links(build),
        "log_table": parts.log_table(results),
        "hero_figure": parts.saved_figure("reduction_order", build.outputs, build.base),
        "tries": try_list(results["config"]),
        "scenarios": parts.scenario_list(results),
        "catalogue.entries": catalogue_list(catalogue["entries"]),
        "checks.table": parts.checks_table(results["checks"]),
    }
    for cell in cells:
        pieces[f"{cell.id}.title"] = escape(cell.title)
        pieces[f"{cell.id}.code"] = escape(cell.source, quote=False)
        pieces[f"{cell.id}.saved"] = parts.saved_outputs(
            build.outputs.get(cell.id, ()), build.base, fetched_late=cell.section != ""
        )
    return pieces


def _date(build: BuildFacts) -> str:
    """The clause after the build's digest."""
    told = " ".join(text for text in (build.date.iso, build.date.note) if text)
    return f", {told}" if told else ""


def _run_bytes(build: BuildFacts) -> int:
    """What the fastest boot of this build fetches before the first result, as it lies on the disk."""
    wanted = FIRST_FILES[build.boots[0]]
    return sum(file.size for address, file in build.files.items() if wanted.match(address))
