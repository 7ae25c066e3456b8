"""Classifiers as files for programs: CSV of every curve.

Conventions: as in `exports`. Of more than a million samples a curve is an outline, exact at each of its points.

Holds `write_classes_csv` and `predictions_frame`, calibrated predictions as a table.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bertillon.core.lazy import pl
from bertillon.counting.curves.class_curves import threshold_table
from bertillon.evaluation import Bands, ClassEvaluation, each_of, per_class
from bertillon.render.band_frames import band_frames
from bertillon.render.exports import write_frames
from bertillon.render.limits import LIMITS
from bertillon.views.class_report import ClassReport

if TYPE_CHECKING:
    from bertillon.trials.predictions import Predictions


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
    if evaluation.tally.confusion is not None:
        frames |= {"confusion": evaluation.tally.confusion.to_frame(), "classes": per_class(evaluation.tally)}
    if report.groups:
        frames["groups"] = _group_frame(report.groups)
    if evaluation.tally.why_not_scored is None:
        frames |= _curves(evaluation)
    if evaluation.tally.why_not_probable is None:
        frames["reliability"] = evaluation.tally.reliability().to_frame()
        frames["reliability-equal-mass"] = evaluation.tally.reliability(mass=True).to_frame()
        frames["risk-coverage"] = evaluation.tally.risk_coverage.thin(LIMITS.exported_points).to_frame()
    return frames


def _curves(evaluation: ClassEvaluation) -> dict[str, pl.DataFrame]:
    roc = evaluation.tally.roc
    return {
        "roc": pl.DataFrame({"threshold": roc.threshold, "fpr": roc.fmr, "tpr": roc.tmr}),
        "precision-recall": evaluation.tally.precision_recall.to_frame(),
        "gain": evaluation.tally.gain.to_frame(),
        "thresholds": threshold_table(evaluation.tally.outline),
    }


def _group_frame(groups: Sequence[ClassEvaluation]) -> pl.DataFrame:
    rows = [
        {"group": evaluation.name, "samples": evaluation.trials.size}
        | {name: None if result.reason else result.value for name, result in evaluation.results.items()}
        for evaluation in groups
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def predictions_frame(predictions: Predictions) -> pl.DataFrame:
    """The truth and the probabilities, in columns that are understood when read again."""
    import numpy as np

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
