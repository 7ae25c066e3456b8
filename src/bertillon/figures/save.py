"""Figures as files.

Conventions: every file is whole or not there at all. The same systems give the same bytes: no dates, no random ids.

Holds `save_figures`, `save_search_figures`, `save_all`, `render` and `FORMATS`.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from bertillon.errors import InputError
from bertillon.figures.compose import KINDS, make_figure
from bertillon.figures.data import System
from bertillon.figures.search_compose import make_search_figure, search_kinds
from bertillon.figures.search_data import Searches
from bertillon.figures.style import DPI, look
from bertillon.files import make_folder, write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAKER = "bertillon"
FORMATS: dict[str, dict[str, Any]] = {  # and what each says about its origin
    "png": {"Software": MAKER},
    "svg": {"Creator": MAKER, "Date": None},
    "pdf": {"Creator": MAKER, "Producer": MAKER, "CreationDate": None},
}
ALL_FORMATS = tuple(FORMATS)


def save_figures(systems: Sequence[System], folder: Path, formats: Sequence[str] = ALL_FORMATS) -> list[Path]:
    """Every figure of the systems in every format, as `roc.png` and so on; the files in the order written."""
    return save_all({kind: partial(make_figure, kind, systems) for kind in KINDS}, folder, formats)


def save_search_figures(systems: Sequence[Searches], folder: Path, formats: Sequence[str] = ALL_FORMATS) -> list[Path]:
    """The figures of 1:N searches, as `cmc.png` and so on; the files in the order written.

    Where no system has non-enrolled searches there is nothing to draw but the CMC, and only its files are listed.
    """
    return save_all(
        {kind: partial(make_search_figure, kind, systems) for kind in search_kinds(systems)}, folder, formats
    )


def save_all(
    makers: Mapping[str, Callable[[], Figure]], folder: str | os.PathLike[str], formats: Sequence[str] = ALL_FORMATS
) -> list[Path]:
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


def _put(content: bytes, file: BinaryIO) -> None:
    file.write(content)


def _checked(formats: Sequence[str]) -> list[str]:
    """Formats in small letters, each once."""
    names = dict.fromkeys(name.lower() for name in formats)
    unknown = [name for name in names if name not in FORMATS]
    if unknown:
        raise InputError(f"figure format {unknown[0]!r} is not known; expected {', '.join(FORMATS)}")
    return list(names)
