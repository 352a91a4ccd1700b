"""Answers one reader: files of one folder, whole, in part, or not again."""

from __future__ import annotations

import os
import re
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from io import BufferedReader
from pathlib import Path

from build.byte_range import UnsatisfiableRangeError, asked_range
from build.served_files import content_tag, find_file, mime_type, smallest_form
from build.served_headers import HEADERS, cache_rule

_SPEAKS = re.compile(rb".* HTTP/1\.[01]\r?\n")
_OTHER_VERSION = re.compile(rb".* HTTP/\d+(\.\d+)?\r?\n")
# A name that anybody can point to this machine would let another site read along under that name.
_OWN_NAME = re.compile(r"(127\.0\.0\.1|\[::1\]|([a-z0-9-]+\.)*localhost)(:\d+)?", re.IGNORECASE)


class SiteHandler(BaseHTTPRequestHandler):
    """Answers GET and HEAD with files of one folder."""

    protocol_version = "HTTP/1.1"
    # Errors, too, are told in full to whoever sends no version.
    default_request_version = "HTTP/1.1"
    server_version = "replay-lab"
    sys_version = ""
    timeout = 60
    # The head of an answer travels alone; what follows must not wait for the reader to have it.
    disable_nagle_algorithm = True
    raw_requestline: bytes

    def __init__(self, *arguments: object, root: Path) -> None:
        self._root = root
        super().__init__(*arguments)  # type: ignore[arg-type]

    def parse_request(self) -> bool:
        """Read the head of a request; what is no HTTP/1 is refused without waiting for more of it."""
        if _SPEAKS.fullmatch(self.raw_requestline):
            return super().parse_request()
        self.command, self.requestline, self.request_version = "", "", self.default_request_version
        other = _OTHER_VERSION.fullmatch(self.raw_requestline)
        self.send_error(HTTPStatus.HTTP_VERSION_NOT_SUPPORTED if other else HTTPStatus.BAD_REQUEST)
        return False

    def do_GET(self) -> None:
        """Send a file, or the part of it that is asked for."""
        self._answer()

    def do_HEAD(self) -> None:
        """Send what GET would, without the file."""
        self._answer()

    def _refuse_method(self) -> None:
        """The site is only read."""
        self._refuse(HTTPStatus.METHOD_NOT_ALLOWED, "This site is only read, with GET.", Allow="GET, HEAD", Connection="close")

    do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = do_TRACE = do_CONNECT = _refuse_method

    def end_headers(self) -> None:
        """Every answer carries the policy, errors too."""
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing per request: the terminal keeps the address in sight."""

    def _answer(self) -> None:
        host = self.headers.get("Host")
        if "Transfer-Encoding" in self.headers or self.headers.get("Content-Length", "0") != "0":
            # What a request carries is not read, so nothing can be read after it.
            self.close_connection = True
        if host is None and self.request_version != "HTTP/1.0":
            return self._refuse(HTTPStatus.BAD_REQUEST, "A request needs a Host header.")
        if host is not None and not _OWN_NAME.fullmatch(host):
            here = f"http://127.0.0.1:{self.connection.getsockname()[1]}/"
            return self._refuse(HTTPStatus.MISDIRECTED_REQUEST, f"This server answers under its own name only: open {here}")
        file = find_file(self._root, self.path)
        if file is None:
            return self._refuse_missing()
        part_asked = self.headers.get("Range", "") if self.command == "GET" else ""
        # A part is one of the file itself, whichever form a reader has had before.
        accepted = "" if part_asked else self.headers.get("Accept-Encoding", "")
        sent, encoding = smallest_form(file, accepted)
        try:
            content = sent.open("rb")
        except OSError:
            # Not readable, or gone since: the site has just been built anew.
            return self._refuse_missing()
        with content:
            self._send(content, mime_type(file.relative_to(self._root.resolve()).as_posix()), encoding, part_asked)

    def _send(self, content: BufferedReader, type_: str, encoding: str, part_asked: str) -> None:
        """Answer with an open file."""
        tag, size = content_tag(content), os.fstat(content.fileno()).st_size
        known = _has(self.headers.get("If-None-Match", ""), tag)
        if known or self.headers.get("If-Range", tag) != tag:
            part_asked = ""
        try:
            part = asked_range(part_asked, size)
        except UnsatisfiableRangeError:
            return self._refuse(
                HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, f"This file has {size} bytes.", **{"Content-Range": f"bytes */{size}"}
            )
        status = HTTPStatus.NOT_MODIFIED if known else HTTPStatus.OK if part is None else HTTPStatus.PARTIAL_CONTENT
        part = range(size) if part is None else part
        self.send_response(status)
        self.send_header("ETag", tag)
        self.send_header("Vary", "Accept-Encoding")
        self.send_header("Cache-Control", cache_rule(self.path))
        if not known:
            self.send_header("Content-Type", type_)
            self.send_header("Content-Length", str(len(part)))
            self.send_header("Accept-Ranges", "bytes")
        if encoding:
            self.send_header("Content-Encoding", encoding)
        if status == HTTPStatus.PARTIAL_CONTENT:
            self.send_header("Content-Range", f"bytes {part.start}-{part.stop - 1}/{size}")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if not known and len(part) > 0 and self.command == "GET":
            # By the system where it can, without copying; a file that has become shorter meanwhile cannot be completed.
            went = self.connection.sendfile(content, part.start, len(part))
            self.close_connection = self.close_connection or went != len(part)

    def _refuse_missing(self) -> None:
        self._refuse(HTTPStatus.NOT_FOUND, "There is no such file in this site.")

    def _refuse(self, status: HTTPStatus, sentence: str, **headers: str) -> None:
        """Answer with a sentence instead of a file."""
        body = f"{sentence}\n".encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def _has(known: str, tag: str) -> bool:
    """Whether an If-None-Match header names a tag."""
    return known.strip() == "*" or tag in {each.strip().removeprefix("W/") for each in known.split(",")}
