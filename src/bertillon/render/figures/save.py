"""Figures as files.

Conventions: every file is whole or not there at all. The same systems give the same bytes: no dates, no random ids.

Holds `save_figures` (of evaluations in any mode), `save_calibration_figure`, `save_all`, `render` and `FORMATS`.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from bertillon.core.errors import InputError
from bertillon.core.files import make_folder, write_whole
from bertillon.evaluation import AnyEvaluation, Bands, ClassEvaluation, each_of
from bertillon.render.figures.class_compose import class_figures, make_calibration_figure
from bertillon.render.figures.compose import figures_of
from bertillon.render.figures.search_compose import search_figures
from bertillon.render.figures.style import DPI, look
from bertillon.views.figures.class_choice import has_probabilities
from bertillon.views.figures.systems import searches_of, system_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAKER = "bertillon"
FORMATS: dict[str, dict[str, Any]] = {  # and what each says about its origin
    "png": {"Software": MAKER},
    "svg": {"Creator": MAKER, "Date": None},
    "pdf": {"Creator": MAKER, "Producer": MAKER, "CreationDate": None},
}
ALL_FORMATS = tuple(FORMATS)


def save_figures(
    evaluations: Sequence[AnyEvaluation],
    folder: str | os.PathLike[str],
    *,
    formats: Sequence[str] = ALL_FORMATS,
    bands: Bands = (),
    costs: Mapping[str, float] | None = None,
) -> list[Path]:
    """Every figure of evaluations of one mode, in every format, as `roc.png` and so on; the files as written.

    `bands` are drawn around the curves they belong to; `costs` of a classifier's errors by threshold.
    """
    return save_all(_figures_of(evaluations, bands=bands, costs=costs), folder, formats=formats)


def save_calibration_figure(
    before: ClassEvaluation, after: ClassEvaluation, *, folder: str | os.PathLike[str]
) -> list[Path]:
    """Reliability before and after calibration, as `calibration.png` and so on; nothing without probabilities."""
    there = has_probabilities(before) or has_probabilities(after)
    return save_all({"calibration": partial(make_calibration_figure, before, after)} if there else {}, folder)


def save_all(
    makers: Mapping[str, Callable[[], Figure]], folder: str | os.PathLike[str], *, formats: Sequence[str] = ALL_FORMATS
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


def _figures_of(
    evaluations: Sequence[AnyEvaluation], *, bands: Bands, costs: Mapping[str, float] | None
) -> dict[str, Callable[[], Figure]]:
    """The figures of a mode."""
    if not evaluations:
        raise InputError("no systems to draw; expected at least one")
    systems: Sequence[Any] = evaluations
    own, kinds = each_of(bands, len(systems)), {evaluation.kind for evaluation in systems}
    if kinds == {"classification"}:
        return class_figures(systems, costs=costs, bands=own)
    if kinds == {"identification"}:
        return search_figures([searches_of(system, known) for system, known in zip(systems, own, strict=True)])
    if kinds == {"verification"}:
        return figures_of([system_of(system, known) for system, known in zip(systems, own, strict=True)])
    raise InputError(f"evaluations of {' and '.join(sorted(kinds))} have no figures together; draw those of each mode")


def _put(content: bytes, file: BinaryIO) -> None:
    file.write(content)


def _checked(formats: Sequence[str]) -> list[str]:
    """Formats in small letters, each once."""
    names = dict.fromkeys(name.lower() for name in formats)
    unknown = [name for name in names if name not in FORMATS]
    if unknown:
        raise InputError(f"figure format {unknown[0]!r} is not known; expected {', '.join(FORMATS)}")
    return list(names)
