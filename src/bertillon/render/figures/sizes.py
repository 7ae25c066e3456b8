"""Figures that fit a paper: one column wide, or two.

Conventions: widths are those of most two-column papers (3.5 and 7.16 inches); in a figure of one column the letters are
as small as a caption's, so that it is printed as it is and never shrunk.

Holds `figure_size`.
"""

from __future__ import annotations

from bertillon.core.errors import InputError

WIDTHS = {"column": 3.5, "page": 7.16}  # inches
ASPECTS = {"column": 0.8, "page": 0.55}  # height by width


def figure_size(width: str = "column", *, aspect: float | None = None) -> tuple[float, float]:
    """Inches of a figure as wide as a "column" or the whole "page"; `aspect` is its height by its width.

    >>> figure_size("column"), figure_size("page", aspect=0.5)
    ((3.5, 2.8), (7.16, 3.58))
    """
    if width not in WIDTHS:
        raise InputError(f"figure width {width!r} is not known; expected {' or '.join(WIDTHS)}")
    if aspect is not None and not 0.1 <= aspect <= 10.0:
        raise InputError(f"aspect is {aspect!r}; expected height by width, such as {ASPECTS[width]:g}")
    return WIDTHS[width], round(WIDTHS[width] * (aspect or ASPECTS[width]), 4)
