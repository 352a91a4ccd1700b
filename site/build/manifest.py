"""The manifest: what a build holds, under the digest that names it."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from build.digests import build_digest, folder_facts
from build.facts import BuildFacts, FileFact, SourceDate
from build.page_scripts import PAGE, WORKERS, scripts_needed_by
from build.pin import RuntimePin
from build.saved import BITS_NAME

MANIFEST_NAME = "manifest.json"


def describe_build(
    folder: Path,
    *,
    pin: RuntimePin,
    date: SourceDate,
    version: str,
    boots: Sequence[str],
    wheel: str,
    notebook: str,
    outputs: Mapping[str, Any],
) -> tuple[BuildFacts, str]:
    """
    Name a finished folder and describe it.

    Parameters
    ----------
    folder : Path
        Everything that will stand under `b/<digest>/`, except the manifest.
    pin : RuntimePin
        The runtime in it.
    date : SourceDate
        Of the source.
    version : str
        Of replay_lab.
    boots : sequence of str
        The ways to start Python that this build has, fastest first.
    wheel, notebook : str
        Addresses below the folder.
    outputs : mapping
        Saved outputs by cell id, for the page.

    Returns
    -------
    BuildFacts
    str
        The manifest as it is served. It is part of the build: whatever it says goes into the digest.
    """
    files = folder_facts(folder)
    said = {
        "date": date.iso,
        "date_note": date.note,
        "boots": list(boots),
        "runtime": {"version": pin.version, "packages": list(pin.packages)},
        "replay_lab": version,
        "wheel": wheel,
        "saved": "saved/results.json",
        "bits": f"saved/{BITS_NAME}",
        "notebook": notebook,
        "workers": scripts_needed_by(folder, *WORKERS),
    }
    digest = build_digest(files, json.dumps(said, sort_keys=True))
    text = _manifest_text(digest, said, files)
    facts = BuildFacts(
        digest=digest,
        base=f"b/{digest}/",
        date=date,
        version=version,
        wheel=wheel,
        notebook=notebook,
        manifest_sha256=hashlib.sha256(text.encode()).hexdigest(),
        manifest_size=len(text.encode()),
        boots=tuple(boots),
        page_scripts=scripts_needed_by(folder, PAGE),
        files=files,
        outputs=outputs,
    )
    return facts, text


def _manifest_text(digest: str, said: Mapping[str, Any], files: Mapping[str, FileFact]) -> str:
    """The file's text; its own hash is not in it."""
    manifest = {
        "format": "replay-lab-manifest",
        "version": 1,
        "build": digest,
        **said,
        "files": {address: dataclasses.asdict(fact) for address, fact in files.items()},
    }
    return json.dumps(manifest, indent=1) + "\n"
