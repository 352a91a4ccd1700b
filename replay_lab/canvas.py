"""What every figure shares: style, colours for light and dark, axes, files.

The only module that needs matplotlib, and only when a figure is drawn.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .errors import FiguresUnavailable
from .study_figure import StudyFigure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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


@contextmanager
def canvas(panels: int) -> Iterator[tuple[Figure, Sequence[Axes]]]:
    """Give a figure with `panels` axes below each other, in the style of the lab.

    Raises
    ------
    FiguresUnavailable
        When matplotlib is not installed.
    """
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


def plot_differences(axes: Axes, lines: list[tuple[str, str, Any, Sequence[float]]]) -> None:
    """Plot differences on a log axis that has a level of its own for exact zero."""
    positive = [value for *_, values in lines for value in values if value > 0]
    top = math.ceil(math.log10(max(positive, default=1e-6)) + 0.15)
    least = math.floor(math.log10(min(positive, default=1e-7)))
    bottom = least - 1 - (top - least) // 6
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
    exponents = range(least, top + 1, every)
    axes.set_yticks(
        [10.0**bottom, *(10.0**exponent for exponent in exponents)],
        ["no bit\ndiffers", *(f"1e{exponent}" for exponent in exponents)],
    )
    axes.minorticks_off()


def plot_shares(figure: Figure, axes: Axes, shares: NDArray[np.float64]) -> None:
    """Plot a map of shares from 0 to 1, one hue from paper to ink, with its scale beside it.

    Parameters
    ----------
    figure, axes : matplotlib figure and axes
    shares : ndarray of shape (rows, columns), float64
    """
    from matplotlib.colors import LinearSegmentedColormap

    scale = LinearSegmentedColormap.from_list("shares", ["#fdf3ec", VERMILION, "#3a1a00"])
    picture = axes.imshow(
        shares, cmap=scale, vmin=0, vmax=1, aspect="auto", interpolation="nearest"
    )
    axes.grid(visible=False)
    bar = figure.colorbar(picture, ax=axes, ticks=[0, 0.5, 1])
    bar.ax.set_yticklabels(["none", "half", "all"], color=INK)


def log_if_wide(axes: Axes, values: Sequence[float]) -> None:
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


def finish(figure: Figure, *, name: str, caption: str, alt: str, csv: str) -> StudyFigure:
    """Turn a drawn figure into its files, with everything that belongs to it."""

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
