"""Rewrite the stored digests: `python -m tests.golden.update`."""

from __future__ import annotations

import re
from pathlib import Path

import replay_lab.golden
from replay_lab import StudyConfig, run_catalogue, run_study


def main() -> None:
    """Run the default study and the catalogue, and store both digests."""
    path = Path(replay_lab.golden.__file__)
    text = path.read_text(encoding="utf-8")
    digests = {
        "STUDY_DIGEST": run_study(StudyConfig()).study_digest,
        "CATALOGUE_DIGEST": run_catalogue().digest,
    }
    for name, found in digests.items():
        print(f"{name}: {getattr(replay_lab.golden, name) or 'none'} -> {found}")
        text = re.sub(rf'{name} = "\w*"', f'{name} = "{found}"', text)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
