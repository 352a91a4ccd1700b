"""The build killed, run twice at once, without room, without a place to write, and interrupted."""

from __future__ import annotations

import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from build.environment import clean_variables
from build.folders import ROOT, cache_folder
from build.publish import replacing

pytestmark = pytest.mark.fault("build")
RecordFault = Callable[..., None]
BUILD_S = 300
MOMENTS = 20


def start(dist: Path, *options: str, limit_bytes: int | None = None, **variables: str) -> subprocess.Popen[str]:
    """A build in a process group of its own; with a limit, no file gets larger than that."""

    def limit() -> None:
        if limit_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))

    return subprocess.Popen(
        [sys.executable, str(ROOT / "build_wheel.py"), "--dist", str(dist), *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env=clean_variables() | variables, preexec_fn=limit,
    )  # fmt: skip


def whole(dist: Path) -> str:
    """The one build of a site whose index names it and whose files are all as its manifest says."""
    named = set(re.findall(r"b/([0-9a-f]{16,})/", (dist / "index.html").read_text(encoding="utf-8")))
    (name,) = named
    build = dist / "b" / name
    files = json.loads((build / "manifest.json").read_text(encoding="utf-8"))["files"]
    assert len(files) > 10
    for address, fact in files.items():
        assert hashlib.sha256((build / address).read_bytes()).hexdigest() == fact["sha256"], address
    return str(name)


def left_beside(dist: Path) -> list[str]:
    return [path.name for path in dist.parent.iterdir() if path.name.startswith(f".{dist.name}-")]


@pytest.fixture(scope="module")
def site(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built site to be replaced, with an older page in it that tells it from a fresh one."""
    site = tmp_path_factory.mktemp("build") / "dist"
    shutil.copytree(dist, site)
    return site


@pytest.fixture(scope="module")
def writing_s(site: Path) -> float:
    """How long a build takes from the first entry it makes beside the site."""
    return finish_after_writing(start(site), site)


def finish_after_writing(process: subprocess.Popen[str], site: Path) -> float:
    await_writing(process, site)
    began = time.monotonic()
    _, errors = process.communicate(timeout=BUILD_S)
    assert process.returncode == 0, errors
    return time.monotonic() - began


def await_writing(process: subprocess.Popen[str], site: Path) -> None:
    deadline = time.monotonic() + BUILD_S
    before = set(left_beside(site))
    while not set(left_beside(site)) - before:
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.002)


@pytest.mark.parametrize("moment", range(MOMENTS))
def test_a_killed_build_leaves_a_whole_site(
    site: Path, writing_s: float, moment: int, record_fault: RecordFault
) -> None:
    process = start(site)
    await_writing(process, site)
    # Half of the moments are spread over the writing, half lie close together around its end.
    share = moment / 10 if moment % 2 == 0 and moment < 10 else 0.8 + moment / MOMENTS * 0.25
    with pytest.raises(subprocess.TimeoutExpired) if share < 0.5 else _either():
        process.communicate(timeout=writing_s * share)
    if process.returncode is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    assert whole(site)
    if moment == MOMENTS - 1 or moment == 0:
        finish_after_writing(start(site), site)
        assert whole(site)
        assert left_beside(site) == []
    record_fault("the build killed while it writes", "the site whole; the next build went through and tidied up", tried=1)


class _either:  # noqa: N801
    """A context in which running out of time is as good as not."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        return kind is not None and issubclass(kind, subprocess.TimeoutExpired)


def test_there_is_a_whole_site_at_any_moment_of_a_swap(tmp_path: Path, record_fault: RecordFault) -> None:
    site, times = tmp_path / "dist", 500
    with replacing(site) as fresh:
        (fresh / "index.html").write_text("0", encoding="utf-8")
    watching = (
        "import os, sys\nmissing = 0\nprint('watching', flush=True)\n"
        "while not os.path.exists(sys.argv[2]): missing += not os.path.exists(sys.argv[1])\nprint(missing)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", watching, str(site), str(tmp_path / "over")], stdout=subprocess.PIPE, text=True
    ) as watcher:
        assert watcher.stdout is not None and watcher.stdout.readline() == "watching\n"
        for number in range(times):
            with replacing(site) as fresh:
                (fresh / "index.html").write_text(str(number), encoding="utf-8")
        (tmp_path / "over").touch()
        assert watcher.stdout.read() == "0\n"
    record_fault("a site looked at while it is replaced", "never missing", tried=times)


def test_two_builds_at_once_do_not_damage_each_other(site: Path, record_fault: RecordFault) -> None:
    processes = [start(site), start(site)]
    for process in processes:
        _, errors = process.communicate(timeout=BUILD_S)
        assert process.returncode == 0, errors
    assert whole(site)
    assert left_beside(site) == []
    record_fault("two builds at once into one place", "both went through, the site whole", tried=1)


def test_a_build_without_room_says_so_in_one_line_and_loses_nothing(site: Path, record_fault: RecordFault) -> None:
    before = whole(site)
    process = start(site, limit_bytes=5_000_000)
    _, errors = process.communicate(timeout=BUILD_S)
    assert "Traceback" not in errors
    assert process.returncode == 2, errors
    assert errors.rstrip().splitlines()[-1].startswith("build_wheel.py: ")
    assert whole(site) == before and left_beside(site) == []
    record_fault("no room for a file", "one line, exit 2, the old site whole", tried=1)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, record_fault: RecordFault) -> None:
    (tmp_path / "file").write_text("kept", encoding="utf-8")
    for place in (tmp_path / "file" / "dist", Path("/proc/dist")):
        process = start(place)
        _, errors = process.communicate(timeout=BUILD_S)
        last = errors.rstrip().splitlines()[-1]
        assert process.returncode == 2 and "Traceback" not in errors, errors
        assert last.startswith("build_wheel.py: ") and str(place.parent) in last
    assert (tmp_path / "file").read_text(encoding="utf-8") == "kept"
    record_fault("a place that cannot be written", "one line that names it, exit 2", tried=2)


def test_ctrl_c_while_faster_boots_are_made_leaves_a_site_that_can_be_served_again(tmp_path: Path, record_fault: RecordFault) -> None:
    site, cache = tmp_path / "site" / "dist", tmp_path / "cache" / "replay-lab"
    cache.mkdir(parents=True)
    for name in ("environments", "files", "matplotlib"):
        (cache / name).symlink_to(cache_folder() / name)
    process = start(site, "--serve", "--port", "0", XDG_CACHE_HOME=str(cache.parent))
    assert process.stdout is not None
    assert any(line.startswith("http://") for line in process.stdout)
    deadline = time.monotonic() + BUILD_S
    while not list((cache / "prepared").glob(".*")):
        assert process.poll() is None and time.monotonic() < deadline, "nothing is made after the page is up"
        time.sleep(0.02)
    # As a terminal does: to the command and to all that it has started.
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0 and "Traceback" not in errors, errors
    before = whole(site)
    again = start(site, "--boot", "stock", XDG_CACHE_HOME=str(cache.parent))
    _, errors = again.communicate(timeout=BUILD_S)
    assert again.returncode == 0, errors
    assert whole(site) and before
    assert left_beside(site) == []
    record_fault("Ctrl-C while faster boots are made", "the server ended, the site whole; the next build went through", tried=1)
