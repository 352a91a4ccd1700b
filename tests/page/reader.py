"""What a reader does with the page in any browser that can evaluate an expression."""

from __future__ import annotations

import json
import time
from typing import Any

BOOT_S = 120
RUN_S = 30


class Reader:
    """What a reader does, by the names on the page; both drivers only evaluate expressions."""

    def __init__(self, browser: Any) -> None:
        self.browser = browser

    def press(self, name: str) -> None:
        self.browser.evaluate(f"{self._named(name)}.click()")

    def press_and_leave(self, name: str) -> None:
        """Press what leaves the page: the driver is answered first, or it would wait for the page that is gone."""
        self.browser.evaluate(f"void setTimeout(() => {self._named(name)}.click(), 100)")

    def _named(self, name: str) -> str:
        """A button or link by its accessible name, as an expression."""
        return f"""[...document.querySelectorAll("button, a")]
            .find((each) => (each.getAttribute("aria-label") ?? each.textContent) === {json.dumps(name)})"""

    def type(self, number: int, source: str) -> None:
        self.browser.evaluate(
            f"""(() => {{
                const field = document.querySelector("[aria-label='Code of cell {number}']");
                field.value = {json.dumps(source)};
                field.dispatchEvent(new Event("input", {{ bubbles: true }}));
            }})()"""
        )

    def text(self, selector: str) -> str:
        text: str = self.browser.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")
        return text

    def wait_until(self, expression: str, seconds: float = RUN_S) -> None:
        deadline = time.monotonic() + seconds
        while not self.browser.evaluate(expression):
            assert time.monotonic() < deadline, f"still not true: {expression}"
            time.sleep(0.1)

    def wait_through_navigation(self, expression: str, seconds: float = RUN_S) -> None:
        """The same where the page is just being left: what asks it then may get an error of the driver's own kind."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                if self.browser.evaluate(expression):
                    return
            except Exception:
                if time.monotonic() > deadline:
                    raise
            assert time.monotonic() < deadline, f"still not true: {expression}"
            time.sleep(0.1)

    def wait(self, selector: str, beginning: str, seconds: float = RUN_S) -> str:
        """The text of an element once it begins so."""
        deadline = time.monotonic() + seconds
        while not (text := self.text(selector)).startswith(beginning):
            assert time.monotonic() < deadline, f"{selector} reads {text!r}, waiting for {beginning!r}"
            time.sleep(0.1)
        return text

    def run_all(self) -> None:
        # A driver may return before the page's scripts have run.
        self.wait_until("'scripts' in document.documentElement.dataset")
        self.press("Run all")
        self.wait("[role=status]", "Cell 3 finished", BOOT_S)

    def output(self, number: int) -> str:
        return f"[aria-label='Output of cell {number}']"
