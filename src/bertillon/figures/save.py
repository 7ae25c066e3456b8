"""Figures as files.

Conventions: every file is whole or not there at all. The same systems give the same bytes: no dates, no random ids.

Holds `save_figures`, `render` and `FORMATS`.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from bertillon.errors import InputError
from bertillon.figures.compose import KINDS, make_figure
from bertillon.figures.data import System
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


def save_figures(systems: Sequence[System], folder: Path, formats: Sequence[str] = ("png", "svg", "pdf")) -> list[Path]:
    """Every figure of the systems in every format, as `roc.png` and so on; the files in the order written."""
    wanted = _checked(formats)
    target = make_folder(folder)
    written = []
    for kind in KINDS:
        figure = make_figure(kind, systems)
        for form in wanted:
            path, content = target / f"{kind}.{form}", render(figure, form)
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
