"""Static hosts as they are met: each serves the same site in a way of its own."""

from __future__ import annotations

import functools
import gzip
import http.server
import urllib.parse
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path

from tests.site_server import answering

_CHUNK = 1 << 16
_USUAL_TYPES = {".html": "text/html", ".css": "text/css", ".js": "application/javascript", ".svg": "image/svg+xml", ".png": "image/png"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """
    What a host does to a site.

    The default is a plain one: files under a path, with types of what everybody knows.
    """

    path: str = "some/path/"
    """Where on the host the site lies."""
    types: Mapping[str, str] = field(default_factory=dict)
    """Content-Type by suffix, beside the usual ones."""
    other_type: str | None = "application/octet-stream"
    """For every other suffix; None sends no Content-Type."""
    headers: Mapping[str, str] = field(default_factory=dict)
    zips: bool = False
    """Whether every answer is gzipped on the fly, whatever it holds."""
    chunks: bool = False
    """Whether answers come in chunks, without Content-Length."""
    missing: bytes | None = None
    """A page that answers 200 for whatever is not there."""
    redirects: Callable[[str], str | None] = lambda path: None
    """Another path to send a reader to."""
    leaves_out: Callable[[str], bool] = lambda name: False
    """Names of files and folders that are not published."""


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def __init__(self, *arguments: object, site: Path, host: Host) -> None:
        self._site, self._host = site, host
        super().__init__(*arguments)  # type: ignore[arg-type]

    def log_message(self, format: str, *arguments: object) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        host, path = self._host, urllib.parse.unquote(self.path.partition("?")[0]).removeprefix("/")
        if (place := host.redirects(path)) is not None:
            return self._send(HTTPStatus.MOVED_PERMANENTLY, b"", {"Location": urllib.parse.quote(f"/{place}")})
        names = path.removeprefix(host.path).split("/")
        file = self._site.joinpath(*names, *(["index.html"] if names[-1] == "" else []))
        left_out = any(host.leaves_out(name) for name in file.relative_to(self._site).parts)
        if path.startswith(host.path) and file.is_file() and not left_out:
            types = {**_USUAL_TYPES, **host.types}
            type_ = types.get(file.suffix, host.other_type)
            return self._send(HTTPStatus.OK, file.read_bytes(), {} if type_ is None else {"Content-Type": type_})
        if host.missing is not None:
            return self._send(HTTPStatus.OK, host.missing, {"Content-Type": "text/html"})
        self._send(HTTPStatus.NOT_FOUND, b"not here", {"Content-Type": "text/html"})

    def _send(self, status: HTTPStatus, body: bytes, headers: Mapping[str, str]) -> None:
        host = self._host
        headers = {**headers, **host.headers}
        if host.zips and "gzip" in self.headers.get("Accept-Encoding", ""):
            body, headers["Content-Encoding"] = gzip.compress(body, 1), "gzip"
        chunked = host.chunks and body != b""
        headers["Transfer-Encoding" if chunked else "Content-Length"] = "chunked" if chunked else str(len(body))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if not chunked:
            self.wfile.write(body)
            return
        for start in range(0, len(body), _CHUNK):
            part = body[start : start + _CHUNK]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
        self.wfile.write(b"0\r\n\r\n")


class _Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128

    def handle_error(self, request: object, client_address: object) -> None:
        """Browsers leave when they like."""


@contextmanager
def static_host(site: Path, host: Host) -> Iterator[str]:
    """
    Serve a site as a host does.

    Parameters
    ----------
    site : Path
    host : Host

    Yields
    ------
    str
        The address of the site.
    """
    handler = functools.partial(_Handler, site=site, host=host)
    with answering(_Server(("127.0.0.1", 0), handler)) as address:
        yield address + urllib.parse.quote(host.path)
