"""What the checks look at, and the small questions that several of them ask."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..bits import Array, bit_patterns, canonical_array, digest_of_texts
from ..config import StudyConfig
from ..dataset import Dataset
from ..rows import ComparisonRow, differing_steps
from ..scenarios import ScenarioRun
from ..trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evidence:
    """What the checks look at: a finished study with everything it produced.

    Attributes
    ----------
    dataset_digest : str
        Digest of the data before the first run.
    runs : dict of str to ScenarioRun
    rows : dict of str to ComparisonRow
    """

    config: StudyConfig
    dataset: Dataset
    dataset_digest: str
    reference: Trace
    runs: dict[str, ScenarioRun]
    rows: dict[str, ComparisonRow]

    @property
    def is_default(self) -> bool:
        """Whether the published shape is expected."""
        return self.config == StudyConfig()

    def trace_digests(self) -> dict[str, str]:
        """Digest of each scenario's trace, by name."""
        return {name: run.trace.digest() for name, run in self.runs.items()}


def study_digest(dataset_digest: str, reference: str, scenarios: dict[str, str]) -> str:
    """Combine the digests of data, reference trace and scenario traces."""
    parts = {f"scenario {name}": text for name, text in scenarios.items()}
    return digest_of_texts({"dataset": dataset_digest, "reference": reference, **parts})


def traces(evidence: Evidence) -> Iterator[tuple[str, Trace]]:
    """Every trace with its label, the reference first."""
    yield "reference", evidence.reference
    for name, run in evidence.runs.items():
        yield name, run.trace


def checkpoints(evidence: Evidence) -> Iterator[tuple[str, bytes]]:
    """Every saved checkpoint with the name of its scenario."""
    for name, run in evidence.runs.items():
        if run.checkpoint is not None:
            yield name, run.checkpoint


def same_bits(a: Array, b: Array) -> bool:
    """Whether dtype, shape and every bit agree."""
    a, b = canonical_array(a), canonical_array(b)
    return (a.dtype, a.shape) == (b.dtype, b.shape) and bool(
        (bit_patterns(a) == bit_patterns(b)).all()
    )


def first_difference(trace: Trace, reference: Trace, until: int) -> str:
    """Name the first column that differs in steps 1 to `until`; empty if none does."""
    for name, column in reference.columns.items():
        differ = differing_steps(trace.columns[name][:until], column[:until])
        if differ.any():
            return f"{name} differs first at step {int(differ.argmax()) + 1}"
    return ""
