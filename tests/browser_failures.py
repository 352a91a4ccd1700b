"""Failures of a browser itself, after which a test is begun again with a new one."""

from __future__ import annotations

import pytest


class BrowserFailedError(Exception):
    """The browser itself has ended or stands still."""


# Nothing that the page does wrong is tried again. Seen: a fault in WebKitGTK's JavaScript library, about once in a
# hundred boots on a busy machine; Firefox 153 does not come back from one in a hundred `new Worker` inside a worker,
# on a page of ten lines, too.
AGAIN_WHEN_THE_BROWSER_FAILS = pytest.mark.flaky(reruns=5, only_rerun="BrowserFailedError")
