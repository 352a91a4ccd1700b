"""A real nginx over a folder, set up as site/nginx.conf says."""

from __future__ import annotations

import getpass
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from build.folders import NGINX

_SECONDS_TO_START = 20
_CONFIGURATION = """\
daemon off;
user {user};
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
events {{}}
http {{
    include /etc/nginx/mime.types;
    default_type application/octet-stream;
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        root {site};
        {lines}
    }}
}}
"""


@contextmanager
def nginx(folder: Path, site: Path, lines: str = f"include {NGINX};") -> Iterator[str]:
    """
    Run the nginx of this system.

    Parameters
    ----------
    folder : Path
        Gets its files.
    site : Path
        The folder to serve.
    lines : str
        Of the server block.

    Yields
    ------
    str
        The address of the folder, ending in a slash.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    configuration = folder / "nginx.conf"
    configuration.write_text(
        _CONFIGURATION.format(user=getpass.getuser(), folder=folder, port=port, site=site, lines=lines)
    )
    process = subprocess.Popen(["nginx", "-c", str(configuration), "-e", f"{folder}/nginx.log"], stderr=subprocess.DEVNULL)
    try:
        address = f"http://127.0.0.1:{port}/"
        _wait_for(address, process, folder / "nginx.log")
        yield address
    finally:
        process.terminate()
        process.wait()


def _wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _SECONDS_TO_START
    while True:
        assert process.poll() is None and time.monotonic() < deadline, log.read_text()
        try:
            urllib.request.urlopen(address, timeout=1).close()
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.05)
        else:
            return
