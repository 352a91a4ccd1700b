"""Which machine, which browser, and what a family of processes has cost."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def describe_machine(browser: str) -> str:
    """One line that belongs beside every number."""
    names = [line.split(":", 1)[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")]
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    return (
        f"{browser} on {platform.system()} {platform.machine()}, "
        f"{names[0] if names else platform.processor()}, {os.cpu_count()} cores, load {load:.1f}"
    )


def family_cpu_seconds() -> float:
    """
    CPU time of all descendants of this process that are alive.

    Returns
    -------
    float
        Seconds; not a number where the system has no /proc.
    """
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        pid = int(stat.parent.name)
        parents[pid], ticks[pid] = int(fields[1]), int(fields[11]) + int(fields[12])
    if not parents:
        return float("nan")
    return sum(t for pid, t in ticks.items() if _descends(pid, parents)) / os.sysconf("SC_CLK_TCK")


def _descends(pid: int, parents: dict[int, int]) -> bool:
    while pid in parents:
        pid = parents[pid]
        if pid == os.getpid():
            return True
    return False


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []
