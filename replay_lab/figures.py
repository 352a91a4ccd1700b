"""Figures drawn from results, with alt texts that state this run's numbers.

The only module that needs matplotlib, and only when a figure is drawn.
"""

from __future__ import annotations

import base64
import io
import math
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import FiguresUnavailable
from .figure_data import RESTORE_VARIANTS, reduction_order_csv, restore_variants_csv
from .findings import describe_row
from .scenarios import FULL_RESTORE, OPTIMIZER_RESET, REVERSED_REDUCTION, SAMPLER_RESET

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .results import StudyResults

INK, GRID = "#1f2328", "#c4cad1"
BLUE, VERMILION, GREEN = "#0072b2", "#d55e00", "#007a5a"

# The same marks on a dark page; the pairs keep their hue and reach 3:1 on both.
DARK = {
    INK: "#e6edf3",
    GRID: "#4b535d",
    BLUE: "#56b4e9",
    VERMILION: "#f08a4b",
    GREEN: "#3fc79a",
}

_STYLE = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "sans-serif"],
    "font.size": 12.5,
    "axes.edgecolor": GRID,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": "medium",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "legend.labelcolor": INK,
    "svg.fonttype": "none",
    "svg.hashsalt": "replay_lab",
    "savefig.facecolor": "white",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyFigure:
    """One figure with everything that belongs to it.

    Attributes
    ----------
    name : str
        Stem of its file names.
    caption, alt : str
        For those who see it and for those who do not.
    svg : str
        Transparent, follows the light or dark preference of the reader.
    png : bytes
        The same on white.
    csv : str
        The numbers behind it.
    """

    name: str
    caption: str
    alt: str
    svg: str
    png: bytes
    csv: str

    def write(self, folder: str | os.PathLike[str] = ".") -> tuple[Path, ...]:
        """Write ``name.svg``, ``name.png`` and ``name.csv`` into `folder`."""
        contents = {".svg": self.svg.encode(), ".png": self.png, ".csv": self.csv.encode()}
        paths = {Path(folder) / (self.name + suffix): data for suffix, data in contents.items()}
        for path, data in paths.items():
            path.write_bytes(data)
        return tuple(paths)

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        data = {
            "image/svg+xml": self.svg,
            "image/png": base64.b64encode(self.png).decode(),
            "text/plain": self.alt,
        }
        alt = {"alt": self.alt}
        about = {"name": self.name, "alt": self.alt, "caption": self.caption}
        return data, {"image/svg+xml": alt, "image/png": alt, "replay_lab": about}


class StudyFigures(tuple[StudyFigure, ...]):
    """Several figures as one last expression: each is shown by itself."""

    def write(self, folder: str | os.PathLike[str] = ".") -> tuple[Path, ...]:
        """Write the files of every figure into `folder`."""
        return tuple(path for figure in self for path in figure.write(folder))

    def _ipython_display_(self) -> None:
        from IPython.display import display

        for figure in self:
            display(figure)


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
    with _canvas(panels=2) as (figure, (upper, lower)):
        upper.plot(steps, results.reference.loss, color=BLUE, linewidth=4.5, alpha=0.55)
        upper.plot(steps, changed.run.loss, color=INK, linewidth=1.3, linestyle=(0, (4, 2)))
        _log_if_wide(upper, [*results.reference.loss, *changed.run.loss])
        upper.set_title("Loss: two runs" + (", one line" if _coincide(results) else ""))
        upper.legend(upper.lines, ["reference", "reversed reduction"], loc="best")
        upper.set_ylabel("loss")
        _plot_differences(lower, [("", VERMILION, "-", changed.weight_difference)])
        differ = changed.row.weight_mismatch_steps
        lower.set_title(f"Weights: {differ} of {len(steps)} steps differ")
        lower.set_ylabel("largest |difference|")
        lower.set_xlabel("step")
        return _finish(
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
    with _canvas(panels=1) as (figure, (axes,)):
        _plot_differences(
            axes, [(row.name, *styles[row.name], row.weight_difference) for row in rows]
        )
        axes.axvline(results.config.checkpoint_step, color=INK, linewidth=1, linestyle=":")
        axes.set_title(f"Weights after a restore at step {results.config.checkpoint_step}")
        axes.set_ylabel("largest |difference|")
        axes.set_xlabel("step")
        figure.legend(loc="outside lower center", ncols=2)
        return _finish(
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


@contextmanager
def _canvas(panels: int) -> Iterator[tuple[Figure, Sequence[Axes]]]:
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise FiguresUnavailable(
            "figures need matplotlib, which cannot be imported here; everything else works "
            "without it. Install it with: pip install 'replay_lab[figures]'"
        ) from error
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        figure = Figure(figsize=(5.8, 2.6 + 1.9 * panels), layout="constrained")
        yield figure, [figure.add_subplot(panels, 1, panel + 1) for panel in range(panels)]


def _plot_differences(axes: Axes, lines: list[tuple[str, str, Any, Sequence[float]]]) -> None:
    """Plot differences on a log axis that has a level of its own for exact zero."""
    positive = [value for *_, values in lines for value in values if value > 0]
    top = math.ceil(math.log10(max(positive, default=1e-6)) + 0.15)
    bottom = math.floor(math.log10(min(positive, default=1e-7))) - 1
    axes.set_yscale("log")
    for offset, (label, color, style, values) in enumerate(lines):
        floor = 10.0 ** (bottom - 0.12 * (offset - (len(lines) - 1) / 2))
        heights = [value if value > 0 else floor for value in values]
        axes.plot(
            range(1, len(values) + 1),
            heights,
            label=label,
            color=color,
            linestyle=style,
            linewidth=2,
        )
    axes.set_ylim(10.0 ** (bottom - 0.5), 10.0**top)
    every = max(1, math.ceil((top - bottom) / 4))
    exponents = range(bottom + 1, top + 1, every)
    axes.set_yticks(
        [10.0**bottom, *(10.0**exponent for exponent in exponents)],
        ["no bit\ndiffers", *(f"1e{exponent}" for exponent in exponents)],
    )
    axes.minorticks_off()


def _log_if_wide(axes: Axes, values: Sequence[float]) -> None:
    """Use a log axis where the values span more than one decade."""
    if min(values) > 0 and max(values) / min(values) > 10:
        axes.set_yscale("log")
        ticks = [
            digit * 10.0**exponent
            for exponent in range(-8, 9)
            for digit in (1, 3)
            if min(values) <= digit * 10.0**exponent <= max(values)
        ]
        axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.minorticks_off()


def _coincide(results: StudyResults) -> bool:
    """Whether no eye can tell the two loss curves apart: one part in a thousand."""
    pairs = zip(results.reference.loss, results.scenario(REVERSED_REDUCTION).run.loss)
    return all(abs(a - b) <= 1e-3 * abs(a) for a, b in pairs)


def _overlap(a: Sequence[float], b: Sequence[float]) -> str:
    gap = max(abs(x - y) for x, y in zip(a, b))
    return f"the other run's curve is at most {gap:.1e} away from it."


def _finish(figure: Figure, *, name: str, caption: str, alt: str, csv: str) -> StudyFigure:
    def save(**options: Any) -> bytes:
        buffer = io.BytesIO()
        figure.savefig(buffer, **options)
        return buffer.getvalue()

    png = save(format="png", dpi=144, metadata={"Software": None})
    svg = save(format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return StudyFigure(
        name=name, caption=caption, alt=alt, svg=_with_dark_colors(svg.decode()), png=png, csv=csv
    )


def _with_dark_colors(svg: str) -> str:
    """Add a style sheet that exchanges the colours where dark is preferred."""
    rules = "".join(
        f'[style*="{kind}: {light}"]{{{kind}:{dark}!important}}'
        for light, dark in DARK.items()
        for kind in ("fill", "stroke")
    )
    style = f"<style>@media (prefers-color-scheme: dark){{{rules}}}</style>"
    head, mark, rest = svg.partition("<defs>")
    return head + style + mark + rest
