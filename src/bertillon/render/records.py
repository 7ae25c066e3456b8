"""What was found, for programs: strict JSON by the published schema, and one table as CSV.

Conventions: `--json` and `--report out.json` write this; it is the same in every language. JSON is strict: an undefined
number is null with its reason, an infinite threshold is "inf" or "-inf". One system is one object, several are a list
under "systems", several modes each stand under their name; systems that were tested against each other have "pairs".
Of a classifier the matrix is a square table up to a hundred classes, and always the list of its filled cells. CSV has a
row a measure of each system with its interval, or where systems were tested a row a difference. A finding of another
package is what its own `to_dict` and `to_frame` say.

Holds `finding_json` and `finding_csv` (any finding), `report_json` and `report_csv`, `compared_json` with
`compared_frame`, `class_object`, `plan_json`, `advice_json`, `reliability_json` and `strict_json`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import singledispatch
from typing import Any

from bertillon._version import __version__
from bertillon.advice import comparison_sentences, plan_notes, plan_verdict, verdict_sentences, versus_warnings
from bertillon.advice.choosing import Advice
from bertillon.advice.warnings import skewed, unlike, unlike_searches, warnings_of, warnings_of_searches
from bertillon.analysis.attacks import AttackFinding
from bertillon.analysis.response_reliability import ResponseReliability
from bertillon.core.errors import InputError
from bertillon.core.lazy import pl
from bertillon.core.messages import Text, record, text_of, visible
from bertillon.evaluation import SCHEMA, AnyEvaluation, ClassEvaluation, per_class, plain
from bertillon.render.files import for_spreadsheets
from bertillon.stats import Difference, FoldDifference, Interval, Settings, Versus
from bertillon.trials.predictions import LISTED_CLASSES
from bertillon.views import AdviceReport, ClassReport, PlannedTest, ReportContent
from bertillon.views.attacks import attack_object
from bertillon.views.classification import class_verdicts
from bertillon.views.verification import samples_object

Object = dict[str, Any]


def strict_json(whole: Any) -> str:
    """The text of a document; a number that JSON does not have is a fault of whoever made it."""
    return visible(json.dumps(whole, indent=2, allow_nan=False, ensure_ascii=False)) + "\n"


@singledispatch
def finding_json(finding: Any) -> str:
    """What was found as strict JSON text."""
    if not hasattr(finding, "to_dict"):
        raise InputError(f"{type(finding).__name__} cannot be written as JSON: it has no to_dict; write a page instead")
    return strict_json(plain(finding.to_dict()))


@singledispatch
def finding_csv(finding: Any) -> str:
    """What was found as one table."""
    if not hasattr(finding, "to_frame"):
        raise InputError(f"{type(finding).__name__} cannot be written as CSV: it has no to_frame; write JSON instead")
    return for_spreadsheets(finding.to_frame()).write_csv()


@finding_json.register
def report_json(content: ReportContent) -> str:
    """What was found, by the schema of version `SCHEMA`."""
    if len(content.every_finding) == 1 and content.findings:  # nothing at all is refused
        return finding_json(content.findings[0])
    makers = {"verification": _verification, "identification": _identification, "classification": _classification}
    parts = {mode: makers[mode](content) for mode in content.by_mode}
    whole: Object = {"bertillon": __version__, "schema": SCHEMA, "mode": "modes"} | parts
    if len(parts) == 1:
        whole = next(iter(parts.values()))
    beside = [finding for finding in content.findings if hasattr(finding, "to_dict")]
    if beside:
        whole["findings"] = [plain(finding.to_dict()) for finding in beside]
    if content.versus:
        whole["pairs"] = pair_objects(content.versus, content.fold_differences)
    return strict_json(whole)


@finding_json.register
def _(rates: AttackFinding) -> str:
    return strict_json(attack_object(rates))


@finding_csv.register
def report_csv(content: ReportContent) -> str:
    """One table: measures with intervals, or differences."""
    if content.versus:
        return for_spreadsheets(compared_frame(content.versus)).write_csv()
    if len(content.every_finding) == 1 and content.findings:
        return finding_csv(content.findings[0])
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
        objects.append(whole | samples_object(content, index) | _by_condition(content, index))
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
    for index, whole in enumerate(objects):
        whole |= _by_condition(content, index)
    return _joined(objects, {"warnings": _texts([unlike_searches(evaluations)])})


def _classification(content: ReportContent) -> Object:
    if content.class_reports:
        reported = enumerate(content.class_reports)
        return _joined([class_object(report) | _by_condition(content, index) for index, report in reported], {})
    objects = [class_object(ClassReport(evaluation, {})) for evaluation in content.classification]
    for whole in objects:
        if whole["decision"]:
            whole["decision"]["chosen_here"] = None  # evaluations alone do not say how a threshold was chosen
    return _joined(objects, {})


def _by_condition(content: ReportContent, index: int) -> Object:
    """The conditions of one system, where somebody asked for them."""
    return {"conditions": content.conditions[index].to_dict()} if content.conditions else {}


def _texts(messages: Iterable[Text | None]) -> list[str]:
    """What there is to say, in English."""
    return [str(message) for message in messages if message]


def _joined(objects: list[Object], more: Object) -> Object:
    """One system itself, or several with what they share and what is said of them together."""
    if len(objects) == 1:
        return objects[0]
    return {key: objects[0][key] for key in ("bertillon", "schema", "mode")} | {"systems": objects} | more


def compared_json(
    pairs: Sequence[Versus],
    settings: Settings,
    *,
    mode: str,
    folds: Sequence[FoldDifference] = (),
    warnings: Sequence[Text] = (),
) -> str:
    """The same as strict JSON."""
    whole = {
        "bertillon": __version__,
        "schema": SCHEMA,
        "mode": mode,
        "settings": asdict(settings),
        "difference": "second - first",
        "tests": max((difference.tests for versus in pairs for difference in versus.differences), default=0),
        "correction": "Holm",
        "pairs": pair_objects(pairs, folds),
        "warnings": [str(warning) for warning in (*warnings, *versus_warnings(pairs, settings))],
    }
    return strict_json(whole)


def compared_frame(pairs: Sequence[Versus]) -> pl.DataFrame:
    """One row a pair of systems and measure."""
    rows = []
    for versus in pairs:
        for difference in versus.differences:
            row = {"first_system": versus.first, "second_system": versus.second, **_row(difference)}
            low, high = row.pop("interval") or (None, None)
            row.pop("margin_interval")
            rows.append(row | {"low": low, "high": high})
    return pl.DataFrame(rows, infer_schema_length=None)


def pair_objects(compared: Sequence[Versus], folds: Sequence[FoldDifference] = ()) -> list[dict[str, Any]]:
    """Every pair of systems and its differences, ready for JSON; `folds` as many as pairs, or none."""
    pairs = [_pair_object(versus) for versus in compared]
    for pair, fold in zip(pairs, folds, strict=False):
        pair["folds"] = plain(record(fold) | {"interval": _pair(fold.interval), "level": fold.interval.level})
    return pairs


def _pair_object(versus: Versus) -> dict[str, Any]:
    verdicts = verdict_sentences(versus)
    rows = [_row(difference) for difference in versus.differences]
    for index, row in enumerate(rows):
        row["sentence"] = str(verdicts[0] if versus.identical else verdicts[index])
    return {
        "first": versus.first,
        "second": versus.second,
        "paired": versus.paired,
        "aligned": str(versus.how) if versus.how else None,
        "trials": versus.trials,
        "unit": str(versus.unit),
        "units": versus.n_units,
        "naive": versus.naive,
        "identical": versus.identical,
        "notes": [str(note) for note in versus.notes],
        "measures": rows,
        "checks": [plain(record(check)) for check in versus.checks],
    }


def _row(difference: Difference) -> dict[str, Any]:
    row = {
        "name": difference.measure,
        "first": difference.first_value,
        "second": difference.second_value,
        "difference": difference.difference,
        "interval": _pair(difference.interval),
        "level": difference.interval.level,
        "method": str(difference.interval.method),
        "p": difference.p,
        "adjusted_p": difference.adjusted_p,
        "standard_error": difference.error,
        "margin": difference.margin,
        "margin_interval": None if difference.within is None else _pair(difference.within),
        "verdict": difference.verdict,
        "reason": text_of(difference.reason),
    }
    return {key: plain(value) for key, value in row.items()}


def _pair(interval: Interval) -> list[float] | None:
    return None if math.isnan(interval.low) else [interval.low, interval.high]


def class_object(report: ClassReport) -> dict[str, Any]:
    """All that is said about a classifier."""
    evaluation = report.evaluation
    whole = evaluation.to_dict() | {
        "decision": _decision(report),
        "confusion": _confusion(evaluation),
        "verdicts": [str(verdict) for verdict in class_verdicts(report)],
        "warnings": [str(warning) for warning in report.warnings],
        "advice": None if report.advice is None else _advice(report.advice),
    }
    if not evaluation.trials.is_binary and evaluation.tally.confusion is not None:
        whole["per_class"] = [plain(row) for row in per_class(evaluation.tally).to_dicts()]
    if report.changes:
        whole["calibration"] = [
            {"name": change.measure, "before": plain(change.before.value), "after": plain(change.after.value)}
            for change in report.changes
        ]
    if report.groups:
        whole["groups"] = [
            {"name": group.name, "counts": group.counts, "measures": group.to_dict()["measures"]}
            for group in report.groups
        ]
    return whole


def _decision(report: ClassReport) -> dict[str, Any] | None:
    """Where and how the decisions were made, and what came of it."""
    confusion, predictions = report.evaluation.tally.confusion, report.evaluation.trials
    if confusion is None:
        return None
    point: dict[str, Any] = {
        "how": str(confusion.how),
        "threshold": confusion.threshold,
        "chosen_here": report.chosen_here,
    }
    if predictions.is_binary:
        cells = confusion.cells(predictions.positive_code)
        point |= {name: getattr(cells, name)[0].item() for name in ("tp", "fp", "fn", "tn")}
    if report.mean_cost is not None:
        point["mean_cost"] = report.mean_cost
    plain_point: dict[str, Any] = plain(point)
    return plain_point


def _confusion(evaluation: ClassEvaluation) -> dict[str, Any] | None:
    confusion = evaluation.tally.confusion
    if confusion is None:
        return None
    listed = len(confusion.classes) <= LISTED_CLASSES
    return {
        "classes": list(confusion.classes),
        "matrix": confusion.matrix.tolist() if listed else None,
        "cells": confusion.to_frame().to_dicts(),
    }


def _advice(advice: Advice) -> dict[str, Any]:
    return {
        "metrics": advice.metrics,
        "reasons": {name: str(reason) for name, reason in advice.reasons.items()},
        "notes": [str(note) for note in advice.notes],
    }


@finding_json.register
def plan_json(planned: PlannedTest) -> str:
    """The plan of a test, and what came of trying it out."""
    plan, tried = planned.plan, planned.tried
    whole = {"bertillon": __version__, "mode": "plan"} | plan.to_dict()
    whole |= {"simulated": tried.to_dict()} if tried else {}
    whole |= {"verdict": str(plan_verdict(plan)), "notes": [str(note) for note in plan_notes(plan, tried)]}
    return strict_json(whole)


@finding_json.register
def reliability_json(reliability: ResponseReliability) -> str:
    """The reliability of each answer."""
    return strict_json({"bertillon": __version__, "mode": "reliability"} | reliability.to_dict())


@finding_json.register
def advice_json(advised: AdviceReport) -> str:
    """The answers, what to report, and why."""
    whole = {
        "bertillon": __version__,
        "mode": "advice",
        "name": advised.source,
        "answers": [
            {"question": name, "answer": answer, "because": str(because), "seen": name in advised.seen}
            for name, (answer, because) in advised.answers.items()
        ],
        "measures": [{"name": name, "reason": str(advised.advice.reasons[name])} for name in advised.advice.metrics],
        "notes": [str(note) for note in advised.advice.notes],
        "undefined": {name: str(reason) for name, reason in advised.undefined.items()},
    }
    return strict_json(whole)
