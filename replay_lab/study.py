"""The whole line: settings to data to runs to rows to checks to results."""

from __future__ import annotations

from collections.abc import Callable

from .checks import Evidence, run_checks
from .rows import compare_traces, weight_differences
from .config import StudyConfig
from .dataset import make_dataset
from .environment import describe_environment
from .metrics import measure
from .progress import StudyEvent as StudyEvent
from .progress import current_listener
from .results import RunSeries, ScenarioResult, StudyResults
from .scenarios import SCENARIOS, run_reference, run_scenario
from .trace import Trace


def run_study(
    config: StudyConfig, on_event: Callable[[StudyEvent], None] | None = None
) -> StudyResults:
    """Run the reference and every scenario, compare, and check.

    Parameters
    ----------
    config : StudyConfig
    on_event : callable, optional
        Called before each part with a `StudyEvent`; the listener of the context where
        none is given, see `replay_lab.progress`.

    Returns
    -------
    StudyResults
        Failed checks are part of it; `StudyResults.require_checks` raises.

    Raises
    ------
    DivergenceError
        When training leaves the finite numbers.
    """
    listener = on_event or current_listener()
    parts = ["reference", *(scenario.name for scenario in SCENARIOS), "checks"]

    def announce(running: str) -> None:
        if listener is not None:
            listener(StudyEvent(parts.index(running), len(parts), running))

    dataset = make_dataset(config)
    dataset_digest = dataset.digest()
    announce("reference")
    reference = run_reference(dataset, config)
    runs = {}
    for scenario in SCENARIOS:
        announce(scenario.name)
        runs[scenario.name] = run_scenario(scenario, dataset, config)
    announce("checks")
    evidence = Evidence(
        config=config,
        dataset=dataset,
        dataset_digest=dataset_digest,
        reference=reference,
        runs=runs,
        rows={name: compare_traces(name, run.trace, reference) for name, run in runs.items()},
    )
    return StudyResults(
        config=config,
        environment=describe_environment(),
        dataset_digest=dataset_digest,
        reference=_series(reference),
        scenarios=tuple(
            ScenarioResult(
                row=evidence.rows[scenario.name],
                explanation=scenario.explanation,
                metrics=measure(
                    runs[scenario.name],
                    reference,
                    config.logged_digits,
                    changed=scenario.is_fault,
                    restored_at=config.checkpoint_step,
                ),
                run=_series(runs[scenario.name].trace),
                weight_difference=tuple(
                    weight_differences(runs[scenario.name].trace, reference).tolist()
                ),
            )
            for scenario in SCENARIOS
        ),
        checks=run_checks(evidence),
    )


def _series(trace: Trace) -> RunSeries:
    return RunSeries(
        trace_digest=trace.digest(),
        final_loss=trace.final_loss,
        loss=tuple(trace.loss.tolist()),
        logged_loss=tuple(trace.logged_loss.tolist()),
    )
