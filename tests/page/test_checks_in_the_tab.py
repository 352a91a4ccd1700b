"""The named checks are killed by their mutations in WebAssembly too, whose numpy has no BLAS."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import expect

from replay_lab.checks import CHECKS
from tests.page.lab import Lab

MUTATIONS = Path(__file__).parents[1] / "study" / "mutations.py"
PROGRAM = """
import json
from pathlib import Path

Path("mutations.py").write_text(json.loads({text!r}))
from mutations import MUTATIONS
from replay_lab import StudyConfig, run_study


class Patch:
    def __init__(self):
        self.undo = []

    def setattr(self, target, name, value):
        self.undo.append((target, name, getattr(target, name)))
        setattr(target, name, value)

    def end(self):
        for target, name, value in reversed(self.undo):
            setattr(target, name, value)


survived, killed = [], set()
for name, mutation in MUTATIONS:
    patch = Patch()
    try:
        mutation(patch)
        failed = run_study(StudyConfig()).failed_checks
    finally:
        patch.end()
    killed.add(name) if name in failed else survived.append((name, mutation.__name__))
Path("mutations.py").unlink()
print(json.dumps(dict(survived=survived, killed=sorted(killed), sound=not run_study(StudyConfig()).failed_checks)))
"""


def test_every_check_fails_in_the_tab_when_what_it_guards_is_broken(lab: Lab) -> None:
    lab.code(3).fill(PROGRAM.format(text=json.dumps(MUTATIONS.read_text(encoding="utf-8"))))
    lab.button("Run cell 3").click()
    lab.expect_finished(3, timeout=120_000)
    expect(lab.output(3).locator("pre.stream")).to_contain_text("survived")
    found = json.loads(lab.output(3).locator("pre.stream").inner_text())
    assert found["survived"] == []
    assert found["killed"] == sorted(check.name for check in CHECKS)
    assert found["sound"] is True
