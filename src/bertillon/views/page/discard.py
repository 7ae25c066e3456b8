"""The part of the page on quality: what is left of both errors when comparisons of low quality are discarded.

Holds `discard_section`.
"""

from __future__ import annotations

from bertillon.analysis.discard import LIMIT, SHARES, DiscardCurve, Discarded
from bertillon.core.messages import Catalogue
from bertillon.measures.registry import VERIFICATION
from bertillon.views.figures.samples import SHOWN, highest_error, shown_steps
from bertillon.views.page.measure_names import MeasureNames
from bertillon.views.page.model import Axis, Block, Cell, Chart, Column, Line, Paragraphs, Section, Sentence, Table
from bertillon.views.page.numbers import Numbers
from bertillon.views.report_content import ReportContent
from bertillon.views.samples import raises_errors

MOST_STEPS = 400  # of a curve
GUIDE = -1


def discard_section(content: ReportContent, catalogue: Catalogue) -> Section:
    """Both curves of every system, and what they come to."""
    measure_names, several = MeasureNames.of(VERIFICATION, content.vocabulary), len(content.discards) > 1
    blocks: list[Block] = []
    for index, discarded in enumerate(content.discards):
        prefix = f"{discarded.name}: " if several else ""
        blocks.append(Paragraphs(tuple(_sentences(discarded, prefix, catalogue, measure_names))))
        blocks += [] if index else [Paragraphs((Sentence(catalogue("discard.chart")),))]
        blocks.append(_chart(discarded, prefix, catalogue, measure_names, id=f"discard-{index}"))
        blocks.append(_errors(discarded, prefix, catalogue, measure_names, id=f"discard-{index}-errors"))
        blocks.append(_areas(discarded, prefix, catalogue, measure_names, id=f"discard-{index}-areas"))
    return Section("discard", catalogue("discard.section"), tuple(blocks))


def _sentences(discarded: Discarded, prefix: str, catalogue: Catalogue, measure_names: MeasureNames) -> list[Sentence]:
    """By which quality and at which threshold, and whether it is the wrong way round."""
    columns = catalogue("list.separator").join(discarded.columns)
    quality = columns if len(discarded.columns) == 1 else catalogue("discard.lower", columns=columns)
    at = Numbers(catalogue).threshold(discarded.threshold, discarded.rule)
    wrong = [measure_names.heading(curve.kind) for curve in discarded.curves if raises_errors(curve)]
    sentences = [Sentence(prefix + catalogue("discard.words", quality=quality, threshold=at))]
    return sentences + [Sentence(catalogue("discard.raised", kind=kind, columns=columns)) for kind in wrong]


def _chart(discarded: Discarded, prefix: str, catalogue: Catalogue, measure_names: MeasureNames, *, id: str) -> Chart:
    numbers, curves = Numbers(catalogue), discarded.curves
    share = numbers.percent(LIMIT)
    sentences = [
        catalogue(
            "discard.summary",
            kind=measure_names.heading(curve.kind),
            start=numbers.percent(curve.starting_error),
            share=share,
            end=numbers.percent(float(curve.error[curve.row_at(LIMIT)])),
        )
        for curve in curves
    ]
    best = [_best(curve, catalogue) for curve in curves]
    lines = [_line(curve, catalogue, measure_names, style=index) for index, curve in enumerate(curves)]
    return Chart(
        id,
        prefix + catalogue("discard.title"),
        " ".join(sentences),
        Axis(catalogue("discard.x"), 0.0, SHOWN),
        Axis(catalogue("discard.y"), 0.0, highest_error(curves)),
        (*best, *lines),
    )


def _best(curve: DiscardCurve, catalogue: Catalogue) -> Line:
    """Were every discard an error, the error would be gone when its own share is discarded."""
    return Line(catalogue("discard.best"), (0.0, curve.starting_error), (curve.starting_error, 0.0), style=GUIDE)


def _line(curve: DiscardCurve, catalogue: Catalogue, measure_names: MeasureNames, *, style: int) -> Line:
    numbers = Numbers(catalogue)
    line, rows = shown_steps(curve, MOST_STEPS)
    notes = tuple(
        catalogue("discard.step", quality=f"{curve.quality[row]:.5g}", errors=_kept(curve, int(row), numbers))
        for row in rows
    )
    return Line(measure_names.heading(curve.kind), tuple(line.x.tolist()), tuple(line.y.tolist()), style, notes=notes)


def _errors(discarded: Discarded, prefix: str, catalogue: Catalogue, measure_names: MeasureNames, *, id: str) -> Table:
    """What is left at a few shares."""
    numbers = Numbers(catalogue)
    heads = ("error", "discarded", "rate", "kept", "quality")
    columns = Column.under(catalogue(f"discard.{head}") for head in heads)
    rows = []
    for curve in discarded.curves:
        for share in SHARES:
            row = curve.row_at(share)
            rate, quality = float(curve.error[row]), float(curve.quality[row])
            rows.append(
                (
                    Cell(measure_names.heading(curve.kind), curve.kind),
                    Cell(numbers.percent(share), share),
                    Cell(numbers.percent(rate), rate),
                    Cell(_kept(curve, row, numbers), int(curve.errors[row])),
                    Cell(f"{quality:.5g}", quality),
                )
            )
    return Table(id, prefix + catalogue("discard.caption"), columns, tuple(rows))


def _areas(discarded: Discarded, prefix: str, catalogue: Catalogue, measure_names: MeasureNames, *, id: str) -> Table:
    """One number for each curve, and what it is compared with."""
    limit = Numbers(catalogue).percent(LIMIT)
    heads = ("error", "measured", "best", "difference", "random")
    columns = Column.under(catalogue(f"discard.{head}") for head in heads)
    rows = []
    for curve in discarded.curves:
        areas = (curve.partial_area, curve.best_area, curve.excess_area, curve.random_area)
        values = [area(LIMIT) for area in areas]
        rows.append(
            (Cell(measure_names.heading(curve.kind), curve.kind), *(Cell(f"{value:.4g}", value) for value in values))
        )
    return Table(id, prefix + catalogue("discard.areas", limit=limit), columns, tuple(rows))


def _kept(curve: DiscardCurve, row: int, numbers: Numbers) -> str:
    return numbers.catalogue("page.of", part=numbers.count(curve.errors[row]), whole=numbers.count(curve.kept[row]))
