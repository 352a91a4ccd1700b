"""The two published figures, with alt texts that state this run's numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .canvas import BLUE, GREEN, INK, VERMILION, canvas, finish, log_if_wide, plot_differences
from .figure_data import RESTORE_VARIANTS, reduction_order_csv, restore_variants_csv
from .findings import describe_row
from .scenarios import FULL_RESTORE, OPTIMIZER_RESET, REVERSED_REDUCTION, SAMPLER_RESET
from .study_figure import StudyFigure, StudyFigures

if TYPE_CHECKING:
    from .results import StudyResults


def draw_figures(results: StudyResults) -> StudyFigures:
    """Draw both published figures.

    Raises
    ------
    FiguresUnavailable
        When matplotlib is not installed.
    """
    return StudyFigures((draw_reduction_order(results), draw_restore_variants(results)))


def draw_reduction_order(results: StudyResults) -> StudyFigure:
    """Draw loss and parameter difference under a changed reduction order.

    The upper panel shows two loss curves that lie on each other, the lower one
    the weight difference that the loss does not show.
    """
    changed = results.scenario(REVERSED_REDUCTION)
    steps = range(1, results.config.steps + 1)
    with canvas(panels=2) as (figure, (upper, lower)):
        upper.plot(steps, results.reference.loss, color=BLUE, linewidth=4.5, alpha=0.55)
        upper.plot(steps, changed.run.loss, color=INK, linewidth=1.3, linestyle=(0, (4, 2)))
        log_if_wide(upper, [*results.reference.loss, *changed.run.loss])
        upper.set_title("Loss: two runs" + (", one line" if _coincide(results) else ""))
        upper.legend(upper.lines, ["reference", "reversed reduction"], loc="best")
        upper.set_ylabel("loss")
        plot_differences(lower, [("", VERMILION, "-", changed.weight_difference)])
        differ = changed.row.weight_mismatch_steps
        lower.set_title(f"Weights: {differ} of {len(steps)} steps differ")
        lower.set_ylabel("largest |difference|")
        lower.set_xlabel("step")
        return finish(
            figure,
            name="reduction_order",
            caption=(
                "Loss and parameter difference of two runs that add the same "
                f"{results.config.shards} partial sums, first to last and last to first."
            ),
            alt=(
                "Two panels over the training steps. Above, the loss of the reference run goes "
                f"from {results.reference.loss[0]:.4f} to {results.reference.loss[-1]:.4f}; "
                + _overlap(results.reference.loss, changed.run.loss)
                + f" Below, their largest weight difference. {describe_row(changed.row, results.config)}"
            ),
            csv=reduction_order_csv(results),
        )


def draw_restore_variants(results: StudyResults) -> StudyFigure:
    """Draw how far the weights are from the reference after each restore variant."""
    styles = {
        FULL_RESTORE: (GREEN, "-"),
        OPTIMIZER_RESET: (VERMILION, "-"),
        SAMPLER_RESET: (BLUE, (0, (5, 1.5))),
    }
    rows = [results.scenario(name) for name in RESTORE_VARIANTS]
    with canvas(panels=1) as (figure, (axes,)):
        plot_differences(
            axes, [(row.name, *styles[row.name], row.weight_difference) for row in rows]
        )
        axes.axvline(results.config.checkpoint_step, color=INK, linewidth=1, linestyle=":")
        axes.set_title(f"Weights after a restore at step {results.config.checkpoint_step}")
        axes.set_ylabel("largest |difference|")
        axes.set_xlabel("step")
        figure.legend(loc="outside lower center", ncols=2)
        return finish(
            figure,
            name="restore_variants",
            caption=(
                "Model-state divergence after restoring the checkpoint of step "
                f"{results.config.checkpoint_step} completely, without optimizer state, "
                "and without sampler state."
            ),
            alt=(
                "Largest weight difference to the uninterrupted run over the training steps, "
                "for three restore variants. "
                + " ".join(describe_row(row.row, results.config) for row in rows)
            ),
            csv=restore_variants_csv(results),
        )


def _coincide(results: StudyResults) -> bool:
    """Whether no eye can tell the two loss curves apart: one part in a thousand."""
    pairs = zip(results.reference.loss, results.scenario(REVERSED_REDUCTION).run.loss)
    return all(abs(a - b) <= 1e-3 * abs(a) for a, b in pairs)


def _overlap(a: Sequence[float], b: Sequence[float]) -> str:
    gap = max(abs(x - y) for x, y in zip(a, b))
    return f"the other run's curve is at most {gap:.1e} away from it."
