"""How the default seed was chosen: `python -m tests.study.choose_seed`.

For every seed the published shape rests on four comparisons. The margin of a
seed is the smallest of them, each as a multiple of what would just suffice:

- log: distance of a reference loss to the next rounding boundary, over the
  largest loss difference that the reversed reduction causes;
- differ: weights that differ at the step where fewest do (reversed reduction);
- rounding: the bound of 8 ULP over the largest difference that occurs;
- resets: loss difference one step or more after a reset, over one unit of the
  log, at the step where it is smallest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from replay_lab.bits import bit_patterns
from replay_lab.config import StudyConfig
from replay_lab.dataset import make_dataset
from replay_lab.scenarios import (
    OPTIMIZER_RESET,
    REVERSED_REDUCTION,
    SAMPLER_RESET,
    SCENARIOS,
    run_reference,
    run_scenario,
)


class Margins(NamedTuple):
    """Each above 1 where the published shape holds."""

    log: float
    differ: float
    rounding: float
    resets: float


def margins(seed: int) -> Margins:
    """Run the scenarios that decide the shape and measure how close each call is."""
    config = StudyConfig(seed=seed)
    dataset = make_dataset(config)
    reference = run_reference(dataset, config)
    traces = {
        scenario.name: run_scenario(scenario, dataset, config).trace
        for scenario in SCENARIOS
        if scenario.name in (REVERSED_REDUCTION, OPTIMIZER_RESET, SAMPLER_RESET)
    }
    unit = 10.0**-config.logged_digits
    reversed_trace = traces[REVERSED_REDUCTION]
    to_boundary = np.abs(np.mod(reference.loss / unit, 1.0) - 0.5) * unit
    moved = np.abs(reversed_trace.loss - reference.loss).max()
    differ = bit_patterns(reversed_trace.weights) != bit_patterns(reference.weights)
    gap = np.abs(reversed_trace.weights.astype(float) - reference.weights.astype(float)).max()
    ulp = np.spacing(np.abs(reference.weights).max())
    after = config.checkpoint_step + 1
    resets = min(
        np.abs(traces[name].loss - reference.loss)[after:].min()
        for name in (OPTIMIZER_RESET, SAMPLER_RESET)
    )
    return Margins(
        log=float(to_boundary.min() / moved) if moved else 0.0,
        differ=float(differ.sum(axis=1).min()),
        rounding=float(8 * ulp / gap) if gap else 0.0,
        resets=float(resets / unit),
    )


def main() -> None:
    """Print the ten seeds of 0 to 199 with the widest smallest margin."""
    ranked = sorted(((margins(seed), seed) for seed in range(200)), key=lambda pair: -min(pair[0]))
    print(f"{sum(min(found) > 1 for found, _ in ranked)} of {len(ranked)} seeds give the shape")
    for found, seed in ranked[:10]:
        print(seed, f"smallest {min(found):.2f}", found)


if __name__ == "__main__":
    main()
