"""Pages over one storage, and what lies in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.page.conftest import guarded
from tests.page.lab import Lab

MINE = "shards = 4  # mine"
OTHERS = "shards = 2  # the other tab's"


@contextmanager
def visit(browser: Browser, address: str) -> Iterator[tuple[Lab, list[str]]]:
    """A page in a window of its own, and what went wrong in it."""
    with browser.new_context() as context, guarded(context) as trouble:
        yield tab(context, address), trouble


def tab(context: BrowserContext, address: str) -> Lab:
    page = context.new_page()
    page.goto(address)
    return Lab(page)


def expect_bar(lab: Lab, words: str) -> None:
    expect(lab.page.locator("[data-edits-text]")).to_contain_text(words)


def stored(page: Page) -> dict[str, str]:
    found: dict[str, str] = page.evaluate("Object.fromEntries(Object.entries(localStorage).filter(([key]) => key.startsWith('replay-lab')))")
    return found


def key_of(page: Page) -> str:
    key: str = page.evaluate("`replay-lab ${new URL('.', location.href).pathname} edits`")
    return key


def edits_as_kept(source: str, published: str = "older", version: int = 1, cell: str = "constants", **more: Any) -> str:
    cells = {cell: {"published": published, "source": source, "savedAt": "2026-01-02T03:04:05.000Z", **more}}
    return json.dumps({"format": "replay-lab-edits", "version": version, "cells": cells})


def other_edits(lab: Lab) -> str:
    """What the page hands over of what it does not show."""
    with lab.page.expect_download() as download:
        lab.button("Download the other edits").click()
    return Path(download.value.path()).read_text(encoding="utf-8")
