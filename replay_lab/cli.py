"""`python -m replay_lab`: the study on this machine, without a notebook."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from . import catalogue_commands, compare_command
from .config import StudyConfig
from .errors import ConfigError, FiguresUnavailable, ReplayLabError
from .figures import draw_figures
from .files import write_results
from .study import StudyEvent, run_study

PASSED, CHECK_FAILED, BAD_INPUT = 0, 1, 2

COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "catalogue": catalogue_commands.catalogue,
    "observers": catalogue_commands.observers,
    "sweep-digits": catalogue_commands.sweep,
    "compare": compare_command.main,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, or without one the study.

    The study returns 0 when all checks pass, 1 when one fails, 2 on bad input.
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given and given[0] in COMMANDS:
        return COMMANDS[given[0]](given[1:])
    return _study(given)


def _study(arguments: Sequence[str]) -> int:
    options = _parser().parse_args(arguments)
    try:
        config = StudyConfig.from_settings(options.set)
        folder = _writable_folder(options.out)
        results = run_study(config, on_event=_show_progress)
        write_results(results, folder)
    except (ReplayLabError, OSError) as error:
        print(f"replay_lab: {error}", file=sys.stderr)
        return BAD_INPUT
    print(results.summary_text())
    print()
    print(results.table().to_text())
    print()
    print(f"Study digest {results.study_digest}")
    try:
        draw_figures(results).write(folder)
    except FiguresUnavailable as error:
        print(f"replay_lab: no figures: {error}", file=sys.stderr)
    except OSError as error:
        print(f"replay_lab: {error}", file=sys.stderr)
        return BAD_INPUT
    for name, detail in results.failed_checks.items():
        print(f"replay_lab: check {name} failed: {detail}", file=sys.stderr)
    return CHECK_FAILED if results.failed_checks else PASSED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m replay_lab",
        description="Train, replay under controlled faults, compare every bit.",
        epilog=f"Other commands, each with its own --help: {', '.join(COMMANDS)}.",
    )
    parser.add_argument(
        "--out", default=".", metavar="DIR", help="where the files go (made if missing)"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="name=value",
        help="change a setting, for example --set shards=2; may be repeated",
    )
    return parser


def _writable_folder(text: str) -> Path:
    folder = Path(text)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError("--out", text, f"a folder that can be written ({error})") from error
    return folder


def _show_progress(event: StudyEvent) -> None:
    print(f"[{event.done + 1}/{event.total}] {event.running}", file=sys.stderr)
