"""
Run the tests: `python -m tests` all of them, `python -m tests NAME …` some.

A NAME is a folder or a file below tests/, such as `unit`, `page` or `build/test_serve.py`. Needs
Python 3.11 or newer; makes its own environment, finds or gets a Chromium, builds the wheel and
the site, and tests the wheel as installed. The last line on standard output is
`N passed in T s`; the exit code is 0 only when every test passed.
"""

import sys

if sys.version_info < (3, 11):
    sys.exit("The tests need Python 3.11 or newer, this is " + sys.version.split()[0])

import argparse
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "site"), str(ROOT)]

from build.environment import BUILD_REQUIREMENTS, clean_variables, make_environment
from build.errors import BuildError
from build.folders import cache_folder
from build.progress import say
from build.source_date import read_source_date
from build.wheel import build_wheel
from tests.browser import find_chromium
from tests.golden.kept import FAULTS_FILE
from tests.other_browsers import find_other_browsers
from tests.outcome import read_outcome

TEST_REQUIREMENTS = (
    *BUILD_REQUIREMENTS,
    "axe-playwright-python==0.1.8",
    "hypothesis==6.170.17",
    "ipykernel==7.4.0",
    "mypy==2.4.1",
    "nbclient==0.11.0",
    "nbformat==5.11.1",
    "playwright==1.65.2",
    "pytest==9.2.0",
    "pytest-rerunfailures==16.7",
    "websocket-client==1.9.2",
)
NEED_SITE = ("build", "faults", "notebook", "page")
NEED_BROWSER = ("faults", "page")
NEED_OTHER_BROWSERS = ("faults", "page/test_other_browsers.py", "page/test_boots_elsewhere.py", "page/test_offline_elsewhere.py")


def chosen_paths(names: Sequence[str]) -> list[Path]:
    """Return what to run; no names mean everything."""
    folder = ROOT / "tests"
    paths = [folder / name.removeprefix("tests/") for name in names] or [folder]
    for path in paths:
        if not path.exists():
            parts = sorted(p.name for p in folder.iterdir() if p.is_dir() and any(p.glob("test_*.py")))
            raise BuildError(f"there is no {path}; the parts are {', '.join(parts)}")
    return paths


def needs(paths: Sequence[Path], parts: Sequence[str]) -> bool:
    """Whether any of the paths touches one of these parts."""
    folders = [ROOT / "tests" / part for part in parts]
    return any(
        path.is_relative_to(folder) or folder.is_relative_to(path)
        for path in paths
        for folder in folders
    )


def run_tests(paths: Sequence[Path], run_folder: Path) -> int:
    """Prepare, run pytest, return its exit code."""
    python = make_environment("tests", TEST_REQUIREMENTS, cache_folder())
    library = run_folder / "site-packages"
    wheel = build_wheel(python, ROOT, run_folder / "wheel", read_source_date(ROOT).epoch)
    run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps",
         "--no-index", "--target", library, wheel])  # fmt: skip
    variables = {
        "PYTHONPATH": str(library),
        "PYTHONSAFEPATH": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "MPLBACKEND": "agg",
        "MPLCONFIGDIR": str(cache_folder() / "matplotlib"),
        "JUPYTER_PLATFORM_DIRS": "1",
        "REPLAY_LAB_WHEEL": str(wheel),
    }
    if ROOT / "tests" not in paths:
        # Whoever names a part wants all of it; the whole run takes some cases of each kind of fault.
        variables["REPLAY_LAB_FAULTS"] = "all"
    if all(path.is_relative_to(ROOT / "tests" / "faults") for path in paths):
        variables["REPLAY_LAB_FAULT_TABLE"] = str(FAULTS_FILE)
    if needs(paths, NEED_SITE):
        variables["REPLAY_LAB_DIST"] = str(run_folder / "dist")
        run([sys.executable, ROOT / "build_wheel.py", "--dist", run_folder / "dist"])
    if needs(paths, NEED_BROWSER):
        variables["REPLAY_LAB_CHROMIUM"] = str(find_chromium(python))
    if needs(paths, NEED_OTHER_BROWSERS):
        variables |= find_other_browsers()
    command = [
        python, "-m", "pytest", "-p", "no:cacheprovider", f"--rootdir={ROOT}",
        f"--config-file={ROOT / 'pyproject.toml'}", f"--junit-xml={run_folder / 'outcome.xml'}",
        *paths,
    ]  # fmt: skip
    return subprocess.run(
        [str(part) for part in command], env=clean_variables() | variables, cwd=ROOT, check=False
    ).returncode


def run(command: Sequence[str | Path]) -> None:
    """Run one step of the preparation, its output on standard error."""
    done = subprocess.run(
        [str(part) for part in command], env=clean_variables(), stdout=sys.stderr, check=False
    )
    if done.returncode != 0:
        raise BuildError(f"`{' '.join(str(p) for p in command)}` failed with exit {done.returncode}")


def main() -> int:
    """Read the command line, run, say how it went."""
    parser = argparse.ArgumentParser(prog="python -m tests", description=__doc__)
    parser.add_argument("names", metavar="NAME", nargs="*", help="a folder or file below tests/")
    options = parser.parse_args()
    # A shell has what it starts in the background ignore Ctrl-C, and with it the servers that the tests interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="replay-lab-tests-") as folder:
        try:
            code = run_tests(chosen_paths(options.names), Path(folder))
        except BuildError as error:
            say(f"python -m tests: {error}")
            return 2
        outcome = read_outcome(Path(folder, "outcome.xml"))
    print(f"{outcome} in {time.monotonic() - start:.1f} s", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
