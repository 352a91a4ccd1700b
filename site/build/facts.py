"""What the build knows when it fills the page and the manifest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDate:
    """When the source was committed, and what is uncertain about that."""

    iso: str
    """UTC, as in 2026-11-30T01:00:00Z; empty when the source has no commit."""
    epoch: int
    """The same in seconds since 1970, for archive members; a fixed past day when there is no commit."""
    note: str
    """Empty, or a clause such as "with uncommitted changes"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFact:
    """One file under the build's folder."""

    sha256: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildFacts:
    """Everything about a build that a page may show or refer to."""

    digest: str
    """16 hex digits over every file below `base`."""
    base: str
    """`b/<digest>/`: what every address in index.html starts with."""
    date: SourceDate
    version: str
    """Of replay_lab."""
    wheel: str
    """Address below `base`, as are the keys of `files`."""
    notebook: str
    manifest_sha256: str
    manifest_size: int
    boots: Sequence[str]
    """The ways to start Python that this build has, fastest first."""
    page_scripts: Sequence[str]
    """What the page starts with."""
    files: Mapping[str, FileFact]
    outputs: Mapping[str, Sequence[Mapping[str, Any]]]
    """Saved outputs by cell id, as nbformat 4.5 writes them (stream, display_data, execute_result)."""
