"""One look for all figures, and how to draw in it without leaving traces.

Conventions: settings hold inside `look()` only, on top of the drawing library's own defaults, so a personal settings
file changes nothing. Sizes suit a page 5 inches wide and are still readable at the 3.5 inches of a paper's column; a
small look has letters for figures made just so wide. Colours stay apart for colour-blind readers (Okabe and Ito's
palette), line styles for readers of grey prints. The house font comes with the drawing library, so that figures look
the same everywhere. Letters it lacks come from fonts that are installed, also from those installed after the drawing
library last listed them. Where no font has a letter a box is drawn, and that is said once.

Holds `look`, `colour`, `line_style`, `shades`, `families` and the colours with a fixed meaning.
"""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.colors import Colormap

MATED, NONMATED = "#0072B2", "#D55E00"
INK, QUIET, FAINT = "#222222", "#666666", "#BBBBBB"
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
STYLES = ("-", "--", "-.", ":")
DPI = 150
SMALL, TINY = 8.0, 7.0  # letters
NAMED = {"ink": INK, "quiet": QUIET, "faint": FAINT}

FONT = "DejaVu Sans"
FALLBACKS = (  # for letters the house font lacks; those that are installed are used, in this order
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Source Han Sans SC",
    "WenQuanYi Zen Hei",
    "Microsoft YaHei",
    "PingFang SC",
    "Hiragino Sans GB",
    "Yu Gothic",
    "Malgun Gothic",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
    "Arial Unicode MS",
    "Segoe UI Symbol",
    "Noto Emoji",
)
FILES = ("NotoSansCJK", "SourceHanSans", "wqy-zenhei", "msyh", "PingFang")  # how files of Chinese letters are called
BOXES = (
    "some letters of a name are in no font that is installed and are drawn as boxes; "
    "install a font that has them, such as Noto Sans CJK"
)

_missing = re.compile(r"Glyph .* missing from|Matplotlib currently does not support .* natively")
_said: list[str] = []

TICKS = {"labelsize": 9.0, "color": QUIET, "labelcolor": INK}
LOOK: dict[str, Any] = {
    "font.family": [FONT],
    "font.size": 10.0,
    "axes.titlesize": 10.0,
    "axes.labelsize": 10.0,
    "legend.fontsize": 9.0,
    "legend.frameon": True,
    "legend.framealpha": 0.9,
    "legend.edgecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    **{f"{axis}tick.{part}": value for axis in "xy" for part, value in TICKS.items()},
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
    **{f"{axis}tick.labelsize": 7.0 for axis in "xy"},
    "legend.fontsize": 7.0,
    **dict.fromkeys(("grid.linewidth", "axes.linewidth", "xtick.major.width", "ytick.major.width"), 0.6),
    "lines.linewidth": 1.2,
}

_one_at_a_time = threading.RLock()  # the settings and the warning filters belong to the whole process


@contextmanager
def look(*, small: bool = False) -> Iterator[None]:
    """Inside, figures are made and drawn in bertillon's look; afterwards all settings are as before."""
    import matplotlib.style

    chosen = LOOK | {"font.family": families()} | (SMALL_LOOK if small else {})
    with _one_at_a_time, _saying_once_what_is_missing(), matplotlib.style.context(["default", chosen]):
        yield


def colour(which: int | str) -> str:
    """The colour of a system by its place in the list, or one that has a name."""
    return PALETTE[which % len(PALETTE)] if isinstance(which, int) else NAMED.get(which, which)


def line_style(index: int) -> str:
    """The line style of a system: solid until the colours run out."""
    return STYLES[index // len(PALETTE) % len(STYLES)]


def shades() -> Colormap:
    """From white to dark blue; grey where there is nothing, such as a class that never occurs."""
    from matplotlib.colors import LinearSegmentedColormap

    made = LinearSegmentedColormap.from_list("share", ["#FFFFFF", MATED, "#08306B"])
    return made.with_extremes(bad="#EEEEEE")


@cache
def families() -> list[str]:
    """The house font, and after it the installed fonts that have other letters."""
    from matplotlib.font_manager import fontManager

    known = set(fontManager.get_font_names())
    if not known.intersection(FALLBACKS):
        known |= _unlisted()
    return [FONT, *(name for name in FALLBACKS if name in known)]


@contextmanager
def _saying_once_what_is_missing() -> Iterator[None]:
    """Inside, the drawing library's warnings of each missing letter are held back; afterwards it is said once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", message=_missing.pattern)
        yield
    missing = [warning for warning in caught if _missing.match(str(warning.message))]
    for warning in caught:
        if warning not in missing:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    if missing and not _said:
        _said.append(BOXES)
        warnings.warn(BOXES, stacklevel=2)


def _unlisted() -> set[str]:
    """Fonts with Chinese letters that were installed after the drawing library made its list; they are added to it."""
    from matplotlib.font_manager import findSystemFonts, fontManager

    before = set(fontManager.get_font_names())
    for path in findSystemFonts():
        if Path(path).stem.startswith(FILES):
            fontManager.addfont(path)
    return set(fontManager.get_font_names()) - before
