"""What an evaluation says of samples and of people: errors by discarded quality, who causes them, and by group.

Conventions: qualities and people are judged at the threshold of the EER, so both errors begin at about the same rate;
groups at the threshold of every measure that has one. Mated and non-mated comparisons are discarded by their own
qualities. Areas are under the curve up to a fifth discarded.

Holds `discarded`, which makes a `Discarded`, `menagerie_of`, `group_rates_of` and `kept_scores`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bertillon.analysis.discard import DiscardCurve, error_discard
from bertillon.analysis.group_rates import GroupRates, group_rates
from bertillon.analysis.menagerie import Menagerie, menagerie
from bertillon.core.errors import InputError
from bertillon.core.lazy import pl
from bertillon.core.rule import AcceptRule
from bertillon.evaluation import ScoreEvaluation, plain
from bertillon.matching.groups import PeopleGroups
from bertillon.stats.interval import LEVEL
from bertillon.trials.score_set import PairQuality, ScoreSet

SHARES = (0.0, 0.05, 0.1, 0.2)
LIMIT = 0.2  # of the comparisons, up to which areas are measured


@dataclass(frozen=True, slots=True, eq=False)
class Discarded:
    """The curves of both errors of one system, by the qualities in some columns."""

    name: str
    rule: AcceptRule
    columns: tuple[str, ...]
    curves: tuple[DiscardCurve, ...]  # FNMR and FMR

    @property
    def threshold(self) -> float:
        """That of both curves."""
        return self.curves[0].threshold

    def to_frame(self) -> pl.DataFrame:
        """Both curves, one under the other."""
        return pl.concat([curve.to_frame() for curve in self.curves])

    def to_dict(self) -> dict[str, Any]:
        """Errors at some shares and areas, for JSON."""
        curves = [_object(curve) for curve in self.curves]
        whole = {"columns": list(self.columns), "threshold": self.threshold, "limit": LIMIT, "curves": curves}
        strict: dict[str, Any] = plain(whole)
        return strict


def discarded(evaluation: ScoreEvaluation, quality: PairQuality, columns: Sequence[str]) -> Discarded:
    """Both errors as comparisons of low quality are discarded."""
    scores = kept_scores(evaluation, "--discard")
    threshold = _threshold(evaluation)
    curves = (
        error_discard(scores, quality.mated, threshold=threshold),
        error_discard(scores, quality.nonmated, threshold=threshold, kind="FMR"),
    )
    return Discarded(evaluation.name, scores.rule, tuple(columns), curves)


def menagerie_of(evaluation: ScoreEvaluation) -> Menagerie:
    """The animals among the people, and their part in the errors."""
    scores = kept_scores(evaluation, "--people")
    return menagerie(scores, threshold=_threshold(evaluation))


def group_rates_of(evaluation: ScoreEvaluation, groups: PeopleGroups, *, level: float = LEVEL) -> GroupRates:
    """The rates of every group at the thresholds of the evaluation, or at that of the EER where it has none.

    Comparisons that were counted are read at the first threshold at least as strict at which counts are exact.
    """
    scores = evaluation.trials
    points = _points(evaluation)
    if scores.form == "whole":
        return group_rates(scores, groups, thresholds=points, level=level)
    if scores.groups is not None:
        points = {name: scores.groups.exact_threshold(threshold) for name, threshold in points.items()}
    return group_rates(scores, thresholds=points, level=level)


def _points(evaluation: ScoreEvaluation) -> dict[str, float]:
    """The thresholds of an evaluation under the names of their measures; those of equal thresholds stand together."""
    names: dict[float, list[str]] = {}
    for name, result in evaluation.results.items():
        if result.threshold is not None and math.isfinite(result.threshold):
            names.setdefault(result.threshold, []).append(name)
    if not names:
        names = {_threshold(evaluation): ["EER"]}
    return {", ".join(same): threshold for threshold, same in names.items()}


def _threshold(evaluation: ScoreEvaluation) -> float:
    """The threshold of the EER, worked out where nobody asked for it."""
    result = evaluation["EER"]
    if result.threshold is None:
        raise InputError(f"{evaluation.name}: the EER has no threshold: {result.reason}; add the missing scores")
    return result.threshold


def kept_scores(evaluation: ScoreEvaluation, option: str) -> ScoreSet:
    """All scores of an evaluation; where they were counted and not kept, `option` is refused."""
    if evaluation.trials.form != "whole":
        raise not_kept(evaluation.name, option)
    return evaluation.trials


def not_kept(name: object, option: str) -> InputError:
    """Why `option` is refused where scores are counted."""
    return InputError(
        f"{name}: {option} needs every score, and these are counted and not kept; leave it out, or compare fewer "
        "(--sample-nonmated)"
    )


def _object(curve: DiscardCurve) -> dict[str, Any]:
    rows = [(share, curve.row_at(share)) for share in SHARES]
    steps = [
        {
            "share": share,
            "discarded": float(curve.discarded[row]),
            "error": float(curve.error[row]),
            "errors": int(curve.errors[row]),
            "kept": int(curve.kept[row]),
            "quality": float(curve.quality[row]),
        }
        for share, row in rows
    ]
    areas = {
        "area": curve.partial_area(LIMIT),
        "best": curve.best_area(LIMIT),
        "difference": curve.excess_area(LIMIT),
        "random": curve.random_area(LIMIT),
    }
    return {"kind": curve.kind, "steps": steps} | areas
