"""What a reader can keep for offline use, and the service worker that serves it."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from pathlib import Path

from build.digests import file_sha256
from build.errors import BuildError
from build.facts import BuildFacts, FileFact
from build.folders import PAGE
from build.manifest import MANIFEST_NAME
from build.prepared import STOCK
from build.publish import write_text
from build.served_files import mime_type
from build.served_headers import HEADERS

SERVICE_WORKER = "service-worker.js"

_SLOT = '"the list of kept files"'
_NAME_LENGTH = 16
# Licences of the parts are for those who take the site itself.
_NEVER_KEPT = re.compile(r"licenses/")
_FOR_STOCK_ONLY = re.compile(r"runtime/.*\.whl$|runtime/python_stdlib\.zip$|page/python/")


def kept_files(build: BuildFacts) -> dict[str, FileFact]:
    """
    Choose the files of a build that its fastest boot can need, the page and its downloads.

    Parameters
    ----------
    build : BuildFacts
        The build. Where it has a faster boot, the stock one's packages are left out; what the
        memory snapshot needs later in a visit is all that the bytecode boot needs.

    Returns
    -------
    dict
        Address below the build's folder to its fact.
    """
    left_out = [_NEVER_KEPT] if build.boots[0] == STOCK else [_NEVER_KEPT, _FOR_STOCK_ONLY]
    return {
        address: fact
        for address, fact in build.files.items()
        if not any(pattern.match(address) for pattern in left_out)
    }


def kept_bytes(build: BuildFacts, page_bytes: int) -> int:
    """Return how much a reader keeps, with the page itself and the manifest."""
    return page_bytes + build.manifest_size + sum(fact.size for fact in kept_files(build).values())


def write_service_worker(site: Path, build: BuildFacts) -> None:
    """
    Write the service worker with the list of what it may serve.

    Parameters
    ----------
    site : Path
        The folder that holds index.html and the build's folder, both finished.
    build : BuildFacts
        The build.

    Raises
    ------
    BuildError
        The script has no place for the list.
    """
    script = (PAGE / SERVICE_WORKER).read_text(encoding="utf-8")
    if script.count(_SLOT) != 1:
        raise BuildError(f"{SERVICE_WORKER} should say {_SLOT} once, where the list belongs; it does {script.count(_SLOT)} times")
    written = json.dumps(json.dumps(_kept_build(site, build), separators=(",", ":")))
    write_text(site / SERVICE_WORKER, script.replace(_SLOT, written))


def _kept_build(site: Path, build: BuildFacts) -> dict[str, object]:
    """The list, named by its content."""
    files = {f"{build.base}{address}": fact for address, fact in kept_files(build).items()}
    manifest = f"{build.base}{MANIFEST_NAME}"
    files |= {"": _fact(site / "index.html"), manifest: _fact(site / manifest)}
    kept = {
        "build": build.digest,
        "headers": HEADERS,
        "files": {
            address: {**dataclasses.asdict(fact), "type": mime_type(address or "index.html")}
            for address, fact in files.items()
        },
    }
    name = hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()[:_NAME_LENGTH]
    return {"name": name, **kept}


def _fact(path: Path) -> FileFact:
    return FileFact(sha256=file_sha256(path), size=path.stat().st_size)
