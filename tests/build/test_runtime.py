"""Getting the runtime: routes in order, every file checked, nothing half-written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from build.errors import BuildError
from build.file_cache import FileCache
from build.folders import PIN
from build.pin import LOCK_FILE, RuntimePin, closure, read_pin
from build.route_distribution import DistributionRoute
from build.runtime import gather_runtime, write_runtime
from tests.build.conftest import CONTENTS, MemoryRoute, sha256
from tests.site_server import hosted


@pytest.fixture
def cache(tmp_path: Path) -> FileCache:
    return FileCache(tmp_path / "files")


def test_second_gathering_asks_no_route(pin: RuntimePin, cache: FileCache) -> None:
    gather_runtime(pin, cache, iter([MemoryRoute(CONTENTS)]))
    again = MemoryRoute(CONTENTS)
    gather_runtime(pin, cache, iter([again]))
    assert again.asked == []


def test_a_route_is_asked_only_for_what_earlier_ones_lacked(pin: RuntimePin, cache: FileCache) -> None:
    first, second = MemoryRoute({"core.mjs": b"core"}), MemoryRoute(CONTENTS)
    gather_runtime(pin, cache, iter([first, second]))
    assert second.asked == ["numpy-1-py3-none-any.whl"]


def test_damaged_cached_file_is_fetched_again(pin: RuntimePin, cache: FileCache) -> None:
    gather_runtime(pin, cache, iter([MemoryRoute(CONTENTS)]))
    core = pin.files[0]
    cache.path(core).write_bytes(b"c0re")
    again = MemoryRoute(CONTENTS)
    gather_runtime(pin, cache, iter([again]))
    assert again.asked == ["core.mjs"]
    assert cache.path(core).read_bytes() == b"core"


def test_file_with_other_content_is_refused_and_leaves_nothing(
    pin: RuntimePin, cache: FileCache
) -> None:
    wrong = MemoryRoute({**CONTENTS, "core.mjs": b"evil"}, name="mirror")
    with pytest.raises(BuildError, match=rf"mirror: wrong content: .* got {sha256(b'evil')}"):
        gather_runtime(pin, cache, iter([wrong]))
    assert [path.name for path in cache.folder.iterdir()] == [pin.files[1].sha256]


def test_missing_file_is_named_with_the_reason_of_every_route(
    pin: RuntimePin, cache: FileCache
) -> None:
    routes = [MemoryRoute({}, name="first"), MemoryRoute({"core.mjs": b"core"}, name="second")]
    with pytest.raises(BuildError) as failure:
        gather_runtime(pin, cache, iter(routes))
    assert "1 of 2 files of Pyodide 1.0" in str(failure.value)
    assert "core.mjs" not in str(failure.value)
    told = str(failure.value).split("numpy-1-py3-none-any.whl\n")[1]
    assert told.index("cache: not in") < told.index("first: no such") < told.index("second: no such")


def test_written_runtime_has_every_file_and_the_reduced_lock(
    pin: RuntimePin, cache: FileCache, tmp_path: Path
) -> None:
    gather_runtime(pin, cache, iter([MemoryRoute(CONTENTS)]))
    write_runtime(pin, cache, tmp_path / "runtime")
    names = {path.name for path in (tmp_path / "runtime").iterdir()}
    assert names == {*CONTENTS, LOCK_FILE}


def test_committed_lock_is_exactly_the_closure_of_our_packages() -> None:
    pin = read_pin(PIN)
    assert sorted(pin.lock["packages"]) == closure(pin.lock, pin.packages)
    assert len(pin.files) == 17


@pytest.fixture
def distribution(tmp_path: Path) -> Iterator[str]:
    """The address of a small distribution that lacks one file."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "core.mjs").write_bytes(b"core")
    with hosted(tmp_path / "full") as address:
        yield address


def test_distribution_gives_what_it_has_and_reasons_for_the_rest(
    pin: RuntimePin, cache: FileCache, distribution: str
) -> None:
    reasons = DistributionRoute(address=distribution).fetch(pin.files, cache)
    assert cache.refusal(pin.files[0]) is None
    assert reasons == {"numpy-1-py3-none-any.whl": "it answered 404 File not found"}


def test_distribution_that_is_not_reached_is_asked_once(pin: RuntimePin, cache: FileCache) -> None:
    reasons = DistributionRoute(address="http://127.0.0.1:9/").fetch(pin.files, cache)
    assert set(reasons) == set(CONTENTS)
    assert all(reason.startswith("not reached: ") for reason in reasons.values())
