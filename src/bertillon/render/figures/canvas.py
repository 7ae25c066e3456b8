"""What every plotting function does first: check what it was given, and find the axes to draw on.

Conventions: axes that are handed in are drawn on and nothing else is changed; where there are none, a figure of its own
is made, unknown to any window system, laid out once and then left as it is. Narrow axes get small letters.

Holds `axes_for`, `rows_size`, `listed`, `one_of` and `with_bands`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from bertillon.core.errors import InputError
from bertillon.counting.curves.error_curve import Band
from bertillon.render.figures.style import SIZE, look, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

T = TypeVar("T")
Size = tuple[float, float]

NARROW = 4.0  # inches of a figure
ROW, AROUND_ROWS = 0.35, 1.2  # inches of a row, and around all of them
NARROW_AXES = 3.2  # of axes that are handed in


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
        figure.draw_without_rendering()
        figure.set_layout_engine("none")  # the places just found stay, however often and wherever it is drawn


def rows_size(rows: int) -> Size:
    """Inches of a figure with a row a system."""
    return SIZE[0], AROUND_ROWS + ROW * rows


def listed(given: T | Sequence[T], *, kinds: Sequence[str], function: str) -> list[T]:
    """One evaluation or several as a list, all about one of the kinds of trial that the function draws."""
    several: list[Any] = list(given) if isinstance(given, Sequence) else [given]
    if not several:
        raise InputError(f"{function}: no evaluations to draw; expected at least one")
    found = [getattr(getattr(source, "trials", None), "kind", type(source).__name__) for source in several]
    wrong = next((kind for kind in found if kind not in kinds), None)
    if wrong is not None or len(set(found)) > 1:
        raise InputError(
            f"{function}: {wrong or 'a mixture'} cannot be drawn; expected an evaluation of {' or '.join(kinds)}, "
            "which bt.evaluate(...) returns"
        )
    return several


def one_of(source: T | Sequence[T], *, kinds: Sequence[str], function: str) -> T:
    """The only evaluation of a figure that shows one system."""
    several = listed(source, kinds=kinds, function=function)
    if len(several) > 1:
        raise InputError(f"{function}: {len(several)} evaluations; it draws one on each pair of axes: call it for each")
    return several[0]


def with_bands(
    source: T | Sequence[T],
    bands: Band | Sequence[Band | None] | None,
    *,
    kinds: Sequence[str],
    function: str,
) -> tuple[list[T], list[Band | None]]:
    """Evaluations as a list, and a band, or none, for each."""
    systems = listed(source, kinds=kinds, function=function)
    if bands is None:
        return systems, [None] * len(systems)
    several: list[Band | None] = [bands] if isinstance(bands, Band) else list(bands)
    if len(several) != len(systems):
        raise InputError(f"{function}: {len(several)} bands for {len(systems)} systems; expected one each, or None")
    return systems, several
