"""Searches by group of people: who raises false alarms and who is missed, at one threshold for all.

    FNIR of a group    of the searches of its enrolled people: the mate is not at rank 1 past the threshold
    FPIR of a group    of the searches of its people who are not enrolled: somebody passes

Conventions: all groups are searched in the same gallery and judged at the same threshold. A group is that of the person
who searches. Intervals are those of an evaluation of the searches of the group alone. The indices of fairness are those
of comparisons, with FPIR in place of FMR and FNIR in place of FNMR; people of all groups are drawn together for theirs.

Holds `search_groups` with its `SearchGroups` and `SearchGroup`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bertillon.analysis.fairness import ALPHA, SEARCH_KINDS, FairnessIndex, fairness_indices, with_intervals
from bertillon.core import AcceptRule, InputError, text_of
from bertillon.core.arguments import require
from bertillon.core.lazy import pl
from bertillon.core.showing import Finding
from bertillon.evaluation import SearchEvaluation, evaluate, plain
from bertillon.matching.groups import GroupsLike, groups_from
from bertillon.stats.at_threshold import Measured
from bertillon.stats.interval import Settings
from bertillon.trials import SearchSet


@dataclass(frozen=True, slots=True)
class SearchGroup:
    """The rates of one group at one threshold."""

    group: str
    people: int
    fpir: Measured
    fnir: Measured

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        rates = {"FPIR": self.fpir.to_dict(), "FNIR": self.fnir.to_dict()}
        return {"group": self.group, "people": self.people} | rates


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SearchGroups(Finding):
    """FPIR and FNIR by group, at some thresholds by their names."""

    name: str
    rule: AcceptRule
    points: Mapping[str, tuple[float, tuple[SearchGroup, ...], tuple[FairnessIndex, ...]]]
    level: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        points = [
            {"point": point, "threshold": plain(threshold), "groups": [group.to_dict() for group in groups]}
            | {"fairness": [index.to_dict() for index in indices]}
            for point, (threshold, groups, indices) in self.points.items()
        ]
        return {"finding": "search groups", "name": self.name, "level": self.level, "points": points}

    def to_frame(self) -> pl.DataFrame:
        """One row a rate of a group, then one an index of fairness."""
        rows = [
            {"point": point, "threshold": threshold, "kind": kind, "group": group.group, "people": group.people}
            | {"value": rate.value, "low": rate.interval.low, "high": rate.interval.high}
            | {"errors": rate.result.errors, "searches": rate.result.trials}
            | {"reason": text_of(rate.result.reason or rate.interval.reason)}
            for point, (threshold, groups, _) in self.points.items()
            for group in groups
            for kind, rate in zip(SEARCH_KINDS, (group.fpir, group.fnir), strict=True)
        ]
        rows += [
            {"point": point, "threshold": threshold, **index.to_row()}
            for point, (threshold, _, indices) in self.points.items()
            for index in indices
        ]
        kinds = {"reason": pl.String, "low": pl.Float64, "high": pl.Float64}
        return pl.DataFrame(rows, schema_overrides=kinds, infer_schema_length=None)


def search_groups(
    evaluation: SearchEvaluation,
    groups: GroupsLike,
    *,
    thresholds: Mapping[str, float] | None = None,
    settings: Settings | None = None,
    alpha: float = ALPHA,
) -> SearchGroups:
    """FPIR and FNIR of every group, at the thresholds of an evaluation or at those given.

    With `settings` the indices of fairness have intervals; `alpha` is the weight of FPIR in them.

    >>> from bertillon.trials import SearchSet
    >>> enrolled, top, other = [1, 1, 0, 0], [0.9, 0.3, 0.6, 0.2], [0.1, 0.3, 0.6, 0.2]
    >>> mate, who = [0.9, 0.2, float("nan"), float("nan")], ["ann", "bob", "eve", "dan"]
    >>> searches = SearchSet(enrolled, mate, [0, 1, -1, -1], [0] * 4, top, other, gallery_size=5, probe_subject=who)
    >>> groups = {"ann": "f", "eve": "f", "bob": "m", "dan": "m"}
    >>> (_, found, _), = search_groups(evaluate(searches), groups, thresholds={"t": 0.5}).points.values()
    >>> [(one.group, one.fpir.value, one.fnir.value) for one in found]
    [('f', 1.0, 0.0), ('m', 0.0, 1.0)]
    """
    searches = evaluation.trials
    require(searches, SearchSet, "what was evaluated", "a SearchSet")
    if searches.probe_subject is None:
        raise InputError(f"{searches.name}: the people behind the probes are unknown, and so are their groups")
    chosen, subjects = settings or Settings(), np.asarray(searches.probe_subject)
    group_of = np.asarray(groups_from(groups).of(subjects))
    rows = {name: group_of == name for name in np.unique(group_of).tolist()}
    named = _thresholds(evaluation) if thresholds is None else dict(thresholds)
    how = {"level": chosen.level, "resamples": chosen.resamples, "seed": chosen.seed, "sides": chosen.sides}
    points = {}
    for point, threshold in named.items():
        if math.isnan(threshold):
            raise InputError("threshold is not a number")
        found = tuple(_group(searches, name, own, threshold, how) for name, own in rows.items())
        rates = [one.fpir.value for one in found], [one.fnir.value for one in found]
        indices = fairness_indices(*rates, alpha=alpha, kinds=SEARCH_KINDS)
        if settings is not None:
            every = list(rows.values())
            indices = with_intervals(indices, searches, every, threshold, settings, alpha=alpha, kinds=SEARCH_KINDS)
        points[point] = (threshold, found, indices)
    return SearchGroups(searches.name, searches.rule, points, chosen.level)


def _thresholds(evaluation: SearchEvaluation) -> dict[str, float]:
    """Those of the measures that have one, each once."""
    named: dict[float, str] = {}
    for name, result in evaluation.results.items():
        if result.threshold is not None and math.isfinite(result.threshold):
            named[result.threshold] = f"{named[result.threshold]}, {name}" if result.threshold in named else name
    if not named:
        raise InputError("no measure has a threshold to judge groups at; ask for FNIR@FPIR=0.01, or FPIR@t=0.5")
    return {name: threshold for threshold, name in named.items()}


def _group(searches: SearchSet, name: str, rows: np.ndarray, threshold: float, how: Mapping[str, Any]) -> SearchGroup:
    part = searches.select(rows)
    asked = [f"{kind}@t={threshold!r}" for kind in SEARCH_KINDS]
    found = evaluate(part, asked).with_intervals(**how)
    fpir, fnir = (Measured(found.results[each], found.intervals[each]) for each in found)
    people = int(np.unique(np.asarray(searches.probe_subject)[rows]).size)
    return SearchGroup(name, people, fpir, fnir)
