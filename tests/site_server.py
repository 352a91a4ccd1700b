"""The real server over the real site, as a reader starts it."""

from __future__ import annotations

import signal
import subprocess
import sys
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
