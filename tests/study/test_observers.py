"""Weak observers: which of them misses what."""

from __future__ import annotations

import pytest

from replay_lab import run_observers, sweep_digits
from replay_lab.observers import OBSERVERS, ObserverResults, Sighting


@pytest.fixture(scope="module")
def results() -> ObserverResults:
    return run_observers()


def _sighting(results: ObserverResults, name: str) -> Sighting:
    return next(entry for entry in results.sightings if entry.name == name)


def test_permuted_moments_pass_xor_and_l1_at_the_checkpoint_step(results: ObserverResults) -> None:
    entry = _sighting(results, "moments-permuted")
    assert entry.truth == 40
    assert entry.first["XOR digest"] == 41
    assert entry.first["L1 norm"] == 41
    assert entry.first["=="] == 40


def test_the_rounded_log_never_shows_a_changed_reduction_order(results: ObserverResults) -> None:
    missed = results.missed("rounded log")
    assert {"reversed-reduction", "arrival-order", "ring-reduction", "split-k"} <= set(missed)


def test_the_final_hash_misses_what_heals(results: ObserverResults) -> None:
    assert "flipped-bit-heals" in results.missed("final hash")


def test_float_equality_misses_the_sign_of_zero(results: ObserverResults) -> None:
    assert results.missed("==") == ("sign-of-zero-lost",)


@pytest.mark.parametrize("observer", [observer.name for observer in OBSERVERS])
def test_no_observer_sees_what_is_not_there(observer: str, results: ObserverResults) -> None:
    for entry in results.sightings:
        if entry.truth is None:
            assert entry.first[observer] is None


@pytest.mark.parametrize("observer", [observer.name for observer in OBSERVERS])
def test_no_observer_is_earlier_than_every_bit(observer: str, results: ObserverResults) -> None:
    for entry in results.real:
        late = entry.late_by(observer)
        assert late is None or late >= 0


def test_more_digits_hide_no_more_steps() -> None:
    row = next(row for row in sweep_digits().rows if row.scenario == "Reversed reduction")
    hidden = list(row.hidden.values())
    assert hidden == sorted(hidden, reverse=True)
    assert hidden[3] == row.weight_mismatch_steps
    assert hidden[-1] < row.weight_mismatch_steps
