"""A server for the built site, for this machine only."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path

from build.errors import BuildError
from build.site_handler import SiteHandler

ADDRESS = "127.0.0.1"
DEFAULT_PORT = 8000
_PORTS_TO_TRY = 50


class SiteServer(ThreadingHTTPServer):
    """Keeps quiet about readers who leave in the middle of an answer."""

    request_queue_size = 128

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
    Serve until interrupted; to be asked to end is the same.

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
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            say(f"http://{ADDRESS}:{server.server_port}/")
            server.serve_forever()
        except KeyboardInterrupt:
            say("Stopped.")
        finally:
            signal.signal(signal.SIGTERM, before)
