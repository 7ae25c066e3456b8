"""Error rates by group of people, and how far apart the groups are (ISO/IEC 19795-10: demographic differentials).

    FNMR of a group            of the mated comparisons of its people
    FMR of a group             of non-mated comparisons of two people of that group
    FMR of two groups          of non-mated comparisons of a person of the one with a person of the other

Conventions: all groups are judged at the same threshold, that of the system in use; none is found anew for a group. A
differential is taken over the groups, for FMR over comparisons within each: the highest rate divided by the lowest, and
by the geometric mean of all. Where a group has no error neither is a number: NaN, and the reason. Groups without
comparisons of a kind are left out of it, and named. Of very many pairs of groups those with the highest FMR are given.

How unequal the rates are is also one number (see `fairness`). Beside the rates stand, by group, the people who could
not be enrolled (FTE), mated comparisons that failed (FTA), and by how much mean scores are off those of all groups, in
standard deviations of all: mated ones, and non-mated ones of two people of the group.

Holds `group_rates` (of an evaluation `group_rates_of`) with its `GroupRates`; `PointRates` (one threshold), `GroupRate`
(one row), `Differential` and `GroupPeople`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bertillon.analysis.fairness import ALPHA, FairnessIndex, fairness_indices, rows_of_groups, with_intervals
from bertillon.analysis.group_parts import CountedPart, Groups, KeptPart, parts_of_counted, parts_of_scores
from bertillon.core import AcceptRule, InputError
from bertillon.core.lazy import pl
from bertillon.core.messages import Text, abridged, say, text_of
from bertillon.core.showing import Finding
from bertillon.counting.tally import CountedScores
from bertillon.evaluation import ScoreEvaluation, eer_threshold, plain
from bertillon.matching.groups import GroupsLike, PeopleGroups, groups_from
from bertillon.measures.base import Result, number
from bertillon.stats.at_threshold import Measured
from bertillon.stats.interval import LEVEL, Interval, Settings, check_level
from bertillon.trials.score_set import ScoreSet

SOME = 5  # names in a sentence


@dataclass(frozen=True, slots=True)
class GroupRate:
    """The error rate of a group, or of two groups with each other."""

    kind: str  # FNMR or FMR
    group: str
    other: str | None  # the second of two different groups
    people: int
    rate: Measured

    @property
    def value(self) -> float:
        """The rate itself; NaN without comparisons."""
        return self.rate.value

    @property
    def errors(self) -> int:
        """Comparisons that went wrong."""
        return self.rate.result.errors or 0

    @property
    def comparisons(self) -> int:
        """All comparisons of this kind."""
        return self.rate.result.trials or 0

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        values = {"group": self.group} | ({"other": self.other} if self.other is not None else {})
        return values | {"people": self.people} | self.rate.to_dict()


@dataclass(frozen=True, slots=True)
class Differential:
    """How far apart groups are in one error. NaN and a `reason` where some group has none."""

    kind: str
    highest: GroupRate | None
    lowest: GroupRate | None
    ratio: float  # highest / lowest
    to_mean: float  # highest / geometric mean
    left_out: tuple[str, ...] = ()  # groups without comparisons of the kind
    reason: Text | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        ends = {
            name: None if rate is None else {"group": rate.group, "value": rate.value}
            for name, rate in (("highest", self.highest), ("lowest", self.lowest))
        }
        numbers = plain({"ratio": self.ratio, "to_geometric_mean": self.to_mean})
        return {"kind": self.kind, **ends, **numbers, "left_out": list(self.left_out), "reason": text_of(self.reason)}


@dataclass(frozen=True, slots=True)
class PointRates:
    """The rates of all groups at one threshold, in the user's units; `point` is what it is called."""

    point: str
    threshold: float
    fnmr: tuple[GroupRate, ...]  # by group
    fmr: tuple[GroupRate, ...]  # by group, both people of it
    fmr_across: tuple[GroupRate, ...]  # by pair of different groups
    left_out: int = 0  # pairs of different groups, none with a higher FMR than those above
    fairness: tuple[FairnessIndex, ...] = ()

    @property
    def rows(self) -> tuple[GroupRate, ...]:
        """All rates."""
        return self.fnmr + self.fmr + self.fmr_across

    @property
    def differentials(self) -> tuple[Differential, ...]:
        """Of FNMR, and of FMR within groups."""
        return differential("FNMR", self.fnmr), differential("FMR", self.fmr)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "point": self.point,
            "threshold": plain(self.threshold),
            "FNMR": [row.to_dict() for row in self.fnmr],
            "FMR": [row.to_dict() for row in self.fmr],
            "FMR_across": [row.to_dict() for row in self.fmr_across],
            "FMR_across_left_out": self.left_out,
            "differentials": [differential.to_dict() for differential in self.differentials],
            "fairness": [index.to_dict() for index in self.fairness],
        }


@dataclass(frozen=True, slots=True)
class GroupPeople:
    """What else is known of a group; NaN and a reason where it is not."""

    group: str
    fte: Result
    fta: Result
    mated_shift: float
    nonmated_shift: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        rates = {"FTE": self.fte.value, "FTA": self.fta.value}
        shifts = {"mated_shift": self.mated_shift, "nonmated_shift": self.nonmated_shift}
        whole: dict[str, Any] = plain({"group": self.group} | rates | shifts)
        return whole


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GroupRates(Finding):
    """Error rates by group at some thresholds."""

    name: str
    rule: AcceptRule
    groups: tuple[str, ...]
    points: tuple[PointRates, ...]
    level: float
    people: tuple[GroupPeople, ...] = ()  # of kept scores

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        points = [point.to_dict() for point in self.points]
        people = [group.to_dict() for group in self.people]
        return {"groups": list(self.groups), "level": self.level, "points": points, "people": people}

    def to_frame(self) -> pl.DataFrame:
        """One row a rate, then one an index of fairness."""
        rows: list[dict[str, Any]] = [
            {
                "point": point.point,
                "threshold": point.threshold,
                "kind": row.kind,
                "group": row.group,
                "other": row.other,
                "people": row.people,
                "comparisons": row.comparisons,
                "errors": row.errors,
                "value": row.value,
                "low": row.rate.interval.low,
                "high": row.rate.interval.high,
                "method": str(row.rate.interval.method),
                "naive": row.rate.interval.naive,
                "reason": text_of(row.rate.result.reason or row.rate.interval.reason),
            }
            for point in self.points
            for row in point.rows
        ]
        rows += [
            {"point": point.point, "threshold": point.threshold, **index.to_row()}
            for point in self.points
            for index in point.fairness
        ]
        return pl.DataFrame(rows, schema_overrides={"other": pl.String, "reason": pl.String}, infer_schema_length=None)


def group_rates(
    scores: ScoreSet | CountedScores,
    groups: GroupsLike | None = None,
    *,
    thresholds: Sequence[float] | Mapping[str, float],
    level: float = LEVEL,
    settings: Settings | None = None,
    alpha: float = ALPHA,
    failed: Sequence[Any] | None = None,
) -> GroupRates:
    """FNMR and FMR of every group, and FMR of every two groups, at some thresholds, which may have names.

    With `settings` the indices of fairness have intervals, and bounds of one side are bounds everywhere; `alpha` is the
    weight of FMR in them. `failed` are the people of mated comparisons that failed, one each.

    `groups` say the group of each person. Comparisons that were counted have theirs from then (`groups=None`), and
    thresholds must be mated scores or have been named then.

    >>> from bertillon.trials.score_set import TrialIds
    >>> own = TrialIds(["ann", "ann", "eve", "bob", "bob"])
    >>> others = TrialIds(["ann", "ann", "eve"], ["eve", "bob", "bob"])
    >>> scores = ScoreSet([0.9, 0.4, 0.8, 0.7, 0.6], [0.6, 0.1, 0.2], mated_ids=own, nonmated_ids=others)
    >>> found = group_rates(scores, {"ann": "f", "eve": "f", "bob": "m"}, thresholds=[0.5])
    >>> [(row.kind, row.group, row.other, row.errors, row.comparisons) for row in found.points[0].rows]
    [('FNMR', 'f', None, 1, 3), ('FNMR', 'm', None, 0, 2), ('FMR', 'f', None, 1, 1), ('FMR', 'm', None, 0, 0), \
('FMR', 'f', 'm', 0, 2)]
    """
    sure = Settings(level=check_level(level)) if settings is None else settings
    parts = _parts(scores, groups)
    named = (
        thresholds
        if isinstance(thresholds, Mapping)
        else {f"t={number(threshold)}": threshold for threshold in thresholds}
    )
    if any(math.isnan(threshold) for threshold in named.values()):
        raise InputError("threshold is not a number")
    points = [_at(parts, point, float(threshold), sure) for point, threshold in named.items()]
    fair = [fairness_indices([r.value for r in at.fmr], [r.value for r in at.fnmr], alpha=alpha) for at in points]
    people: tuple[GroupPeople, ...] = ()
    if scores.form == "whole" and parts.codes is not None and groups is not None:
        people = _people(scores, groups_from(groups), parts, failed)
        if settings is not None:
            rows, of_points = rows_of_groups(parts.codes), zip(fair, points, strict=True)
            fair = [with_intervals(one, scores, rows, at.threshold, settings, alpha=alpha) for one, at in of_points]
    elif settings is not None:
        unsure = Interval.undefined(say("fairness.counted"), sure.level)
        fair = [tuple(replace(index, interval=unsure) for index in own) for own in fair]
    named_points = tuple(replace(point, fairness=own) for point, own in zip(points, fair, strict=True))
    return GroupRates(scores.name, scores.rule, parts.names, named_points, sure.level, people)


def _people(
    scores: ScoreSet, groups: PeopleGroups, parts: Groups, failed: Sequence[Any] | None
) -> tuple[GroupPeople, ...]:
    """Failures to enrol and to acquire, and how far mean scores are off."""
    assert parts.codes is not None
    own, first, second = parts.codes
    unknown = say("reason.value_undefined")
    lost = None if failed is None else np.asarray(groups.of(failed)) if len(failed) else np.empty(0, dtype=str)
    made = []
    for place, name in enumerate(parts.names):
        fte = fta = Result.undefined(unknown)
        if groups.enrolled is not None:
            there = groups.enrolled[groups.group == name]
            fte = Result.share(int(np.count_nonzero(~there)), there.size)
        if lost is not None or not scores.failures.mated:
            n = 0 if lost is None else int(np.count_nonzero(lost == name))
            fta = Result.share(n, n + int(np.count_nonzero(own == place)))
        shifts = _shift(scores.mated, own == place), _shift(scores.nonmated, (first == place) & (second == place))
        made.append(GroupPeople(name, fte, fta, *shifts))
    return tuple(made)


def _shift(scores: np.ndarray, chosen: np.ndarray) -> float:
    """The mean of some scores less that of all, in standard deviations of all."""
    if not chosen.any():
        return math.nan
    spread = float(np.std(scores))
    return float(np.mean(scores[chosen]) - np.mean(scores)) / spread if spread else math.nan


def group_rates_of(
    evaluation: ScoreEvaluation,
    groups: PeopleGroups,
    *,
    level: float = LEVEL,
    settings: Settings | None = None,
    failed: Sequence[Any] | None = None,
) -> GroupRates:
    """The rates of every group at the thresholds of the evaluation, or at that of the EER where it has none.

    Comparisons that were counted are read at the first threshold at least as strict at which counts are exact.
    """
    scores = evaluation.trials
    points = _points(evaluation)
    if scores.form == "whole":
        return group_rates(scores, groups, thresholds=points, level=level, settings=settings, failed=failed)
    if scores.groups is not None:
        points = {name: scores.groups.exact_threshold(threshold) for name, threshold in points.items()}
    return group_rates(scores, thresholds=points, level=level, settings=settings)


def _points(evaluation: ScoreEvaluation) -> dict[str, float]:
    """The thresholds of an evaluation under the names of their measures; those of equal thresholds stand together."""
    names: dict[float, list[str]] = {}
    for name, result in evaluation.results.items():
        if result.threshold is not None and math.isfinite(result.threshold):
            names.setdefault(result.threshold, []).append(name)
    if not names:
        names = {eer_threshold(evaluation): ["EER"]}
    return {", ".join(same): threshold for threshold, same in names.items()}


def differential(kind: str, rates: Sequence[GroupRate]) -> Differential:
    """The highest rate over the lowest, and over the geometric mean."""
    there = [rate for rate in rates if rate.comparisons]
    left_out = tuple(rate.group for rate in rates if not rate.comparisons)
    if len(there) < 2:
        return Differential(kind, None, None, math.nan, math.nan, left_out, say("reason.few_groups"))
    highest, lowest = max(there, key=lambda rate: rate.value), min(there, key=lambda rate: rate.value)
    spotless = [rate.group for rate in there if not rate.errors]
    if spotless:
        shown = len(spotless) if len(spotless) <= SOME + 1 else SOME
        reason = say("reason.spotless_groups", names=abridged(spotless, shown))
        return Differential(kind, highest, lowest, math.nan, math.nan, left_out, reason)
    mean = math.exp(float(np.mean([math.log(rate.value) for rate in there])))
    return Differential(kind, highest, lowest, highest.value / lowest.value, highest.value / mean, left_out)


def _parts(scores: ScoreSet | CountedScores, groups: GroupsLike | None) -> Groups:
    if scores.form != "whole":
        if groups is not None:
            raise InputError("groups are given for comparisons that were counted; expected them when counting only")
        return parts_of_counted(scores)
    if groups is None:
        raise InputError("no groups are given; expected a mapping from people to groups, or a table of them")
    return parts_of_scores(scores, groups_from(groups))


def _at(parts: Groups, point: str, threshold: float, sure: Settings) -> PointRates:
    def row(kind: str, group: int, other: int | None, part: KeptPart | CountedPart) -> GroupRate:
        name = None if other is None else parts.names[other]
        rate = part.at(threshold, sure.two_sided.level)
        if sure.sides != "both":
            rate = replace(rate, interval=rate.interval.one_sided(sure.sides, sure.level, 0.0, 1.0))
        return GroupRate(kind, parts.names[group], name, part.people, rate)

    pairs, left_out = parts.across(threshold)
    return PointRates(
        point,
        threshold,
        tuple(row("FNMR", group, None, part) for group, part in enumerate(parts.mated)),
        tuple(row("FMR", group, None, parts.pairs.part((group, group))) for group in range(len(parts.names))),
        tuple(row("FMR", group, other, parts.pairs.part((group, other))) for group, other in pairs),
        left_out,
    )
