"""One look for all figures, and how to draw in it without leaving traces.

Conventions: settings hold inside `look()` only, on top of the drawing library's own defaults, so a personal settings
file changes nothing. Figures are made without a window system. Sizes suit a page 5 inches wide and are still readable
at the 3.5 inches of a paper's column; a small look has letters for figures made just so wide. Colours stay apart for
colour-blind readers (Okabe and Ito's palette), line styles for readers of grey prints. Names may be in any letters
(see `fonts`).

Holds `look`, `new_figure`, `colour`, `line_style` and the colours with a fixed meaning.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from bertillon.render.figures.fonts import FONT, families, saying_once_what_is_missing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MATED, NONMATED = "#0072B2", "#D55E00"
INK, QUIET, FAINT = "#222222", "#666666", "#BBBBBB"
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
STYLES = ("-", "--", "-.", ":")
SIZE = (5.0, 4.0)  # inches
DPI = 150
SMALL = 8.0

LOOK: dict[str, Any] = {
    "font.family": [FONT],
    "font.size": 10.0,
    "axes.titlesize": 10.0,
    "axes.labelsize": 10.0,
    "xtick.labelsize": 9.0,
    "ytick.labelsize": 9.0,
    "legend.fontsize": 9.0,
    "legend.frameon": True,
    "legend.framealpha": 0.9,
    "legend.edgecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "text.color": INK,
    "axes.grid": True,
    "grid.color": "#EEEEEE",
    "grid.linewidth": 0.8,
    "axes.axisbelow": True,
    "lines.linewidth": 1.6,
    "lines.solid_joinstyle": "miter",
    "axes.unicode_minus": True,
    "svg.hashsalt": "bertillon",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
}

SMALL_LOOK: dict[str, Any] = {  # for figures as wide as a paper's column
    "font.size": 8.0,
    "axes.titlesize": 8.0,
    "axes.labelsize": 8.0,
    "xtick.labelsize": 7.0,
    "ytick.labelsize": 7.0,
    "legend.fontsize": 7.0,
    "grid.linewidth": 0.6,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "lines.linewidth": 1.2,
}

_one_at_a_time = threading.RLock()  # the settings and the warning filters belong to the whole process


@contextmanager
def look(*, small: bool = False) -> Iterator[None]:
    """Inside, figures are made and drawn in bertillon's look; afterwards all settings are as before."""
    import matplotlib.style

    chosen = LOOK | {"font.family": families()} | (SMALL_LOOK if small else {})
    with _one_at_a_time, saying_once_what_is_missing(), matplotlib.style.context(["default", chosen]):
        yield


def new_figure(width: float = SIZE[0], height: float = SIZE[1]) -> Figure:
    """An empty figure with a canvas of its own, unknown to any window system."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def colour(index: int) -> str:
    """The colour of a system by its place in the list."""
    return PALETTE[index % len(PALETTE)]


def line_style(index: int) -> str:
    """The line style of a system: solid until the colours run out."""
    return STYLES[index // len(PALETTE) % len(STYLES)]
