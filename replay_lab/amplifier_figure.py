"""The amplifier's figure: two losses that part, and the difference that parts them."""

from __future__ import annotations

from .amplifier import ORDER_ONE, AmplifierResults, describe_amplifier
from .canvas import BLUE, INK, VERMILION, canvas, finish, log_if_wide, plot_differences
from .figure_data import columns_csv
from .study_figure import StudyFigure


def draw_amplifier(results: AmplifierResults) -> StudyFigure:
    """Draw both losses and the weight difference that grows between them.

    Raises
    ------
    FiguresUnavailable
        When matplotlib is not installed.
    """
    config = results.config
    steps = range(1, config.steps + 1)
    forward, changed = results.forward.loss, results.reversed.loss
    with canvas(panels=2) as (figure, (upper, lower)):
        upper.plot(steps, forward, color=BLUE, linewidth=2.5, alpha=0.55)
        upper.plot(steps, changed, color=INK, linewidth=0.9)
        log_if_wide(upper, [*forward, *changed])
        upper.legend(upper.lines, ["first shard to last", "last to first"], loc="best")
        upper.set_ylabel("loss")
        upper.set_title(_log_title(results))
        plot_differences(lower, [("", VERMILION, "-", results.weight_difference)])
        lower.set_title(_growth_title(results))
        lower.set_ylabel("largest |difference|")
        lower.set_xlabel("step")
        if results.first_log_difference is not None:
            for axes in (upper, lower):
                axes.axvline(results.first_log_difference, color=INK, linewidth=1, linestyle=":")
        return finish(
            figure,
            name="amplifier",
            caption=(
                f"The same fault in a softsign network of {config.hidden} units: two runs add "
                f"the same {config.shards} partial sums, first to last and last to first. "
                f"Dotted: the first step at which a {config.logged_digits}-digit loss log differs."
            ),
            alt=(
                f"Two panels over {config.steps} training steps. Above, the loss of two runs, "
                f"from {forward[0]:.4f} and {changed[0]:.4f} to {forward[-1]:.4f} and "
                f"{changed[-1]:.4f}. Below, their largest weight difference on a logarithmic "
                f"axis. {describe_amplifier(results)}"
            ),
            csv=amplifier_csv(results),
        )


def amplifier_csv(results: AmplifierResults) -> str:
    """Losses of the two runs, raw and logged, and their weight difference, per step."""
    return columns_csv(
        {
            "forward_loss": results.forward.loss,
            "reversed_loss": results.reversed.loss,
            "forward_logged_loss": results.forward.logged_loss,
            "reversed_logged_loss": results.reversed.logged_loss,
            "maximum_weight_difference": results.weight_difference,
        }
    )


def _log_title(results: AmplifierResults) -> str:
    step = results.first_log_difference
    return "Loss: the log " + ("never differs" if step is None else f"first differs at step {step}")


def _growth_title(results: AmplifierResults) -> str:
    if results.first_weight_mismatch is None:
        return "Weights: no bit differs"
    first = results.weight_difference[results.first_weight_mismatch - 1]
    if results.first_order_one is None:
        return f"Weights: {first:.0e} becomes {results.maximum_weight_difference:.0e}"
    return f"Weights: {first:.0e} becomes {ORDER_ONE:g} by step {results.first_order_one}"
