"""The stated work of a study is the work that it does; counted, not timed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from replay_lab import recipe, training
from replay_lab.config import StudyConfig
from replay_lab.study import run_study
from replay_lab.work import UPDATE_CALLS, Work, estimated_work
from tests.study.runs import SMALL


def counted(config: StudyConfig, monkeypatch: pytest.MonkeyPatch) -> Work:
    """Run a study and count what its runs read."""
    read = {"batch_gradient": 0, "full_loss": 0}
    updates = 0

    def count(module: Any, name: str) -> None:
        real = getattr(module, name)

        def counting(data: Any, *rest: Any) -> Any:
            read[name] += data.features.size
            return real(data, *rest)

        monkeypatch.setattr(module, name, counting)

    real_update = training.adam_update

    def update(*given: Any) -> Any:
        nonlocal updates
        updates += 1
        return real_update(*given)

    with monkeypatch.context():
        count(recipe, "batch_gradient")
        count(training, "full_loss")
        monkeypatch.setattr(training, "adam_update", update)
        run_study(config)
    return Work(updates, gradient_values=read["batch_gradient"], loss_values=read["full_loss"])


@pytest.mark.parametrize(
    "config",
    [
        SMALL,
        replace(SMALL, steps=60),
        replace(SMALL, samples=64 * SMALL.samples),
        replace(SMALL, features=7, batch_size=12, checkpoint_step=5),
    ],
    ids=["small", "10x steps", "64x samples", "other sizes"],
)
def test_a_study_does_the_work_that_is_stated(
    config: StudyConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert counted(config, monkeypatch) == estimated_work(config)


def test_ten_times_the_steps_are_ten_times_the_work_of_steps() -> None:
    usual, longer = (estimated_work(StudyConfig(steps=steps)) for steps in (100, 1000))
    assert longer.updates == 10 * usual.updates
    assert longer.gradient_values == 10 * usual.gradient_values
    # The loss after the last step is the one that a longer run takes no more often.
    assert 0.99 < longer.loss_values / usual.loss_values / 10 <= 1
    assert 0.99 < longer.cost / usual.cost / 10 <= 1


def test_more_samples_are_more_work_for_the_losses_only() -> None:
    usual, larger = (estimated_work(StudyConfig(samples=samples)) for samples in (256, 64 * 256))
    assert larger == usual._replace(loss_values=64 * usual.loss_values)
    assert 1 < larger.cost / usual.cost < 64


def test_at_the_default_the_calls_of_a_step_outweigh_what_it_reads() -> None:
    work = estimated_work(StudyConfig())
    assert work.updates * UPDATE_CALLS > work.gradient_values + work.loss_values
