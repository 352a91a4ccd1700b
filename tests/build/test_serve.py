"""The server: this machine only, the right types and headers, nothing outside the site."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.parse
from pathlib import Path

import pytest

from build.errors import BuildError
from build.folders import ROOT
from build.host_files import HEADERS_FILE, NO_JEKYLL_FILE
from build.serve import open_server
from build.served_files import MIME_TYPES, content_tag, find_file, mime_type
from build.served_headers import cache_rule


def ask(
    url: str, target: str, method: str = "GET", **sent: str
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers with lower-case names, and body of one answer."""
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=20)
    try:
        headers = {name.replace("_", "-"): value for name, value in sent.items()}
        connection.request(method, target, headers=headers)
        answer = connection.getresponse()
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def test_index_is_the_file_and_is_asked_for_each_time(site_url: str, dist: Path) -> None:
    status, headers, body = ask(site_url, "/")
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert headers["cache-control"] == "no-cache"
    assert body == (dist / "index.html").read_bytes()


POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; "
    "connect-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"
)


@pytest.mark.parametrize("target", ["/", "/missing", "/b/DIGEST/manifest.json"])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("content-security-policy", POLICY),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-embedder-policy", "require-corp"),
        ("cross-origin-resource-policy", "same-origin"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
    ],
)
def test_every_answer_carries_policy_and_isolation(
    site_url: str, build_folder: Path, target: str, name: str, value: str
) -> None:
    _, headers, _ = ask(site_url, target.replace("DIGEST", build_folder.name))
    assert headers[name] == value


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("index.html", "text/html; charset=utf-8"),
        ("page/js/main.js", "text/javascript; charset=utf-8"),
        ("runtime/pyodide.js", "text/javascript; charset=utf-8"),
        ("runtime/pyodide.asm.wasm", "application/wasm"),
        ("page/page.css", "text/css; charset=utf-8"),
        ("page/favicon.svg", "image/svg+xml"),
        ("prepared/snapshot.bundle", "application/octet-stream"),
        ("saved/results.json", "application/json"),
        ("b/0123456789abcdef/licenses/numpy-2.4.3/COPYING", "text/plain; charset=utf-8"),
        ("strange.bin", "application/octet-stream"),
    ],
)
def test_types_are_those_of_our_table(address: str, expected: str) -> None:
    assert mime_type(address) == expected


def test_files_of_a_build_are_immutable_and_typed(site_url: str, build_folder: Path) -> None:
    target = f"/b/{build_folder.name}/runtime/pyodide.asm.wasm"
    status, headers, body = ask(site_url, target, "HEAD")
    assert (status, body) == (200, b"")
    assert headers["content-type"] == "application/wasm"
    assert headers["cache-control"] == "public, max-age=31536000, immutable"
    size = (build_folder / "runtime" / "pyodide.asm.wasm").stat().st_size
    assert headers["content-length"] == str(size)


def test_every_file_of_the_site_has_a_type_of_our_table(dist: Path) -> None:
    for path in dist.rglob("*"):
        address = path.relative_to(dist).as_posix()
        for_hosts = address in {HEADERS_FILE, NO_JEKYLL_FILE}
        if path.is_file() and "/licenses/" not in address and not for_hosts:
            assert mime_type(address) == MIME_TYPES.get(path.suffix), address


def test_missing_file_is_404(site_url: str) -> None:
    assert ask(site_url, "/b/nothing.js")[0] == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_other_methods_are_refused(site_url: str, method: str) -> None:
    status, headers, body = ask(site_url, "/", method)
    assert (status, headers["allow"], headers["connection"]) == (405, "GET, HEAD", "close")
    assert body == b"This site is only read, with GET.\n"


@pytest.mark.parametrize(
    ("asked", "part", "told"),
    [
        ("bytes=0-9", slice(0, 10), "bytes 0-9/SIZE"),
        ("bytes=10-", slice(10, None), "bytes 10-LAST/SIZE"),
        ("bytes=-7", slice(-7, None), "bytes LAST7-LAST/SIZE"),
        ("bytes=5-99999999999", slice(5, None), "bytes 5-LAST/SIZE"),
        ("bytes=-99999999999", slice(0, None), "bytes 0-LAST/SIZE"),
        ("bytes=0-0", slice(0, 1), "bytes 0-0/SIZE"),
    ],
)
def test_a_part_of_a_file_can_be_asked_for(
    site_url: str, dist: Path, asked: str, part: slice, told: str
) -> None:
    content = (dist / "index.html").read_bytes()
    status, headers, body = ask(site_url, "/", Range=asked)
    expected = told.replace("SIZE", str(len(content))).replace("LAST7", str(len(content) - 7))
    assert headers["content-range"] == expected.replace("LAST", str(len(content) - 1))
    assert (status, body) == (206, content[part])
    assert headers["content-length"] == str(len(body))


@pytest.mark.parametrize("asked", ["bytes=99999999999-", "bytes=-0"])
def test_a_part_that_no_file_has_is_refused_with_the_size(site_url: str, dist: Path, asked: str) -> None:
    status, headers, _ = ask(site_url, "/", Range=asked)
    assert (status, headers["content-range"]) == (416, f"bytes */{(dist / 'index.html').stat().st_size}")


@pytest.mark.parametrize(
    "asked", ["bytes=0-1,4-5", "bytes=9-1", "bytes=-", "lines=0-1", "bytes=a-b", "bytes=1" + "0" * 400 + "-"]
)
def test_a_range_of_another_kind_is_answered_whole(site_url: str, dist: Path, asked: str) -> None:
    status, headers, body = ask(site_url, "/", Range=asked)
    assert (status, "content-range" in headers) == (200, False)
    assert body == (dist / "index.html").read_bytes()


def test_a_download_goes_on_only_in_the_same_file(site_url: str) -> None:
    tag = ask(site_url, "/")[1]["etag"]
    assert ask(site_url, "/", Range="bytes=5-", If_Range=tag)[0] == 206
    assert ask(site_url, "/", Range="bytes=5-", If_Range='"another"')[0] == 200


def test_head_is_get_without_the_file_and_knows_no_parts(site_url: str) -> None:
    status, headers, body = ask(site_url, "/", "HEAD", Range="bytes=0-9")
    whole = ask(site_url, "/")[1]
    assert (status, body, headers["accept-ranges"]) == (200, b"", "bytes")
    assert {**headers, "date": ""} == {**whole, "date": ""}


@pytest.mark.parametrize("known", ["TAG", '"other", TAG', "W/TAG", "*"])
def test_what_the_reader_has_is_not_sent_again(site_url: str, known: str) -> None:
    tag = ask(site_url, "/")[1]["etag"]
    status, headers, body = ask(site_url, "/", If_None_Match=known.replace("TAG", tag))
    assert (status, body, headers["etag"], headers["cache-control"]) == (304, b"", tag, "no-cache")
    assert headers["content-security-policy"] == POLICY


def test_a_changed_file_has_another_tag(tmp_path: Path) -> None:
    place = tmp_path / "file"
    tags: list[str] = []
    for text in ("one", "two", "one"):
        place.write_text(text, encoding="utf-8")
        os.utime(place, ns=(len(tags), len(tags)))
        with place.open("rb") as content:
            tags.append(content_tag(content))
            assert content.read().decode() == text
    assert tags[0] == tags[2] != tags[1]


@pytest.mark.parametrize("name", ["localhost", "localhost:9000", "127.0.0.1:1", "[::1]:80", "lab.localhost"])
def test_the_names_of_this_machine_are_answered(site_url: str, name: str) -> None:
    assert ask(site_url, "/", Host=name)[0] == 200


@pytest.mark.parametrize("name", ["rebound.example", "127.0.0.1.rebound.example", "localhost.example:8000", "", "0.0.0.0"])
def test_another_name_is_told_where_the_site_is(site_url: str, name: str) -> None:
    status, _, body = ask(site_url, "/", Host=name)
    assert (status, body) == (421, f"This server answers under its own name only: open {site_url}\n".encode())


OUTSIDE = [
    "/../secret.txt", "/%2e%2e/secret.txt", "/b/../../secret.txt", "/b/%2e%2e%2f%2e%2e%2fsecret.txt",
    "/..%5csecret.txt", "//secret.txt", "/link.txt", "/%00", "/b", "/b/", "secret.txt/..",
    "/index.html/", "/./index.html", "/C:/secret.txt", "/.hidden", "/b/.hidden/x", "//", "*", "",
    "/%252e%252e/secret.txt", "/%2e%2e%2fsecret.txt", "/%2fetc%2fpasswd", "//etc/passwd", "/folder/secret.txt",
    "/..%c0%af..%c0%afsecret.txt", "/" + "a" * 5000, "/" + "a/" * 5000, "/%ff%fe", "/loop", "/b/..", "\\..\\secret.txt",
    "http://127.0.0.1/index.html",
]  # fmt: skip


@pytest.mark.parametrize("target", OUTSIDE)
def test_nothing_outside_the_site_is_found(tmp_path: Path, target: str) -> None:
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    site = tmp_path / "site"
    (site / "b").mkdir(parents=True)
    (site / "index.html").write_text("page", encoding="utf-8")
    (site / "link.txt").symlink_to(tmp_path / "secret.txt")
    (site / "folder").symlink_to(tmp_path)
    (site / "loop").symlink_to(site / "loop")
    (site / ".hidden").write_text("hidden", encoding="utf-8")
    assert find_file(site, target) is None
    assert find_file(site, "/index.html?query") == (site / "index.html").resolve()


@pytest.mark.parametrize(
    ("target", "rule"),
    [
        ("/b/0123456789abcdef/page/page.css", "public, max-age=31536000, immutable"),
        ("/b/0123456789abcdeg/page/page.css", "no-cache"),
        ("/index.html", "no-cache"),
    ],
)
def test_only_what_stands_under_a_digest_is_kept_for_ever(target: str, rule: str) -> None:
    assert cache_rule(target) == rule


def test_taken_port_is_refused_by_name(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(BuildError, match=rf"port {port} of 127\.0\.0\.1 cannot be used"):
            open_server(tmp_path, port)


def test_taken_default_port_gives_the_next_free_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        monkeypatch.setattr("build.serve.DEFAULT_PORT", taken)
        with open_server(tmp_path, None) as server:
            assert server.server_port > taken


def test_server_is_bound_to_this_machine_only(tmp_path: Path) -> None:
    with open_server(tmp_path, 0) as server:
        assert server.server_address[0] == "127.0.0.1"


def test_interrupted_server_says_so_and_ends_well(dist: Path) -> None:
    server = subprocess.Popen(
        [sys.executable, str(ROOT / "build_wheel.py"), "--dist", str(dist), "--serve", "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with server:
        assert server.stdout is not None
        lines = iter(server.stdout.readline, "")
        address = next((line for line in lines if line.startswith("http")), "none was printed")
        server.send_signal(signal.SIGINT)
        rest, errors = server.communicate(timeout=20)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\n", address)
    assert rest == "Stopped.\n"
    assert (server.returncode, "Traceback" in errors) == (0, False)


def test_port_without_serve_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "build_wheel.py"), "--port", "8000"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "--port has no effect without --serve" in done.stderr
