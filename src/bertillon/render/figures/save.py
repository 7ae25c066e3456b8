"""Figures as files.

Conventions: every file is whole or not there at all. The same systems give the same bytes: no dates, no random ids.

Holds `save_figures` (of evaluations in any mode), `save_calibration_figure`, `save_all`, `render` and `FORMATS`; the
figures of other findings: `discard_figures`, `menagerie_figures`, `group_rate_figures`, `trade_off_figures` and
`attack_figures`.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from bertillon.analysis.attacks import AttackFinding
from bertillon.core.errors import InputError
from bertillon.core.files import make_folder, write_whole
from bertillon.evaluation import AnyEvaluation, Bands, ClassEvaluation
from bertillon.render.figures.figure import draw_chart
from bertillon.render.figures.style import DPI, look
from bertillon.views.figures.attacks import attacks_chart
from bertillon.views.figures.chart import Chart
from bertillon.views.figures.class_tables import calibration_chart
from bertillon.views.figures.decisions import has_probabilities
from bertillon.views.figures.registry import charts_of, charts_of_evaluations

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAKER = "bertillon"
FORMATS: dict[str, dict[str, Any]] = {  # and what each says about its origin
    "png": {"Software": MAKER},
    "svg": {"Creator": MAKER, "Date": None},
    "pdf": {"Creator": MAKER, "Producer": MAKER, "CreationDate": None},
}
ALL_FORMATS = tuple(FORMATS)

Figures = Mapping[str, Callable[[], "Figure"]]


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
    charts = charts_of_evaluations(evaluations, bands=bands, costs=costs)
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


discard_figures = partial(figures_of, "discard")
menagerie_figures = partial(figures_of, "menagerie")
group_rate_figures = partial(figures_of, "groups")
trade_off_figures = partial(figures_of, "index")


def attack_figures(rates: AttackFinding) -> dict[str, Callable[[], Figure]]:
    """The figure of the populations by its name, made when it is called for."""
    return {"attacks": lambda: draw_chart(attacks_chart(rates))}


def save_all(makers: Figures, folder: str | os.PathLike[str], *, formats: Sequence[str] = ALL_FORMATS) -> list[Path]:
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
