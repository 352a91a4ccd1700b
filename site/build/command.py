"""The command line of build_wheel.py: build; serve if asked, and make faster boots meanwhile."""

from __future__ import annotations

import argparse
import multiprocessing
import signal
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from build.compress import compress_site
from build.errors import BuildError
from build.facts import BuildFacts
from build.folders import DIST, cache_folder
from build.prepared import BOOTS, SNAPSHOT
from build.progress import say
from build.publish import adding_to, replacing
from build.report import report
from build.serve import serve


class BuildSite(Protocol):
    """Builds the whole site into the folder that `publishing` gives."""

    def __call__(
        self, publishing: AbstractContextManager[Path], *, fastest: str, making: bool
    ) -> BuildFacts:
        """Build with boots up to `fastest`; without `making`, with those that are kept already."""


def main(build_site: BuildSite) -> int:
    """
    Read the command line and do what it says.

    Parameters
    ----------
    build_site : callable
        Does the building.

    Returns
    -------
    int
        The exit code.
    """
    options = _options()
    dist: Path = options.dist.absolute()
    try:
        # To serve soon, only what an earlier build has kept is taken; the rest follows.
        making = options.release or not options.serve
        facts = build_site(replacing(dist), fastest=options.boot, making=making)
        if options.release:
            compress_site(dist, cache_folder())
        print(report(options.dist, facts), flush=True)
        if options.serve:
            if options.boot not in facts.boots:
                _start_beside(_add_boots, build_site, dist, options.boot)
            serve(options.dist, options.port, lambda text: print(text, flush=True))
    except BuildError as error:
        print(f"build_wheel.py: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        place = f"{error.filename}: " if error.filename is not None else ""
        print(
            f"build_wheel.py: {place}{error.strerror or error}; what stood in {dist} is untouched; "
            "check that it can be written to and that there is room, or choose another place with --dist",
            file=sys.stderr,
        )  # fmt: skip
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Build the site into dist/ and, if asked, serve it.")
    parser.add_argument("--serve", action="store_true", help="then serve it on this machine")
    parser.add_argument("--port", type=int, help="of the server; by default the first free one")
    parser.add_argument("--dist", type=Path, default=DIST, help="where to write it instead")
    parser.add_argument(
        "--boot", choices=BOOTS, default=SNAPSHOT,
        help="the fastest way to start Python that the site gets; by default snapshot, with all others",
    )  # fmt: skip
    parser.add_argument(
        "--release", action="store_true",
        help="put .br and .gz beside every file that gets smaller by it: minutes, the first time",
    )  # fmt: skip
    options = parser.parse_args()
    if options.port is not None and not options.serve:
        parser.error("--port has no effect without --serve")
    return options


def _start_beside(work: Callable[..., None], *arguments: object) -> None:
    """Run in a process of its own, which is interrupted when this one ends and is waited for then."""
    # A fork is at work at once: nothing is left undone by an interrupt in between.
    if "fork" in multiprocessing.get_all_start_methods():
        multiprocessing.set_start_method("fork", force=True)
    multiprocessing.Process(target=work, args=arguments, daemon=True).start()


def _interrupt_once(*_: object) -> None:
    """What is tidied up then is not interrupted again."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    raise KeyboardInterrupt


def _add_boots(build_site: BuildSite, dist: Path, boot: str) -> None:
    """Publish the same again with faster boots, beside what is being served; to be interrupted is no fault."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt_once)
    try:
        facts = build_site(adding_to(dist), fastest=boot, making=True)
    except (BuildError, OSError) as error:
        say(f"Python goes on starting as it does: {error}")
        return
    except KeyboardInterrupt:
        return
    if facts.boots[0] == boot:
        say("Python starts faster from the next load of the page on.")
