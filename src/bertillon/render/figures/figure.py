"""Charts as figures, and the axes to draw on.

Conventions: figures are made without a window system, laid out once and then left as they are. Axes that are handed in
are drawn on and nothing else is changed. Narrow axes get small letters. Widths for papers are those of most two-column
ones; in a figure of one column the letters are as small as a caption's, so that it is printed as it is and never
shrunk.

Holds `draw_chart`, `axes_for`, `new_figure` and `figure_size`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bertillon.core.errors import InputError
from bertillon.render.figures.draw import draw_panel
from bertillon.render.figures.style import DPI, QUIET, SMALL, look
from bertillon.views.figures.chart import SIZE, Chart, Size

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NARROW, NARROW_AXES = 4.0, 3.2  # inches of a figure, and of axes that are handed in
WIDTHS = {"column": 3.5, "page": 7.16}  # inches
ASPECTS = {"column": 0.8, "page": 0.55}  # height by width


def draw_chart(chart: Chart) -> Figure:
    """The chart on a figure of its own, laid out."""
    with look():
        figure = new_figure(*chart.size)
        if chart.title:
            figure.suptitle(chart.title, fontsize=SMALL, color=QUIET, parse_math=False)
        for ax, panel in zip(_axes(figure, chart), chart.panels, strict=True):
            draw_panel(ax, panel)
        _lay_out(figure)
    return figure


@contextmanager
def axes_for(ax: Axes | None, size: Size | None = None) -> Iterator[Axes]:
    """The axes handed in, or those of a new figure of that size (inches); inside, figures have bertillon's look."""
    if ax is not None:
        if size is not None:
            raise InputError("size is that of a new figure; the axes given have theirs: give one of the two")
        with look(small=ax.get_window_extent().width / ax.figure.dpi < NARROW_AXES):
            yield ax
        return
    width, height = size or SIZE
    with look(small=width < NARROW):
        figure = new_figure(width, height)
        yield figure.add_subplot()
        _lay_out(figure)


def new_figure(width: float = SIZE[0], height: float = SIZE[1]) -> Figure:
    """An empty figure with a canvas of its own, unknown to any window system."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def figure_size(width: str = "column", *, aspect: float | None = None) -> Size:
    """Inches of a figure as wide as a "column" or the whole "page"; `aspect` is its height by its width.

    >>> figure_size("column"), figure_size("page", aspect=0.5)
    ((3.5, 2.8), (7.16, 3.58))
    """
    if width not in WIDTHS:
        raise InputError(f"figure width {width!r} is not known; expected {' or '.join(WIDTHS)}")
    if aspect is not None and not 0.1 <= aspect <= 10.0:
        raise InputError(f"aspect is {aspect!r}; expected height by width, such as {ASPECTS[width]:g}")
    return WIDTHS[width], round(WIDTHS[width] * (aspect or ASPECTS[width]), 4)


def _axes(figure: Figure, chart: Chart) -> list[Axes]:
    """A pair for each panel: row by row, or down each column where the rows have heights."""
    columns, count = chart.columns, len(chart.panels)
    if not chart.heights:
        return [figure.add_subplot(-(-count // columns), columns, i + 1) for i in range(count)]
    cells = figure.add_gridspec(len(chart.heights), columns, height_ratios=chart.heights)
    return [figure.add_subplot(cells[row, column]) for column in range(columns) for row in range(len(chart.heights))]


def _lay_out(figure: Figure) -> None:
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # the places just found stay, however often and wherever it is drawn
