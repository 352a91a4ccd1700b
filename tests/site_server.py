"""The site served: by the real command, and by a plain host that knows nothing of it."""

from __future__ import annotations

import functools
import http.server
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from build.environment import clean_variables
from build.folders import ROOT

_SECONDS_TO_STOP = 10


@contextmanager
def serving(dist: Path, *options: str) -> Iterator[str]:
    """
    Run `build_wheel.py --serve` on a free port.

    Parameters
    ----------
    dist : Path
        Where the site is built; it is built again, which takes seconds.
    *options : str
        Further options of the command.

    Yields
    ------
    str
        The address that the command prints. The server ends as by Ctrl-C when the block ends.
    """
    command = [sys.executable, str(ROOT / "build_wheel.py"), "--dist", str(dist)]
    server = subprocess.Popen(
        [*command, "--serve", "--port", "0", *options],
        env=clean_variables(), stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with server:
        try:
            assert server.stdout is not None
            yield next(line.strip() for line in server.stdout if line.startswith("http://"))
        finally:
            server.send_signal(signal.SIGINT)
            try:
                server.wait(timeout=_SECONDS_TO_STOP)
            except subprocess.TimeoutExpired:
                server.kill()


@contextmanager
def serving_as_is(site: Path, port: int = 0) -> Iterator[str]:
    """
    Run the real server over a built site in a process of its own, without building it again.

    Parameters
    ----------
    site : Path
    port : int
        Of an earlier server, to follow it; 0 takes any free one.

    Yields
    ------
    str
        The address. When the block ends the process is gone.
    """
    program = "import sys, pathlib; from build.serve import serve; serve(pathlib.Path(sys.argv[1]), int(sys.argv[2]), lambda text: print(text, flush=True))"
    variables = clean_variables() | {"PYTHONPATH": str(ROOT / "site")}
    server = subprocess.Popen([sys.executable, "-c", program, str(site), str(port)], env=variables, stdout=subprocess.PIPE, text=True)
    with server:
        try:
            assert server.stdout is not None
            yield next(line.strip() for line in server.stdout if line.startswith("http://"))
        finally:
            server.kill()


@contextmanager
def answering(server: http.server.ThreadingHTTPServer) -> Iterator[str]:
    """
    Let a server answer for as long as the block runs, then close it.

    Parameters
    ----------
    server : ThreadingHTTPServer
        Bound to a port of this machine.

    Yields
    ------
    str
        Its address, ending in a slash.
    """
    with server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


class PlainHandler(http.server.SimpleHTTPRequestHandler):
    """What any static host does: files and their types, no headers of ours."""

    extensions_map = {
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".wasm": "application/wasm",
    }

    def log_message(self, format: str, *arguments: object) -> None:
        """Quiet."""


@contextmanager
def hosted(folder: Path) -> Iterator[str]:
    """
    Serve a folder as a plain static host would.

    Parameters
    ----------
    folder : Path
        Put a site into a folder below it to try it under a path prefix.

    Yields
    ------
    str
        The address of the folder, ending in a slash.
    """
    handler = functools.partial(PlainHandler, directory=str(folder))
    with answering(http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)) as address:
        yield address
