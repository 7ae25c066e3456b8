"""A classifier as JSON has it: measures, the decision point, the confusion matrix, warnings and advice.

Conventions: as in `records`. The matrix is a square table up to a hundred classes, and always the list of its filled
cells.

Holds `class_object`.
"""

from __future__ import annotations

from typing import Any

from bertillon.advice.choosing import Advice
from bertillon.analysis.calibration import CalibrationChange
from bertillon.evaluation import ClassEvaluation, per_class, plain
from bertillon.render.classes import verdicts
from bertillon.trials.predictions import LISTED_CLASSES
from bertillon.views.class_report import ClassReport


def class_object(report: ClassReport) -> dict[str, Any]:
    """All that is said about a classifier."""
    evaluation = report.evaluation
    whole = evaluation.to_dict() | {
        "decision": _decision(report),
        "confusion": _confusion(evaluation),
        "verdicts": [str(verdict) for verdict in verdicts(report)],
        "warnings": [str(warning) for warning in report.warnings],
        "advice": None if report.advice is None else _advice(report.advice),
    }
    if not evaluation.trials.is_binary and evaluation.tally.confusion is not None:
        whole["per_class"] = [plain(row) for row in per_class(evaluation.tally).to_dicts()]
    if report.changes:
        whole["calibration"] = [_change(change) for change in report.changes]
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


def _change(change: CalibrationChange) -> dict[str, Any]:
    return {"name": change.measure, "before": plain(change.before.value), "after": plain(change.after.value)}


def _advice(advice: Advice) -> dict[str, Any]:
    return {
        "metrics": advice.metrics,
        "reasons": {name: str(reason) for name, reason in advice.reasons.items()},
        "notes": [str(note) for note in advice.notes],
    }
