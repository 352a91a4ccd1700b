"""What is prepared for fast boots: made twice alike, kept, and left out where it cannot be made."""

from __future__ import annotations

import hashlib
import json
import struct
from pathlib import Path

import pytest

import build.prepared
from build.bundle import write_bundle
from build.digests import folder_facts
from build.errors import BuildError
from build.file_cache import FileCache
from build.folders import PIN, cache_folder
from build.kept import keep_folder
from build.pin import read_pin
from build.prepared import BOOTS, divide, prepare_boots
from build.runtime import write_runtime
from build.snapshot import pack_snapshot


def test_two_makings_write_the_same_bytes(build_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "environments").symlink_to(cache_folder() / "environments")
    (wheel,) = (build_folder / "wheel").iterdir()
    pin = read_pin(PIN)
    write_runtime(pin, FileCache(cache_folder() / "files"), tmp_path / "runtime")
    again = prepare_boots(pin, tmp_path / "runtime", wheel, tmp_path, fastest="snapshot")
    assert again.boots == BOOTS
    again.write(tmp_path / "again")
    assert folder_facts(build_folder / "prepared") == folder_facts(tmp_path / "again")


def test_the_manifest_lists_the_boots_and_every_file_of_them(build_folder: Path) -> None:
    manifest = json.loads((build_folder / "manifest.json").read_text())
    assert manifest["boots"] == list(BOOTS)
    prepared = build_folder / "prepared"
    assert {f"prepared/{address}" for address in folder_facts(prepared)} <= set(manifest["files"])


def test_without_node_the_stock_boot_is_left_and_one_line_says_so(
    build_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(cache: Path) -> None:
        raise BuildError("there is no Node for this machine")

    monkeypatch.setattr(build.prepared, "Node", refuse)
    (wheel,) = (build_folder / "wheel").iterdir()
    prepared = prepare_boots(
        read_pin(PIN), build_folder / "runtime", wheel, tmp_path, fastest="snapshot"
    )
    assert prepared.boots == ("stock",) and prepared.folders == ()
    assert "Without the bytecode boot: there is no Node for this machine" in capsys.readouterr().err


def test_nothing_is_made_where_only_what_is_kept_is_asked_for(build_folder: Path, tmp_path: Path) -> None:
    (wheel,) = (build_folder / "wheel").iterdir()
    prepared = prepare_boots(
        read_pin(PIN), build_folder / "runtime", wheel, tmp_path, fastest="snapshot", making=False
    )
    assert prepared.boots == ("stock",) and list(tmp_path.iterdir()) == []


def test_a_bundle_tells_the_hash_of_every_file_and_aligns_it(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"12345")
    (tmp_path / "two").write_bytes(b"")
    write_bundle(tmp_path / "bundle", {"a/one": tmp_path / "one", "two": tmp_path / "two"})
    content = (tmp_path / "bundle").read_bytes()
    (size,) = struct.unpack_from("<I", content, 8)
    assert content[:8] == b"RLBUNDL1"
    assert json.loads(content[12 : 12 + size]) == [
        ["a/one", 5, hashlib.sha256(b"12345").hexdigest()],
        ["two", 0, hashlib.sha256(b"").hexdigest()],
    ]
    start = -(-(12 + size) // 16) * 16
    assert content[start:] in (b"12345", b"12345" + bytes(11))


def test_every_file_but_the_native_ones_is_in_exactly_one_bundle() -> None:
    names = "numpy/a.pyc numpy/b.so m/c.pyc m/d.so m/e.so m/f.ttf numpy-2.dist-info/METADATA".split()
    files = {name: Path(name) for name in names}
    uses = {
        "numbers": ["numpy/a.pyc", "numpy/b.so", "lab/x.py"],
        "figures": ["m/c.pyc", "m/d.so", "m/f.ttf"],
        "native": ["numpy/b.so", "m/d.so"],
    }
    bundles = divide(files, {"lab/x.py": Path("x")}, uses)
    assert {name: sorted(bundle) for name, bundle in bundles.items()} == {
        "lab": ["lab/x.py", "numpy-2.dist-info/METADATA"],
        "numbers": ["numpy/a.pyc"],
        "figures": ["m/c.pyc"],
        "figures-data": ["m/f.ttf"],
        "rest": ["m/e.so"],
    }


def test_a_making_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "half").write_text("done")
        raise BuildError("no more")

    with pytest.raises(BuildError, match="no more"):
        keep_folder(tmp_path, "thing", [b"from this"], fail)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("wrong", [{}, {0: 5, 4: 6}], ids=["no word", "two words"])
def test_a_pyodide_that_remembers_stack_switching_otherwise_is_refused(tmp_path: Path, wrong: dict[int, int]) -> None:
    for kind in ("full", "bare", "bare-switching"):
        page = bytearray(64)
        for address, word in wrong.items() if kind == "bare-switching" else ():
            struct.pack_into("<I", page, address, word)
        (tmp_path / kind).mkdir()
        (tmp_path / kind / "pages").write_bytes(page)
        (tmp_path / kind / "snapshot.json").write_text(json.dumps({"pageSize": 64, "runs": [[0, 1]]}))
    with pytest.raises(BuildError, match=f"differ in {len(wrong)}"):
        pack_snapshot(tmp_path, tmp_path)
