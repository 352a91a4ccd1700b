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

from build.environment import make_environment
from build.folders import cache_folder
from replay_lab.golden import AMPLIFIER_DIGEST, CATALOGUE_DIGEST, STUDY_DIGEST

REPORT = """
import json, sys
from numpy._core._multiarray_umath import __cpu_features__
import numpy
from replay_lab import StudyConfig, run_amplifier, run_catalogue, run_study
results, catalogue = run_study(StudyConfig()), run_catalogue()
json.dump({"on": [name for name, on in __cpu_features__.items() if on], "numpy": numpy.__version__,
           "digest": results.study_digest, "catalogue": catalogue.digest,
           "amplifier": run_amplifier().digests()["amplifier"],
           "failed": {**results.failed_checks, **catalogue.unmet}}, sys.stdout)
"""


OLD_NUMPY = "2.0.2"


def report(python: str = sys.executable, **variables: str) -> dict[str, object]:
    """Run the default study, the catalogue and the amplifier in a Python of its own."""
    done = subprocess.run(
        [python, "-W", "error", "-c", REPORT],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, object] = json.loads(done.stdout)
    return found


def assert_golden(found: dict[str, object]) -> None:
    """Study, catalogue and amplifier have their stored digests, and no check failed."""
    digests = [found[name] for name in ("digest", "catalogue", "amplifier")]
    assert digests == [STUDY_DIGEST, CATALOGUE_DIGEST, AMPLIFIER_DIGEST]
    assert found["failed"] == {}


def test_the_digest_is_the_same_without_vector_instructions() -> None:
    optional = [name for name in __cpu_dispatch__ if __cpu_features__.get(name)]
    if not optional:
        pytest.skip("numpy dispatches nothing on this processor")
    found = report(NPY_DISABLE_CPU_FEATURES=" ".join(optional))
    assert isinstance(found["on"], list)
    assert not set(optional) & set(found["on"])
    assert_golden(found)


def test_the_digest_is_the_same_on_an_older_numpy() -> None:
    if sys.version_info >= (3, 13):
        pytest.skip(f"numpy {OLD_NUMPY} has no wheel for Python {sys.version_info[0]}.{sys.version_info[1]}")
    python = make_environment("old-numpy", (f"numpy=={OLD_NUMPY}",), cache_folder())
    found = report(str(python))
    assert found["numpy"] == OLD_NUMPY
    assert_golden(found)


@pytest.mark.parametrize("threads", ["1", "7"])
def test_the_digest_does_not_depend_on_the_number_of_threads(threads: str) -> None:
    found = report(OPENBLAS_NUM_THREADS=threads, OMP_NUM_THREADS=threads)
    assert found["digest"] == STUDY_DIGEST


def test_the_digest_does_not_depend_on_the_hash_seed() -> None:
    assert report(PYTHONHASHSEED="123")["digest"] == STUDY_DIGEST


def test_the_digest_does_not_depend_on_optimised_bytecode() -> None:
    assert report(PYTHONOPTIMIZE="2")["digest"] == STUDY_DIGEST
