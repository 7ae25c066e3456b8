"""Findings as CSV for programs: every curve with thresholds and counts, its band and its hull; a file a table.

Conventions: of more than a million samples a curve is an outline, exact at each of its points.

Holds `write_csv` (comparisons), `write_search_csv` (searches), `write_classes_csv` (classifiers), `write_compared_csv`,
`write_attack_csv`, `write_reliability_csv`, `write_repeated_csv` and `write_trade_off`; `write_frames`, any tables of
several systems; `predictions_frame`, calibrated predictions; and `LIMITS`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from bertillon.core.escaping import for_spreadsheets
from bertillon.core.files import make_folder, write_whole
from bertillon.core.lazy import pl
from bertillon.counting.curves.class_curves import threshold_table
from bertillon.counting.curves.error_curve import Band, hull
from bertillon.evaluation import Bands, ClassEvaluation, ScoreEvaluation, SearchEvaluation, each_of, per_class
from bertillon.render.records import compared_frame
from bertillon.trials.score_set import kept_of
from bertillon.trials.search_tally import detection_table

if TYPE_CHECKING:
    from bertillon.analysis.attacks import AttackFinding
    from bertillon.analysis.response_reliability import ResponseReliability
    from bertillon.evaluation import RepeatedEvaluation
    from bertillon.evaluation.templates import IndexedSearch
    from bertillon.stats.comparing import Versus
    from bertillon.trials.predictions import Predictions
    from bertillon.views.class_tables import ClassReport

Folder = str | os.PathLike[str]


@dataclass(slots=True)
class Limits:
    """How much of a result is written, read whenever it is."""

    exported_points: int = 100_000  # of a curve that has one for every sample


LIMITS = Limits()

_AXES = {
    "det": ("fmr", "fnmr"),
    "roc": ("fpr", "tpr"),
    "cmc": ("k", "cms"),
    "watch-list": ("fpir", "dir"),
    "precision-recall": ("recall", "precision"),
    "reliability": ("mean", "observed"),
}


def write_csv(evaluations: Sequence[ScoreEvaluation], folder: Folder, *, bands: Bands = ()) -> list[Path]:
    """Measures, the error curve (ROC and DET are columns of it), its band and hull, and the score distributions."""
    frames = [
        (evaluation.name, _frames(evaluation) | band_frames(known, {"det": "curve"}))
        for evaluation, known in zip(evaluations, each_of(bands, len(evaluations)), strict=True)
    ]
    return write_frames(frames, folder)


def write_search_csv(evaluations: Sequence[SearchEvaluation], folder: Folder, *, bands: Bands = ()) -> list[Path]:
    """Measures, the CMC, the watch-list curve, their bands and the detection rates by threshold and rank."""
    frames = [
        (evaluation.name, _search_frames(evaluation) | band_frames(known, {"cmc": "cmc", "watch-list": "watch-list"}))
        for evaluation, known in zip(evaluations, each_of(bands, len(evaluations)), strict=True)
    ]
    return write_frames(frames, folder)


def write_classes_csv(reports: Sequence[ClassReport], folder: Folder, *, bands: Bands = ()) -> list[Path]:
    """Measures, confusions, classes, groups, and every curve the predictions have, with its band."""
    files = {name: name for name in ("roc", "precision-recall", "reliability")}
    frames = [
        (report.evaluation.name, _class_frames(report) | band_frames(known, files))
        for report, known in zip(reports, each_of(bands, len(reports)), strict=True)
    ]
    return write_frames(frames, folder)


def write_compared_csv(pairs: Sequence[Versus], folder: Folder) -> list[Path]:
    """The table as comparison.csv."""
    return write_frames([("", {"comparison": compared_frame(pairs)})], folder)


def write_attack_csv(rates: AttackFinding, folder: Folder) -> list[Path]:
    """species.csv, and for a detector bpcer.csv: BPCER where APCER is held down."""
    return write_frames([("", rates.to_frames())], folder)


def write_reliability_csv(reliability: ResponseReliability, folder: Folder) -> list[Path]:
    """reliability.csv: one row an answer."""
    return write_frames([("", {"reliability": reliability.to_frame()})], folder)


def write_repeated_csv(repeated: RepeatedEvaluation, path: Folder) -> None:
    """One row a run and measure."""
    write_whole(path, _csv_writer(repeated.to_frame()))


def write_trade_off(indexed: Sequence[IndexedSearch], folder: Folder) -> Path:
    """The points of the indexes of all systems, index.csv in the folder."""
    rows = [
        {"name": search.searches.name, "index": search.kind, "used": point.effort == search.effort, **asdict(point)}
        for search in indexed
        for point in search.trade_off
    ]
    path = make_folder(folder) / "index.csv"
    write_whole(path, _csv_writer(pl.DataFrame(rows)))
    return path


def write_frames(systems: Sequence[tuple[str, dict[str, pl.DataFrame]]], folder: Folder) -> list[Path]:
    """Each table of each system as a CSV file; the files in the order written."""
    home = make_folder(folder)
    written: list[Path] = []
    for prefix, (_, frames) in zip(_prefixes([name for name, _ in systems]), systems, strict=True):
        for name, frame in frames.items():
            path = home / f"{prefix}{name}.csv"
            write_whole(path, _csv_writer(frame))
            written.append(path)
    return written


def _search_frames(evaluation: SearchEvaluation) -> dict[str, pl.DataFrame]:
    frames = {"measures": evaluation.to_frame(), "cmc": evaluation.tally.cmc.to_frame()}
    if evaluation.counts["nonenrolled"]:
        frames["watch-list"] = evaluation.tally.watch_list_curve.to_frame()
        frames["detection"] = detection_table(evaluation.tally)
    return frames


def _frames(evaluation: ScoreEvaluation) -> dict[str, pl.DataFrame]:
    curve = evaluation.tally.curve.to_frame().with_columns(tmr=1.0 - pl.col("fnmr"))
    frames = {"measures": evaluation.to_frame(), "curve": curve, "distributions": _distributions(evaluation)}
    if evaluation.counts["mated"] and evaluation.counts["nonmated"]:
        frames["hull"] = curve[hull(evaluation.tally.curve.counts).row.tolist()]
    return frames


def _distributions(evaluation: ScoreEvaluation, bins: int = 100) -> pl.DataFrame:
    """Counts of both classes on common bins of equal width; infinite scores are in no bin."""
    classes = [
        scores[np.isfinite(scores)]
        for scores in (kept_of(evaluation.trials).mated, kept_of(evaluation.trials).nonmated)
    ]
    filled = [scores for scores in classes if scores.size]
    if not filled:
        return pl.DataFrame(schema={"from": float, "to": float, "mated": int, "nonmated": int})
    low, high = min(float(s.min()) for s in filled), max(float(s.max()) for s in filled)
    edges = np.histogram_bin_edges(np.array([low, high]), bins=bins)
    counts = [np.histogram(scores, bins=edges)[0] for scores in classes]
    return pl.DataFrame({"from": edges[:-1], "to": edges[1:], "mated": counts[0], "nonmated": counts[1]})


def _prefixes(names: Sequence[str]) -> list[str]:
    """What tells the files of several systems apart."""
    if len(names) == 1:
        return [""]
    return [f"{number}-{safe_name(name)}-" for number, name in enumerate(names, 1)]


def safe_name(name: str) -> str:
    """A system's name as part of a file name."""
    return re.sub(r"[^\w.-]+", "_", name).strip("._")[:60] or "system"


def _csv_writer(frame: pl.DataFrame) -> Callable[[BinaryIO], object]:
    return lambda file: for_spreadsheets(frame).write_csv(file)


def _class_frames(report: ClassReport) -> dict[str, pl.DataFrame]:
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


def band_frames(bands: Mapping[str, Band], files: Mapping[str, str]) -> dict[str, pl.DataFrame]:
    """The table of each band that a file is named for, by the name of the file."""
    return {f"{file}-band": _band_frame(bands[curve], *_AXES[curve]) for curve, file in files.items() if curve in bands}


def _band_frame(band: Band, across: str, upward: str) -> pl.DataFrame:
    place = pl.Series(across, band.x, dtype=pl.Int64) if across == "k" else pl.Series(across, band.x)
    ends = [pl.Series(f"{upward}_low", band.low), pl.Series(f"{upward}_high", band.high)]
    return pl.DataFrame([place, *ends]).with_columns(level=pl.lit(band.level), kind=pl.lit(band.kind))
