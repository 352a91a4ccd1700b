"""What a catalogue entry is, and what it promises."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ..config import StudyConfig
from ..metrics import Metrics, Verdict
from ..recipe import PLAIN, Recipe
from ..scenarios import Scenario


class FirstAt(StrEnum):
    """When the weights first differ."""

    NEVER = "never"
    START = "at step 1"
    RESTORE = "in the restored state"
    NEXT = "at the first step after the restore"
    LATER = "some steps later"


class Size(StrEnum):
    """How far the weights move, against one ULP of the largest weight.

    A rounding stays below 64 of them, state that is lost costs more than
    10,000; what lies between is called coarse.
    """

    NONE = "no difference"
    ROUNDING = "rounding"
    COARSE = "coarser than rounding"
    LARGE = "large"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """The right answer of an entry at the default settings, as relations.

    Attributes
    ----------
    verdict : Verdict
    first : FirstAt
    size : Size
    key : str
        Part of the state in which the first difference is found; empty for none.
    """

    verdict: Verdict
    first: FirstAt
    size: Size
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One entry: a run, what it is compared with, and the right answer.

    Attributes
    ----------
    name : str
        How the entry is called on a command line.
    family : str
    explanation : str
        One sentence for the reader.
    reports : tuple of str
        Public reports of the same class, as repository#number.
    scenario : Scenario
        What is changed stands in its own explanation.
    reference : Recipe
        How the run it is compared with takes its steps.
    reason : str
        Why no bit of the weights differs, where that is the right answer.
    signature : Signature
    """

    name: str
    family: str
    explanation: str
    scenario: Scenario
    signature: Signature
    reports: tuple[str, ...] = ()
    reference: Recipe = PLAIN
    reason: str = ""


def size_of(metrics: Metrics) -> Size:
    """Say how far the weights moved."""
    ulps = metrics.difference_in_ulp_of_largest_weight
    if ulps == 0:
        return Size.NONE
    if ulps < 64:
        return Size.ROUNDING
    return Size.COARSE if ulps < 10_000 else Size.LARGE


def first_at(metrics: Metrics, config: StudyConfig, *, restored: bool) -> FirstAt:
    """Say when the weights first differ."""
    first, checkpoint = metrics.first_weight_mismatch, config.checkpoint_step
    if first is None:
        return FirstAt.NEVER
    if restored and first == checkpoint:
        return FirstAt.RESTORE
    if restored and first == checkpoint + 1:
        return FirstAt.NEXT
    return FirstAt.START if first == 1 else FirstAt.LATER


def observe(metrics: Metrics, config: StudyConfig, *, restored: bool) -> Signature:
    """Return the signature that a run really has."""
    difference = metrics.first_difference
    return Signature(
        verdict=metrics.verdict,
        first=first_at(metrics, config, restored=restored),
        size=size_of(metrics),
        key=difference.key if difference is not None else "",
    )
