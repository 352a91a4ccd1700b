"""The service worker carries the list of what may be kept, and of nothing else."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from build.digests import folder_facts
from build.facts import BuildFacts, SourceDate
from build.offline import kept_bytes, kept_files
from build.page_scripts import PAGE, scripts_needed_by
from build.prepared import BYTECODE, SNAPSHOT, STOCK
from build.served_files import mime_type
from build.served_headers import HEADERS
from tests.page.offline import kept_list


@pytest.fixture(scope="module")
def listed(dist: Path) -> dict[str, Any]:
    return kept_list(dist)


@pytest.fixture(scope="module")
def facts(build_folder: Path) -> BuildFacts:
    """Of the built site, with every boot."""
    files = {address: fact for address, fact in folder_facts(build_folder).items() if address != "manifest.json"}
    return BuildFacts(
        digest=build_folder.name, base=f"b/{build_folder.name}/", date=SourceDate(iso="", epoch=0, note=""), version="0", wheel="",
        notebook="", manifest_sha256="", manifest_size=0, page_scripts=(), boots=(SNAPSHOT, BYTECODE, STOCK), files=files, outputs={},
    )  # fmt: skip


def test_each_listed_file_has_its_true_hash_size_and_type(dist: Path, listed: dict[str, Any]) -> None:
    for address, file in listed["files"].items():
        path = dist / (address or "index.html")
        content = path.read_bytes()
        assert file == {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content), "type": mime_type(path.name)}, address


def test_the_list_holds_the_page_its_manifest_and_what_is_kept(dist: Path, build_folder: Path, listed: dict[str, Any], facts: BuildFacts) -> None:
    base = f"b/{build_folder.name}/"
    assert set(listed["files"]) == {"", f"{base}manifest.json", *(base + address for address in kept_files(facts))}
    assert (listed["build"], listed["headers"]) == (build_folder.name, HEADERS)


def test_the_name_of_the_list_changes_with_any_of_it(listed: dict[str, Any]) -> None:
    rest = {key: value for key, value in listed.items() if key != "name"}
    assert listed["name"] == hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()[:16]


def test_with_a_fast_boot_the_packages_of_the_stock_one_are_not_kept(facts: BuildFacts) -> None:
    kept = set(kept_files(facts))
    left_out = set(facts.files) - kept
    assert all(address.startswith(("licenses/", "page/python/", "runtime/")) for address in left_out)
    assert {address for address in kept if address.startswith("runtime/")} == {
        "runtime/pyodide.js", "runtime/pyodide.asm.js", "runtime/pyodide.asm.wasm", "runtime/pyodide-lock.json",
    }  # fmt: skip
    assert {address for address in facts.files if address.startswith("prepared/")} <= kept


def test_without_one_they_are(facts: BuildFacts) -> None:
    files = {address: fact for address, fact in facts.files.items() if not address.startswith("prepared/")}
    stock = dataclasses.replace(facts, boots=(STOCK,), files=files)
    assert set(kept_files(stock)) == {address for address in files if not address.startswith("licenses/")}
    assert kept_bytes(stock, page_bytes=0) < kept_bytes(facts, page_bytes=0)


def test_the_script_stands_beside_the_page_only(dist: Path) -> None:
    assert [path.relative_to(dist).as_posix() for path in dist.rglob("service-worker.js")] == ["service-worker.js"]


def test_what_is_fetched_late_is_all_that_the_page_has_not_imported(build_folder: Path) -> None:
    offer = (build_folder / "page" / "js" / "offline-offer.js").read_text(encoding="utf-8")
    late = set(re.findall(r'"(page/js/[^"]+)"', offer))
    assert late == set(scripts_needed_by(build_folder, "page/js/offline.js")) - set(scripts_needed_by(build_folder, PAGE))
