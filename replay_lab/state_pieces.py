"""Optional training state: schedule, moving average, loss scaler, dropout.

Each is off in the published study and absent from its digest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .bits import Array
from .config import StudyConfig
from .random_streams import draw_words, open_stream
from .recipe import Extras, StatePiece


@dataclass(frozen=True, slots=True)
class LearningRateSchedule(StatePiece):
    """Linear warm-up, then linear decay to a tenth; its counter is state.

    Notes
    -----
    Step t has ``rate * t / warmup`` up to the end of the warm-up, then
    ``rate * max(1 - (t - warmup) / decay, 0.1)``, in float32. The counter is
    kept apart from the step, as schedulers do; that is how they get out of
    step with each other.
    """

    warmup: int = 10
    decay: int = 120

    def init(self, config: StudyConfig) -> dict[str, Array]:
        return {
            "schedule_step": np.array(0, dtype="<i8"),
            "learning_rate": np.array(0, dtype=np.float32),
        }

    def learning_rate(self, extras: Extras, rate: np.float32) -> tuple[Extras, np.float32]:
        step = int(extras["schedule_step"]) + 1
        if step <= self.warmup:
            factor = np.float32(step) / np.float32(self.warmup)
        else:
            part = np.float32(step - self.warmup) / np.float32(self.decay)
            factor = max(np.float32(1) - part, np.float32(0.1))
        now = np.float32(rate * factor)
        changed = {"schedule_step": np.array(step, dtype="<i8"), "learning_rate": np.array(now)}
        return {**extras, **changed}, now


@dataclass(frozen=True, slots=True)
class ConstantSchedule(StatePiece):
    """A schedule that counts and changes nothing: its counter can go wrong unseen."""

    def init(self, config: StudyConfig) -> dict[str, Array]:
        return {"schedule_step": np.array(0, dtype="<i8")}

    def learning_rate(self, extras: Extras, rate: np.float32) -> tuple[Extras, np.float32]:
        step = np.array(int(extras["schedule_step"]) + 1, dtype="<i8")
        return {**extras, "schedule_step": step}, rate


@dataclass(frozen=True, slots=True)
class MovingAverage(StatePiece):
    """An exponential moving average (EMA) of the weights, for evaluation only.

    ``average = decay * average + (1 - decay) * weights`` after every update.
    """

    decay: float = 0.95

    def init(self, config: StudyConfig) -> dict[str, Array]:
        return {"weight_average": np.zeros(config.features, dtype=np.float32)}

    def after_update(self, extras: Extras, weights: NDArray[np.float32]) -> Extras:
        decay = np.float32(self.decay)
        average = decay * extras["weight_average"] + (np.float32(1) - decay) * weights
        return {**extras, "weight_average": average}


@dataclass(frozen=True, slots=True)
class LossScaler(StatePiece):
    """A dynamic loss scale: doubled after every `interval` steps without overflow.

    Multiplying by a power of two is exact while nothing overflows or becomes
    subnormal, so the scale leaves no trace in the gradient.
    """

    initial: float = 1024.0
    interval: int = 15

    def init(self, config: StudyConfig) -> dict[str, Array]:
        return {
            "loss_scale": np.array(self.initial, dtype=np.float32),
            "good_steps": np.array(0, dtype="<i8"),
        }

    def loss_scale(self, extras: Extras, scale: np.float32) -> np.float32:
        return np.float32(scale * extras["loss_scale"])

    def after_update(self, extras: Extras, weights: NDArray[np.float32]) -> Extras:
        good, scale = int(extras["good_steps"]) + 1, extras["loss_scale"]
        if good == self.interval:
            good, scale = 0, np.minimum(scale * np.float32(2), np.float32(65536))
        changed = {"loss_scale": np.asarray(scale), "good_steps": np.array(good, dtype="<i8")}
        return {**extras, **changed}


@dataclass(frozen=True, slots=True)
class FrozenParameter(StatePiece):
    """Parameters that are part of the state and that no step reads or writes.

    One of them is -0.0, as a zero multiplied by a negative number is.
    """

    def init(self, config: StudyConfig) -> dict[str, Array]:
        return {"frozen": np.array([0.5, -0.0], dtype=np.float32)}


@dataclass(frozen=True, slots=True)
class RankDropout(StatePiece):
    """Dropout of features, one random stream per rank.

    Each rank keeps an entry of its rows when the top bit of a raw word is set,
    and doubles what it keeps. Ranks draw from streams of their own, or they
    would drop the same entries.
    """

    def init(self, config: StudyConfig) -> dict[str, Array]:
        streams = [open_stream(config.seed, "dropout", rank) for rank in range(config.shards)]
        return {"dropout": np.stack(streams)}

    def on_batch(
        self, extras: Extras, features: NDArray[np.float32]
    ) -> tuple[Extras, NDArray[np.float32]]:
        ranks = extras["dropout"].shape[0]
        by_rank = features.reshape(ranks, -1)
        draws = [draw_words(stream, by_rank.shape[1]) for stream in extras["dropout"]]
        kept = np.stack([draw.values for draw in draws]) >> np.uint64(63)
        changed = by_rank * (kept.astype(np.float32) * np.float32(2))
        streams = np.stack([draw.stream_state for draw in draws])
        return {**extras, "dropout": streams}, changed.reshape(features.shape)
