"""The same bits when numpy takes other machine code."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from numpy._core._multiarray_umath import (  # type: ignore[attr-defined]
    __cpu_dispatch__,
    __cpu_features__,
)

from replay_lab.golden import STUDY_DIGEST

REPORT = """
import json, sys
from numpy._core._multiarray_umath import __cpu_features__
from replay_lab import StudyConfig, run_study
results = run_study(StudyConfig())
json.dump({"on": [name for name, on in __cpu_features__.items() if on],
           "digest": results.study_digest, "failed": results.failed_checks}, sys.stdout)
"""


def report(**variables: str) -> dict[str, object]:
    """Run the default study in a Python of its own."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", REPORT],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_the_digest_is_the_same_without_vector_instructions() -> None:
    optional = [name for name in __cpu_dispatch__ if __cpu_features__.get(name)]
    if not optional:
        pytest.skip("numpy dispatches nothing on this processor")
    found = report(NPY_DISABLE_CPU_FEATURES=" ".join(optional))
    assert isinstance(found["on"], list)
    assert not set(optional) & set(found["on"])
    assert found["digest"] == STUDY_DIGEST
    assert found["failed"] == {}


@pytest.mark.parametrize("threads", ["1", "7"])
def test_the_digest_does_not_depend_on_the_number_of_threads(threads: str) -> None:
    found = report(OPENBLAS_NUM_THREADS=threads, OMP_NUM_THREADS=threads)
    assert found["digest"] == STUDY_DIGEST


def test_the_digest_does_not_depend_on_the_hash_seed() -> None:
    assert report(PYTHONHASHSEED="123")["digest"] == STUDY_DIGEST


def test_the_digest_does_not_depend_on_optimised_bytecode() -> None:
    assert report(PYTHONOPTIMIZE="2")["digest"] == STUDY_DIGEST
