"""The site's own server, with faults in chosen answers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path

from build.serve import SiteServer
from build.served_files import find_file
from build.site_handler import SiteHandler
from tests.site_server import answering

Fault = Callable[["FaultyHandler", bytes], None]
Plan = Callable[[str, int], Fault | None]
"""From a request's path, and how often it has been asked for, to what is done instead of answering."""


class FaultyHandler(SiteHandler):
    """Asks the plan before each answer."""

    def __init__(self, *arguments: object, root: Path, plan: Plan, asked: list[str]) -> None:
        self._plan, self._asked = plan, asked
        super().__init__(*arguments, root=root)

    def do_GET(self) -> None:
        self._asked.append(self.path)
        fault = self._plan(self.path, self._asked.count(self.path))
        file = find_file(self._root, self.path)
        if fault is None or file is None:
            return super().do_GET()
        self.close_connection = True
        fault(self, file.read_bytes())

    def begin(self, status: HTTPStatus, size: int, type_: str = "application/octet-stream") -> None:
        """Send the head of an answer."""
        self.send_response(status)
        self.send_header("Content-Type", type_)
        self.send_header("Content-Length", str(size))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()


def cut(handler: FaultyHandler, content: bytes) -> None:
    """End the connection in the middle."""
    handler.begin(HTTPStatus.OK, len(content))
    handler.wfile.write(content[: len(content) // 2])


def shorten(handler: FaultyHandler, content: bytes) -> None:
    """Send half as if it were all."""
    half = content[: len(content) // 2]
    handler.begin(HTTPStatus.OK, len(half))
    handler.wfile.write(half)


def change_one_byte(handler: FaultyHandler, content: bytes) -> None:
    """Send all, one bit of it wrong."""
    changed = bytearray(content)
    changed[len(changed) // 2] ^= 1
    handler.begin(HTTPStatus.OK, len(changed))
    handler.wfile.write(changed)


def send_page(handler: FaultyHandler, content: bytes) -> None:
    """Answer with a page, as some hosts do for what they miss."""
    page = b"<!doctype html><title>Welcome</title>"
    handler.begin(HTTPStatus.OK, len(page), "text/html")
    handler.wfile.write(page)


def reset(handler: FaultyHandler, content: bytes) -> None:
    """Close without a word."""


def stall(handler: FaultyHandler, content: bytes) -> None:
    """Begin, then send nothing more until the reader leaves."""
    handler.begin(HTTPStatus.OK, len(content))
    handler.wfile.write(content[:1000])
    handler.connection.settimeout(60)
    try:
        handler.connection.recv(1)
    except OSError:
        return


def refuse(status: HTTPStatus) -> Fault:
    """Answer with a status and no file."""

    def answer(handler: FaultyHandler, content: bytes) -> None:
        handler.begin(status, 0)

    return answer


@contextmanager
def faulty(root: Path, plan: Plan) -> Iterator[tuple[str, list[str]]]:
    """
    Serve a site with faults.

    Parameters
    ----------
    root : Path
        The site.
    plan : callable
        Says which answers are faulty, and how.

    Yields
    ------
    str
        The address, ending in a slash.
    list of str
        The paths asked for so far; it goes on growing.
    """
    asked: list[str] = []
    handler = functools.partial(FaultyHandler, root=root, plan=plan, asked=asked)
    with answering(SiteServer(("127.0.0.1", 0), handler)) as address:
        yield address, asked
