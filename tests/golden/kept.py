"""What long runs keep for the README."""

from __future__ import annotations

from pathlib import Path

BOOTS_FILE = Path(__file__).with_name("boots.json")
"""Of `python -m tests.benchmarks boots --save`."""
FAULTS_FILE = Path(__file__).with_name("faults.json")
"""Of `python -m tests faults`, or of its parts one after the other: the last time that each fault was got over."""
