"""How a run of pytest went, from the report it writes."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path


def read_outcome(report: Path) -> str:
    """
    Count what happened.

    Parameters
    ----------
    report : Path
        What pytest's `--junit-xml` wrote; missing when pytest did not get that far.

    Returns
    -------
    str
        Such as `41 passed` or `40 passed, 1 failed`.
    """
    if not report.exists():
        return "0 passed, 1 failed"
    total = dict.fromkeys(("tests", "failures", "errors", "skipped"), 0)
    for suite in ElementTree.parse(report).getroot().iter("testsuite"):
        for name in total:
            total[name] += int(suite.get(name, "0"))
    failed = total["failures"] + total["errors"]
    passed = total["tests"] - failed - total["skipped"]
    said = [f"{passed} passed"]
    said += [f"{failed} failed"] if failed else []
    said += [f"{total['skipped']} skipped"] if total["skipped"] else []
    return ", ".join(said)
