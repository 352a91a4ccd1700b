"""What hosts read beside the site: our headers for those that take a file of them, and no Jekyll."""

from __future__ import annotations

from pathlib import Path

from build.offline import SERVICE_WORKER
from build.publish import write_text
from build.served_headers import ASK_EACH_TIME, FOR_EVER, HEADERS

HEADERS_FILE = "_headers"
NO_JEKYLL_FILE = ".nojekyll"


def write_host_files(site: Path) -> None:
    """
    Write `_headers`, for Netlify and Cloudflare Pages, and `.nojekyll`, for GitHub Pages.

    Parameters
    ----------
    site : Path
        The folder that holds index.html. GitHub would leave out every name that begins with `_`.
    """
    write_text(site / HEADERS_FILE, headers_text())
    write_text(site / NO_JEKYLL_FILE, "")


def headers_text() -> str:
    """Return the headers as Netlify and Cloudflare Pages read them; rules of several paths add up."""
    rules = {
        "/*": HEADERS,
        "/": {"Cache-Control": ASK_EACH_TIME},
        "/index.html": {"Cache-Control": ASK_EACH_TIME},
        f"/{SERVICE_WORKER}": {"Cache-Control": ASK_EACH_TIME},
        "/b/*": {"Cache-Control": FOR_EVER},
    }
    lines = [[path, *(f"  {name}: {value}" for name, value in rule.items())] for path, rule in rules.items()]
    return "\n".join(line for rule in lines for line in rule) + "\n"


def nginx_text() -> str:
    """Return the headers as nginx reads them, to be included in its `server` block."""
    headers = [f'add_header {name} "{value}" always;' for name, value in HEADERS.items()]
    return "\n".join(
        (
            "# Include this in the server block that serves the site, at any path. Written from",
            "# site/build/served_headers.py by `python -m tests.golden.update`. With a release of the site, add",
            "# `gzip_static on;` where this nginx knows it.",
            f'set $replay_lab_cache "{ASK_EACH_TIME}";',
            f'location ~ "/b/[0-9a-f]{{16}}/" {{ set $replay_lab_cache "{FOR_EVER}"; }}',
            "add_header Cache-Control $replay_lab_cache;",
            *headers,
            "",
        )
    )
