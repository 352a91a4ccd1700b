"""What stops a build, said so that a person can act on it."""

from __future__ import annotations


class BuildError(Exception):
    """A build cannot go on; the message says what was expected, what was found and what to do."""
