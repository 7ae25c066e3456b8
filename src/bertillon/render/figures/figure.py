"""Charts as figures, the axes to draw on, and figures as files.

Conventions: figures are made without a window system, laid out once and then left as they are. Axes that are handed in
are drawn on and nothing else is changed. Narrow axes get small letters. Widths for papers are those of most two-column
ones; in a figure of one column the letters are as small as a caption's, so that it is printed as it is and never
shrunk. Every file is whole or not there at all. The same systems give the same bytes: no dates, no random ids.

Holds `draw_chart`, `axes_for`, `divided`, `new_figure` and `figure_size`; `save_figures` (of evaluations in any mode),
`save_calibration_figure`, `save_all`, `render` and `FORMATS`; `figures_of` findings of one kind.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from bertillon.core import InputError, make_folder, write_whole
from bertillon.core.arguments import describe
from bertillon.evaluation import AnyEvaluation, Bands, ClassEvaluation
from bertillon.render.figures.draw import draw_panel
from bertillon.render.figures.style import DPI, QUIET, SMALL, look
from bertillon.views import calibration_chart, charts_of, charts_of_evaluations
from bertillon.views.figures.chart import SIZE, Chart, Size
from bertillon.views.figures.decisions import has_probabilities

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NARROW, NARROW_AXES = 4.0, 3.2  # inches of a figure, and of axes that are handed in
WIDTHS = {"column": 3.5, "page": 7.16}  # inches
ASPECTS = {"column": 0.8, "page": 0.55}  # height by width
MAKER = "bertillon"
FORMATS: dict[str, dict[str, Any]] = {  # and what each says about its origin
    "png": {"Software": MAKER},
    "svg": {"Creator": MAKER, "Date": None},
    "pdf": {"Creator": MAKER, "Producer": MAKER, "CreationDate": None},
}
USUAL_FORMATS = ("pdf", "png")

Figures = Mapping[str, Callable[[], "Figure"]]


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
    """The axes handed in, those of a new figure of that size (inches), or the current ones; all in bertillon's look."""
    if ax is not None:
        if not hasattr(ax, "get_window_extent"):
            raise InputError(f"ax is {describe(ax)}; expected Axes of matplotlib, or leave it out for the current ones")
        if size is not None:
            raise InputError("size is that of a new figure; the axes given have theirs: give one of the two")
        with look(small=ax.get_window_extent().width / ax.figure.dpi < NARROW_AXES):
            yield ax
        return
    from matplotlib import pyplot

    if size is not None and (not isinstance(size, list | tuple) or len(size) != 2):
        raise InputError(f"size is {describe(size)}; expected (width, height) in inches, such as bt.plot.figure_size()")
    with look(small=size is not None and size[0] < NARROW):
        fresh = size is not None or not pyplot.get_fignums() or not pyplot.gcf().axes
        if size is not None or not pyplot.get_fignums():
            pyplot.figure(figsize=size or SIZE, dpi=DPI, layout="constrained")
        yield pyplot.gca()
        if fresh:
            _lay_out(pyplot.gcf())


def divided(ax: Axes, heights: Sequence[float]) -> list[Axes]:
    """The axes and others under them, which share their place by these heights."""
    place, figure = ax.get_subplotspec(), ax.figure
    if len(heights) == 1:
        return [ax]
    if place is None:
        raise InputError(f"{len(heights)} panels need axes of subplots; make them with plt.subplots or figure.subplots")
    grid = place.subgridspec(len(heights), 1, height_ratios=list(heights))
    ax.set_subplotspec(grid[0])
    return [ax, *(figure.add_subplot(grid[row]) for row in range(1, len(heights)))]


def new_figure(width: float = SIZE[0], height: float = SIZE[1]) -> Figure:
    """An empty figure with a canvas of its own, unknown to any window system."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def figure_size(width: str = "column", *, aspect: float | None = None) -> Size:
    """Inches of a figure as wide as a "column" or the whole "page"; `aspect` is its height by its width.

    Parameters
    ----------
    width
        "column" or "page".
    aspect
        Height by width.

    Returns
    -------
    tuple of float
        Width and height in inches.

    Examples
    --------
    >>> figure_size("column"), figure_size("page", aspect=0.5)
    ((3.5, 2.8), (7.16, 3.58))
    """
    if width not in WIDTHS:
        raise InputError(f"figure width {width!r} is not known; expected {' or '.join(WIDTHS)}")
    if aspect is not None and not 0.1 <= aspect <= 10.0:
        raise InputError(f"aspect is {aspect!r}; expected height by width, such as {ASPECTS[width]:g}")
    return WIDTHS[width], round(WIDTHS[width] * (aspect or ASPECTS[width]), 4)


def save_figures(
    evaluations: AnyEvaluation | Sequence[AnyEvaluation],
    folder: str | os.PathLike[str],
    *,
    formats: Sequence[str] = USUAL_FORMATS,
    bands: Bands = (),
    costs: Mapping[str, float] | None = None,
) -> list[Path]:
    """Every figure of evaluations of one mode, in every format, as `roc.png` and so on; the files as written.

    `bands` are drawn around the curves they belong to; `costs` of a classifier's errors by threshold.

    Parameters
    ----------
    evaluations
        One, or several of one mode.
    folder
        Where the files go.
    formats
        Among pdf, png and svg.
    bands
        How sure the curves are.
    costs
        Of a classifier's errors.

    Returns
    -------
    list of Path
        The files written.

    Examples
    --------
    >>> import tempfile
    >>> import bertillon as bt
    >>> e = bt.evaluate([0.4, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.5, 0.65])
    >>> sorted({path.suffix for path in bt.save_figures(e, tempfile.mkdtemp())})
    ['.pdf', '.png']
    """
    several = evaluations if isinstance(evaluations, Sequence) else [evaluations]
    charts = charts_of_evaluations(several, bands=bands, costs=costs)
    return save_all(_drawn(charts), folder, formats=formats)


def save_calibration_figure(
    before: ClassEvaluation, after: ClassEvaluation, *, folder: str | os.PathLike[str]
) -> list[Path]:
    """Reliability before and after calibration, as `calibration.png` and so on; nothing without probabilities."""
    there = has_probabilities(before) or has_probabilities(after)
    charts = {"calibration": partial(calibration_chart, before, after)} if there else {}
    return save_all(_drawn(charts), folder)


def figures_of(kind: str, findings: Sequence[Any]) -> dict[str, Callable[[], Figure]]:
    """The figures of findings of one kind, by their names, each made when it is called for."""
    return _drawn(charts_of(kind, findings))


def save_all(makers: Figures, folder: str | os.PathLike[str], *, formats: Sequence[str] = USUAL_FORMATS) -> list[Path]:
    """Each figure by its name, made once and written in every format."""
    wanted = _checked(formats)
    target = make_folder(folder)
    written = []
    for name, make in makers.items():
        figure = make()
        for form in wanted:
            path, content = target / f"{name}.{form}", render(figure, form)
            write_whole(path, partial(_put, content))
            written.append(path)
    return written


def render(figure: Figure, form: str) -> bytes:
    """The bytes of a figure as png, svg or pdf."""
    (form,) = _checked([form])
    stream = io.BytesIO()
    with look():
        figure.savefig(stream, format=form, dpi=DPI, metadata=FORMATS[form])
    return stream.getvalue()


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


def _drawn(charts: Mapping[str, Callable[[], Chart]]) -> dict[str, Callable[[], Figure]]:
    return {name: partial(_figure, chart) for name, chart in charts.items()}


def _figure(chart: Callable[[], Chart]) -> Figure:
    return draw_chart(chart())


def _put(content: bytes, file: BinaryIO) -> None:
    file.write(content)


def _checked(formats: Sequence[str]) -> list[str]:
    """Formats in small letters, each once."""
    names = dict.fromkeys(name.lower() for name in formats)
    unknown = [name for name in names if name not in FORMATS]
    if unknown:
        raise InputError(f"figure format {unknown[0]!r} is not known; expected {', '.join(FORMATS)}")
    return list(names)
