"""The same study, written the usual way: the digest belongs to the machine.

Data from ``Generator.normal``, batches from ``Generator.choice``, products with
``@``, averages with ``np.mean``, powers with ``**``: each is right, and each
leaves its last bits to a math library, a BLAS, a vector unit or a version of
numpy. The digests found here are therefore *expected to differ* between
machines, whereas on one machine a second run agrees with the first.

This is the only module of the lab that may use such operations, and nothing
that it returns enters a portable digest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .bits import digest
from .config import StudyConfig
from .model import logged
from .saved_bits import SavedBits, settings_as_texts
from .tables import Table


class UsualData(NamedTuple):
    """Features, targets and batches of one run."""

    features: NDArray[np.float32]
    targets: NDArray[np.float32]
    batches: NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UsualStyleRun:
    """One run; not portable.

    Attributes
    ----------
    weights_digest : str
        SHA-256 over the weights after every step.
    logged_loss : tuple of float
        Loss of the weights before the update of each step, rounded.
    final_loss : float
        Unrounded loss of the weights after the last update.
    """

    weights_digest: str
    logged_loss: tuple[float, ...]
    final_loss: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UsualStyleResults:
    """Two runs of one seed, one after the other, on this machine.

    Attributes
    ----------
    config : StudyConfig
    runs : tuple of UsualStyleRun
    """

    config: StudyConfig
    runs: tuple[UsualStyleRun, UsualStyleRun]

    @property
    def weights_digests(self) -> tuple[str, str]:
        """The digest of each run; to be set beside those of another machine."""
        first, second = self.runs
        return first.weights_digest, second.weights_digest

    @property
    def repeats(self) -> bool:
        """Whether the second run has the bits of the first."""
        first, second = self.weights_digests
        return first == second

    @property
    def final_loss(self) -> float:
        """Final loss of the first run."""
        return self.runs[0].final_loss

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object; it differs between machines by design."""
        return {
            "portable": False,
            "config": self.config.to_json(),
            "weights_digests": list(self.weights_digests),
            "repeats": self.repeats,
            "final_loss": self.final_loss,
            "logged_loss": list(self.runs[0].logged_loss),
        }

    def saved_bits(self) -> SavedBits:
        """Return what another machine compares, and may find different."""
        return SavedBits(
            name="usual style",
            settings=settings_as_texts(self.config.to_json()),
            digests={"weights, written the usual way": self.weights_digests[0]},
            portable=False,
        )

    def table(self, portable_digest: str) -> Table:
        """Set the digests beside that of the same study in portable arithmetic.

        Parameters
        ----------
        portable_digest : str
            `StudyResults.study_digest` of the same settings.
        """
        first, second = self.weights_digests
        return Table.make(
            caption=(
                "The first two digests belong to this machine and may differ on another; "
                "the last may not"
            ),
            columns={"style": "Written", "digest": "Digest"},
            texts=("digest",),
            rows=[
                ("the usual way", first),
                ("the usual way, once more", second),
                ("in portable arithmetic", portable_digest),
            ],
        )


def run_usual_style(config: StudyConfig = StudyConfig()) -> UsualStyleResults:
    """Train the study twice, written the usual way.

    Parameters
    ----------
    config : StudyConfig
        Size, seed, optimizer and log of the study. `shards` and
        `checkpoint_step` have no part in it: ``@`` chooses its own order, and
        nothing is restored.

    Returns
    -------
    UsualStyleResults
        Its digests are expected to differ between machines.
    """
    return UsualStyleResults(config=config, runs=(_run(config), _run(config)))


def _run(config: StudyConfig) -> UsualStyleRun:
    data = _draw(config)
    weights = np.zeros(config.features, dtype=np.float32)
    first_moment, second_moment = np.zeros_like(weights), np.zeros_like(weights)
    beta1, beta2 = np.float32(config.beta1), np.float32(config.beta2)
    history, losses = [], []
    for step, batch in enumerate(data.batches, start=1):
        losses.append(_loss(data, weights))
        features, targets = data.features[batch], data.targets[batch]
        gradient = np.mean(features * (features @ weights - targets)[:, np.newaxis], axis=0)
        first_moment = beta1 * first_moment + (1 - beta1) * gradient
        second_moment = beta2 * second_moment + (1 - beta2) * gradient**2
        direction = (first_moment / (1 - beta1**step)) / (
            np.sqrt(second_moment / (1 - beta2**step)) + np.float32(config.epsilon)
        )
        weights = weights - np.float32(config.learning_rate) * direction
        history.append(weights)
    return UsualStyleRun(
        weights_digest=digest({"weights": np.array(history)}),
        logged_loss=tuple(logged(loss, config.logged_digits) for loss in losses),
        final_loss=_loss(data, weights),
    )


def _draw(config: StudyConfig) -> UsualData:
    generator = np.random.default_rng(config.seed)
    shape = (config.samples, config.features)
    features = generator.normal(size=shape).astype(np.float32)
    true_weights = generator.normal(scale=config.weight_scale, size=config.features)
    noise = generator.normal(scale=config.noise, size=config.samples)
    targets = features @ true_weights.astype(np.float32) + noise.astype(np.float32)
    batches = generator.choice(config.samples, size=(config.steps, config.batch_size))
    return UsualData(features, targets, batches)


def _loss(data: UsualData, weights: NDArray[np.float32]) -> float:
    """Half the mean squared error over all samples."""
    residuals = data.features @ weights - data.targets
    return float(np.mean(residuals**2) / 2)
