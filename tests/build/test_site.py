"""The built site: complete, named by its content, at home at any path, and never half-written."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from build.environment import clean_variables
from build.folders import PIN, ROOT, cache_folder
from build.manifest import MANIFEST_NAME
from build.pin import read_pin
from build.publish import replacing
from build.runtime import served_name
from build.saved import SAVED_FILES

NOWHERE = "http://127.0.0.1:9"
SECONDS_FOR_A_SECOND_BUILD = 60.0
TEXT = {".css", ".csv", ".html", ".ipynb", ".js", ".json", ".py", ".svg", ".txt"}


def build(dist: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a person does."""
    return subprocess.run(
        [sys.executable, str(ROOT / "build_wheel.py"), "--dist", str(dist)],
        env=clean_variables() | variables, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def manifest(build_folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((build_folder / MANIFEST_NAME).read_text(encoding="utf-8"))
    return content


def test_manifest_names_every_file_with_its_true_hash_and_size(
    build_folder: Path, manifest: dict[str, Any]
) -> None:
    files = {
        path.relative_to(build_folder).as_posix(): path
        for path in build_folder.rglob("*")
        if path.is_file() and path.name != MANIFEST_NAME
    }
    assert set(manifest["files"]) == set(files)
    for address, path in files.items():
        content = path.read_bytes()
        fact = {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
        assert manifest["files"][address] == fact, address


def test_manifest_says_what_the_page_needs(build_folder: Path, manifest: dict[str, Any]) -> None:
    assert (manifest["format"], manifest["version"]) == ("replay-lab-manifest", 1)
    assert manifest["build"] == build_folder.name
    assert re.fullmatch("[0-9a-f]{16}", manifest["build"])
    for name in ("wheel", "saved", "notebook"):
        assert manifest[name] in manifest["files"]
    assert {f"saved/{name}" for name in SAVED_FILES} <= set(manifest["files"])


def test_served_runtime_is_the_pinned_one(manifest: dict[str, Any]) -> None:
    for file in read_pin(PIN).files:
        assert manifest["files"][f"runtime/{served_name(file.name)}"]["sha256"] == file.sha256


def test_site_refers_to_nothing_by_absolute_address(dist: Path) -> None:
    page = (dist / "index.html").read_text(encoding="utf-8")
    local = re.findall(r'(?:src|href)="([^"#]+)"', page)
    for address in local:
        assert not address.startswith(("/", "file:")), address
        if not re.match("[a-z]+:", address):
            assert (dist / address).is_file(), address


def test_nothing_in_the_site_names_a_folder_of_this_machine(dist: Path) -> None:
    folders = [str(ROOT), str(cache_folder()), str(dist.parent), str(Path.home()) + os.sep]
    for path in dist.rglob("*"):
        if path.suffix in TEXT and "runtime" not in path.parts:
            text = path.read_text(encoding="utf-8")
            assert not [folder for folder in folders if folder in text], path


def test_every_wheel_of_the_runtime_has_its_licence(build_folder: Path) -> None:
    licensed = {path.name for path in (build_folder / "licenses").iterdir()}
    for wheel in (build_folder / "runtime").glob("*.whl"):
        assert "-".join(wheel.name.split("-")[:2]) in licensed
    assert {"replay_lab", "MPL-2.0.txt", "NOTICES.md"} <= licensed


def test_second_build_is_quick_downloads_nothing_and_gives_the_same_bytes(
    dist: Path, build_folder: Path, tmp_path: Path
) -> None:
    start = time.monotonic()
    done = build(tmp_path / "again", PIP_NO_INDEX="1", http_proxy=NOWHERE, https_proxy=NOWHERE)
    assert done.returncode == 0, done.stderr
    assert time.monotonic() - start < SECONDS_FOR_A_SECOND_BUILD
    assert "Getting" not in done.stderr
    assert [path.name for path in (tmp_path / "again" / "b").iterdir()] == [build_folder.name]
    index = (tmp_path / "again" / "index.html").read_bytes()
    assert index == (dist / "index.html").read_bytes()


def test_last_lines_say_size_what_to_upload_and_where_the_licences_are(tmp_path: Path) -> None:
    done = build(tmp_path / "dist")
    ready, upload, licences = done.stdout.splitlines()
    assert re.search(r"is ready: \d+\.\d MB in \d+ files, build [0-9a-f]{16}", ready)
    assert "upload all that is in it to any static host, at any path" in upload
    assert re.search(r"licences of everything inside are in b/[0-9a-f]{16}/licenses/", licences)


def test_build_without_any_route_names_each_file_and_reason_and_leaves_dist_alone(
    tmp_path: Path,
) -> None:
    cache = tmp_path / "cache" / "replay-lab"
    cache.mkdir(parents=True)
    (cache / "environments").symlink_to(cache_folder() / "environments")
    dist = tmp_path / "dist"
    dist.mkdir()
    (dist / "index.html").write_text("the old site", encoding="utf-8")

    done = build(
        dist, XDG_CACHE_HOME=str(tmp_path / "cache"), PIP_NO_INDEX="1", PIP_CONFIG_FILE=os.devnull,
        http_proxy=NOWHERE, https_proxy=NOWHERE,
    )  # fmt: skip

    assert done.returncode == 1
    for file in read_pin(PIN).files:
        assert re.search(
            rf"  {re.escape(file.name)}\n"
            r"    cache: not in .*\n"
            r"    the official distribution .*: not reached: .*\n"
            r"    pip download .*: pip's exit 1: .*\n",
            done.stderr,
        )
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["cache", "dist"]
    assert [path.read_text(encoding="utf-8") for path in dist.iterdir()] == ["the old site"]


def test_failed_build_leaves_the_old_site_and_nothing_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "dist"
    target.mkdir()
    (target / "old").touch()
    with pytest.raises(RuntimeError, match="halfway"), replacing(target) as fresh:
        (fresh / "new").touch()
        raise RuntimeError("halfway")
    assert [path.name for path in tmp_path.iterdir()] == ["dist"]
    assert [path.name for path in target.iterdir()] == ["old"]


def test_finished_build_replaces_the_whole_old_site(tmp_path: Path) -> None:
    target = tmp_path / "dist"
    target.mkdir()
    (target / "old").touch()
    with replacing(target) as fresh:
        (fresh / "new").touch()
    assert [path.name for path in tmp_path.iterdir()] == ["dist"]
    assert [path.name for path in target.iterdir()] == ["new"]
