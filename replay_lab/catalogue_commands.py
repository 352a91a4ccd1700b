"""The commands `catalogue`, `observers` and `sweep-digits`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from .catalogue import EntryResult, run_catalogue
from .config import StudyConfig
from .digits import sweep_digits
from .errors import ReplayLabError
from .files import json_text
from .observers import OBSERVERS, run_observers
from .progress import StudyEvent
from .tables import Table

AS_PROMISED, NOT_AS_PROMISED, BAD_INPUT = 0, 1, 2


def catalogue(arguments: Sequence[str]) -> int:
    """Run entries; return 0 when each has its right answer, 1 when one has not."""
    parser = _parser("catalogue", "Run the catalogue of faults; each entry has a right answer.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="entries to run; all if none")
    options = parser.parse_args(arguments)
    try:
        config = StudyConfig.from_settings(options.set)
        results = run_catalogue(config, options.names, on_event=_show_progress)
    except ReplayLabError as error:
        return _refuse("catalogue", error)
    if options.json:
        print(json_text(results))
    else:
        _print_table(results.table())
        if options.names:
            print("\n".join(line for entry in results.entries for line in describe_entry(entry)))
        print(f"Catalogue digest {results.digest}")
    for name, differences in results.unmet.items():
        print(f"replay_lab catalogue: {name}: {'; '.join(differences)}", file=sys.stderr)
    return NOT_AS_PROMISED if results.unmet else AS_PROMISED


def observers(arguments: Sequence[str]) -> int:
    """Show which weaker comparison misses which entry."""
    parser = _parser("observers", "Let weaker comparisons watch the catalogue's entries.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="entries to watch; all if none")
    options = parser.parse_args(arguments)
    try:
        results = run_observers(StudyConfig.from_settings(options.set), options.names)
    except ReplayLabError as error:
        return _refuse("observers", error)
    if options.json:
        print(json_text(results))
    else:
        _print_table(results.table())
        for observer in OBSERVERS:
            missed = len(results.missed(observer.name))
            print(f"{observer.name}: {observer.looks_at}; misses {missed} of {len(results.real)}")
    return AS_PROMISED


def sweep(arguments: Sequence[str]) -> int:
    """Count hidden steps for every width of the log."""
    parser = _parser("sweep-digits", "Count hidden steps for logs of 2 to 9 digits and all.")
    options = parser.parse_args(arguments)
    try:
        results = sweep_digits(StudyConfig.from_settings(options.set))
    except ReplayLabError as error:
        return _refuse("sweep-digits", error)
    if options.json:
        print(json_text(results))
    else:
        _print_table(results.table())
    return AS_PROMISED


def describe_entry(entry: EntryResult) -> list[str]:
    """Return what a reader wants to know about one entry, line by line."""
    fault, metrics = entry.fault, entry.metrics
    lines = [
        f"{fault.name} ({fault.family}): {metrics.verdict}",
        f"    {fault.scenario.explanation}",
        f"    {fault.explanation}",
    ]
    if entry.reason:
        lines.append(f"    No bit of the weights differs: {entry.reason}.")
    first = metrics.first_difference
    if first is not None:
        where = "in the restored state" if first.at_restore else "in the step"
        distance = "" if first.ulp is None else f", {first.ulp} ULP apart"
        lines.append(
            f"    First difference: step {first.step}, {where}: {first.key}{list(first.element)}, "
            f"bits {first.bits} instead of {first.reference_bits}{distance}"
        )
    if entry.equals_step is not None:
        lines.append(f"    The restored weights are those of step {entry.equals_step}.")
    if fault.reports:
        lines.append(f"    Reported as: {', '.join(fault.reports)}")
    return [*lines, ""]


def _parser(name: str, description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"python -m replay_lab {name}", description=description)
    parser.add_argument("--json", action="store_true", help="print a JSON object instead of text")
    parser.add_argument(
        "--set", action="append", default=[], metavar="name=value", help="change a setting"
    )
    return parser


def _refuse(command: str, error: ReplayLabError) -> int:
    print(f"replay_lab {command}: {error}", file=sys.stderr)
    return BAD_INPUT


def _print_table(table: Table) -> None:
    print(table.to_text())
    print()


def _show_progress(event: StudyEvent) -> None:
    print(event.running, file=sys.stderr)
