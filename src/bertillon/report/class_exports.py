"""Classifiers as files for programs: strict JSON, and CSV of every curve.

Conventions: as in `exports`. JSON holds the measures, the decision point, the confusion matrix (a square table up to a
hundred classes, and always its filled cells), warnings and advice. Of more than a million samples a curve is an
outline, exact at each of its points.

Holds `classes_json`, `write_classes_csv` and `predictions_frame`, calibrated predictions as a table.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bertillon.curves.precision_recall import threshold_table
from bertillon.evaluation.answers import plain
from bertillon.evaluation.bands import Bands, each_of
from bertillon.evaluation.classification import LISTED_CLASSES, ClassEvaluation
from bertillon.report.band_frames import band_frames
from bertillon.report.classes import ClassReport, verdicts
from bertillon.report.exports import whole_json, write_frames

if TYPE_CHECKING:
    import polars as pl

    from bertillon.trials.predictions import Predictions

MOST_POINTS = 100_000  # of a curve that has one for every sample


def classes_json(reports: Sequence[ClassReport]) -> str:
    """One system as one object; several as a list under "systems"."""
    return whole_json([_object(report) for report in reports], {})


def _object(report: ClassReport) -> dict[str, Any]:
    evaluation = report.evaluation
    whole = evaluation.to_dict() | {
        "decision": _decision(report),
        "confusion": _confusion(evaluation),
        "verdicts": verdicts(report),
        "warnings": report.warnings,
        "advice": None if report.advice is None else asdict(report.advice),
    }
    if not evaluation.predictions.is_binary and evaluation.confusion is not None:
        whole["per_class"] = [plain(row) for row in evaluation.per_class.to_dicts()]
    if report.changes:
        whole["calibration"] = [_change(change) for change in report.changes]
    if report.groups:
        whole["groups"] = [{"name": one.name, "counts": one.counts, **_values(one)} for one in report.groups]
    return whole


def _decision(report: ClassReport) -> dict[str, Any] | None:
    """Where and how the decisions were made, and what came of it."""
    found, given = report.evaluation.confusion, report.evaluation.predictions
    if found is None:
        return None
    point: dict[str, Any] = {"how": found.how, "threshold": found.threshold, "chosen_here": report.chosen_here}
    if given.is_binary:
        cells = found.cells(given.positive_code)
        point |= {name: getattr(cells, name)[0].item() for name in ("tp", "fp", "fn", "tn")}
    if report.mean_cost is not None:
        point["mean_cost"] = report.mean_cost
    plain_point: dict[str, Any] = plain(point)
    return plain_point


def _confusion(evaluation: ClassEvaluation) -> dict[str, Any] | None:
    found = evaluation.confusion
    if found is None:
        return None
    listed = len(found.classes) <= LISTED_CLASSES
    return {
        "classes": list(found.classes),
        "matrix": found.matrix.tolist() if listed else None,
        "cells": found.to_frame().to_dicts(),
    }


def _change(change: Any) -> dict[str, Any]:
    return {"name": change.measure, "before": plain(change.before.value), "after": plain(change.after.value)}


def _values(evaluation: ClassEvaluation) -> dict[str, Any]:
    return {"measures": evaluation.to_dict()["measures"]}


def write_classes_csv(
    reports: Sequence[ClassReport], folder: str | os.PathLike[str], *, bands: Bands = ()
) -> list[Path]:
    """Measures, confusions, classes, groups, and every curve the predictions have, with its band."""
    files = {name: name for name in ("roc", "precision-recall", "reliability")}
    frames = [
        (report.evaluation.name, _frames(report) | band_frames(known, files))
        for report, known in zip(reports, each_of(bands, len(reports)), strict=True)
    ]
    return write_frames(frames, folder)


def _frames(report: ClassReport) -> dict[str, pl.DataFrame]:
    evaluation = report.evaluation
    frames = {"measures": evaluation.to_frame()}
    if evaluation.confusion is not None:
        frames |= {"confusion": evaluation.confusion.to_frame(), "classes": evaluation.per_class}
    if report.groups:
        frames["groups"] = _group_frame(report.groups)
    if evaluation.tally.why_not_scored is None:
        frames |= _curves(evaluation)
    if evaluation.tally.why_not_probable is None:
        frames["reliability"] = evaluation.reliability().to_frame()
        frames["reliability-equal-mass"] = evaluation.reliability(mass=True).to_frame()
        frames["risk-coverage"] = evaluation.risk_coverage.thin(MOST_POINTS).to_frame()
    return frames


def _curves(evaluation: ClassEvaluation) -> dict[str, pl.DataFrame]:
    import polars as pl

    roc = evaluation.roc
    return {
        "roc": pl.DataFrame({"threshold": roc.threshold, "fpr": roc.fmr, "tpr": roc.tmr}),
        "precision-recall": evaluation.precision_recall.to_frame(),
        "gain": evaluation.gain.to_frame(),
        "thresholds": threshold_table(evaluation.tally.outline),
    }


def _group_frame(groups: Sequence[ClassEvaluation]) -> pl.DataFrame:
    import polars as pl

    rows = [
        {"group": one.name, "samples": one.predictions.size}
        | {name: None if result.reason else result.value for name, result in one.results.items()}
        for one in groups
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def predictions_frame(predictions: Predictions) -> pl.DataFrame:
    """The truth and the probabilities, in columns that are understood when read again."""
    import numpy as np
    import polars as pl

    p = predictions.probabilities
    assert p is not None
    names = np.array([str(label) for label in predictions.classes])
    columns: dict[str, Any] = {"y_true": names[predictions.truth]}
    if p.ndim == 2:
        columns |= {f"p_{name}": p[:, code] for code, name in enumerate(names)}
    else:
        usual = predictions.positive in (1, True)
        columns["p" if usual else f"p_{predictions.positive}"] = p
    for name, values in (("weight", predictions.weights), ("group", predictions.groups)):
        columns |= {} if values is None else {name: values.tolist()}
    return pl.DataFrame(columns)
