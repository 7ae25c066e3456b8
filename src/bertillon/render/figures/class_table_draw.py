"""The reliability diagram and the confusion matrix on given axes.

Conventions: as in `draw`. A cell of a confusion matrix is the darker, the larger its share of its true class; its count
stands above that share, and empty cells stay empty. Maps of many classes have a finer scale for small rates, and number
the pairs of classes that were taken for each other most often.

Holds `draw_reliability`, `draw_bin_counts` and `draw_confusion`; `name_cells` and `shades` serve other maps too.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from bertillon.core.messages import say, spoken
from bertillon.render.figures.bands import band_notes, draw_ribbon
from bertillon.render.figures.class_draw import DIAGONAL, headed, names_with_facts
from bertillon.render.figures.draw import TINY, draw_notes, dress, noted, notes_of
from bertillon.render.figures.labels import NamedCurve, Side, name_curves, note_text, plain_text
from bertillon.render.figures.style import FAINT, INK, MATED, NONMATED, SMALL, colour, line_style
from bertillon.stats.interval import LEVEL
from bertillon.views.figures.axis import Axis
from bertillon.views.figures.class_table_data import LONGEST_CLASS, ConfusedPair, ConfusionData, ReliabilityData
from bertillon.views.figures.names import percent_label, shortened, shown_names

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.image import AxesImage
    from matplotlib.lines import Line2D

FAR_APART = 20.0  # times: counts on a log axis
DARK = 0.42  # rates above are named in white
LONGEST_ON_MAP = 10  # characters
LETTER = 0.62  # width of a letter by its size
ROOM, FEWEST_LETTERS = 0.8, 20
SMALLEST, LARGEST = 4.5, 10.0  # letters in a cell
ROOMY = 10  # classes: cells with room for a digit more
MOST_TICKS = 10  # on a map
GAMMA = 0.5  # of the colours of a map: small rates are seen
SCALE_TICKS = (0.0, 0.01, 0.1, 0.25, 0.5, 1.0)
BESIDE = 1.03
EDGE = 0.93  # of the columns of a map: numbers beyond stand on the left


def draw_reliability(ax: Axes, diagrams: Sequence[ReliabilityData]) -> list[Artist]:
    """What came true against what was promised; on the diagonal probabilities mean what they say."""
    if not diagrams:
        raise ValueError("no diagrams to draw; expected at least one")
    names = names_with_facts(diagrams)
    there = [(i, diagram) for i, diagram in enumerate(diagrams) if diagram.line.x.size]
    dress(ax, noted(diagrams[0].x_axis, band_notes(diagram.band for diagram in diagrams)), "x")
    dress(ax, diagrams[0].y_axis, "y")
    artists: list[Artist] = list(ax.plot(*DIAGONAL, color=FAINT, linewidth=1.0, linestyle=":", zorder=1.5))
    named = [NamedCurve(f"{names[i]} ({curve.fact})", colour(i), curve, _points(ax, curve, i)) for i, curve in there]
    artists += [named_curve.line for named_curve in named]
    artists += [fill for i, curve in there for fill in draw_ribbon(ax, curve.band, colour(i))]
    if not there:
        return artists + draw_notes(ax, notes_of(diagrams, names))
    if len(diagrams) == 1:
        return [*artists, *_intervals(ax, diagrams[0]), *headed(ax, names[0], _ece(diagrams[0]))]
    return artists + name_curves(ax, named)


def draw_bin_counts(ax: Axes, diagrams: Sequence[ReliabilityData]) -> list[Artist]:
    """How many samples stand behind each point."""
    there = [(i, diagram) for i, diagram in enumerate(diagrams) if diagram.line.x.size]
    counts = np.concatenate([curve.counts[curve.counts > 0] for _, curve in there] or [np.ones(1)])
    notes = notes_of(diagrams, shown_names([diagram.name for diagram in diagrams])) if there else []
    dress(ax, noted(diagrams[0].x_axis, [*band_notes(diagram.band for diagram in diagrams), *notes]), "x")
    log = bool(counts.max() > FAR_APART * counts.min())
    limits = (0.5 * counts.min(), 2.0 * counts.max()) if log else (0.0, 1.1 * counts.max())
    what = "weight" if any(curve.weighted for _, curve in there) else "samples"
    dress(ax, Axis(spoken(say(f"figure.{what}")), "log" if log else "linear", limits), "y")
    alone = len(diagrams) == 1
    artists: list[Artist] = []
    for i, curve in there:
        how: dict[str, Any] = {"fill": True, "alpha": 0.5} if alone else {"linestyle": line_style(i)}
        artists.append(ax.stairs(curve.counts, curve.edges, baseline=limits[0], color=colour(i), **how))
    return artists


def draw_confusion(ax: Axes, data: ConfusionData) -> list[Artist]:
    """How often each true class was called each class."""
    how = wrap(spoken(say("figure.decided", how=data.how)), _letters(ax))
    dress(ax, noted(Axis(spoken(say("figure.predicted_class")), "linear", (-0.5, len(data.rates) - 0.5)), how), "x")
    dress(ax, Axis(spoken(say("figure.true_class")), "linear", (len(data.rates) - 0.5, -0.5)), "y")
    ax.grid(visible=False)
    artists = headed(ax, data.name, data.fact)
    return artists + (_cells(ax, data) if data.detailed else _map(ax, data))


def _letters(ax: Axes) -> int:
    """How many letters of a label go under the axes, which still get narrower when the names find their places."""
    points = ROOM * ax.get_window_extent().width * 72.0 / ax.figure.dpi
    return max(int(points / (LETTER * float(ax.xaxis.label.get_fontsize()))), FEWEST_LETTERS)


def _points(ax: Axes, diagram: ReliabilityData, index: int) -> Line2D:
    (line,) = ax.plot(*diagram.line, color=colour(index), linestyle=line_style(index), marker="o", markersize=4.0)
    return line


def _intervals(ax: Axes, diagram: ReliabilityData) -> list[Artist]:
    """The intervals of the points of a single diagram, where no band shows them."""
    ends = None if diagram.band is not None else diagram.ends
    return [] if ends is None else [ax.vlines(diagram.line.x, *ends, color=colour(0), linewidth=1.0, alpha=0.6)]


def _ece(diagram: ReliabilityData) -> str:
    return (
        diagram.fact
        if diagram.ends is None or diagram.band is not None
        else spoken(say("figure.bars", fact=diagram.fact, level=f"{100 * LEVEL:g}"))
    )


def _cells(ax: Axes, data: ConfusionData) -> list[Artist]:
    """Every cell with its count and its share of the row."""
    image = ax.imshow(data.rates, cmap=shades(), vmin=0.0, vmax=1.0, interpolation="nearest")
    size = _class_names(ax, data)
    artists: list[Artist] = [image]
    for row, column in zip(*np.nonzero(data.counts), strict=True):
        rate = float(data.rates[row, column])
        text = f"{_amount(data.counts[row, column])}\n{_percent(rate, len(data.classes))}"
        how: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": size}
        artists.append(ax.text(column, row, text, color="white" if rate > DARK else INK, **how))
    return artists


def _class_names(ax: Axes, data: ConfusionData) -> float:
    """Names of rows and columns; the size of letters that fit into a cell."""
    names = [shortened(name, LONGEST_CLASS) for name in data.classes]
    supports = [f"{name} ({_amount(n)})" for name, n in zip(names, data.support, strict=True)]
    longest = max(len(_amount(data.counts.max())), len("88.8 %"))
    return name_cells(ax, names, supports, longest=longest)


def name_cells(ax: Axes, columns: Sequence[str], rows: Sequence[str], *, longest: int) -> float:
    """Names under the columns, turned where they do not fit, and beside the rows of a square of cells; the size of
    letters of which so many fit into a cell.
    """
    cell = ax.get_window_extent().width * 72.0 / ax.figure.dpi / len(columns)  # points
    level = max(len(name) for name in columns) * LETTER * SMALL < cell
    turned: dict[str, Any] = {} if level else {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    ax.set_xticks(range(len(columns)), labels=columns, parse_math=False, fontsize=SMALL, **turned)
    ax.set_yticks(range(len(rows)), labels=rows, parse_math=False, fontsize=SMALL)
    ax.tick_params(length=0)
    return min(max(cell / (LETTER * longest), SMALLEST), LARGEST)


def _map(ax: Axes, data: ConfusionData) -> list[Artist]:
    """The rates of many classes by colour alone, and the pairs most often confused."""
    from matplotlib.colors import PowerNorm

    image = ax.imshow(data.rates, cmap=shades(), norm=PowerNorm(GAMMA, 0.0, 1.0), interpolation="nearest")
    step = -(-len(data.rates) // MOST_TICKS)
    places = range(0, len(data.rates), step)
    names = [shortened(data.classes[index * data.block], LONGEST_ON_MAP) for index in places]
    ax.set_xticks(
        places, labels=names, parse_math=False, fontsize=TINY, rotation=45, ha="right", rotation_mode="anchor"
    )
    ax.set_yticks(places, labels=names, parse_math=False, fontsize=TINY)
    return [image, *_colour_scale(ax, image), *_numbered(ax, data.confused), *_listed(ax, data)]


def _colour_scale(ax: Axes, image: AxesImage) -> list[Artist]:
    """What the colours mean, in the lower corner beside the map."""
    inset = ax.inset_axes((BESIDE, 0.0, 0.04, 0.35))
    bar = ax.figure.colorbar(image, cax=inset, ticks=SCALE_TICKS)
    bar.ax.set_yticklabels([f"{100 * tick:g} %" for tick in SCALE_TICKS], fontsize=TINY)
    bar.ax.set_title(spoken(say("figure.share_of_class")), fontsize=TINY, loc="left")
    bar.outline.set_visible(False)
    return [inset]


def _numbered(ax: Axes, confused: Sequence[ConfusedPair]) -> list[Artist]:
    """Rings around the cells most often confused."""
    columns = ax.get_xlim()[1]
    artists: list[Artist] = []
    for number, pair in enumerate(confused, 1):
        artists += ax.plot(
            [pair.column], [pair.row], "o", markersize=7, markerfacecolor="none", color=NONMATED, clip_on=False
        )
        side = Side(-4.0, 3.0, "right", "bottom") if pair.column > EDGE * columns else Side(4.0, 3.0, "left", "bottom")
        artists.append(note_text(ax, pair.column, pair.row, str(number), side=side, fontsize=TINY, color=NONMATED))
    return artists


def _listed(ax: Axes, data: ConfusionData) -> list[Artist]:
    """The same in words, beside the map."""
    lines = [
        f"{number}  {shortened(pair.true, LONGEST_CLASS)} → {shortened(pair.predicted, LONGEST_CLASS)}: "
        f"{_amount(pair.times)} ({percent_label(pair.rate)})"
        for number, pair in enumerate(data.confused, 1)
    ]
    listing = [spoken(say("figure.confused")), *lines] if lines else [spoken(say("figure.no_confusion"))]
    if data.block > 1:
        listing.append("\n" + spoken(say("figure.block", n=data.block)))
    return [plain_text(ax, BESIDE, 1.0, "\n".join(listing), va="top", fontsize=SMALL, linespacing=1.4)]


def shades() -> Colormap:
    """From white to dark blue; grey where there is nothing, such as a class that never occurs."""
    from matplotlib.colors import LinearSegmentedColormap

    made = LinearSegmentedColormap.from_list("share", ["#FFFFFF", MATED, "#08306B"])
    return made.with_extremes(bad="#EEEEEE")


def _amount(count: Any) -> str:
    """A count, or a weight to four digits."""
    return spoken(say("number.count", x=int(count))) if isinstance(count, int | np.integer) else f"{count:.4g}"


def _percent(rate: float, classes: int) -> str:
    """A rate in a cell: whole percents in small ones, never rounded to none or all.

    >>> _percent(0.125, 2), _percent(0.125, 20), _percent(0.001, 20), _percent(0.9999, 2)
    ('12.5 %', '12 %', '< 1 %', '> 99.9 %')
    """
    digits = 1 if classes <= ROOMY else 0
    shown, step = f"{100 * rate:.{digits}f}", 10**-digits
    if rate > 0.0 and float(shown) == 0.0:
        return f"< {step:g} %"
    if rate < 1.0 and float(shown) == 100.0:
        return f"> {100 - step:g} %"
    return f"{shown} %"
