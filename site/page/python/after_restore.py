"""What a Python restored from a snapshot must not share with every other one."""

from __future__ import annotations

import importlib
import os
import random
import struct
import sys
import time


def renew(january_offset: int, july_offset: int) -> None:
    """
    Give this Python its own random numbers and its own time zone.

    Parameters
    ----------
    january_offset, july_offset : int
        Minutes from this place's time to UTC, as JavaScript tells them, in winter and in summer.
    """
    random.seed()
    # As many bits as it takes by itself, which takes it longer.
    sys.modules["numpy"].random.seed(list(struct.unpack("<4I", os.urandom(16))))
    standard, summer = max(january_offset, july_offset), min(january_offset, july_offset)
    time.timezone, time.altzone = standard * 60, summer * 60
    time.daylight = int(january_offset != july_offset)
    time.tzname = (_name(standard), _name(summer))
    importlib.invalidate_caches()


def _name(offset: int) -> str:
    """As the C library of this runtime calls a zone."""
    return f"UTC{'-' if offset >= 0 else '+'}{abs(offset) // 60:02}{abs(offset) % 60:02}"
