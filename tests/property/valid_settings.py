"""Settings that are valid and quick to run."""

from __future__ import annotations

from hypothesis import strategies as st

from replay_lab.config import StudyConfig


@st.composite
def configs(draw: st.DrawFn) -> StudyConfig:
    """Any valid settings of at most a dozen steps over a few small arrays."""
    steps = draw(st.integers(2, 12))
    shards = draw(st.integers(1, 6))
    beta2 = draw(st.floats(0.5, 0.99999))
    return StudyConfig(
        seed=draw(st.integers(0, 2**53 - 1)),
        samples=draw(st.integers(2, 12)),
        features=draw(st.integers(2, 5)),
        steps=steps,
        checkpoint_step=draw(st.integers(1, steps - 1)),
        batch_size=shards * draw(st.integers(1, 3)),
        shards=shards,
        learning_rate=draw(st.floats(1e-6, 10.0)),
        beta1=draw(st.floats(0.0, 0.999).filter(lambda beta1: beta1 * beta1 < beta2)),
        beta2=beta2,
        epsilon=draw(st.floats(1e-10, 0.1)),
        weight_scale=draw(st.floats(0.0, 100.0)),
        noise=draw(st.floats(0.0, 100.0)),
        logged_digits=draw(st.integers(1, 12)),
    )
