"""A server for the built site, for this machine only."""

from __future__ import annotations

import re
import shutil
import sys
import urllib.parse
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path, PurePosixPath

from build.errors import BuildError

ADDRESS = "127.0.0.1"
DEFAULT_PORT = 8000
_PORTS_TO_TRY = 50

MIME_TYPES = {
    ".bundle": "application/octet-stream",
    ".css": "text/css; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ipynb": "application/x-ipynb+json",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".md": "text/plain; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".py": "text/x-python; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".whl": "application/zip",
    ".woff2": "font/woff2",
    ".zip": "application/zip",
}
_OTHER_TYPE = "application/octet-stream"
_LICENSE_TYPE = "text/plain; charset=utf-8"

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self' 'wasm-unsafe-eval'",
        "worker-src 'self' blob:",
        "connect-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob: data:",
        "font-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "object-src 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
# In the order of preference, with the suffix of the copy.
ENCODINGS = {"br": ".br", "gzip": ".gz"}
_IMMUTABLE = re.compile(r"^/b/[0-9a-f]{16}/")


def find_file(root: Path, target: str) -> Path | None:
    """
    Find the file that a request asks for.

    Parameters
    ----------
    root : Path
        The site; nothing outside it is ever found.
    target : str
        The request's target: a path, percent-encoded, perhaps with a query.

    Returns
    -------
    Path or None
        None when there is no such file; a folder has none, but the root has index.html.
    """
    path = urllib.parse.unquote(target.partition("?")[0])
    names = path.removeprefix("/").split("/")
    if path == "/":
        names = ["index.html"]
    if any(name in {"", ".", ".."} or re.search(r"[\\:\x00]", name) for name in names):
        return None
    whole_root = root.resolve()
    file = whole_root.joinpath(*names).resolve()
    return file if file.is_file() and file.is_relative_to(whole_root) else None


def smallest_form(file: Path, accepted: str) -> tuple[Path, str]:
    """
    Choose between a file and the compressed copies that a release puts beside it.

    Parameters
    ----------
    file : Path
        The file that is asked for.
    accepted : str
        The request's Accept-Encoding.

    Returns
    -------
    Path
        What to send.
    str
        Its Content-Encoding; empty for the file itself.
    """
    names = {
        part.partition(";")[0].strip()
        for part in accepted.split(",")
        if not re.search(r";\s*q=0(\.0*)?\s*$", part)
    }
    for encoding, suffix in ENCODINGS.items():
        packed = file.with_name(file.name + suffix)
        if encoding in names and packed.is_file():
            return packed, encoding
    return file, ""


def mime_type(address: str) -> str:
    """Return the type to send a file with, from our own table: systems differ in theirs."""
    if "/licenses/" in address:
        return _LICENSE_TYPE
    return MIME_TYPES.get(PurePosixPath(address).suffix, _OTHER_TYPE)


def cache_rule(target: str) -> str:
    """Return how long an answer may be kept: for ever under a build's digest, else ask each time."""
    return "public, max-age=31536000, immutable" if _IMMUTABLE.match(target) else "no-cache"


class SiteHandler(BaseHTTPRequestHandler):
    """Answers GET and HEAD with files of one folder."""

    protocol_version = "HTTP/1.1"
    server_version = "replay-lab"
    sys_version = ""
    timeout = 60

    def __init__(self, *arguments: object, root: Path) -> None:
        self._root = root
        super().__init__(*arguments)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """Send a file."""
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        """Send what GET would, without the file."""
        self._answer(with_body=False)

    def end_headers(self) -> None:
        """Every answer carries the policy, errors too."""
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing per request: the terminal keeps the address in sight."""

    def _answer(self, *, with_body: bool) -> None:
        file = find_file(self._root, self.path)
        if file is None:
            self.send_error(HTTPStatus.NOT_FOUND, "There is no such file in this site")
            return
        sent, encoding = smallest_form(file, self.headers.get("Accept-Encoding", ""))
        with sent.open("rb") as content:
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", mime_type(file.relative_to(self._root.resolve()).as_posix()))
            self.send_header("Content-Length", str(sent.stat().st_size))
            self.send_header("Vary", "Accept-Encoding")
            if encoding:
                self.send_header("Content-Encoding", encoding)
            self.send_header("Cache-Control", cache_rule(self.path))
            self.end_headers()
            if with_body:
                shutil.copyfileobj(content, self.wfile)


class SiteServer(ThreadingHTTPServer):
    """Keeps quiet about readers who leave in the middle of an answer."""

    def handle_error(self, request: object, client_address: object) -> None:
        """A closed connection is no news; anything else is."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


def open_server(root: Path, port: int | None) -> SiteServer:
    """
    Bind a server for a built site to this machine's own address.

    Parameters
    ----------
    root : Path
        The site.
    port : int or None
        Exactly this one, where 0 means any free one; None means the first free one from
        `DEFAULT_PORT` upwards.

    Returns
    -------
    SiteServer
        Listening, not yet answering; its `server_port` is the port it got.

    Raises
    ------
    BuildError
        The port is taken or not allowed.
    """
    handler = partial(SiteHandler, root=root)
    ports = range(DEFAULT_PORT, DEFAULT_PORT + _PORTS_TO_TRY) if port is None else (port,)
    for candidate in ports:
        try:
            return SiteServer((ADDRESS, candidate), handler)
        except (OSError, OverflowError) as error:
            refusal = error
    raise BuildError(
        f"port {port if port is not None else f'{ports[0]} to {ports[-1]}'} of {ADDRESS} cannot be "
        f"used: {refusal}; choose another with --port N, or leave --port out for the next free one"
    )


def serve(root: Path, port: int | None, say: Callable[[str], None]) -> None:
    """
    Serve until interrupted.

    Parameters
    ----------
    root, port
        As `open_server` takes them.
    say : callable
        Told the address as soon as it answers, alone on its line.
    """
    with open_server(root, port) as server:
        if port is None and server.server_port != DEFAULT_PORT:
            say(f"Port {DEFAULT_PORT} is taken; {server.server_port} is the next free one.")
        try:
            say(f"http://{ADDRESS}:{server.server_port}/")
            server.serve_forever()
        except KeyboardInterrupt:
            say("Stopped.")
