"""Compressed copies beside the files of a site, for hosts that send them as they are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from build.environment import clean_variables, make_environment
from build.errors import BuildError

RELEASE_REQUIREMENTS = ("brotli==1.2.1",)
_SCRIPT = Path(__file__).with_name("compress_files.py")


def compress_site(site: Path, cache: Path) -> None:
    """
    Put `.br` and `.gz` beside every file that gets smaller by it.

    Parameters
    ----------
    site : Path
        The built site.
    cache : Path
        The cache folder. What was compressed once is kept there under the hash of its content:
        Brotli at its best level takes minutes for everything.

    Raises
    ------
    BuildError
        The environment for it cannot be made, or a file cannot be compressed.
    """
    python = make_environment("release", RELEASE_REQUIREMENTS, cache)
    done = subprocess.run(
        [str(python), "-P", str(_SCRIPT), str(site), str(cache / "compressed")],
        env=clean_variables(),
        stdout=sys.stderr,
        check=False,
    )
    if done.returncode != 0:
        raise BuildError(f"the site could not be compressed (exit {done.returncode}, see above)")
