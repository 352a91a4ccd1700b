"""`python -m replay_lab compare A B`: two files of arrays, bit by bit."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from .array_files import read_array_file
from .comparison import compare_states
from .comparison_results import ArrayComparison, ElementDifference, StateComparison
from .errors import ArrayFileError, ReplayLabError

EQUAL, DIFFERENT, UNUSABLE = 0, 1, 2


def main(arguments: Sequence[str]) -> int:
    """Compare two files; return 0 when equal, 1 when different, 2 when one is unusable."""
    options = _parser().parse_args(arguments)
    try:
        a, b = read_array_file(options.a), read_array_file(options.b)
        if a.single != b.single:
            raise ArrayFileError(
                f"{options.a} and {options.b}: one holds a single array without a name (.npy), "
                "the other named arrays (.npz); give two files of one kind"
            )
        comparison = compare_states(a.arrays, b.arrays)
    except ReplayLabError as error:
        print(f"replay_lab compare: {error}", file=sys.stderr)
        return UNUSABLE
    if options.json:
        print(json.dumps(comparison.to_json(), indent=2, allow_nan=False))
    else:
        print("\n".join([*describe_state(comparison), verdict_line(comparison)]))
    return EQUAL if comparison.equal else DIFFERENT


def describe_state(comparison: StateComparison) -> list[str]:
    """Return the lines of a report: one array after the other, then missing and extra ones."""
    lines = [
        line
        for name, part in comparison.arrays.items()
        for line in _describe_array(_shown(name), part)
    ]
    lines += [f"{_shown(name)}: missing: only in A" for name in comparison.missing]
    lines += [f"{_shown(name)}: extra: only in B" for name in comparison.extra]
    return lines


def verdict_line(comparison: StateComparison) -> str:
    """Return the last line of a report."""
    if comparison.equal:
        return f"equal: {_counted(len(comparison.arrays), 'array')}, every bit agrees"
    differing = comparison.differing
    total = len(comparison.arrays) + len(comparison.missing) + len(comparison.extra)
    return (
        f"different: {len(differing)} of {_counted(total, 'array')} "
        f"({', '.join(map(_shown, differing))}), classes {', '.join(comparison.classes)}"
    )


def _describe_array(name: str, part: ArrayComparison) -> list[str]:
    if part.equal:
        return [f"{name}: equal, {part.forms[0]}"]
    if part.mismatches is None:
        return [f"{name}: {', '.join(part.classes)}: A is {part.forms[0]}, B is {part.forms[1]}"]
    noun = "element differs" if part.mismatches == 1 else "elements differ"
    facts = [f"{part.mismatches} {noun}, {part.forms[0]}"]
    if part.max_ulp is not None:
        facts.append(f"at most {part.max_ulp} ULP")
    facts.append(f"largest difference {part.max_difference!r}")
    if part.ulps_of_largest:
        facts.append(f"which is {part.ulps_of_largest:.6g} ULP of the largest element")
    if part.nonfinite_mismatches:
        facts.append(f"{part.nonfinite_mismatches} with NaN or infinity")
    lines = [f"{name}: {', '.join(part.classes)}: {'; '.join(facts)}"]
    if part.first_difference is not None:
        lines += _describe_element(part.first_difference)
    return lines


def _describe_element(first: ElementDifference) -> list[str]:
    index = ", ".join(map(str, first.index))
    distance = "" if first.ulp is None else f", {first.ulp} ULP apart"
    return [
        f"    first at [{index}]: {first.kind}{distance}",
        f"        A {first.a_bits}  {first.a!r}",
        f"        B {first.b_bits}  {first.b!r}",
    ]


def _shown(name: str) -> str:
    """Show a name as it is unless it could disturb a terminal."""
    return name if name.isprintable() and name else ascii(name)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m replay_lab compare",
        description=(
            "Compare two files of numpy arrays bit by bit. Exit code 0: equal, 1: different, "
            "2: a file cannot be used."
        ),
    )
    parser.add_argument("a", metavar="A", help="an .npz or .npy file, what B is measured against")
    parser.add_argument("b", metavar="B", help="another one")
    parser.add_argument("--json", action="store_true", help="print a JSON object instead of text")
    return parser
