"""
Measure: `python -m tests.benchmarks boots`, `… bytes`, `… loop`, each printed with the machine it ran on.

Makes the environment of the tests, builds the site and runs the benchmark in it. Everything after
the name goes to the benchmark; `--help` there says what it takes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "site"), str(ROOT)]

from build.environment import clean_variables, make_environment  # noqa: E402
from build.errors import BuildError  # noqa: E402
from build.folders import cache_folder  # noqa: E402
from tests.__main__ import TEST_REQUIREMENTS, run  # noqa: E402
from tests.browser import find_chromium  # noqa: E402

NAMES = ("boots", "bytes", "loop")
REQUIREMENTS = (*TEST_REQUIREMENTS, "brotli==1.2.0")


def main() -> int:
    """Prepare and run one benchmark."""
    if len(sys.argv) < 2 or sys.argv[1] not in NAMES:
        print(f"python -m tests.benchmarks {{{','.join(NAMES)}}}\n{__doc__}")
        return 2
    name, *rest = sys.argv[1:]
    try:
        python = make_environment("benchmarks", REQUIREMENTS, cache_folder())
        chromium = find_chromium(python)
        with tempfile.TemporaryDirectory(prefix="replay-lab-benchmark-") as folder:
            dist = Path(folder, "dist")
            run([sys.executable, ROOT / "build_wheel.py", "--dist", dist])
            command = [python, "-m", f"tests.benchmarks.{name}", dist, chromium, *rest]
            variables = {"PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "site")))}
            return subprocess.run(
                [str(part) for part in command], env=clean_variables() | variables, cwd=ROOT, check=False
            ).returncode
    except BuildError as error:
        print(f"python -m tests.benchmarks: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
