"""The cases of 1:1 evaluation: ten million non-mated and a million mated scores, on all cores.

Ours is timed from plain arrays to answers, the checks of the input included.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bertillon as bt
from benchmarks import files, growth, peers, startup
from benchmarks.data import POINTS, TARGETS, Scores, answers, at_scale, draw
from benchmarks.harness import Case, Measured, Skipped, agree, best_time, contest, faster, require

BOB = "BERTILLON_BOB_PYTHON"
FEW = {10_000: 3, 30_000: 5, 100_000: 8, 300_000: 15, 1_000_000: 40}  # scores, and how many times faster ours must be
SMALL_NONMATED = 100_000  # what PyEER can stand


def points_against_sklearn(scale: float) -> Measured:
    """EER, six operating points, both zero points and d' against the bare curve of scikit-learn."""
    from sklearn.metrics import roc_curve

    scores = at_scale(scale)
    marks, values = scores.labelled()
    return faster(contest(lambda: answers(scores), lambda: roc_curve(marks, values), peers.agree_with_sklearn))


def points_of_few(size: int) -> Callable[[float], Measured]:
    """The same of so many scores in all, in a process that has loaded the compiled kernels."""

    def run(scale: float) -> Measured:
        from sklearn.metrics import roc_curve

        growth.load_kernels()
        scores = draw(round(size * scale) * 10 // 11)
        marks, values = scores.labelled()
        times = contest(
            lambda: answers(scores),
            lambda: roc_curve(marks, values),
            peers.agree_with_sklearn,
            repeats=15,
            in_a_row=growth.in_a_row(size),
        )
        return faster(times)

    return run


def points_against_score_analysis(scale: float) -> Measured:
    """The same against score-analysis, asked for EER and the six operating points only."""
    scores = at_scale(scale)
    times = contest(
        lambda: answers(scores),
        lambda: peers.score_analysis_answers(scores),
        lambda ours, theirs: peers.agree_to_a_score(ours, theirs, scores),
    )
    return faster(times)


def area_against_sklearn(scale: float) -> Measured:
    """The operating points and the exact AUC against roc_curve and auc."""
    from sklearn.metrics import auc, roc_curve

    scores = at_scale(scale)
    marks, values = scores.labelled()

    def theirs() -> dict[str, float]:
        fmr, tmr, _ = roc_curve(marks, values)
        return {"AUC": float(auc(fmr, tmr))}

    times = contest(lambda: answers(scores, (*POINTS, "AUC")), theirs, lambda a, b: agree(a, b, 1e-9))
    return faster(times)


def curve_against_sklearn(scale: float) -> Measured:
    """Every threshold of the curve, and how much a curve of 2000 points loses."""
    from sklearn.metrics import roc_curve

    scores = at_scale(scale)
    marks, values = scores.labelled()
    losses: list[float] = []

    def check(curve: bt.counting.ErrorCurve, roc: tuple[NDArray[Any], ...]) -> None:
        fmr, tmr, threshold = (part[::-1] for part in roc)
        require(np.array_equal(curve.threshold[:-1], threshold[:-1]), "the thresholds differ")
        require(np.allclose(curve.fmr, fmr, rtol=0.0, atol=peers.EXACT), "FMR differs")
        require(np.allclose(curve.tmr, tmr, rtol=0.0, atol=peers.EXACT), "TMR differs")
        losses.append(_loss_of_thinning(curve))

    times = contest(
        lambda: bt.counting.error_curve(bt.ScoreSet(scores.mated, scores.nonmated)),
        lambda: roc_curve(marks, values, drop_intermediate=False),
        check,
    )
    return faster(times, f"thin(2000) is off by at most {losses[0]:.4f} decades on log axes")


def _loss_of_thinning(curve: bt.counting.ErrorCurve, points: int = 2000) -> float:
    """How far a point left out can lie from the line between its kept neighbours, in decades; zero errors are half.

    Both rates are monotone, so the point lies in the box the neighbours span; its farthest corner is dx dy / diagonal
    from the line.
    """
    thin = curve.thin(points)
    require(len(thin) <= points, f"{len(thin)} points were kept of {points}")
    left_out = np.diff(np.searchsorted(curve.counts.threshold, thin.counts.threshold)) > 1
    counts = (thin.counts.false_match, thin.counts.false_nonmatch)
    dx, dy = (np.abs(np.diff(np.log10(np.maximum(errors, 0.5))))[left_out] for errors in counts)
    diagonal = np.hypot(dx, dy)
    return float(np.max(dx * dy / np.where(diagonal > 0, diagonal, 1.0), initial=0.0))


def points_against_pyeer(scale: float) -> Measured:
    """Its own statistics on a set it can stand."""
    scores = draw(round(SMALL_NONMATED * scale))
    asked = tuple(peers.PYEER_POINTS)
    times = contest(lambda: answers(scores, asked), lambda: peers.pyeer_answers(scores), peers.agree_with_pyeer)
    return faster(times, f"{scores.size:,} scores")


def points_against_bob(scale: float) -> Measured:
    """bob.measure in an environment of its own, asked for EER and the six operating points."""
    python = os.environ.get(BOB)
    if not python:
        raise Skipped(f"{BOB} does not name a Python that has bob.measure")
    scores = at_scale(scale)
    theirs = _ask_bob(python, scores)
    peers.agree_to_a_score(answers(scores), theirs["answers"], scores)
    return faster((best_time(lambda: answers(scores)), theirs["seconds"]))


def _ask_bob(python: str, scores: Scores) -> dict[str, Any]:
    with TemporaryDirectory(prefix="bertillon-") as folder:
        path = Path(folder) / "scores.npz"
        np.savez(path, mated=scores.mated, nonmated=scores.nonmated)
        script = Path(__file__).with_name("bob_peer.py")
        command = [python, str(script), str(path), *(f"{target:g}" for target in TARGETS)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Skipped(f"{BOB} failed: {done.stderr.strip()[-200:]}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


CASES: Sequence[Case] = (
    Case("operating points, scikit-learn roc_curve", 40, points_against_sklearn),
    *(Case(f"operating points of {size:,} scores, roc_curve", bar, points_of_few(size)) for size, bar in FEW.items()),
    Case("operating points, score-analysis", 10, points_against_score_analysis),
    Case("operating points and AUC, scikit-learn", 12, area_against_sklearn),
    Case("whole curve, scikit-learn roc_curve", 4, curve_against_sklearn),
    Case("growth of time, exponent", 1.05, growth.time_exponent, "at most", ""),
    Case("time of fewer scores, of that of more", 1.1, growth.fewer_against_more, "at most"),
    Case("extra memory, share of the input", 1.0, growth.extra_memory, "at most"),
    Case("CSV to answers, polars reading", 1.5, files.csv, "at most"),
    Case("Parquet to answers, polars reading", 1.6, files.parquet, "at most"),
    Case("bertillon --help", 0.3, startup.show_help, "at most", "s"),
    Case("bertillon verify --help", 0.3, startup.show_verify_help, "at most", "s"),
    Case("bertillon --help against importing numpy", 1.5, startup.help_against_numpy, "at most", "x"),
    Case("bertillon --help against importing libraries", 0.7, startup.help_against_libraries, "at most"),
    Case("bertillon verify of two lists, the same", 1.8, startup.verify_against_libraries, "at most"),
    Case("bertillon verify, 10,000 lines", 1.0, startup.verify, "at most", "s"),
    Case("operating points, PyEER", None, points_against_pyeer),
    Case("operating points, bob.measure", None, points_against_bob),
)
