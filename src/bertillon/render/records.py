"""What was found, for programs: strict JSON by the published schema, and one table as CSV.

Conventions: `--json` and `--report out.json` write this. One system is one object, several are a list under "systems",
several modes each stand under their name; systems that were tested against each other have "pairs". CSV has a row a
measure of each system with its interval, or where systems were tested a row a difference.

Holds `report_json` and `report_csv`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from bertillon._version import __version__
from bertillon.advice.paired import comparison_sentences
from bertillon.advice.warnings import skewed, unlike, unlike_searches, warnings_of, warnings_of_searches
from bertillon.core.escaping import for_spreadsheets
from bertillon.core.lazy import pl
from bertillon.core.messages import Text, record
from bertillon.evaluation import SCHEMA, AnyEvaluation, plain
from bertillon.render.class_records import class_object
from bertillon.render.compared import compared_frame, pair_objects
from bertillon.render.strict_json import strict_json
from bertillon.views.class_report import ClassReport
from bertillon.views.report_content import ReportContent
from bertillon.views.samples import samples_object

Object = dict[str, Any]


def report_json(content: ReportContent) -> str:
    """What was found, by the schema of version `SCHEMA`."""
    makers = {"verification": _verification, "identification": _identification, "classification": _classification}
    parts = {mode: makers[mode](content) for mode in content.by_mode}
    whole: Object = {"bertillon": __version__, "schema": SCHEMA, "mode": "modes"} | parts
    if len(parts) == 1:
        whole = next(iter(parts.values()))
    if content.versus:
        whole["pairs"] = pair_objects(content.versus, content.fold_differences)
    return strict_json(whole)


def report_csv(content: ReportContent) -> str:
    """One table: measures with intervals, or differences."""
    if content.versus:
        return for_spreadsheets(compared_frame(content.versus)).write_csv()
    return for_spreadsheets(measures_frame(content.evaluations)).write_csv()


def measures_frame(evaluations: Sequence[AnyEvaluation]) -> pl.DataFrame:
    """One row a measure of each system; what is not known is null."""
    frames = [
        evaluation.to_frame().select(
            pl.lit(evaluation.measure_set.mode).alias("mode"), pl.lit(evaluation.name).alias("system"), pl.all()
        )
        for evaluation in evaluations
    ]
    whole = pl.concat(frames, how="diagonal")
    wanted = {"low": pl.Float64, "high": pl.Float64, "level": pl.Float64, "method": pl.String}
    missing = [pl.lit(None, dtype=kind).alias(name) for name, kind in wanted.items() if name not in whole.columns]
    first = ["mode", "system", "name", "value", *wanted]
    ordered = whole.with_columns(missing).select(*first, pl.exclude(first))
    return ordered.with_columns(pl.col(pl.Float64).fill_nan(None))


def _verification(content: ReportContent) -> Object:
    evaluations = content.verification
    objects: list[Object] = []
    for index, evaluation in enumerate(evaluations):
        whole = evaluation.to_dict() | {"warnings": _texts(warnings_of(evaluation))}
        if content.expected:
            whole["expected"] = [plain(asdict(row)) for row in content.expected[index]]
        if content.folds:
            whole["folds"] = plain(record(content.folds[index]))
            whole["warnings"] += _texts([skewed(evaluation, content.folds[index])])
        if content.development:
            whole["development"] = content.development[index].to_dict()
        objects.append(whole | samples_object(content, index))
    more: Object = {"warnings": _texts([unlike(evaluations)])}
    if len(evaluations) > 1:
        more["comparisons"] = _texts(comparison_sentences(evaluations))
    return _joined(objects, more)


def _identification(content: ReportContent) -> Object:
    evaluations = content.identification
    objects = [
        evaluation.to_dict() | {"warnings": _texts(warnings_of_searches(evaluation))} for evaluation in evaluations
    ]
    for whole, regions in zip(objects, content.regions, strict=bool(content.regions)):
        whole["regions"] = [plain(region.to_dict()) for region in regions]
    return _joined(objects, {"warnings": _texts([unlike_searches(evaluations)])})


def _classification(content: ReportContent) -> Object:
    if content.class_reports:
        return _joined([class_object(report) for report in content.class_reports], {})
    objects = [class_object(ClassReport(evaluation, {})) for evaluation in content.classification]
    for whole in objects:
        if whole["decision"]:
            whole["decision"]["chosen_here"] = None  # evaluations alone do not say how a threshold was chosen
    return _joined(objects, {})


def _texts(messages: Iterable[Text | None]) -> list[str]:
    """What there is to say, in English."""
    return [str(message) for message in messages if message]


def _joined(objects: list[Object], more: Object) -> Object:
    """One system itself, or several with what they share and what is said of them together."""
    if len(objects) == 1:
        return objects[0]
    return {key: objects[0][key] for key in ("bertillon", "schema", "mode")} | {"systems": objects} | more
