"""A sweep on a batch axis has the bits of one study at a time."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from replay_lab.bits import digest_of_texts
from replay_lab.config import StudyConfig
from replay_lab.dataset import make_dataset
from replay_lab.digits import count_hidden
from replay_lab.rows import compare_traces
from replay_lab.scenarios import REVERSED_REDUCTION, SCENARIOS, run_reference, run_scenario
from replay_lab.sweep import CHUNK, SweepRow, run_sweep
from replay_lab.trace import Trace

SMALL = StudyConfig(steps=12, checkpoint_step=5, samples=40, features=5, batch_size=12, shards=4)
REVERSED = next(scenario for scenario in SCENARIOS if scenario.name == REVERSED_REDUCTION)


def alone(config: StudyConfig) -> SweepRow:
    """What the plain loop finds for one study."""
    dataset = make_dataset(config)
    reference = run_reference(dataset, config)
    changed = run_scenario(REVERSED, dataset, config).trace
    digests = {
        name: Trace(
            columns={key: trace.columns[key] for key in ("loss", "logged_loss", "weights")},
            final_loss=trace.final_loss,
        ).digest()
        for name, trace in (("reference", reference), ("reversed", changed))
    }
    return SweepRow(
        config=config,
        row=compare_traces(REVERSED_REDUCTION, changed, reference),
        hidden=count_hidden(changed, reference),
        digest=digest_of_texts(digests),
    )


@pytest.mark.parametrize(
    "configs",
    [
        pytest.param([StudyConfig()], id="the default study"),
        pytest.param([replace(SMALL, seed=seed) for seed in range(CHUNK + 3)], id="seeds"),
        pytest.param(
            [
                replace(SMALL, learning_rate=0.5),
                replace(SMALL, beta1=0.0, seed=4),
                replace(SMALL, beta2=0.9, epsilon=0.01),
                replace(SMALL, noise=0.0, weight_scale=3.0, logged_digits=2),
            ],
            id="settings",
        ),
        pytest.param(
            [
                SMALL,
                replace(SMALL, shards=1),
                replace(SMALL, features=2),
                replace(SMALL, batch_size=1, shards=1),
                replace(SMALL, seed=9),
                replace(SMALL, shards=12),
            ],
            id="sizes",
        ),
    ],
)
def test_every_study_of_a_sweep_has_the_bits_that_it_has_alone(configs: list[StudyConfig]) -> None:
    assert list(run_sweep(configs).rows) == [alone(config) for config in configs]


def test_a_neighbour_does_not_change_a_study() -> None:
    wild = replace(SMALL, seed=2, weight_scale=100.0, learning_rate=10.0)
    assert run_sweep([SMALL, wild]).rows[0] == run_sweep([SMALL]).rows[0]


def test_progress_counts_finished_studies() -> None:
    heard: list[tuple[int, int]] = []
    run_sweep([SMALL, replace(SMALL, shards=2)], on_event=lambda *event: heard.append(event))
    assert heard == [(1, 2), (2, 2)]


def test_an_empty_sweep_has_no_rows() -> None:
    assert run_sweep([]).rows == ()


def test_a_sweep_is_written_without_anything_of_the_machine() -> None:
    first, second = (json.dumps(run_sweep([SMALL]).to_json(), allow_nan=False) for _ in range(2))
    assert first == second
    assert run_sweep([SMALL]).table().rows[0][0] == str(SMALL.seed)
