"""A Firefox driven over WebDriver BiDi, which it speaks without a driver."""

from __future__ import annotations

import itertools
import json
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import websocket

_SECONDS_TO_START = 60
_SECONDS_PER_COMMAND = 60
_ANNOUNCEMENT = "WebDriver BiDi listening on "
_SETTINGS = """\
user_pref("browser.download.folderList", 2);
user_pref("browser.download.dir", {downloads});
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("browser.aboutwelcome.enabled", false);
user_pref("app.update.auto", false);
"""


class Firefox:
    """
    One page of a running Firefox.

    Attributes
    ----------
    downloads : Path
        The folder that receives what the page saves.
    errors : list of str
        What the console reported as errors.
    failed : bool
        Whether a test found it standing still.
    """

    def __init__(self, address: str, downloads: Path) -> None:
        self.downloads = downloads
        self.errors: list[str] = []
        self.failed = False
        self._ids = itertools.count(1)
        self._socket = websocket.create_connection(f"{address}/session", timeout=_SECONDS_PER_COMMAND, suppress_origin=True)
        self._send("session.new", capabilities={})
        self._send("session.subscribe", events=["log.entryAdded"])
        self._context = self._send("browsingContext.getTree")["contexts"][0]["context"]

    def open(self, url: str) -> None:
        self._send("browsingContext.navigate", context=self._context, url=url, wait="complete")

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression, awaited, as JSON."""
        answer = self._send(
            "script.evaluate",
            expression=f"(async () => JSON.stringify(await ({expression})))()",
            target={"context": self._context}, awaitPromise=True,
        )  # fmt: skip
        assert answer["type"] == "success", answer
        value = answer["result"].get("value")
        return None if value is None else json.loads(value)

    def close(self) -> None:
        self._send("browser.close")
        self._socket.close()

    def _send(self, method: str, **parameters: Any) -> dict[str, Any]:
        number = next(self._ids)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv())
            if message.get("id") == number:
                assert message["type"] == "success", message
                result: dict[str, Any] = message["result"]
                return result
            if message.get("method") == "log.entryAdded" and message["params"]["level"] == "error":
                self.errors.append(str(message["params"]["text"]))


@contextmanager
def firefox(program: str, settings: str = "") -> Iterator[Firefox]:
    """
    Run a Firefox with a profile of its own.

    Parameters
    ----------
    program : str
    settings : str
        Further lines of the profile.

    Yields
    ------
    Firefox
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        downloads = Path(folder, "downloads")
        profile = Path(folder, "profile")
        downloads.mkdir()
        profile.mkdir()
        Path(profile, "user.js").write_text(_SETTINGS.format(downloads=json.dumps(str(downloads))) + settings)
        said = Path(folder, "said")
        with said.open("w") as stream:
            process = subprocess.Popen(
                [program, "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0", "about:blank"],
                stdout=subprocess.DEVNULL, stderr=stream,
            )  # fmt: skip
        try:
            browser = Firefox(_address(said), downloads)
            yield browser
            browser.close()
        finally:
            process.terminate()
            process.wait()


def _address(said: Path) -> str:
    """The address that Firefox announces where it writes its errors."""
    deadline = time.monotonic() + _SECONDS_TO_START
    while True:
        for line in said.read_text(errors="replace").splitlines():
            if line.startswith(_ANNOUNCEMENT):
                return line.removeprefix(_ANNOUNCEMENT).strip()
        assert time.monotonic() < deadline, "Firefox does not announce its address"
        time.sleep(0.05)
