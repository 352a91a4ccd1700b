"""Where a study ran; described, never consulted by the arithmetic."""

from __future__ import annotations

import platform
import sys

import numpy as np

from . import __version__


def describe_environment() -> dict[str, str]:
    """Return versions and host as texts; no path, no user, no time."""
    return {
        "replay_lab": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "host": "browser" if sys.platform == "emscripten" else "native",
        "system": platform.system(),
        "machine": platform.machine(),
    }
