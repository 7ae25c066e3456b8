"""The part of the page on classification: a threshold to move, the confusion matrix, calibration, and the measures.

Holds `classification_section`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

import numpy as np

from bertillon.core.messages import Catalogue
from bertillon.counting.curves.error_curve import Band, ErrorCurve
from bertillon.evaluation import Bands, ClassEvaluation, per_class
from bertillon.measures.registry import CLASSIFICATION
from bertillon.trials.class_tally import cells_at
from bertillon.views.figures.class_tables import most_confused
from bertillon.views.figures.decisions import choice_of, error_counts, has_probabilities
from bertillon.views.figures.errors import System
from bertillon.views.page.embedding import (
    distribution_of,
    explorer_system_from_counts,
    interval_fields,
    points_each,
    shaded_band,
)
from bertillon.views.page.measure_names import MeasureNames
from bertillon.views.page.measures import measures_tables
from bertillon.views.page.model import (
    Axis,
    Block,
    Cell,
    Chart,
    Column,
    Explorer,
    ExplorerSystem,
    Line,
    Matrix,
    Paragraphs,
    Section,
    Sentence,
    Table,
)
from bertillon.views.page.numbers import Numbers
from bertillon.views.report_content import DailyUse, ReportContent

MOST_CLASSES = 25  # of a confusion matrix that can be read
WORST = 25  # confusions listed where there are more
BINS = 10
DIAGONAL = (0.0, 1.0)


def classification_section(content: ReportContent, catalogue: Catalogue) -> Section:
    """Everything about the predictions of one or several classifiers."""
    evaluations, measure_names = content.classification, MeasureNames.of(CLASSIFICATION, content.vocabulary)
    bands = content.bands_in("classification")
    ranked = [
        (evaluation, known)
        for evaluation, known in zip(evaluations, bands, strict=True)
        if evaluation.tally.why_not_ranked is None
    ]
    blocks: list[Block] = []
    if ranked:
        each = points_each(len(ranked))
        blocks.append(
            Paragraphs((Sentence(catalogue("page.explore.classification", positive=ranked[0][0].trials.positive)),))
        )
        systems = tuple(
            _explorer_system(evaluation, known, measure_names, catalogue, points=each) for evaluation, known in ranked
        )
        use = asdict(content.use or DailyUse())
        blocks.append(Explorer("classification", "classification", systems, use, measure_names.live(catalogue)))
    many = len(evaluations) > 1
    for i, evaluation in enumerate(evaluations):
        blocks += _confusion(evaluation, catalogue, id=f"confusion-{i}", named=many)
    blocks += (
        [_reliability(evaluations, bands, catalogue)]
        if any(has_probabilities(evaluation) for evaluation in evaluations)
        else []
    )
    shared = [name for name in evaluations[0] if all(name in evaluation.results for evaluation in evaluations)]
    blocks += measures_tables(
        evaluations, shared, catalogue=catalogue, measure_names=measure_names, id="measures-classes"
    )
    for i, evaluation in enumerate(evaluations):
        blocks += _per_class(evaluation, catalogue, measure_names, id=f"classes-{i}", named=many)
    return Section("classification", catalogue("page.section.classification"), tuple(blocks))


def _explorer_system(
    evaluation: ClassEvaluation,
    bands: Mapping[str, Band],
    measure_names: MeasureNames,
    catalogue: Catalogue,
    *,
    points: int,
) -> ExplorerSystem:
    """The curve of the positive class, exact where its decisions and its measures are."""
    trials, outline = evaluation.tally.trials, evaluation.tally.outline
    counts = error_counts(outline, trials)
    results = {"Youden": evaluation["Youden"], **evaluation.results}
    decided = choice_of(evaluation).threshold
    known = {} if decided is None else {decided: f"t={decided:g}"}
    for name, result in results.items():
        if result.threshold is not None and not math.isnan(result.threshold):
            known.setdefault(result.threshold, measure_names.point(name))
    marks = {name: t for t, name in known.items()}
    named = None
    if not outline.complete:
        cells = {t: cells_at(trials, t) for t in marks.values() if math.isfinite(t)}
        named = [(t, int(fp), int(fn)) for t, (_, fp, fn, _) in cells.items()]
    rule, curve = evaluation.rule, ErrorCurve(counts, evaluation.rule)
    system = explorer_system_from_counts(counts, marks, name=evaluation.name, rule=rule, points=points, named=named)
    return replace(
        system,
        distribution=distribution_of(System(evaluation.name, curve, trials)),
        shade=shaded_band(bands.get("det"), catalogue),
        precision_shade=shaded_band(bands.get("precision-recall"), catalogue),
        **({} if trials.weighted else interval_fields(evaluation)),
    )


def _confusion(evaluation: ClassEvaluation, catalogue: Catalogue, *, id: str, named: bool) -> list[Block]:
    confusion, numbers = evaluation.tally.confusion, Numbers(catalogue)
    if confusion is None:
        return []
    caption = (f"{evaluation.name}: " if named else "") + catalogue("page.confusion.caption")
    if len(confusion.classes) > MOST_CLASSES:
        return [_worst(evaluation, catalogue, id, caption)]
    table = np.asarray(confusion.matrix, dtype=np.float64)
    sums = table.sum(axis=1, keepdims=True)
    shares = np.divide(table, sums, out=np.zeros_like(table), where=sums > 0)
    return [
        Matrix(
            id,
            caption,
            catalogue("page.confusion.corner"),
            tuple(str(label) for label in confusion.classes),
            tuple(tuple(numbers.amount(cell) for cell in row) for row in table.tolist()),
            tuple(tuple(row) for row in shares.tolist()),
            tuple(
                tuple(f"{share:.1%}".replace("%", " %") if share else "" for share in row) for row in shares.tolist()
            ),
        )
    ]


def _worst(evaluation: ClassEvaluation, catalogue: Catalogue, id: str, caption: str) -> Table:
    """The confusions that happen most, where the whole matrix could not be read."""
    confusion, numbers = evaluation.tally.confusion, Numbers(catalogue)
    assert confusion is not None
    rows = [
        (Cell(pair.true, pair.true), Cell(pair.predicted, pair.predicted), Cell(numbers.amount(pair.times), pair.times))
        for pair in most_confused(confusion, WORST)
    ]
    heads = (Column(catalogue("page.confusion.true"), False), Column(catalogue("page.confusion.predicted"), False))
    note = catalogue("page.confusion.worst", n=len(rows), classes=numbers.count(len(confusion.classes)))
    return Table(id, caption, (*heads, Column(catalogue("page.confusion.count"))), tuple(rows), note)


def _reliability(evaluations: Sequence[ClassEvaluation], bands: Bands, catalogue: Catalogue) -> Chart:
    numbers = Numbers(catalogue)
    lines = [Line(catalogue("page.reliability.diagonal"), DIAGONAL, DIAGONAL, style=-1)]
    for i, (evaluation, known) in enumerate(zip(evaluations, bands, strict=True)):
        if has_probabilities(evaluation):
            bins = evaluation.tally.reliability(BINS)
            notes = tuple(catalogue("page.reliability.count", n=numbers.amount(n)) for n in bins.count.tolist())
            x, y = tuple(bins.mean.tolist()), tuple(bins.observed.tolist())
            shade = shaded_band(known.get("reliability"), catalogue)
            lines.append(Line(evaluation.name, x, y, i, dots=True, notes=notes, shade=shade))
    return Chart(
        "reliability",
        catalogue("page.reliability.title"),
        catalogue("page.reliability.summary"),
        Axis(catalogue("page.reliability.promised"), 0.0, 1.0),
        Axis(catalogue("page.reliability.observed"), 0.0, 1.0),
        tuple(lines),
    )


def _per_class(
    evaluation: ClassEvaluation, catalogue: Catalogue, measure_names: MeasureNames, *, id: str, named: bool
) -> list[Block]:
    if evaluation.tally.confusion is None or evaluation.trials.n_classes == 2:
        return []
    frame, numbers = per_class(evaluation.tally), Numbers(catalogue)
    heads = {
        "class": catalogue("page.class"),
        "support": catalogue("page.support"),
        "predicted": catalogue("page.confusion.predicted"),
    }
    heads |= {name: measure_names.heading(name) for name in frame.columns if name not in heads}
    columns = tuple(Column(heads[name], numeric=name != "class") for name in frame.columns)
    rows = []
    for label, support, predicted, *rates in frame.rows():
        counted = (Cell(numbers.amount(support), support), Cell(numbers.amount(predicted), predicted))
        shown = (
            Cell(catalogue("page.undefined"), None) if rate is None else Cell(f"{rate:.4f}", rate) for rate in rates
        )
        rows.append((Cell(label, label), *counted, *shown))
    caption = (f"{evaluation.name}: " if named else "") + catalogue("page.classes.caption")
    return [Table(id, caption, columns, tuple(rows))]
