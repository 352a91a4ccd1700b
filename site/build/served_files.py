"""Which file of the site answers a request, in which form, of which type."""

from __future__ import annotations

import hashlib
import os
import re
import urllib.parse
from io import BufferedReader
from pathlib import Path, PurePosixPath

MIME_TYPES = {
    ".bundle": "application/octet-stream",
    ".css": "text/css; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ipynb": "application/x-ipynb+json",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".md": "text/plain; charset=utf-8",
    ".png": "image/png",
    ".py": "text/x-python; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".whl": "application/zip",
    ".woff2": "font/woff2",
    ".zip": "application/zip",
}
_OTHER_TYPE = "application/octet-stream"
_LICENSE_TYPE = "text/plain; charset=utf-8"
# In the order of preference, with the suffix of the copy.
ENCODINGS = {"br": ".br", "gzip": ".gz"}
_TAG_DIGITS = 32
_tags: dict[tuple[int, ...], str] = {}


def find_file(root: Path, target: str) -> Path | None:
    """
    Find the file that a request asks for.

    Parameters
    ----------
    root : Path
        The site; nothing outside it is ever found.
    target : str
        The request's target: a path, percent-encoded, perhaps with a query.

    Returns
    -------
    Path or None
        None when there is no such file; a folder has none, but the root has index.html. Hidden
        files are for hosts, not for readers.
    """
    path = urllib.parse.unquote(target.partition("?")[0])
    names = path.removeprefix("/").split("/")
    if path == "/":
        names = ["index.html"]
    if any(name == "" or re.search(r"^\.|[\\:\x00]", name) for name in names):
        return None
    try:
        whole_root = root.resolve()
        file = whole_root.joinpath(*names).resolve()
        return file if file.is_relative_to(whole_root) and file.is_file() else None
    except (OSError, RuntimeError):
        # No name that a file system takes: too long, or a link to itself.
        return None


def smallest_form(file: Path, accepted: str) -> tuple[Path, str]:
    """
    Choose between a file and the compressed copies that a release puts beside it.

    Parameters
    ----------
    file : Path
        The file that is asked for.
    accepted : str
        The request's Accept-Encoding.

    Returns
    -------
    Path
        What to send.
    str
        Its Content-Encoding; empty for the file itself.
    """
    names = {
        part.partition(";")[0].strip()
        for part in accepted.split(",")
        if not re.search(r";\s*q=0(\.0*)?\s*$", part)
    }
    for encoding, suffix in ENCODINGS.items():
        packed = file.with_name(file.name + suffix)
        if encoding in names and packed.is_file():
            return packed, encoding
    return file, ""


def mime_type(address: str) -> str:
    """Return the type to send a file with, from our own table: systems differ in theirs."""
    if "/licenses/" in address:
        return _LICENSE_TYPE
    return MIME_TYPES.get(PurePosixPath(address).suffix, _OTHER_TYPE)


def content_tag(content: BufferedReader) -> str:
    """
    Name the content of a file, for readers who have it already.

    Parameters
    ----------
    content : file
        Open, at its beginning; it is read whole once, and again only when it has changed.

    Returns
    -------
    str
        An entity tag, quoted.
    """
    status = os.fstat(content.fileno())
    version = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
    if version not in _tags:
        _tags[version] = f'"{hashlib.file_digest(content, "sha256").hexdigest()[:_TAG_DIGITS]}"'
        content.seek(0)
    return _tags[version]
