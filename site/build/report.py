"""The last lines of a build: what there is now and what to do with it."""

from __future__ import annotations

from pathlib import Path

from build.facts import BuildFacts
from build.progress import human_size


def report(dist: Path, facts: BuildFacts) -> str:
    """
    Say how large a built site is, what to upload, and where its licences are.

    Parameters
    ----------
    dist : Path
        The site.
    facts : BuildFacts
        Of its build.

    Returns
    -------
    str
        Three lines.
    """
    sizes = [path.stat().st_size for path in dist.rglob("*") if path.is_file()]
    date = ", ".join(part for part in (facts.date.iso, facts.date.note) if part)
    return f"""\
{dist} is ready: {human_size(sum(sizes))} in {len(sizes)} files, build {facts.digest} ({date}).
To publish it, upload all that is in it to any static host, at any path; nothing needs setting up.
The licences of everything inside are in {facts.base}licenses/."""
