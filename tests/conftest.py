"""What all parts share: the built wheel, the built site, the server over it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[1]
sys.path += [str(ROOT / "site"), str(ROOT)]

from tests.site_server import hosted, serving  # noqa: E402

ON_A_PLAIN_HOST = os.environ.get("REPLAY_LAB_HOST") == "plain"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What a page can only do where our headers are sent is not asked of a host without them."""
    # The browser's driver keeps a loop running, in which a notebook cannot be executed: faults come after notebooks.
    items.sort(key=lambda item: "faults" in item.path.parts)
    for item in items:
        if ON_A_PLAIN_HOST and (mark := item.get_closest_marker("needs_headers")) is not None:
            item.add_marker(pytest.mark.skip(reason=f"without our headers {mark.args[0]}"))


def pytest_sessionstart() -> None:
    """Before any test: what is tested is the wheel as installed, not the source tree."""
    import replay_lab

    if "site-packages" not in Path(replay_lab.__file__).parts:
        pytest.exit(
            f"replay_lab comes from {replay_lab.__file__}, expected an installed wheel: "
            "run the tests with `python -m tests`",
            returncode=2,
        )


def _given(variable: str) -> Path:
    """What `python -m tests` hands over."""
    value = os.environ.get(variable)
    if value is None:
        pytest.fail(f"{variable} is not set: run the tests with `python -m tests`", pytrace=False)
    return Path(value)


@pytest.fixture(scope="session")
def wheel() -> Path:
    """The wheel under test."""
    return _given("REPLAY_LAB_WHEEL")


@pytest.fixture(scope="session")
def dist() -> Path:
    """The built site: a folder with index.html."""
    return _given("REPLAY_LAB_DIST")


@pytest.fixture(scope="session")
def build_folder(dist: Path) -> Path:
    """The one folder below b/ of the built site."""
    (folder,) = (dist / "b").iterdir()
    return folder


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The Chromium that `python -m tests` found: one for the whole run, since its driver allows no second one."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        program = os.environ.get("REPLAY_LAB_CHROMIUM")
        browser = playwright.chromium.launch(executable_path=program)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def site_url(dist: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of the real server over the built site, ending in a slash; of a plain host where that is asked for."""
    if ON_A_PLAIN_HOST:
        yield request.getfixturevalue("plain_site_url")
        return
    with serving(dist) as address:
        yield address


@pytest.fixture(scope="session")
def plain_site_url(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the site on a plain static host, below a path, without our headers."""
    folder = tmp_path_factory.mktemp("host")
    shutil.copytree(dist, folder / "some" / "where")
    with hosted(folder) as address:
        yield f"{address}some/where/"
