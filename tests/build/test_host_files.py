"""What hosts read beside the site says what our own server sends."""

from __future__ import annotations

import re
import shutil
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from build.folders import NGINX
from build.host_files import HEADERS_FILE, NO_JEKYLL_FILE, nginx_text
from build.served_headers import HEADERS, POLICY, cache_rule
from tests.nginx import nginx

PATHS = ["/", "/index.html", "/service-worker.js", "/b/0123456789abcdef/page/page.css"]


def said_for(text: str, path: str) -> dict[str, list[str]]:
    """The values that the rules of a `_headers` file add up to for a path."""
    said: dict[str, list[str]] = {}
    applies = False
    for line in text.splitlines():
        if not line.startswith(" "):
            applies = re.fullmatch(re.escape(line).replace(r"\*", ".*"), path) is not None
        elif applies:
            name, _, value = line.strip().partition(": ")
            said.setdefault(name, []).append(value)
    return said


@pytest.mark.parametrize("path", PATHS)
def test_headers_file_gives_each_path_what_our_server_sends(dist: Path, path: str) -> None:
    text = (dist / HEADERS_FILE).read_text(encoding="utf-8")
    expected = {**HEADERS, "Cache-Control": cache_rule(path)}
    assert said_for(text, path) == {name: [value] for name, value in expected.items()}


def test_github_is_told_to_leave_no_name_out(dist: Path) -> None:
    assert (dist / NO_JEKYLL_FILE).read_bytes() == b""
    assert [path for path in dist.glob("b/**/*") if path.name.startswith("_")]


def test_the_page_carries_the_policy_for_hosts_without_headers(dist: Path) -> None:
    page = (dist / "index.html").read_text(encoding="utf-8")
    (carried,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
    assert carried == POLICY.replace("frame-ancestors 'none'; ", "")
    before, _, _ = page.partition("Content-Security-Policy")
    assert re.findall("<(?!!doctype|html|head|meta)[a-z]+", before) == []


def test_the_lines_for_nginx_are_those_of_our_server() -> None:
    assert NGINX.read_text(encoding="utf-8") == nginx_text()


@pytest.fixture(scope="module")
def nginx_url(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if shutil.which("nginx") is None:
        pytest.skip("there is no nginx here")
    folder = tmp_path_factory.mktemp("nginx")
    shutil.copytree(dist, folder / "site" / "some" / "where")
    with nginx(folder, folder / "site") as address:
        yield f"{address}some/where"


@pytest.mark.parametrize("path", PATHS)
def test_nginx_sends_what_our_server_sends(nginx_url: str, build_folder: Path, path: str) -> None:
    address = nginx_url + path.replace("0123456789abcdef", build_folder.name)
    with urllib.request.urlopen(address) as answer:
        sent = answer.headers
    expected = {**HEADERS, "Cache-Control": cache_rule(path)}
    assert {name: sent.get_all(name) for name in expected} == {name: [value] for name, value in expected.items()}
