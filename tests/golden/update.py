"""Rewrite the stored digest of the default study: `python -m tests.golden.update`."""

from __future__ import annotations

import re
from pathlib import Path

import replay_lab.golden
from replay_lab import StudyConfig, run_study


def main() -> None:
    """Run the default study and store its digest in `replay_lab/golden.py`."""
    path = Path(replay_lab.golden.__file__)
    found = run_study(StudyConfig()).study_digest
    text = re.sub(r'STUDY_DIGEST = "\w*"', f'STUDY_DIGEST = "{found}"', path.read_text())
    path.write_text(text)
    print(f"{replay_lab.golden.STUDY_DIGEST or 'none'} -> {found}")


if __name__ == "__main__":
    main()
