"""The catalogue of faults: one tuple of entries, in the order in which they are shown."""

from __future__ import annotations

from .entry import Fault
from .optimizer import OPTIMIZER
from .precision import NINE_DIGITS, PRECISION
from .published import PUBLISHED
from .reduction import ACCUMULATED, COMMUTING, CURES, REDUCTION
from .sampler import SAMPLER
from .snapshot import ACCUMULATION, AUXILIARY, CADENCE, SIGNED_ZERO, SNAPSHOT

CATALOGUE: tuple[Fault, ...] = (
    *PUBLISHED,
    *SAMPLER,
    *REDUCTION,
    *PRECISION,
    SIGNED_ZERO,
    *AUXILIARY,
    *OPTIMIZER,
    *ACCUMULATION,
    *SNAPSHOT,
    COMMUTING,
    ACCUMULATED,
    NINE_DIGITS,
    *CADENCE,
    *CURES,
)
