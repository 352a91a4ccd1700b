"""Another origin: a server that remembers every connection and answers whatever is asked, so that nothing fails for want of it."""

from __future__ import annotations

import http.server
from collections.abc import Iterator
from contextlib import contextmanager

from tests.site_server import answering


class OtherOrigin:
    """
    What has been heard from readers.

    Attributes
    ----------
    address : str
        Of the origin, without a slash at its end.
    heard : list of str
        One entry for each connection, and one for each request on it.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self.heard: list[str] = []


@contextmanager
def other_origin() -> Iterator[OtherOrigin]:
    """
    Run it.

    Yields
    ------
    OtherOrigin
    """

    class Handler(http.server.BaseHTTPRequestHandler):
        def setup(self) -> None:
            origin.heard.append("connection")
            super().setup()

        def do_GET(self) -> None:
            origin.heard.append(f"{self.command} {self.path}")
            body = b"self.reached = true; export default 1;"
            self.send_response(200)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Cross-Origin-Resource-Policy", "cross-origin")
            self.send_header("Content-Type", "text/javascript")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_OPTIONS = do_HEAD = do_GET

        def log_message(self, format: str, *arguments: object) -> None:
            """Quiet."""

    with answering(http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as address:
        origin = OtherOrigin(address.removesuffix("/"))
        yield origin
