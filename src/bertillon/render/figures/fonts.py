"""Letters of every language: which fonts figures are drawn in, and what is said where none has a letter.

Conventions: the house font comes with the drawing library, so that figures look the same everywhere. Letters it lacks
come from fonts that are installed, also from those installed after the drawing library last listed them. Where no font
has a letter a box is drawn, and that is said once.

Holds `FONT`, `FALLBACKS`, `families` and `saying_once_what_is_missing`.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

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


@cache
def families() -> list[str]:
    """The house font, and after it the installed fonts that have other letters."""
    from matplotlib.font_manager import fontManager

    known = set(fontManager.get_font_names())
    if not known.intersection(FALLBACKS):
        known |= _unlisted()
    return [FONT, *(name for name in FALLBACKS if name in known)]


@contextmanager
def saying_once_what_is_missing() -> Iterator[None]:
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
