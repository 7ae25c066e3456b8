"""Findings as CSV of every curve, for programs.

Conventions: every file is whole or not there at all. A CSV file is one table: curves have thresholds and counts, their
bands and hulls stand beside them. Of more than a million samples a curve is an outline, exact at each of its points.
A spreadsheet takes a cell that begins with = + - or @ for a formula, and runs it: such a text gets an apostrophe in
front, as OWASP advises; numbers are no texts and stay as they are.

Holds `write_csv`, all tables of evaluations in any mode, and `write_frames`, any tables of several systems;
`trade_off_frame` (approximate indexes) and `predictions_frame` (calibrated predictions); `for_spreadsheets`, by which
any table becomes CSV; and `LIMITS`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from bertillon.core import make_folder, write_whole
from bertillon.core.lazy import pl
from bertillon.core.messages import visible
from bertillon.counting import Band, hull, threshold_table
from bertillon.evaluation import Bands, ClassEvaluation, ScoreEvaluation, SearchEvaluation, each_of, per_class
from bertillon.trials import detection_table, kept_of

if TYPE_CHECKING:
    from bertillon.evaluation.templates import IndexedSearch
    from bertillon.trials.predictions import Predictions
    from bertillon.views.class_tables import ClassReport

Path_ = str | os.PathLike[str]
UNSEEN = r"[\p{C}\p{Z}--\x20]"  # of all that `visible` writes out, and more
FORMULA = r"^[=+\-@\t\r]"
NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"


@dataclass(slots=True)
class Limits:
    """How much of a result is written, read whenever it is."""

    exported_points: int = 100_000  # of a curve that has one for every sample


LIMITS = Limits()
BAND_FILES = {  # by mode and curve: the file, and what its columns are called
    "verification": {"det": ("curve", "fmr", "fnmr")},
    "identification": {"cmc": ("cmc", "k", "cms"), "watch-list": ("watch-list", "fpir", "dir")},
    "classification": {
        "roc": ("roc", "fpr", "tpr"),
        "precision-recall": ("precision-recall", "recall", "precision"),
        "reliability": ("reliability", "mean", "observed"),
    },
}


def write_csv(
    systems: Sequence[ScoreEvaluation] | Sequence[SearchEvaluation] | Sequence[ClassReport],
    folder: Path_,
    *,
    bands: Bands = (),
) -> list[Path]:
    """All tables of the systems of one mode, with the bands of their curves.

    Of comparisons the measures, the error curve (ROC and DET are columns of it), its hull and the score distributions;
    of searches the measures, the CMC, the watch-list curve and the detection rates by threshold and rank; of
    classifiers the measures, confusions, classes, groups, and every curve the predictions have.
    """
    made = []
    for system, known in zip(systems, each_of(bands, len(systems)), strict=True):
        evaluation: Any = getattr(system, "evaluation", system)  # a classifier's stands in its report
        tables = _TABLES[evaluation.kind](system)
        for curve, (file, *columns) in BAND_FILES[evaluation.kind].items():
            tables |= {f"{file}-band": _band_frame(known[curve], *columns)} if curve in known else {}
        made.append((evaluation.name, tables))
    return write_frames(made, folder)


def trade_off_frame(indexed: Sequence[IndexedSearch]) -> pl.DataFrame:
    """The points of the indexes of all systems."""
    return pl.DataFrame(
        {"name": search.searches.name, "index": search.kind, "used": point.effort == search.effort, **asdict(point)}
        for search in indexed
        for point in search.trade_off
    )


def write_frames(systems: Sequence[tuple[str, Mapping[str, pl.DataFrame]]], folder: Path_) -> list[Path]:
    """Each table of each system as a CSV file; the files in the order written."""
    home = make_folder(folder)
    written: list[Path] = []
    for number, (system, frames) in enumerate(systems, 1):
        prefix = f"{number}-{safe_name(system)}-" if len(systems) > 1 else ""
        for name, frame in frames.items():
            written.append(home / f"{prefix}{name}.csv")
            write_frame(frame, written[-1])
    return written


def write_frame(frame: pl.DataFrame, path: Path_) -> None:
    """One table as a CSV file."""

    def put(file: BinaryIO) -> None:
        for_spreadsheets(frame).write_csv(file)

    write_whole(path, put)


def for_spreadsheets(frame: pl.DataFrame) -> pl.DataFrame:
    """The table, whose texts (and headings) no spreadsheet takes for formulas, and that no terminal obeys."""
    frame = frame.rename({name: visible(name) for name in frame.columns if visible(name) != name})
    frame = frame.with_columns(
        pl.col(name).map_elements(visible, return_dtype=pl.String)
        for name, kind in frame.schema.items()
        if kind == pl.String and frame[name].str.contains(UNSEEN).any()
    )
    texts = [name for name, kind in frame.schema.items() if kind in (pl.String, pl.Categorical, pl.Enum)]
    cells = [pl.col(name).cast(pl.String) for name in texts]
    guarded = [
        pl.when(cell.str.contains(FORMULA) & ~cell.str.contains(NUMBER)).then("'" + cell).otherwise(cell).alias(name)
        for cell, name in zip(cells, texts, strict=True)
    ]
    headings = {name: f"'{name}" for name in frame.columns if re.match(FORMULA, name)}
    return frame.with_columns(guarded).rename(headings)


def _search_tables(evaluation: SearchEvaluation) -> dict[str, pl.DataFrame]:
    frames = {"measures": evaluation.to_frame(), "cmc": evaluation.tally.cmc.to_frame()}
    if evaluation.counts["nonenrolled"]:
        frames["watch-list"] = evaluation.tally.watch_list_curve.to_frame()
        frames["detection"] = detection_table(evaluation.tally)
    return frames


def _score_tables(evaluation: ScoreEvaluation) -> dict[str, pl.DataFrame]:
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


def safe_name(name: str) -> str:
    """A system's name as part of a file name."""
    return re.sub(r"[^\w.-]+", "_", name).strip("._")[:60] or "system"


def _class_tables(report: ClassReport) -> dict[str, pl.DataFrame]:
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


def _band_frame(band: Band, across: str, upward: str) -> pl.DataFrame:
    place = pl.Series(across, band.x, dtype=pl.Int64) if across == "k" else pl.Series(across, band.x)
    ends = [pl.Series(f"{upward}_low", band.low), pl.Series(f"{upward}_high", band.high)]
    return pl.DataFrame([place, *ends]).with_columns(level=pl.lit(band.level), kind=pl.lit(band.kind))


_TABLES: dict[str, Callable[[Any], dict[str, pl.DataFrame]]] = {
    "verification": _score_tables,
    "identification": _search_tables,
    "classification": _class_tables,
}
