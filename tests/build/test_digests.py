"""A build is named by all that is in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from build.digests import build_digest, folder_facts


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files, one in a folder."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "a").write_bytes(b"1")
    (tmp_path / "sub" / "b").write_bytes(b"2")
    return tmp_path


def test_facts_cover_every_file_by_its_address(folder: Path) -> None:
    facts = folder_facts(folder)
    assert list(facts) == ["a", "sub/b"]
    assert facts["a"].size == 1
    assert facts["a"].sha256.startswith("6b86b273ff34fce1")


def test_same_content_gives_the_same_digest(folder: Path) -> None:
    before = build_digest(folder_facts(folder), "date")
    (folder / "a").write_bytes(b"1")
    assert build_digest(folder_facts(folder), "date") == before


@pytest.mark.parametrize("change", ["content", "name", "new file", "date"])
def test_any_change_gives_another_digest(folder: Path, change: str) -> None:
    before = build_digest(folder_facts(folder), "date")
    match change:
        case "content":
            (folder / "a").write_bytes(b"3")
        case "name":
            (folder / "a").rename(folder / "c")
        case "new file":
            (folder / "sub" / "empty").touch()
    assert build_digest(folder_facts(folder), "other" if change == "date" else "date") != before
