"""Compressed copies: smaller, the same again, and sent to those who ask for them."""

from __future__ import annotations

import gzip
import http.client
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from build.compress import compress_site
from build.serve import open_server
from build.served_files import ENCODINGS, smallest_form

TEXT = b"the same words, again and again\n" * 200


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A small site with a text, a picture and a file too short to compress."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "index.html").write_bytes(TEXT)
    (folder / "picture.png").write_bytes(TEXT)
    (folder / "short.js").write_bytes(b"1;")
    return folder


@pytest.fixture
def port(site: Path) -> Iterator[int]:
    """The real server over that site."""
    with open_server(site, 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def test_only_what_gets_smaller_has_copies(site: Path, tmp_path: Path) -> None:
    compress_site(site, tmp_path / "cache")
    assert {path.name for path in site.iterdir()} == {
        "index.html", "index.html.br", "index.html.gz", "picture.png", "short.js",
    }  # fmt: skip
    assert gzip.decompress((site / "index.html.gz").read_bytes()) == TEXT


def test_a_second_release_writes_the_same_bytes_from_the_cache(site: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    compress_site(site, cache)
    first = {path.name: path.read_bytes() for path in site.iterdir()}
    kept = {path: path.stat().st_mtime_ns for path in (cache / "compressed").iterdir()}
    for copy in (*site.glob("*.br"), *site.glob("*.gz")):
        copy.unlink()
    compress_site(site, cache)
    assert {path.name: path.read_bytes() for path in site.iterdir()} == first
    assert {path: path.stat().st_mtime_ns for path in (cache / "compressed").iterdir()} == kept


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("", ""),
        ("identity", ""),
        ("gzip, deflate, br, zstd", "br"),
        ("gzip;q=0.5", "gzip"),
        ("br;q=0, gzip", "gzip"),
        ("br; q=0.000", ""),
    ],
)
def test_a_reader_gets_the_best_form_that_it_accepts(
    site: Path, port: int, accepted: str, encoding: str
) -> None:
    (site / "index.html.br").write_bytes(b"brotli")
    (site / "index.html.gz").write_bytes(b"gzip")
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", "/", headers={"Accept-Encoding": accepted})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    assert answer.getheader("Content-Encoding", "") == encoding
    assert answer.getheader("Vary") == "Accept-Encoding"
    assert answer.getheader("Content-Type") == "text/html; charset=utf-8"
    assert body == {"": TEXT, "br": b"brotli", "gzip": b"gzip"}[encoding]


def test_without_copies_the_file_itself_is_sent(site: Path) -> None:
    assert smallest_form(site / "index.html", "br, gzip") == (site / "index.html", "")
    assert set(ENCODINGS) == {"br", "gzip"}
