"""Is this training run bitwise reproducible?

A float32 regression is trained with Adam, replayed under controlled faults and
compared bit by bit. The public names are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .agreement import Agreement as Agreement
    from .agreement import compare_bits as compare_bits
    from .agreement import compare_with_saved as compare_with_saved
    from .amplifier import run_amplifier as run_amplifier
    from .amplifier_figure import draw_amplifier as draw_amplifier
    from .beyond_figures import draw_digits as draw_digits
    from .beyond_figures import draw_observers as draw_observers
    from .bits import bit_pattern as bit_pattern
    from .bits import digest as digest
    from .bits import ulp_distance as ulp_distance
    from .catalogue import run_catalogue as run_catalogue
    from .comparison import compare_arrays as compare_arrays
    from .comparison import compare_states as compare_states
    from .config import StudyConfig as StudyConfig
    from .digits import sweep_digits as sweep_digits
    from .errors import ReplayLabError as ReplayLabError
    from .exhibits import show as show
    from .figures import draw_figures as draw_figures
    from .files import write_json as write_json
    from .files import write_results as write_results
    from .observers import run_observers as run_observers
    from .results import StudyResults as StudyResults
    from .saved_bits import SavedBits as SavedBits
    from .study import StudyEvent as StudyEvent
    from .study import run_study as run_study
    from .study_figure import StudyFigure as StudyFigure
    from .sweep import run_sweep as run_sweep
    from .sweep_figure import draw_sweep as draw_sweep
    from .usual_style import run_usual_style as run_usual_style
    from .work import estimated_work as estimated_work

_HOMES = {
    "Agreement": "agreement",
    "ReplayLabError": "errors",
    "SavedBits": "saved_bits",
    "StudyConfig": "config",
    "StudyEvent": "study",
    "StudyFigure": "study_figure",
    "StudyResults": "results",
    "bit_pattern": "bits",
    "compare_arrays": "comparison",
    "compare_bits": "agreement",
    "compare_states": "comparison",
    "compare_with_saved": "agreement",
    "digest": "bits",
    "draw_amplifier": "amplifier_figure",
    "draw_digits": "beyond_figures",
    "draw_figures": "figures",
    "draw_observers": "beyond_figures",
    "draw_sweep": "sweep_figure",
    "estimated_work": "work",
    "run_amplifier": "amplifier",
    "run_catalogue": "catalogue",
    "run_observers": "observers",
    "run_study": "study",
    "run_sweep": "sweep",
    "run_usual_style": "usual_style",
    "show": "exhibits",
    "sweep_digits": "digits",
    "ulp_distance": "bits",
    "write_json": "files",
    "write_results": "files",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'replay_lab' has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
