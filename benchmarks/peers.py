"""The same questions put to other libraries, and how far their definitions lie from ours.

scikit-learn     every distinct score is a threshold and a score equal to it is accepted, as here
score-analysis   thresholds are interpolated between two scores, so a rate may be one score off
bob.measure      thresholds lie between two scores, and the EER is the mean of two neighbouring rates; one score off
PyEER            EER of FVC2000; an operating point is the one nearest to its target
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import TARGETS, Scores, answers
from benchmarks.harness import agree, require

Answers = dict[str, float]
EXACT = 1e-12


def sklearn_answers(fmr: NDArray[Any], tmr: NDArray[Any]) -> Answers:
    """What the arrays of roc_curve say about EER and operating points."""
    fnmr = 1.0 - tmr
    found = {f"FNMR@FMR={x:g}": float(fnmr[np.searchsorted(fmr, x, side="right") - 1]) for x in TARGETS}
    after = int(np.argmax(fmr >= fnmr))
    gap = fnmr - fmr
    share = gap[after - 1] / (gap[after - 1] - gap[after])
    found["EER"] = float(fmr[after - 1] + share * (fmr[after] - fmr[after - 1]))
    found["ZeroFMR"] = float(fnmr[np.flatnonzero(fmr == 0)[-1]])
    found["ZeroFNMR"] = float(fmr[np.argmax(tmr == 1)])
    return found


def agree_with_sklearn(ours: Answers, roc: tuple[NDArray[Any], ...]) -> None:
    """Equal, but for the rounding of a division."""
    agree(ours, sklearn_answers(roc[0], roc[1]), EXACT)


def score_analysis_answers(scores: Scores) -> Answers:
    """EER and FNMR at the targets, from plain arrays."""
    from score_analysis import Scores as Theirs

    theirs = Theirs(scores.mated, scores.nonmated)
    thresholds = theirs.threshold_at_fpr(np.array(TARGETS))
    rates = theirs.fnr(thresholds)
    found = {f"FNMR@FMR={x:g}": float(rate) for x, rate in zip(TARGETS, rates, strict=True)}
    return found | {"EER": float(theirs.eer()[1])}


def agree_to_a_score(ours: Answers, theirs: Answers, scores: Scores) -> None:
    """For peers that go between scores: each rate lies between ours two scores before and two after the target."""
    agree(ours, {"EER": theirs["EER"]}, 2 / scores.mated.size)
    slack = 2 / scores.nonmated.size
    for target in TARGETS:
        name = f"FNMR@FMR={target:g}"
        around = tuple(f"FNMR@FMR={x!r}" for x in (max(target - slack, 0.0), min(target + slack, 1.0)))
        strict, lenient = answers(scores, around).values()
        require(lenient <= theirs[name] <= strict, f"{name}: {theirs[name]} is not within {lenient} to {strict}")


PYEER_POINTS = {
    "EER[fvc]": "eer",
    "FNMR[nearest]@FMR=0.1": "fmr10",
    "FNMR[nearest]@FMR=0.05": "fmr20",
    "FNMR[nearest]@FMR=0.01": "fmr100",
    "FNMR[nearest]@FMR=0.001": "fmr1000",
    "ZeroFNMR": "fnmr0",
    "AUC": "auc",
    "Youden": "j_index",
    "dprime": "decidability",
}


def pyeer_answers(scores: Scores) -> Answers:
    """Its statistics by our names."""
    from pyeer.eer_info import get_eer_stats

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stats = get_eer_stats(scores.mated, scores.nonmated)
    return {name: float(getattr(stats, field)) for name, field in PYEER_POINTS.items()}


def agree_with_pyeer(ours: Answers, theirs: Answers) -> None:
    """Equal but for rounding; its area leaves out the last step of the curve, which has no height."""
    agree(ours, theirs, 1e-9)
