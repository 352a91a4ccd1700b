"""The study in the usual style: it learns and repeats here, and promises no more."""

from __future__ import annotations

import ast
import inspect
import json

import pytest

import replay_lab.usual_style as usual_style
from replay_lab.config import StudyConfig
from replay_lab.usual_style import UsualStyleResults, run_usual_style


@pytest.fixture(scope="module")
def results() -> UsualStyleResults:
    return run_usual_style()


def test_second_run_has_the_bits_of_the_first(results: UsualStyleResults) -> None:
    assert results.repeats
    assert results.weights_digests[0] == results.weights_digests[1]
    assert results.runs[0].logged_loss == results.runs[1].logged_loss


def test_training_learns(results: UsualStyleResults) -> None:
    assert results.final_loss < 0.1 * results.runs[0].logged_loss[0]
    # Noise of 0.2 leaves half its square.
    assert results.final_loss == pytest.approx(0.02, rel=0.5)


def test_digest_depends_on_the_seed(results: UsualStyleResults) -> None:
    other = run_usual_style(StudyConfig(seed=results.config.seed + 1))
    assert other.weights_digests[0] != results.weights_digests[0]


def test_log_has_one_rounded_number_per_step() -> None:
    config = StudyConfig(steps=12, checkpoint_step=3, logged_digits=3)
    log = run_usual_style(config).runs[0].logged_loss
    assert len(log) == 12
    assert all(loss == round(loss, 3) for loss in log)


def test_json_says_that_it_is_not_portable(results: UsualStyleResults) -> None:
    value = results.to_json()
    assert value["portable"] is False
    assert json.loads(json.dumps(value, allow_nan=False)) == value
    assert "computed" not in json.dumps(value)


def test_it_is_written_with_the_operations_it_warns_of() -> None:
    """Or the panel would compare the portable style with itself."""
    tree = ast.parse(inspect.getsource(usual_style))
    names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert {"normal", "choice", "mean", "default_rng"} <= names
    assert any(isinstance(node, ast.MatMult) for node in ast.walk(tree))
    assert any(isinstance(node, ast.Pow) for node in ast.walk(tree))
