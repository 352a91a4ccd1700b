"""Rewrite what states numbers: `python -m tests.golden.update`.

The stored digests in `replay_lab/golden.py`, the README's results, figure and tables, the headers for nginx.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "site"))

import replay_lab.golden
from build.folders import NGINX
from build.host_files import nginx_text
from build.publish import write_text
from replay_lab import StudyConfig, run_amplifier, run_catalogue, run_study
from replay_lab.figures import draw_reduction_order
from tests.golden.readme import FIGURE, kept_blocks, results_block, write_block


def main() -> None:
    """Run the default study and the catalogue, and store what they give."""
    path = Path(replay_lab.golden.__file__)
    text = path.read_text(encoding="utf-8")
    results = run_study(StudyConfig())
    digests = {
        "STUDY_DIGEST": results.study_digest,
        "CATALOGUE_DIGEST": run_catalogue().digest,
        "AMPLIFIER_DIGEST": run_amplifier().digests()["amplifier"],
    }
    for name, found in digests.items():
        print(f"{name}: {getattr(replay_lab.golden, name) or 'none'} -> {found}")
        text = re.sub(rf'{name} = "\w*"', f'{name} = "{found}"', text)
    path.write_text(text, encoding="utf-8")
    write_text(FIGURE, draw_reduction_order(results).svg)
    for name, block in {"results": results_block(results), **kept_blocks()}.items():
        write_block(name, block)
    write_text(NGINX, nginx_text())


if __name__ == "__main__":
    main()
