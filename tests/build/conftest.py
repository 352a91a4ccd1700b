"""A small runtime to get, and its routes, for tests that need no real one."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from build.file_cache import FileCache
from build.pin import Carrier, PinnedFile, RuntimePin

CONTENTS = {"core.mjs": b"core", "numpy-1-py3-none-any.whl": b"numpy"}


def sha256(content: bytes) -> str:
    """64 hex digits."""
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def pin() -> RuntimePin:
    """Two files: one of the core, one wheel."""
    core, wheel = CONTENTS
    lock = {"info": {}, "packages": {"numpy": {"file_name": wheel, "sha256": sha256(CONTENTS[wheel])}}}
    return RuntimePin(
        version="1.0",
        packages=("numpy",),
        distribution="http://127.0.0.1:9/",
        carrier=Carrier(requirement="carrier==1", folder="inside/", size=1),
        core={core: sha256(CONTENTS[core])},
        lock=lock,
    )


@dataclass
class MemoryRoute:
    """Serves what it has and remembers what it was asked for."""

    contents: Mapping[str, bytes]
    name: str = "memory"
    asked: list[str] = field(default_factory=list)

    def fetch(self, files: Sequence[PinnedFile], cache: FileCache) -> Mapping[str, str]:
        """Keep what is here, give a reason for the rest."""
        reasons = {}
        for file in files:
            self.asked.append(file.name)
            if file.name not in self.contents:
                reasons[file.name] = "no such file here"
            elif (refusal := cache.keep(file, [self.contents[file.name]])) is not None:
                reasons[file.name] = refusal
        return reasons
