"""What a study leaves: values only, to and from JSON in two forms."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from typing import Any

from .checks import FAILED, PASSED, CheckResult, study_digest
from .metrics import Metrics
from .rows import ComparisonRow
from .config import StudyConfig
from .errors import CheckFailure, ReplayLabError, ResultsError
from .findings import describe_row
from .tables import Table

FORMAT = "replay-lab-results"
VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSeries:
    """One run, per step.

    Attributes
    ----------
    trace_digest : str
    final_loss : float
    loss, logged_loss : tuple of float
        Before each update; unrounded and as the log shows it.
    """

    trace_digest: str
    final_loss: float
    loss: tuple[float, ...]
    logged_loss: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioResult:
    """One scenario, compared with the reference.

    Attributes
    ----------
    row : ComparisonRow
        The published numbers.
    explanation : str
    run : RunSeries
    metrics : Metrics
        Everything else that is measured, with the verdict.
    weight_difference : tuple of float
        Largest absolute weight difference after each step.
    """

    row: ComparisonRow
    explanation: str
    metrics: Metrics
    run: RunSeries
    weight_difference: tuple[float, ...]

    @property
    def name(self) -> str:
        """The published name."""
        return self.row.scenario


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyResults:
    """A finished study.

    Attributes
    ----------
    config : StudyConfig
    environment : dict of str to str
        Where it ran; no check depends on it.
    dataset_digest : str
    reference : RunSeries
    scenarios : tuple of ScenarioResult
    checks : tuple of CheckResult
    """

    config: StudyConfig
    environment: dict[str, str]
    dataset_digest: str
    reference: RunSeries
    scenarios: tuple[ScenarioResult, ...]
    checks: tuple[CheckResult, ...]

    @property
    def study_digest(self) -> str:
        """One digest over the data and every trace."""
        traces = {scenario.name: scenario.run.trace_digest for scenario in self.scenarios}
        return study_digest(self.dataset_digest, self.reference.trace_digest, traces)

    @property
    def checks_passed(self) -> int:
        """Number of checks that passed."""
        return len([check for check in self.checks if check.status == PASSED])

    @property
    def failed_checks(self) -> dict[str, str]:
        """Name and detail of each failed check."""
        return {check.name: check.detail for check in self.checks if check.status == FAILED}

    @property
    def findings(self) -> tuple[str, ...]:
        """One sentence per scenario, from its numbers."""
        return tuple(describe_row(scenario.row, self.config) for scenario in self.scenarios)

    def scenario(self, name: str) -> ScenarioResult:
        """Return the scenario of that name."""
        for scenario in self.scenarios:
            if scenario.name == name:
                return scenario
        raise KeyError(f"no scenario {name!r}; there are {[s.name for s in self.scenarios]}")

    def require_checks(self) -> None:
        """Raise `CheckFailure`, naming what failed, unless every check holds."""
        if self.failed_checks:
            raise CheckFailure(self.failed_checks)

    def summary(self) -> dict[str, Any]:
        """Return the published summary: same keys, same order."""
        return {
            "checks_passed": self.checks_passed,
            "summary": [scenario.row.to_json() for scenario in self.scenarios],
            "reference_final_loss": self.reference.final_loss,
        }

    def summary_text(self) -> str:
        """Return the published summary as JSON text, one scenario a line."""
        summary = self.summary()
        rows = ",\n".join(f"    {json.dumps(row, allow_nan=False)}" for row in summary["summary"])
        return (
            f'{{\n  "checks_passed": {summary["checks_passed"]},\n'
            f'  "summary": [\n{rows}\n  ],\n'
            f'  "reference_final_loss": {json.dumps(summary["reference_final_loss"])}\n}}'
        )

    def table(self) -> Table:
        """Return the rows as a table for people."""
        return Table.make(
            caption=f"Each scenario against the reference run, {self.config.steps} steps",
            columns={
                "scenario": "Scenario",
                "first": "First mismatch",
                "differ": "Steps that differ",
                "hidden": "Hidden steps",
                "difference": "Largest weight difference",
                "loss": "Final loss",
                "verdict": "Verdict",
            },
            texts=("verdict",),
            rows=[
                (
                    row.scenario,
                    "never" if row.first_weight_mismatch is None else row.first_weight_mismatch,
                    row.weight_mismatch_steps,
                    row.hidden_weight_mismatch_steps,
                    f"{row.maximum_weight_difference:.3g}",
                    f"{row.final_loss:.12f}",
                    scenario.metrics.verdict,
                )
                for scenario in self.scenarios
                for row in (scenario.row,)
            ],
        )

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return self.table().mimebundle()

    def to_json(self) -> str:
        """Return the full form as JSON text."""
        value = {
            "format": FORMAT,
            "version": VERSION,
            "config": self.config.to_json(),
            "environment": self.environment,
            "digests": {
                "study": self.study_digest,
                "dataset": self.dataset_digest,
                "figure_data": _figure_data_digests(self),
            },
            "reference": _run_to_json(self.reference),
            "scenarios": [
                {
                    "name": scenario.name,
                    "explanation": scenario.explanation,
                    "row": scenario.row.to_json(),
                    "metrics": scenario.metrics.to_json(),
                    **_run_to_json(scenario.run, weight_difference=scenario.weight_difference),
                }
                for scenario in self.scenarios
            ],
            "checks": [asdict(check) for check in self.checks],
            "checks_passed": self.checks_passed,
            "findings": list(self.findings),
        }
        return json.dumps(value, indent=1, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> StudyResults:
        """Read the full form.

        Raises
        ------
        ResultsError
            When the text is not such a file, or its digests do not fit.
        """
        try:
            value = json.loads(text, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            raise ResultsError(f"results are not JSON: {error}") from error
        if not isinstance(value, dict) or value.get("format") != FORMAT:
            raise ResultsError(f"expected an object with format {FORMAT!r}")
        if value.get("version") != VERSION:
            raise ResultsError(f"version is {value.get('version')!r}, expected {VERSION}")
        try:
            results = _from_value(value)
            found = {"study": results.study_digest, **_figure_data_digests(results)}
            stored = {"study": value["digests"]["study"], **value["digests"]["figure_data"]}
        except (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError) as error:
            if isinstance(error, ReplayLabError):
                raise
            raise ResultsError(f"results lack or misshape an entry: {error!r}") from error
        for name, digest in found.items():
            if stored.get(name) != digest:
                raise ResultsError(
                    f"digest of {name} is {digest[:16]}…, the file says "
                    f"{str(stored.get(name))[:16]}…; the file was edited"
                )
        return results


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _run_to_json(run: RunSeries, **series: tuple[float, ...]) -> dict[str, Any]:
    return {
        "trace_digest": run.trace_digest,
        "final_loss": run.final_loss,
        "series": {"loss": run.loss, "logged_loss": run.logged_loss, **series},
    }


def _run_from_json(value: dict[str, Any], steps: int) -> RunSeries:
    return RunSeries(
        trace_digest=str(value["trace_digest"]),
        final_loss=float(value["final_loss"]),
        loss=_series(value, "loss", steps),
        logged_loss=_series(value, "logged_loss", steps),
    )


def _series(value: dict[str, Any], name: str, steps: int) -> tuple[float, ...]:
    numbers = tuple(float(number) for number in value["series"][name])
    if len(numbers) != steps or not all(map(math.isfinite, numbers)):
        raise ResultsError(f"series {name!r} has {len(numbers)} entries, expected {steps} numbers")
    return numbers


def _scenario_from_json(value: dict[str, Any], steps: int) -> ScenarioResult:
    result = ScenarioResult(
        row=ComparisonRow(**value["row"]),
        explanation=str(value["explanation"]),
        metrics=Metrics.from_json(value["metrics"]),
        run=_run_from_json(value, steps),
        weight_difference=_series(value, "weight_difference", steps),
    )
    row, metrics = result.row, result.metrics
    if (row.scenario, row.first_weight_mismatch, row.final_loss) != (
        value["name"],
        metrics.first_weight_mismatch,
        result.run.final_loss,
    ) or (row.maximum_weight_difference, result.run.trace_digest) != (
        metrics.maximum_weight_difference,
        metrics.trace_digest,
    ):
        raise ResultsError(f"the row, metrics and run of {value['name']!r} disagree: edited?")
    return result


def _from_value(value: dict[str, Any]) -> StudyResults:
    config = StudyConfig.from_json(value["config"])
    return StudyResults(
        config=config,
        environment={str(key): str(text) for key, text in value["environment"].items()},
        dataset_digest=str(value["digests"]["dataset"]),
        reference=_run_from_json(value["reference"], config.steps),
        scenarios=tuple(
            _scenario_from_json(scenario, config.steps) for scenario in value["scenarios"]
        ),
        checks=tuple(CheckResult(**check) for check in value["checks"]),
    )


def _figure_data_digests(results: StudyResults) -> dict[str, str]:
    from .figure_data import figure_data_digests

    return figure_data_digests(results)
