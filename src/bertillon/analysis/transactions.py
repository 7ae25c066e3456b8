"""Error rates of transactions: several attempts until one is accepted, or until the lock-out.

    FAR_k     impostor transactions that are accepted within k attempts
    FRR_k     genuine ones that are not
    IAPAR_k   attacks of a species that are accepted within k attempts

Conventions: attempts are made in order and a transaction ends with its acceptance, so that it is accepted exactly where
one of its first k attempts is (`accepts=2`: two of them). A failed attempt is not accepted. A lock-out after L failed
attempts allows accepts + L - 1 attempts. A transaction with fewer attempts than k that is not accepted counts as not
accepted, and it is said how many of these there are, since nobody knows what further attempts would have given.

Attempts of one person are alike, so the rates of transactions do not follow from those of attempts: `independent` is
what they would be if they did, 1 - (1 - FMR)^k and FNMR^k, and is called that. Intervals are by person, for impostors
by both people of a transaction; where nobody is known Clopper-Pearson's, which are naive. They take the threshold as
given, but for the FRR at a target FAR: transactions are then comparisons by the score that decides them, impostors by
that of all attempts, and its interval is that of FNMR@FMR, for which every resample of people chooses the threshold
anew.

Holds `transactions`, which gives `TransactionRates`, a `TransactionPoint` for each threshold and number of attempts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core import AcceptRule, InputError, TemplateTable, say
from bertillon.core.lazy import pl
from bertillon.core.messages import Text
from bertillon.core.rule import passes
from bertillon.core.showing import Finding
from bertillon.core.tables import ComparisonTable
from bertillon.evaluation import evaluate, plain
from bertillon.matching.base import Matcher
from bertillon.matching.comparing import Comparing
from bertillon.matching.protocol.pairing import ProbeVersusGallery
from bertillon.measures.base import Result
from bertillon.stats.at_threshold import Measured
from bertillon.stats.interval import LEVEL, Interval, Settings, check_level, proportion, tail_of
from bertillon.stats.shared_people import rate_by_pair, rate_by_subject
from bertillon.trials.score_set import ScoreSet, TrialIds
from bertillon.trials.transactions import (
    ATTACK,
    GENUINE,
    IMPOSTOR,
    TransactionSet,
    attempts_after_enrolment,
    independent_share,
    species_of,
    transactions_from,
)

ROUNDING = 1e-9
Array = NDArray[Any]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class TransactionPoint:
    """The rates of transactions of up to so many attempts at one threshold, in the user's units."""

    point: str  # "t" where it was given, or what it was chosen for, such as FAR=0.001
    threshold: float
    attempts: int
    far: Measured
    frr: Measured
    iapar: Mapping[str, Measured]  # by species
    independent_far: float
    independent_frr: float
    target: float | None = None  # the FAR that the threshold was chosen for

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        values: dict[str, Any] = plain(
            {
                "point": self.point,
                "threshold": self.threshold,
                "attempts": self.attempts,
                "far": self.far.to_dict(),
                "frr": self.frr.to_dict(),
                "iapar": {name: rate.to_dict() for name, rate in self.iapar.items()},
                "independent": {"far": self.independent_far, "frr": self.independent_frr},
            }
        )
        return values


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TransactionRates(Finding):
    """What was found: for each threshold a point for every number of attempts."""

    name: str
    rule: AcceptRule
    attempts: int  # at most, until the lock-out
    accepts: int  # that are needed
    genuine: int
    impostor: int
    attacks: int
    points: tuple[TransactionPoint, ...]
    fmr: Mapping[float, Result]  # of single attempts, by threshold
    fnmr: Mapping[float, Result]
    ended: int  # transactions with fewer attempts than allowed, none with enough accepted at the strictest threshold
    level: float
    notes: tuple[Text, ...] = ()

    @property
    def curves(self) -> list[tuple[TransactionPoint, ...]]:
        """The points of each threshold."""
        n = self.attempts - self.accepts + 1
        return [self.points[begin : begin + n] for begin in range(0, len(self.points), n)]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        names = ("name", "attempts", "accepts", "genuine", "impostor", "attacks", "ended", "level")
        singles = [
            {"threshold": plain(at), "fmr": plain(self.fmr[at].value), "fnmr": plain(self.fnmr[at].value)}
            for at in self.fmr
        ]
        return {
            "finding": "transactions",
            **{name: getattr(self, name) for name in names},
            "rule": self.rule.value,
            "points": [point.to_dict() for point in self.points],
            "single_attempts": singles,
        }

    def to_frame(self) -> pl.DataFrame:
        """One row a threshold and number of attempts, of each rate."""
        rows = []
        for point in self.points:
            about = {"system": self.name, "point": point.point, "threshold": point.threshold}
            about["attempts"] = point.attempts
            independent = {"FAR": point.independent_far, "FRR": point.independent_frr}
            rates = {"FAR": point.far, "FRR": point.frr} | {f"IAPAR {name}": rate for name, rate in point.iapar.items()}
            rows += [
                about
                | {"rate": name, "value": rate.value, "errors": rate.result.errors, "transactions": rate.result.trials}
                | {"low": rate.interval.low, "high": rate.interval.high, "independent": independent.get(name)}
                for name, rate in rates.items()
            ]
        return pl.DataFrame(rows, infer_schema_length=None).with_columns(pl.col(pl.Float64).fill_nan(None))


def transactions(
    source: TransactionSet | ComparisonTable | TemplateTable,
    *,
    thresholds: Sequence[float] | Mapping[str, float] = (),
    targets: Sequence[float] = (),
    attempts: int | None = None,
    accepts: int = 1,
    lock_out: int | None = None,
    enrol: int = 1,
    matcher: Matcher | str | None = None,
    rule: AcceptRule | str | None = None,
    level: float = LEVEL,
    side: str = "both",
    intervals: bool = True,
    resamples: int = Settings().resamples,
    seed: int = 0,
) -> TransactionRates:
    """FAR, FRR and IAPAR of transactions of up to k attempts, for every k.

    Parameters
    ----------
    source
        A table with columns `transaction` and `attempt`, or templates: the first of each person are enrolled, the next
        are the attempts.
    thresholds
        Where rates are read, in the units of the scores; perhaps by name.
    targets
        FARs of whole transactions; the most permissive threshold that keeps each is chosen.
    attempts
        How many are allowed; those of the longest transaction where nothing is said.
    accepts
        How many of them must be accepted.
    lock_out
        After how many failed attempts a transaction ends, instead of `attempts`.
    enrol, matcher
        Of templates: how many are enrolled, and what compares ("cosine").
    rule
        Of a table: "similarity" or "distance".
    level, side
        Of the intervals; "upper" or "lower" makes bounds of one side.
    intervals
        Whether there are any.
    resamples, seed
        Of people, for the interval of the FRR at a target.

    Returns
    -------
    TransactionRates
        A point for each threshold and number of attempts.

    Examples
    --------
    >>> import bertillon as bt, polars as pl
    >>> from bertillon.core import ComparisonTable
    >>> rows = {"transaction": [1, 1, 2, 2], "attempt": [1, 2, 1, 2], "mated": [True, True, False, False]}
    >>> table = ComparisonTable(pl.DataFrame(rows | {"score": [0.3, 0.8, 0.1, 0.2]}))
    >>> found = bt.analysis.transactions(table, thresholds=[0.5])
    >>> [(point.attempts, point.far.value, point.frr.value) for point in found.points]
    [(1, 0.0, 1.0), (2, 0.0, 0.0)]
    """
    check_level(level)
    tail_of(level, side)
    if isinstance(source, TemplateTable):
        if attempts is None:
            raise InputError("templates: say how many attempts a transaction has, such as attempts=3")
        source = transactions_from(enrolment_plan(source, matcher or "cosine", enrol=enrol, attempts=attempts))
    made = source if isinstance(source, TransactionSet) else transactions_from(source, rule=rule)
    most = _allowed(made, attempts, accepts, lock_out)
    named = list(thresholds.items()) if isinstance(thresholds, Mapping) else [("t", value) for value in thresholds]
    if any(math.isnan(threshold) for _, threshold in named):
        raise InputError("a threshold is NaN; expected a number")
    for target in targets:
        if not 0.0 < target < 1.0:
            raise InputError(f"target FAR {target}: expected a rate between 0 and 1, such as 0.001")
    if not named and not len(targets):
        raise InputError("neither a threshold nor a target FAR is given; expected at least one")
    counting = _Rates(made, most, accepts, level, side if intervals else "")
    at: list[tuple[str, float, float | None]] = [(name, float(made.rule.orient(t)), None) for name, t in named]
    at += [(f"FAR={target:g}", counting.threshold_for(target), target) for target in targets]
    points = []
    for name, t, goal in at:
        curve = [replace(counting.point(name, t, k), target=goal) for k in range(accepts, most + 1)]
        if goal is not None and intervals and curve[-1].frr.result.trials:
            settings = Settings(level=level, resamples=resamples, seed=seed, sides=side)
            curve = [replace(each, frr=counting.chosen_anew(each, goal, settings)) for each in curve]
        points += curve
    single = {float(made.rule.restore(t)): counting.single(t) for _, t, _ in at}
    strictest = max(t for _, t, _ in at)
    return TransactionRates(
        made.name,
        made.rule,
        most,
        accepts,
        counting.number(GENUINE),
        counting.number(IMPOSTOR),
        counting.number(ATTACK),
        tuple(points),
        {t: rates[0] for t, rates in single.items()},
        {t: rates[1] for t, rates in single.items()},
        int(((made.made < most) & (counting.best(most) < strictest)).sum()),
        level,
        made.notes,
    )


def enrolment_plan(
    templates: TemplateTable,
    matcher: Matcher | str,
    *,
    enrol: int = 1,
    attempts: int | None = None,
    fusion: str = "best",
) -> Comparing:
    """The first templates of each person enrolled and fused, the next ones presented."""
    partition = attempts_after_enrolment(templates, enrol=enrol, attempts=attempts)
    return Comparing.plan(
        templates, matcher, ProbeVersusGallery(multiple=enrol > 1), partition=partition, fusion=fusion
    )


def _allowed(made: TransactionSet, attempts: int | None, accepts: int, lock_out: int | None) -> int:
    """How many attempts a transaction may have."""
    for name, number in (("attempts", attempts), ("accepts", accepts), ("lock_out", lock_out)):
        if number is not None and (isinstance(number, bool) or number < 1):
            raise InputError(f"{name} is {number}; expected a whole number, 1 or more")
    if lock_out is not None and attempts is not None and attempts != accepts + lock_out - 1:
        problem = f"attempts={attempts} and lock_out={lock_out} both say when a transaction ends"
        raise InputError(f"{problem}; give one of them")
    most = attempts if lock_out is None else accepts + lock_out - 1
    most = made.longest if most is None else most
    if most > made.longest:
        problem = f"{made.name}: {most} attempts are allowed, and no transaction has more than {made.longest}"
        raise InputError(f"{problem}; ask for fewer: what further attempts would give is not known")
    if accepts > most:
        raise InputError(f"{accepts} of {most} attempts cannot be accepted; expected at most as many as are allowed")
    return most


class _Rates:
    """The rates of transactions at oriented thresholds."""

    def __init__(self, made: TransactionSet, most: int, accepts: int, level: float, side: str) -> None:
        self.made, self.most, self.accepts, self.level, self.side = made, most, accepts, level, side
        self._best: dict[int, Array] = {}

    def best(self, attempts: int) -> Array:
        """The score that decides each transaction of up to so many attempts."""
        if attempts not in self._best:
            self._best[attempts] = self.made.best_of(attempts, self.accepts)
        return self._best[attempts]

    def number(self, kind: int) -> int:
        """How many transactions are of a kind."""
        return int(np.count_nonzero(self.made.kind == kind))

    def threshold_for(self, target: float) -> float:
        """The most permissive threshold that keeps the FAR of whole transactions."""
        every = self.best(self.most)
        impostors = np.sort(every[self.made.kind == IMPOSTOR])[::-1]
        if not impostors.size:
            raise InputError(f"{self.made.name}: no impostor transaction to keep a FAR with; give a threshold")
        known = np.unique(every[np.isfinite(every)])
        allowed = math.floor(target * impostors.size * (1.0 + ROUNDING))
        place = int(np.searchsorted(known, impostors[min(allowed, impostors.size - 1)], side="right"))
        return float(known[place]) if place < known.size else math.inf

    def chosen_anew(self, point: TransactionPoint, target: float, settings: Settings) -> Measured:
        """The FRR of so many attempts at a target FAR of all, its interval with what makes the threshold uncertain."""
        made, each = self.made, (self.best(point.attempts), self.best(self.most))
        least = min(float(best[np.isfinite(best)].min(initial=0.0)) for best in each) - 1.0
        tried, every = (np.maximum(best, least) for best in each)  # where no attempt gave a score: below all
        genuine, impostor = (made.kind == kind for kind in (GENUINE, IMPOSTOR))
        sides = [made.person, made.claimed]
        named = all(side is not None and (side[genuine | impostor] != "").all() for side in sides)
        own, others = (TrialIds(*(side[rows] for side in sides if side is not None)) for rows in (genuine, impostor))
        ids: dict[str, Any] = {"mated_ids": own, "nonmated_ids": others} if named else {}
        scores = ScoreSet(tried[genuine], every[impostor], name=made.name, **ids)
        name = f"FNMR@FMR={target!r}"
        sure = evaluate(scores, [name]).with_intervals(
            level=settings.level, resamples=settings.resamples, seed=settings.seed, sides=settings.sides
        )
        return replace(point.frr, interval=next(iter(sure.intervals.values())))

    def point(self, name: str, threshold: float, attempts: int) -> TransactionPoint:
        """Every rate of up to so many attempts."""
        made, accepted = self.made, passes(self.best(attempts), threshold)
        single = [rate.value for rate in self.single(threshold)]
        independent = [
            math.nan if math.isnan(rate) else independent_share(rate, attempts, self.accepts)
            for rate in (single[0], 1.0 - single[1])
        ]
        return TransactionPoint(
            name,
            float(made.rule.restore(threshold)),
            attempts,
            self._far(accepted),
            self._by_person(~accepted, made.kind == GENUINE),
            {
                species: self._by_person(accepted, (made.kind == ATTACK) & (made.species == species))
                for species in species_of(made)
            },
            independent[0],
            1.0 - independent[1],
        )

    def single(self, threshold: float) -> tuple[Result, Result]:
        """FMR and FNMR of all attempts that were made, failed ones not accepted."""
        shown = self.made.scores[:, : self.most]
        passed = passes(self.made.rule.orient(shown), threshold)
        there = np.arange(shown.shape[1]) < self.made.made[:, None]
        rates = []
        for kind, wrong in ((IMPOSTOR, passed), (GENUINE, ~passed)):
            rows = self.made.kind == kind
            rates.append(Result.share(int((wrong & there)[rows].sum()), int(there[rows].sum())))
        return rates[0], rates[1]

    def _unknown(self, trials: int) -> Interval | None:
        """Why there is no interval, or nothing."""
        if trials and self.side:
            return None
        why = "reason.not_asked" if trials else "reason.no_transactions"
        return Interval.undefined(say(why), self.level)

    def _far(self, accepted: Flags) -> Measured:
        made, rows = self.made, self.made.kind == IMPOSTOR
        if made.person is None or made.claimed is None:
            return self._by_person(accepted, rows)
        wrong = accepted[rows]
        result = Result.share(int(wrong.sum()), wrong.size)
        if unknown := self._unknown(wrong.size):
            return Measured(result, unknown)
        rate = rate_by_pair(made.person[rows], made.claimed[rows], wrong)
        return Measured(result, rate.interval(self.level, self.side))

    def _by_person(self, wrong: Flags, rows: Flags) -> Measured:
        """A rate by who tries, or by whom an attack imitates; naive where nobody is known."""
        known = self.made.person if self.made.person is not None else self.made.claimed
        errors = wrong[rows]
        result = Result.share(int(errors.sum()), errors.size)
        if unknown := self._unknown(errors.size):
            return Measured(result, unknown)
        if known is None:
            interval = proportion(int(errors.sum()), errors.size, level=self.level, side=self.side)
            return Measured(result, replace(interval, naive=True))
        people = known[rows]
        if self.made.claimed is not None and (people == "").any():
            people = self.made.claimed[rows]
        return Measured(result, rate_by_subject(people, errors).interval(self.level, self.side))
