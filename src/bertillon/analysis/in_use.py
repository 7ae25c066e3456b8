"""What rates mean in use: errors among so many attempts, the least cost, and the operating regions of a watch list.

    1  extremely low false alarm                FPIR <= 0.00001, usually with DIR of 60 %
    2  extremely high detection                 DIR >= 99 %, usually with FPIR of 2 %
    3  low false alarm, moderate detection      FPIR <= 0.0001, usually with DIR of 80 %
    4  high detection, moderate false alarm     DIR >= 95 %, usually with FPIR of 0.2 %
    5  no threshold                             everything is returned and looked through afterwards

Conventions: regions 1 and 3 keep FPIR at its target and ask for the DIR left; 2 and 4 keep DIR and ask for the FPIR it
costs. Of so many `passers` a day, the share `on_list` is enrolled; the others alarm falsely at FPIR, and each false
alarm takes so many `minutes` to check. Of costs over ranges of costs and priors only vertices of the ROC's convex hull
can be best, so each combination looks at a few points.

Holds `forecasts`, a list of `Expected` for every operating point of an evaluation, from `forecast`;
`cost_sweep`, the best threshold under each assumption; `operating_regions`, `Region`, `daily_load`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from bertillon.core import InputError, Message, record, say
from bertillon.counting import ErrorCurve, hull
from bertillon.counting.error_counts import attempt_rates
from bertillon.evaluation import ScoreEvaluation
from bertillon.measures import OperatingPoint, Weights

if TYPE_CHECKING:
    from bertillon.trials.search_tally import WatchListCurve


@dataclass(frozen=True, slots=True)
class Expected:
    """Rates at one operating point, failures counted in, and the errors to expect from them."""

    point: str
    threshold: float
    far: float
    frr: float
    false_accepts: float
    false_rejects: float


def forecasts(evaluation: ScoreEvaluation, *, genuine: float = 0.0, impostor: float = 0.0) -> list[Expected]:
    """One forecast for every measure that has a finite threshold."""
    expected = []
    for name, result in evaluation.results.items():
        if result.threshold is None or not math.isfinite(result.threshold):
            continue
        counted = evaluation.trials.outcomes(result.threshold)
        far, frr = attempt_rates(
            counted.false_match, counted.false_nonmatch, counts=evaluation.counts, failures=evaluation.trials.failures
        )
        errors = forecast(far, frr, genuine=genuine, impostor=impostor)
        expected.append(Expected(name, result.threshold, far, frr, errors.false_accepts, errors.false_rejects))
    return expected


@dataclass(frozen=True, slots=True)
class Forecast:
    """Expected false accepts and false rejects among so many attempts."""

    false_accepts: float
    false_rejects: float


def forecast(far: float, frr: float, *, genuine: float, impostor: float) -> Forecast:
    """Expected errors when `genuine` and `impostor` attempts are made at these rates.

    >>> forecast(0.01, 0.05, genuine=10, impostor=90)
    Forecast(false_accepts=0.9, false_rejects=0.5)
    """
    for name, attempts in (("genuine", genuine), ("impostor", impostor)):
        if not 0.0 <= attempts < math.inf:
            raise InputError(f"{name} attempts: {attempts}; expected a number, 0 or more")
    return Forecast(far * impostor, frr * genuine)


@dataclass(frozen=True, slots=True)
class CostPoint:
    """The best that can be done under one assumption."""

    cost_ratio: float  # of one false accept to one false reject
    impostor: float
    cost: float  # in units of one false reject
    threshold: float
    fmr: float
    fnmr: float
    likelihood_ratio: float  # that a score must reach at the best threshold


def cost_sweep(curve: ErrorCurve, cost_ratios: Sequence[float], *, impostors: Sequence[float]) -> list[CostPoint]:
    """The best threshold for every cost ratio C_FA / C_FR with every prior of impostors.

    >>> import bertillon as bt
    >>> curve = bt.counting.error_curve(bt.ScoreSet([0.4, 0.6, 0.8], [0.1, 0.5]))
    >>> [(p.threshold, p.cost) for p in cost_sweep(curve, [0.1, 100], impostors=[0.5])]
    [(0.4, 0.025), (0.6, 0.16666666666666666)]
    """
    if not curve.counts.n_mated or not curve.counts.n_nonmated:
        raise InputError("costs need both mated and non-mated scores")
    rows = hull(curve.counts).row
    return [_best(curve, rows, Weights(ratio, 1.0, prior)) for ratio, prior in product(cost_ratios, impostors)]


def _best(curve: ErrorCurve, rows: np.ndarray, weights: Weights) -> CostPoint:
    fmr, fnmr = curve.fmr[rows], curve.fnmr[rows]
    best = int(np.argmin(weights.on_fmr * fmr + weights.on_fnmr * fnmr))
    return CostPoint(
        weights.cfa,
        weights.impostor,
        weights.expected(float(fmr[best]), float(fnmr[best])),
        float(curve.threshold[rows[best]]),
        float(fmr[best]),
        float(fnmr[best]),
        weights.likelihood_ratio,
    )


LoadOf = Callable[[float, float], "DailyLoad"]
_AT_MOST = "region.at_most"
_FPIR, _DIR = "FMR", "TMR"  # as the counts of a watch list name them


@dataclass(frozen=True, slots=True)
class DailyLoad:
    """What a watch list costs in a day."""

    false_alarms: float
    hours: float  # of checking false alarms
    misses: float | None  # enrolled people not detected; None where nothing is known of how many pass


@dataclass(frozen=True, slots=True)
class Region:
    """One way to run a watch list, as this system would run it. NaN and a `reason` where it cannot."""

    id: str  # of its words in the catalogues
    target: Message
    threshold: float
    fpir: float
    dir: float
    load: DailyLoad
    usual: bool  # the other rate is at least as good as it usually is in this region
    seen: bool  # there are enough non-enrolled searches (3 / target) to tell the FPIR from 0
    reason: Message | None = None
    searches: int = 0  # by people who are not enrolled
    needed: int = 0  # of these, to tell the FPIR from 0

    @property
    def not_measurable(self) -> bool:
        """Is the FPIR that it keeps one that so few searches cannot show?"""
        return self.target.key == _AT_MOST and not self.seen and self.reason is None

    @property
    def name(self) -> Message:
        """What the region is called."""
        return say(f"verdict.region.{self.id}")

    def to_dict(self) -> dict[str, Any]:
        """Plain values under the region's English name, ready for JSON."""
        values = record(self)
        del values["id"]
        return {"name": str(self.name), **values}


@dataclass(frozen=True, slots=True)
class _Aim:
    id: str
    key: str  # the rate that is kept
    target: float
    other: float  # what the other rate usually is

    @property
    def promise(self) -> Message:
        return say(_AT_MOST if self.key == _FPIR else "region.at_least", target=self.target)


AIMS = (
    _Aim("lowest_alarms", _FPIR, 0.00001, 0.60),
    _Aim("highest_detection", _DIR, 0.99, 0.02),
    _Aim("low_alarms", _FPIR, 0.0001, 0.80),
    _Aim("high_detection", _DIR, 0.95, 0.002),
)
NO_THRESHOLD = "no_threshold"


def daily_load(fpir: float, fnir: float, *, passers: float, minutes: float, on_list: float | None = None) -> DailyLoad:
    """Expected false alarms, hours of checking and misses among so many people passing by a day.

    >>> daily_load(0.002, 0.05, passers=100_000, minutes=15).false_alarms
    200.0
    >>> daily_load(0.01, 0.05, passers=10_000, minutes=15, on_list=0.01)
    DailyLoad(false_alarms=99.0, hours=24.75, misses=5.0)
    """
    for name, value in (("passers", passers), ("minutes", minutes)):
        if not 0.0 <= value < math.inf:
            raise InputError(f"{name} is {value}; expected a number, 0 or more")
    if on_list is not None and not 0.0 <= on_list <= 1.0:
        raise InputError(f"on_list is {on_list}; expected a share from 0 to 1")
    alarms = fpir * passers * (1.0 - (on_list or 0.0))
    return DailyLoad(alarms, alarms * minutes / 60, None if on_list is None else fnir * passers * on_list)


def operating_regions(
    curve: WatchListCurve, *, passers: float, minutes: float = 15.0, on_list: float | None = None
) -> list[Region]:
    """The five regions on a watch-list curve, in the order above."""
    if not curve.counts.n_mated or not curve.counts.n_nonmated:
        raise InputError("operating regions need searches of enrolled and of non-enrolled people; one kind is missing")

    def load(fpir: float, fnir: float) -> DailyLoad:
        return daily_load(fpir, fnir, passers=passers, minutes=minutes, on_list=on_list)

    rows = [(aim, OperatingPoint(aim.key, aim.target).find(curve.counts, curve.rule)) for aim in AIMS]
    regions = [
        _unreachable(aim, load) if point is None else _region(curve, aim, point.row, load) for aim, point in rows
    ]
    return [*regions, _everything(curve, load)]


def _region(curve: WatchListCurve, aim: _Aim, row: int, load: LoadOf) -> Region:
    fpir, detected = float(curve.fpir[row]), float(curve.dir[row])
    usual = detected >= aim.other if aim.key == _FPIR else fpir <= aim.other
    at_stake = aim.target if aim.key == _FPIR else aim.other
    searches, needed = curve.counts.n_nonmated, math.ceil(round(3 / at_stake, 6))
    threshold, in_a_day = float(curve.threshold[row]), load(fpir, float(curve.fnir[row]))
    seen = searches >= needed
    rates = threshold, fpir, detected
    return Region(aim.id, aim.promise, *rates, in_a_day, usual, seen, searches=searches, needed=needed)


def _unreachable(aim: _Aim, load: LoadOf) -> Region:
    nan = math.nan
    reason = say("reason.promise_unreachable", promise=aim.promise)
    return Region(aim.id, aim.promise, nan, nan, nan, load(nan, nan), False, False, reason)


def _everything(curve: WatchListCurve, load: LoadOf) -> Region:
    """Every search returns its whole list: nothing is rejected, and whoever has rank k is found."""
    lowest = curve.rule.restore(-math.inf)
    fpir, fnir = float(curve.fpir[0]), float(curve.fnir[0])
    return Region(
        NO_THRESHOLD, say("region.everything"), lowest, fpir, float(curve.dir[0]), load(fpir, fnir), True, True
    )
