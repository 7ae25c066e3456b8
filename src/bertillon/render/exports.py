"""Curves as files for programs: CSV of each, with thresholds and counts, its band and its hull.

Holds `write_csv` (comparisons), `write_search_csv` (searches) and `write_frames` (any tables of several systems).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO

from bertillon.core.escaping import for_spreadsheets
from bertillon.core.files import make_folder, write_whole
from bertillon.core.lazy import pl
from bertillon.counting.curves.error_curve import hull
from bertillon.evaluation import Bands, ScoreEvaluation, SearchEvaluation, each_of
from bertillon.render.band_frames import band_frames
from bertillon.trials.score_set import kept_of
from bertillon.trials.search_tally import detection_table


def write_csv(
    evaluations: Sequence[ScoreEvaluation], folder: str | os.PathLike[str], *, bands: Bands = ()
) -> list[Path]:
    """Measures, the error curve (ROC and DET are columns of it), its band and hull, and the score distributions."""
    frames = [
        (evaluation.name, _frames(evaluation) | band_frames(known, {"det": "curve"}))
        for evaluation, known in zip(evaluations, each_of(bands, len(evaluations)), strict=True)
    ]
    return write_frames(frames, folder)


def write_search_csv(
    evaluations: Sequence[SearchEvaluation], folder: str | os.PathLike[str], *, bands: Bands = ()
) -> list[Path]:
    """Measures, the CMC, the watch-list curve, their bands and the detection rates by threshold and rank."""
    frames = [
        (evaluation.name, _search_frames(evaluation) | band_frames(known, {"cmc": "cmc", "watch-list": "watch-list"}))
        for evaluation, known in zip(evaluations, each_of(bands, len(evaluations)), strict=True)
    ]
    return write_frames(frames, folder)


def write_frames(systems: Sequence[tuple[str, dict[str, pl.DataFrame]]], folder: str | os.PathLike[str]) -> list[Path]:
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
    import numpy as np

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
