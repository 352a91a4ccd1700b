"""Failures of a browser itself, after which a test is begun again with a new one."""

from __future__ import annotations

import pytest


class BrowserFailedError(Exception):
    """The browser itself has ended or stands still; a page without anything of ours makes it do so, too."""


# Nothing that the page does wrong is tried again. Seen: WebKitGTK's JavaScript library faults about once in a
# hundred boots on a busy machine; Firefox 153 does not come back from one in a hundred `new Worker` inside a worker.
AGAIN_WHEN_THE_BROWSER_FAILS = pytest.mark.flaky(reruns=5, only_rerun="BrowserFailedError")
