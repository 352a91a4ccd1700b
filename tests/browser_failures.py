"""Failures of a browser itself, after which a test is begun again with a new one."""

from __future__ import annotations

import pytest


class BrowserFailedError(Exception):
    """The browser itself has ended or stands still."""


def again_when_the_browser_fails(reruns: int) -> pytest.MarkDecorator:
    """Begin a test again so many times at most; nothing that the page does wrong is tried again."""
    return pytest.mark.flaky(reruns=reruns, only_rerun="BrowserFailedError")


# Seen about once in a hundred boots on a busy machine: a fault in WebKitGTK's own JavaScript library.
AGAIN_WHEN_THE_BROWSER_FAILS = again_when_the_browser_fails(2)
