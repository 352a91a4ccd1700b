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
    from matplotlib.path import Path

# Height of a strip; the rest of 1 is the gap to the next.
STRIP = 0.8

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


def plot_strips(axes: Axes, shares: NDArray[np.float64], *, whole: str, part: str) -> None:
    """Plot strips below each other, each a row of bars with heights from 0 to 1.

    A whole share is a block as wide as its column, any other a thin bar: what is
    whole can be told from what is nearly so, without colours too.

    Parameters
    ----------
    axes : matplotlib axes
    shares : ndarray of shape (strips, columns), float64
    whole, part : str
        What the legend calls the two.
    """
    from matplotlib.patches import PathPatch

    strips, columns = shares.shape
    for chosen, color, width, marker, label in (
        (shares == 1, VERMILION, 1.0, "s", whole),
        ((shares > 0) & (shares < 1), BLUE, 0.5, "|", part),
    ):
        axes.add_patch(PathPatch(_bars(shares, chosen, width), facecolor=color, linewidth=0))
        axes.plot(
            [], [], marker, color=color, markersize=9, markeredgewidth=3 * width, label=label
        )
    axes.grid(visible=False)
    axes.hlines(np.arange(strips) + STRIP / 2, -0.5, columns - 0.5, color=GRID, linewidth=0.6)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(length=0, colors=INK)
    axes.set_xlim(-0.5, max(1, columns) - 0.5)
    axes.set_ylim(strips - 0.5, -0.5)


def outline(axes: Axes, strip: int, column: int) -> None:
    """Draw a frame around one column of one strip."""
    left, right = column - 0.7, column + 0.7
    top, foot = strip - STRIP / 2 - 0.06, strip + STRIP / 2 + 0.06
    axes.plot([left, right, right, left, left], [top, top, foot, foot, top], color=INK)


def _bars(shares: NDArray[np.float64], chosen: NDArray[np.bool_], width: float) -> Path:
    """One path of a rectangle for each chosen share, standing on the foot of its strip."""
    from matplotlib.path import Path

    strip, column = np.nonzero(chosen)
    foot = strip + STRIP / 2
    top = foot - STRIP * shares[chosen]
    left, right = column - width / 2, column + width / 2
    corners = [(left, foot), (left, top), (right, top), (right, foot), (left, foot)]
    vertices = np.stack([np.stack(corner, axis=1) for corner in corners], axis=1)
    codes = (Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY)
    return Path(vertices.reshape(-1, 2), np.tile(codes, len(vertices)))


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
