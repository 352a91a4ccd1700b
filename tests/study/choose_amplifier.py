"""How the amplifier's rate and seed were chosen: `python -m tests.study.choose_amplifier`.

The margin of a seed is the smallest of four, each a multiple of what would just
suffice. The rate is the one at which most of the seeds 0 to 199 have a margin
above 1, the seed the one with the widest margin at that rate.

- size: largest weight difference over order one;
- time: steps of the preset over the step at which order one is reached;
- start: ten roundings of the largest weight over the first difference;
- silence: the first step at which the log shows it, over 20.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from replay_lab.amplifier import DEFAULT_LEARNING_RATE, ORDER_ONE, AmplifierConfig, run_amplifier

RATES = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
SEEDS = range(200)


class Margins(NamedTuple):
    """Each above 1 where the preset shows what it is for."""

    size: float
    time: float
    start: float
    silence: float


def margins(config: AmplifierConfig) -> Margins:
    """Run the preset and measure how close each call is."""
    results = run_amplifier(config)
    first = results.first_weight_mismatch
    if first is None or results.first_order_one is None:
        return Margins(results.maximum_weight_difference / ORDER_ONE, 0.0, 0.0, 0.0)
    largest = np.abs(results.forward.weights[first - 1]).max()
    shown = results.first_log_difference or config.steps
    return Margins(
        size=results.maximum_weight_difference / ORDER_ONE,
        time=config.steps / results.first_order_one,
        start=float(10 * np.spacing(largest)) / results.weight_difference[first - 1],
        silence=shown / 20,
    )


def main() -> None:
    """Print the share of good seeds per rate, then the ten best seeds of the default rate."""
    for rate in RATES:
        found = [margins(AmplifierConfig(seed=seed, learning_rate=rate)) for seed in SEEDS]
        grown = [margin.time > 1 for margin in found]
        quiet = [min(margin) > 1 for margin in found]
        steps = 1000 / np.median([margin.time for margin in found if margin.time > 0])
        print(
            f"rate {rate}: order one in {sum(grown)} of {len(found)} seeds, median step "
            f"{steps:.0f}; all four margins in {sum(quiet)}"
        )
    ranked = sorted(
        ((margins(AmplifierConfig(seed=seed)), seed) for seed in SEEDS),
        key=lambda pair: -min(pair[0]),
    )
    print(f"rate {DEFAULT_LEARNING_RATE}:")
    for found_here, seed in ranked[:10]:
        print(seed, f"smallest {min(found_here):.2f}", found_here)


if __name__ == "__main__":
    main()
