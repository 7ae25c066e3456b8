"""The threshold that a budget allows, and what to expect there: false alarms a day, hours of checking, or cost.

    alarms   the most permissive threshold with at most so many false alarms a day
    hours    the same, each false alarm taking so many minutes to check
    cost     the threshold at which false alarms and misses of a day cost least

Conventions: of so many `passers` a day the share `on_list` is enrolled (in verification: genuine); the others alarm
falsely at FPIR (FMR). A rate needs 3 / rate trials to be told from zero (rule of 3). A budget whose rate so few trials
cannot show has no threshold: it is not measurable, and what test would show it is said. The threshold is found on the
data that it is judged on, which is optimistic; the intervals are of the rates at the threshold as given.

Holds `budgets_of` with its `Budgets`, `Budget` (what is asked) and `Planned` (one answer).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core import AcceptRule, InputError, say, text_of
from bertillon.core.arguments import NUMBER, require
from bertillon.core.lazy import pl
from bertillon.core.messages import Message
from bertillon.core.showing import Finding
from bertillon.counting import BinaryCounts
from bertillon.counting.tally import error_curve
from bertillon.evaluation import AnyEvaluation, evaluate, plain
from bertillon.measures.base import Result
from bertillon.stats.at_threshold import Measured
from bertillon.stats.interval import Interval, Settings
from bertillon.trials import kept_of

ALARMS, HOURS, COST = "alarms", "hours", "cost"
RATES = {"identification": ("FPIR", "FNIR"), "verification": ("FMR", "FNMR")}
COUNTED = {"identification": "nonenrolled", "verification": "nonmated"}  # which trials alarm falsely
RULE_OF_3 = 3.0
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Budget:
    """What a day looks like, and what may be spent.

    >>> Budget(passers=100_000, minutes=15, hours=5).rate(HOURS)
    0.0002
    """

    passers: float
    minutes: float = 15.0
    on_list: float | None = None
    alarms: float | None = None  # false ones, a day
    hours: float | None = None  # of checking, a day
    cost_alarm: float | None = None
    cost_miss: float | None = None

    def __post_init__(self) -> None:
        for name in ("passers", "minutes", "on_list", ALARMS, HOURS, "cost_alarm", "cost_miss"):
            value = getattr(self, name)
            if value is not None or name in ("passers", "minutes"):
                require(value, NUMBER, name, "a number")
        for name in ("passers", "minutes"):
            if not 0.0 < getattr(self, name) < math.inf:
                raise InputError(f"{name} is {getattr(self, name)}; expected a number above 0")
        for name in (ALARMS, HOURS, "cost_alarm", "cost_miss"):
            value = getattr(self, name)
            if value is not None and not 0.0 < value < math.inf:
                raise InputError(f"{name} is {value}; expected a number above 0")
        if self.on_list is not None and not 0.0 <= self.on_list < 1.0:
            raise InputError(f"on_list is {self.on_list}; expected a share from 0 to just below 1")
        if (self.cost_alarm is None) != (self.cost_miss is None):
            raise InputError("a cost is needed of a false alarm and of a miss; give both")
        if self.cost_alarm is not None and not self.on_list:
            raise InputError("costs need the share of people on the list; give on_list, such as 0.001")
        if not self.kinds:
            raise InputError("no budget is given; expected alarms, hours or costs a day")

    @property
    def kinds(self) -> tuple[str, ...]:
        """What is asked, in order."""
        given = {ALARMS: self.alarms, HOURS: self.hours, COST: self.cost_alarm}
        return tuple(kind for kind, value in given.items() if value is not None)

    @property
    def strangers(self) -> float:
        """Who pass in a day and are not on the list."""
        return self.passers * (1.0 - (self.on_list or 0.0))

    def rate(self, kind: str) -> float:
        """The rate of false alarms that a budget of alarms or hours allows."""
        alarms = self.alarms if kind == ALARMS else (self.hours or 0.0) * 60.0 / self.minutes
        assert alarms is not None
        return alarms / self.strangers

    def costs(self, alarm_rate: FloatArray, miss_rate: FloatArray) -> FloatArray:
        """What a day costs at these rates."""
        assert self.cost_alarm is not None
        assert self.cost_miss is not None
        listed = self.passers * (self.on_list or 0.0)
        return self.cost_alarm * self.strangers * alarm_rate + self.cost_miss * listed * miss_rate


@dataclass(frozen=True, slots=True)
class Planned:
    """The answer to one budget; no threshold and a `reason` where the data cannot show it."""

    kind: str
    target: float | None  # the rate allowed; None of a cost
    threshold: float
    alarm: Measured  # the rate of false alarms
    miss: Measured
    cost: float | None
    needed: int  # searches of people who are not enrolled, or non-mated comparisons, that show the rate
    trials: int
    reason: Message | None = None

    @property
    def measurable(self) -> bool:
        """Is there an answer?"""
        return self.reason is None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Budgets(Finding):
    """Every budget of one system."""

    name: str
    kind: str
    rule: AcceptRule
    budget: Budget
    planned: tuple[Planned, ...]
    level: float
    curve: tuple[tuple[float, ...], tuple[float, ...]]  # false alarms a day, and the share missed, strictest first

    def a_day(self, rate: float) -> float:
        """False alarms in a day at a rate."""
        return rate * self.budget.strangers

    def hours(self, rate: float) -> float:
        """Hours of checking them."""
        return self.a_day(rate) * self.budget.minutes / 60.0

    def misses(self, rate: float) -> float | None:
        """People on the list who are missed in a day; None where nobody said how many pass."""
        return None if self.budget.on_list is None else rate * self.budget.passers * self.budget.on_list

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        names = RATES[self.kind]
        rows = [
            {"budget": one.kind, "target": one.target, "threshold": one.threshold}
            | {names[0]: one.alarm.to_dict(), names[1]: one.miss.to_dict()}
            | {"false_alarms_a_day": self.a_day(one.alarm.value), "hours_a_day": self.hours(one.alarm.value)}
            | {"misses_a_day": self.misses(one.miss.value), "cost_a_day": one.cost}
            | {"measurable": one.measurable, "needed": one.needed, "trials": one.trials, "reason": text_of(one.reason)}
            for one in self.planned
        ]
        use = {"passers": self.budget.passers, "minutes": self.budget.minutes, "on_list": self.budget.on_list}
        whole: dict[str, Any] = plain(
            {"finding": "budgets", "name": self.name, "use": use, "level": self.level, "budgets": rows}
        )
        return whole

    def to_frame(self) -> pl.DataFrame:
        """One row a budget."""
        kinds = {"target": pl.Float64, "cost_a_day": pl.Float64, "misses_a_day": pl.Float64, "reason": pl.String}
        rows = []
        for row in self.to_dict()["budgets"]:
            rates = {f"{name}_value": row.pop(name)["value"] for name in RATES[self.kind]}
            rows.append({**row, "threshold": float(row["threshold"] or math.nan), **rates})
        return pl.DataFrame(rows, schema_overrides=kinds)


def budgets_of(evaluation: AnyEvaluation, budget: Budget, *, settings: Settings | None = None) -> Budgets:
    """The threshold for each budget, and what to expect there.

    >>> import bertillon as bt
    >>> evaluation = bt.evaluate(bt.ScoreSet([0.9, 0.8, 0.4], [n / 1000 for n in range(1000)]), ["EER"])
    >>> (found,) = budgets_of(evaluation, Budget(passers=1000, alarms=10)).planned
    >>> found.threshold, found.alarm.value, round(found.miss.value, 3)
    (0.99, 0.01, 1.0)
    """
    if evaluation.kind not in RATES:
        raise InputError(f"budgets are for comparisons and searches, not for {evaluation.kind}")
    require(budget, Budget, "budget", "a Budget, such as Budget(passers=1000, alarms=5)")
    chosen = settings or Settings()
    counts = _counts(evaluation)
    if not counts.n_mated or not counts.n_nonmated:
        raise InputError(f"{evaluation.name}: budgets need both mated and non-mated trials; one kind is missing")
    planned = tuple(_planned(evaluation, counts, budget, kind, chosen) for kind in budget.kinds)
    alarms, missed = counts.fmr[::-1] * budget.strangers, counts.fnmr[::-1]
    curve = tuple(map(float, alarms)), tuple(map(float, missed))
    return Budgets(evaluation.name, evaluation.kind, evaluation.rule, budget, planned, chosen.level, curve)


def _counts(evaluation: AnyEvaluation) -> BinaryCounts:
    """Errors of both kinds at every threshold."""
    if evaluation.kind == "identification":
        counts: BinaryCounts = evaluation.tally.watch_list_curve.counts
        return counts
    return error_curve(kept_of(evaluation.trials)).counts


def _planned(evaluation: AnyEvaluation, counts: BinaryCounts, budget: Budget, kind: str, settings: Settings) -> Planned:
    if kind == COST:
        costs = budget.costs(counts.fmr, counts.fnmr)
        row = int(np.argmin(costs))
        return _at(evaluation, counts, row, (kind, None), settings, cost=float(costs[row]))
    target = budget.rate(kind)
    row = 0 if target >= 1.0 else int(np.argmax(counts.fmr <= target))
    return _at(evaluation, counts, row, (kind, target), settings)


def _at(
    evaluation: AnyEvaluation,
    counts: BinaryCounts,
    row: int,
    asked: tuple[str, float | None],
    settings: Settings,
    cost: float | None = None,
) -> Planned:
    """The rates at one row of the curve; nothing where the trials cannot show the target."""
    kind, target = asked
    threshold, n = float(evaluation.rule.restore(float(counts.threshold[row]))), counts.n_nonmated
    needed = 0 if target is None else math.ceil(round(RULE_OF_3 / min(target, 1.0), 6))
    if needed > n:
        trials = say(f"budget.trials.{COUNTED[evaluation.kind]}")
        reason = say("budget.not_measurable", target=target, needed=needed, n=n, trials=trials)
        nothing = Measured(Result.undefined(reason), Interval.undefined(reason, settings.level))
        return Planned(kind, target, math.nan, nothing, nothing, None, needed, n, reason)
    names = [f"{name}@t={threshold!r}" for name in RATES[evaluation.kind]]
    how: dict[str, Any] = {"level": settings.level, "resamples": settings.resamples, "seed": settings.seed}
    found = evaluate(evaluation.trials, names).with_intervals(**how, sides=settings.sides)
    alarm, miss = (Measured(found.results[name], found.intervals[name]) for name in found)
    return Planned(kind, target, threshold, alarm, miss, cost, needed, n)
