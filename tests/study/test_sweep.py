"""A sweep on a batch axis has the bits of one study at a time."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from replay_lab.bits import digest_of_texts
from replay_lab.config import StudyConfig
from replay_lab.dataset import make_dataset
from replay_lab.digits import count_hidden
from replay_lab.errors import ConfigError
from replay_lab.progress import StudyEvent, heard_by
from replay_lab.rows import compare_traces
from replay_lab.scenarios import REVERSED_REDUCTION, SCENARIOS, run_reference, run_scenario
from replay_lab.sweep import (
    CHUNK,
    EVERY,
    NONE,
    NOT_DIFFERENT,
    SOME,
    SweepRow,
    integers_as_text,
    run_sweep,
)
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


def test_progress_counts_finished_studies_and_names_the_next_seed() -> None:
    heard: list[StudyEvent] = []
    run_sweep([*SMALL.at_seeds(range(CHUNK + 2)), SMALL], on_event=heard.append)
    assert heard == [(0, CHUNK + 3, "seed 0"), (CHUNK, CHUNK + 3, f"seed {CHUNK}")]


def test_the_listener_of_the_context_hears_of_a_sweep() -> None:
    heard: list[StudyEvent] = []
    with heard_by(heard.append):
        run_sweep([SMALL])
    assert heard == [(0, 1, f"seed {SMALL.seed}")]


def test_studies_too_large_for_a_tab_together_advance_one_by_one() -> None:
    large = replace(SMALL, samples=2**16, features=20, steps=2, checkpoint_step=1)
    heard: list[StudyEvent] = []
    run_sweep(large.at_seeds((1, 2)), on_event=heard.append)
    assert [event.done for event in heard] == [0, 1]


def test_a_sweep_tries_the_digits_it_is_told_and_the_unrounded_loss() -> None:
    few, usual = run_sweep([SMALL], (9, 3, 3)), run_sweep([SMALL])
    assert few.widths == ("9", "3", "full")
    hidden = usual.rows[0].hidden
    assert few.rows[0].hidden == {width: hidden[width] for width in few.widths}


@pytest.mark.parametrize("digits", [5, (), (0,), (13,), range(1, 14), "5", (2.5,)], ids=str)
def test_digits_that_no_log_can_have_are_refused(digits: Any) -> None:
    with pytest.raises(ConfigError, match="^digits = .* is refused: expected .*integer"):
        run_sweep([SMALL], digits)


def test_a_sweep_counts_the_seeds_that_hide_every_step_some_or_none() -> None:
    sweep = run_sweep([*SMALL.at_seeds(range(20)), replace(SMALL, shards=2)])
    for width in sweep.widths:
        counts = {EVERY: 0, SOME: 0, NONE: 0, NOT_DIFFERENT: 0}
        for row in sweep.rows:
            hidden, differ = row.hidden[width], row.row.weight_mismatch_steps
            kind = NOT_DIFFERENT if not differ else NONE if not hidden else EVERY if hidden == differ else SOME
            counts[kind] += 1
        assert {kind: sweep.count(kind, width) for kind in counts} == counts
        column = sweep.widths.index(width) + 1
        assert {line[0]: int(line[column]) for line in sweep.summary().rows} == counts


def test_the_saved_bits_of_a_sweep_tell_its_settings_in_few_words() -> None:
    bits = run_sweep(SMALL.at_seeds((3, 7, 8, 9)), (4,)).saved_bits()
    assert bits.settings["seed"] == "3, 7 to 9"
    assert bits.settings["digits"] == "4"
    assert bits.settings["steps"] == "12"


@pytest.mark.parametrize(
    ("integers", "text"),
    [((), ""), ((5,), "5"), ((5, 6), "5 to 6"), ((6, 5), "6, 5"), ((1, 2, 3, 7, 9, 10), "1 to 3, 7, 9 to 10"), ((4, 4), "4, 4")],
)  # fmt: skip
def test_integers_are_written_as_runs(integers: tuple[int, ...], text: str) -> None:
    assert integers_as_text(integers) == text


def test_an_empty_sweep_has_no_rows() -> None:
    assert run_sweep([]).rows == ()


def test_a_sweep_is_written_without_anything_of_the_machine() -> None:
    first, second = (json.dumps(run_sweep([SMALL]).to_json(), allow_nan=False) for _ in range(2))
    assert first == second
    assert run_sweep([SMALL]).table().rows[0][0] == str(SMALL.seed)


def test_the_digest_of_a_sweep_changes_with_one_bit_of_one_run() -> None:
    sweep = run_sweep(SMALL.at_seeds((1, 2)))
    first, second = sweep.rows
    other = replace(sweep, rows=(first, replace(second, digest="0" * 64)))
    assert other.saved_bits().digests != sweep.saved_bits().digests
    assert other.saved_bits().settings == sweep.saved_bits().settings
