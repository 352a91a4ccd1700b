"""A real Chromium over the real server, and one page in which Python has been started once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page

from tests.page.lab import Lab

Opener = Callable[..., Page]


@contextmanager
def guarded(context: BrowserContext) -> Iterator[list[str]]:
    """Collect what no page may do: console errors, uncaught exceptions, requests to elsewhere."""
    trouble: list[str] = []

    def hear(said: ConsoleMessage) -> None:
        if said.type == "error":
            trouble.append(f"console: {said.text}")

    def watch(page: Page) -> None:
        page.on("console", hear)
        page.on("pageerror", lambda error: trouble.append(f"exception: {error}"))

    def check_origin(url: str) -> None:
        if not url.startswith(("http://127.0.0.1:", "blob:http://127.0.0.1:", "data:", "file:")):
            trouble.append(f"request to elsewhere: {url}")

    context.on("page", watch)
    context.on("request", lambda request: check_origin(request.url))
    yield trouble


@pytest.fixture
def open_page(browser: Browser, site_url: str) -> Iterator[Opener]:
    """A function that opens the page in a context of its own; options are Playwright's."""
    contexts: list[BrowserContext] = []
    troubles: list[list[str]] = []

    def open_one(url: str = site_url, **options: Any) -> Page:
        context = browser.new_context(**options)
        contexts.append(context)
        with guarded(context) as trouble:
            troubles.append(trouble)
        page = context.new_page()
        page.goto(url)
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert troubles and not any(troubles), troubles


@pytest.fixture(scope="session")
def booted(browser: Browser, site_url: str) -> Iterator[tuple[Lab, list[str]]]:
    """The page after one Run all."""
    context = browser.new_context()
    with guarded(context) as trouble:
        lab = Lab(context.new_page())
        lab.page.goto(site_url)
        lab.run_all()
        yield lab, trouble
    context.close()


@pytest.fixture
def lab(booted: tuple[Lab, list[str]]) -> Iterator[Lab]:
    """The booted page with the published text in every cell."""
    shared, trouble = booted
    shared.reset()
    yield shared
    assert not trouble, trouble
