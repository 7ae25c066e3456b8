"""The bands of an evaluation's curves: how sure each of them is, with the settings of its intervals.

Conventions: a curve is named as its figure is: roc and det; cmc and watch-list; precision-recall and reliability.

Holds `band_of` (one), `bands_of` (all there are), `Bands` with `each_of`, and `CURVES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from bertillon.curves.band import Band, Kind
from bertillon.errors import InputError
from bertillon.evaluation.answers import Answers
from bertillon.evaluation.classification import ClassEvaluation
from bertillon.evaluation.identification import SearchEvaluation
from bertillon.evaluation.verification import Evaluation
from bertillon.uncertainty.bands_of_classes import pr_band, reliability_band
from bertillon.uncertainty.bands_of_scores import det_band, roc_band
from bertillon.uncertainty.bands_of_searches import cmc_band, watch_list_band
from bertillon.uncertainty.settings import Settings

Bands = Sequence[Mapping[str, Band]]  # of each system, by the names of their curves; nothing where none are wanted

CURVES: dict[str, dict[str, Callable[..., Band]]] = {
    "verification": {"roc": roc_band, "det": det_band},
    "identification": {"cmc": cmc_band, "watch-list": watch_list_band},
    "classification": {
        "roc": roc_band,
        "det": det_band,
        "precision-recall": pr_band,
        "reliability": reliability_band,
    },
}


def band_of(evaluation: Answers, curve: str, *, kind: Kind = "pointwise") -> Band:
    """The band of one curve; what cannot be had is said."""
    known = CURVES[evaluation.language.mode]
    if curve not in known:
        mode = evaluation.language.mode
        raise InputError(f"curve {curve!r} of {mode} has no band; expected one of {', '.join(known)}")
    return known[curve](evaluation.trials, settings=evaluation.settings or Settings(), kind=kind)


def bands_of(evaluation: Answers, *, kind: Kind = "pointwise") -> dict[str, Band]:
    """The bands of all curves that the trials of the evaluation have."""
    found = {curve: band_of(evaluation, curve, kind=kind) for curve in _there(evaluation) if curve != "roc"}
    return ({"roc": found["det"].complement} if "det" in found else {}) | found


def each_of(bands: Bands, systems: int) -> Bands:
    """The bands of each of so many systems."""
    return bands or [{}] * systems


def _there(evaluation: Answers) -> list[str]:
    """The curves that can be drawn of these trials."""
    if isinstance(evaluation, Evaluation):
        counts = evaluation.counts
        return list(CURVES["verification"]) if counts["mated"] and counts["nonmated"] else []
    if isinstance(evaluation, SearchEvaluation):
        searches = evaluation.searches
        ranked = ["cmc"] if searches.n_enrolled else []
        return [*ranked, "watch-list"] if ranked and searches.n_nonenrolled and searches.scored else ranked
    assert isinstance(evaluation, ClassEvaluation)
    tally = evaluation.tally
    ranked = ["roc", "det", "precision-recall"] if tally.why_not_ranked is None else []
    return [*ranked, "reliability"] if tally.why_not_probable is None else ranked
