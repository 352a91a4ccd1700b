"""A part of a file, as a Range header asks for it."""

from __future__ import annotations

import re

_ONE_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


class UnsatisfiableRangeError(Exception):
    """The file has no byte of what is asked for."""


def asked_range(header: str, size: int) -> range | None:
    """
    Read a Range header.

    Parameters
    ----------
    header : str
        Such as ``bytes=0-99``, ``bytes=100-`` or ``bytes=-100``.
    size : int
        Of the file, in bytes.

    Returns
    -------
    range or None
        The bytes to send; None where the whole file answers: there is no such header, it asks for
        several parts, or nobody can tell for what.

    Raises
    ------
    UnsatisfiableRangeError
        It begins behind the file's end, or asks for its last 0 bytes.
    """
    match = _ONE_RANGE.fullmatch(header.strip())
    if match is None or match[1] == match[2] == "":
        return None
    first, last = match[1], match[2]
    if first == "":
        part = range(max(size - int(last), 0), size)
    elif last != "" and int(last) < int(first):
        return None
    else:
        part = range(int(first), size if last == "" else min(int(last) + 1, size))
    if len(part) == 0:
        raise UnsatisfiableRangeError(f"{header} of {size} bytes")
    return part
