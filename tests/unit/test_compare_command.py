"""`python -m replay_lab compare`: exit codes, texts, and files that cannot be used."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from replay_lab.cli import main
from replay_lab.config import StudyConfig
from replay_lab.training import init_state

ARRAYS = {"weights": np.float32([1, 2, 3]), "sampler": np.uint64([2**63, 1]), "step": np.int64(4)}


def save(path: Path, **changes: Any) -> str:
    arrays = {name: value for name, value in (ARRAYS | changes).items() if value is not None}
    np.savez(path, **arrays)
    return str(path)


@pytest.fixture
def saved(tmp_path: Path) -> str:
    return save(tmp_path / "saved.npz")


def test_equal_files_give_0_and_say_so_last(
    saved: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = str(tmp_path / "compressed.npz")
    np.savez_compressed(other, **ARRAYS)
    assert main(["compare", saved, other]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "equal: 3 arrays, every bit agrees"


def test_difference_gives_1_with_class_element_bits_and_ulps(
    saved: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    moved = np.float32([1, np.nextafter(np.float32(2), np.float32(3)), 3])
    assert main(["compare", saved, save(tmp_path / "b.npz", weights=moved)]) == 1
    out = capsys.readouterr().out
    assert "weights: value: 1 element differs" in out
    assert "first at [1]: value, 1 ULP apart" in out
    assert "A 40000000  2.0" in out
    assert "B 40000001  2.000000238418579" in out
    assert out.splitlines()[-1] == "different: 1 of 3 arrays (weights), classes value"


@pytest.mark.parametrize(
    ("changes", "text", "classes"),
    [
        pytest.param({"step": None}, "step: missing: only in A", "missing", id="missing"),
        pytest.param({"loss": np.zeros(1)}, "loss: extra: only in B", "extra", id="extra"),
        pytest.param(
            {"weights": np.zeros(3)},
            "weights: dtype: A is float32 of shape (3,), B is float64 of shape (3,)",
            "dtype",
            id="dtype",
        ),
        pytest.param(
            {"sampler": np.zeros(3, np.uint64)},
            "sampler: length: A is uint64 of shape (2,), B is uint64 of shape (3,)",
            "length",
            id="length",
        ),
        pytest.param(
            {"sampler": np.uint64([2**63, 3])}, "B 0000000000000003  3", "value", id="integers"
        ),
    ],
)
def test_each_difference_is_named(
    saved: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    changes: dict[str, Any],
    text: str,
    classes: str,
) -> None:
    assert main(["compare", saved, save(tmp_path / "b.npz", **changes)]) == 1
    out = capsys.readouterr().out
    assert text in out
    assert out.splitlines()[-1].endswith(f"classes {classes}")


def test_json_holds_what_the_library_returns(
    saved: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", saved, save(tmp_path / "b.npz", step=np.int64(5)), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["classes"] == ["value"]
    assert found["arrays"]["step"]["first_difference"]["b"] == "5"


def test_train_state_in_an_archive_is_compared_with_its_copy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arrays = init_state(StudyConfig()).arrays()
    for name in ("a.npz", "b.npz"):
        np.savez(tmp_path / name, **arrays)
    assert main(["compare", str(tmp_path / "a.npz"), str(tmp_path / "b.npz")]) == 0
    assert f"equal: {len(arrays)} arrays" in capsys.readouterr().out


def test_single_arrays_are_compared_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a, b = str(tmp_path / "a.npy"), str(tmp_path / "b.npy")
    np.save(a, np.float32([0.0]))
    np.save(b, np.float32([-0.0]))
    assert main(["compare", a, a]) == 0
    assert main(["compare", a, b]) == 1
    assert "signed_zero, 0 ULP apart" in capsys.readouterr().out


def pickled(path: Path) -> None:
    np.savez(path, weights=np.zeros(1), moments=np.array([{}]))


def pickled_alone(path: Path) -> None:
    with path.open("wb") as file:
        np.save(file, np.array([{}]))


def complex_numbers(path: Path) -> None:
    np.savez(path, phase=np.zeros(1, np.complex128))


def note_inside(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "hello")


def doubled(path: Path) -> None:
    np.savez(path, weights=np.zeros(1))
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("weights.npy", archive.read("weights.npy"))


def trailing(path: Path) -> None:
    with path.open("wb") as file:
        np.save(file, np.zeros(1))
        np.save(file, np.zeros(1))


def truncated(path: Path) -> None:
    np.savez(path, weights=np.zeros(100))
    path.write_bytes(path.read_bytes()[:-40])


def flipped(path: Path) -> None:
    np.savez(path, weights=np.zeros(100))
    data = bytearray(path.read_bytes())
    data[300] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        pytest.param(lambda path: None, "cannot be read", id="not there"),
        pytest.param(Path.mkdir, "cannot be read", id="folder"),
        pytest.param(lambda path: path.touch(), "is empty", id="empty"),
        pytest.param(lambda path: path.write_text("[1, 2]"), "begins with b'[1, 2]'", id="text"),
        pytest.param(pickled, "array 'moments' holds pickled Python objects", id="pickle"),
        pytest.param(pickled_alone, "the array holds pickled Python objects", id="pickle alone"),
        pytest.param(complex_numbers, "array 'phase': dtype complex128", id="complex"),
        pytest.param(note_inside, "entry 'readme.txt' is not an array", id="other entry"),
        pytest.param(doubled, "array 'weights' is there twice", id="doubled entry"),
        pytest.param(trailing, "followed by 136 more byte(s)", id="bytes after the array"),
        pytest.param(truncated, "the archive is damaged", id="truncated"),
        pytest.param(flipped, "the archive is damaged", id="flipped bit"),
    ],
)
@pytest.mark.parametrize("side", [0, 1])
def test_unusable_file_gives_2_and_names_file_and_array(
    saved: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    damage: Any,
    message: str,
    side: int,
) -> None:
    bad = tmp_path / "bad.npz"
    damage(bad)
    files = [saved, saved]
    files[side] = str(bad)
    assert main(["compare", *files]) == 2
    found = capsys.readouterr()
    assert found.out == ""
    assert str(bad) in found.err
    assert message in found.err


def test_archive_and_single_array_are_not_comparable(
    saved: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = str(tmp_path / "a.npy")
    np.save(alone, np.zeros(1))
    assert main(["compare", saved, alone]) == 2
    assert "give two files of one kind" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["a.npz", "a.npy"])
def test_no_flipped_byte_ends_in_a_traceback(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, broken = tmp_path / name, tmp_path / f"broken-{name}"
    if name == "a.npz":
        np.savez_compressed(whole, w=np.float32([1, 2]))
    else:
        np.save(whole, np.float32([1, 2]))
    data = whole.read_bytes()
    codes = set()
    for position in range(len(data)):
        broken.write_bytes(data[:position] + bytes([data[position] ^ 0x41]) + data[position + 1 :])
        codes.add(main(["compare", str(whole), str(broken)]))
        broken.write_bytes(data[:position])
        assert main(["compare", str(whole), str(broken)]) == 2
    assert codes <= {0, 1, 2}
    assert 2 in codes


def test_command_is_reached_from_a_shell_and_help_names_it(saved: str) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "replay_lab", *arguments],
            capture_output=True,
            text=True,
            check=False,
        )

    assert run("compare", saved, saved).returncode == 0
    assert run("compare", saved).returncode == 2
    assert "compare" in run("--help").stdout
