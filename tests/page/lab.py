"""What a reader does with the page, by the names that a reader sees."""

from __future__ import annotations

import json
import re
import time
from typing import Any

from playwright.sync_api import Locator, Page, expect

# A text field has its value; the editor's lines stand in a shadow tree, which Playwright looks into.
_READ = """async (code) => "value" in code ? code.value
    : [...code.querySelectorAll(".cm-line")].map((line) => line.textContent).join("\\n")"""

BOOT_MS = 90_000
RUN_MS = 30_000


class Lab:
    """A page and the things on it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.status = page.get_by_role("status")

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def code(self, number: int) -> Locator:
        return self.page.get_by_role("textbox", name=f"Code of cell {number}", exact=True)

    def output(self, number: int) -> Locator:
        return self.page.get_by_role("region", name=f"Output of cell {number}", exact=True)

    def source(self, number: int) -> str:
        """The text of a cell's code, in the text field or in the editor."""
        text: str = self.code(number).evaluate(_READ)
        return text

    def expect_source(self, number: int, text: str) -> None:
        """Wait until a cell's code is this text."""
        self.code(number).evaluate(_READ)
        deadline = time.monotonic() + 5
        while self.source(number) != text and time.monotonic() < deadline:
            self.page.wait_for_timeout(20)
        assert self.source(number) == text

    def edit(self, number: int, old: str, new: str) -> None:
        """Replace a piece of a cell's code that occurs once."""
        source = self.source(number)
        assert source.count(old) == 1, f"{old!r} occurs {source.count(old)} times in {source!r}"
        self.code(number).fill(source.replace(old, new))

    def run_all(self) -> None:
        """Press Run all and wait until every cell has run."""
        self.button("Run all").click()
        self.expect_finished(3, timeout=BOOT_MS)

    def run(self, number: int, source: str | None = None) -> None:
        """Run a cell, perhaps with another text, and wait until it has ended somehow."""
        if source is not None:
            self.code(number).fill(source)
        self.button(f"Run cell {number}").click()
        ended = re.compile(rf"^Cell {number} (finished|failed|was stopped)")
        expect(self.status).to_have_text(ended, timeout=RUN_MS)

    def expect_finished(self, number: int, *, timeout: float = RUN_MS) -> None:
        expect(self.status).to_have_text(re.compile(rf"^Cell {number} finished"), timeout=timeout)

    def summary(self) -> dict[str, Any]:
        """The JSON that cell 2 shows."""
        text = self.output(2).locator("pre.stream").inner_text()
        summary: dict[str, Any] = json.loads(text)
        return summary

    def reset(self) -> None:
        """Bring back the published text of every cell."""
        for number in range(1, self.page.locator("[data-cell]").count() + 1):
            button = self.button(f"Reset cell {number}")
            if button.get_attribute("aria-disabled") is None:
                button.click()
                expect(button).to_be_disabled()
