"""A WebKitGTK driven over W3C WebDriver, on a screen that nobody sees."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.browser_failures import BrowserFailedError

_SECONDS_TO_START = 20
_SECONDS_PER_COMMAND = 60
_CRASHED = "page crash or hang"


class WebKit:
    """
    One page of a running WebKitGTK.

    Attributes
    ----------
    downloads : Path
        The folder that receives what the page saves.
    errors : list of str
        Stays empty: this driver does not tell what the console says.
    failed : bool
        Whether the browser has ended by itself; then it answers nothing more.
    """

    def __init__(self, address: str, program: str, downloads: Path) -> None:
        self.downloads = downloads
        self.errors: list[str] = []
        self.failed = False
        self._address = address
        options = {"binary": program, "args": ["--automation"]}
        created = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}})
        self._session = f"/session/{created['sessionId']}"
        self._ask("POST", f"{self._session}/timeouts", {"script": _SECONDS_PER_COMMAND * 1000})

    def open(self, url: str) -> None:
        self._ask("POST", f"{self._session}/url", {"url": url})

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression, awaited, as JSON."""
        script = (
            "const done = arguments[arguments.length - 1];"
            f"(async () => JSON.stringify(await ({expression})))().then(done, (error) => done('!' + error));"
        )
        value = self._ask("POST", f"{self._session}/execute/async", {"script": script, "args": []})
        assert value is None or not value.startswith("!"), value
        return None if value is None else json.loads(value)

    def close(self) -> None:
        self._ask("DELETE", self._session)

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        request = urllib.request.Request(
            self._address + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )  # fmt: skip
        try:
            with urllib.request.urlopen(request, timeout=2 * _SECONDS_PER_COMMAND) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            reason = error.read().decode()
            self.failed = self.failed or _CRASHED in reason
            kind = BrowserFailedError if self.failed else AssertionError
            raise kind(f"{method} {path}: {reason}") from error


@contextmanager
def webkit(program: str) -> Iterator[WebKit]:
    """
    Run a WebKitGTK with a home of its own.

    Parameters
    ----------
    program : str
        The browser that the driver starts.

    Yields
    ------
    WebKit
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, _screen() as display:
        downloads = Path(folder, "downloads")
        config = Path(folder, ".config")
        downloads.mkdir()
        config.mkdir()
        Path(config, "user-dirs.dirs").write_text(f'XDG_DOWNLOAD_DIR="{downloads}"\n')
        variables = os.environ | {
            "DISPLAY": display, "HOME": folder, "XDG_CONFIG_HOME": str(config), "XDG_DATA_HOME": folder,
            "XDG_CACHE_HOME": folder, "NO_AT_BRIDGE": "1", "LIBGL_ALWAYS_SOFTWARE": "1",
        }  # fmt: skip
        port = _free_port()
        driver = subprocess.Popen(
            ["WebKitWebDriver", f"--port={port}"], env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            _wait_for(port)
            browser = WebKit(f"http://127.0.0.1:{port}", program, downloads)
            try:
                yield browser
            finally:
                with suppress(BrowserFailedError):
                    browser.close()
        finally:
            driver.terminate()
            driver.wait()


@contextmanager
def _screen() -> Iterator[str]:
    """The name of a screen in memory."""
    reading, writing = os.pipe()
    process = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x900x24", "-nolisten", "tcp"],
        pass_fds=(writing,), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(writing)
    try:
        with os.fdopen(reading) as number:
            yield f":{number.readline().strip()}"
    finally:
        process.terminate()
        process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + _SECONDS_TO_START
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            assert time.monotonic() < deadline, "WebKitWebDriver does not answer"
            time.sleep(0.05)
