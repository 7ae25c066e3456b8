"""Does a system meet the requirements of a scheme? Each is shown, seen but not shown, not met, or not tested.

    shown            the upper end of the interval is within the limit, and there are people enough
    seen             the rate is within the limit, but so few trials or people do not show it
    not met          the rate itself is above the limit
    not tested       the data do not hold the rate, and why

Conventions: all rates are read at one threshold in the user's units. Where none is given it is chosen on the same
scores, which makes rates at it look better than they are: the most permissive threshold at which the FMR (or FAR) of
the scheme is shown, or where none is, seen. An interval is found by the method of the scheme, or by one that is given.
Where subjects are known the bound by subject stands beside it: comparisons that share people show less than
independent ones. What is counted, comparisons or transactions, is told in `scheme_rates`.

How many more trials are needed supposes the same rate in a larger test of the same design: people are as many times
more as mated trials are, and of non-mated trials, which pairs of people make, as the root of that.

Holds `check_scheme` with its `SchemeCheck`, and `Judged`, one requirement.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bertillon._version import __version__
from bertillon.analysis.scheme_rates import MATED, SchemeRates, Tried, counted_once, owners_of, people_of
from bertillon.analysis.scheme_rules import (
    ANNEX_B,
    BY_SUBJECT,
    IAPAR,
    INTERVAL_METHODS,
    Requirement,
    Scheme,
    read_scheme,
)
from bertillon.core import AcceptRule, InputError
from bertillon.core.arguments import NUMBER, require
from bertillon.core.errors import listed
from bertillon.core.lazy import pl
from bertillon.core.messages import Message, say, text_of
from bertillon.core.showing import Finding
from bertillon.evaluation import AnyEvaluation, evaluate, plain
from bertillon.measures.base import Measure, Result
from bertillon.stats.interval import Interval, needed_trials, proportion
from bertillon.stats.shared_people import annex_b
from bertillon.trials import ScoreSet, SearchSet
from bertillon.trials.attack_set import AttackSet
from bertillon.trials.protocol import require_trials
from bertillon.trials.transactions import GENUINE, IMPOSTOR, TransactionSet

SHOWN, SEEN, NOT_MET, UNTESTED = "shown", "seen", "not_met", "untested"
COUNTED = {"verification": ("mated", "nonmated"), "identification": ("enrolled", "nonenrolled")}
MOST_TRIALS = 1e15


@dataclass(frozen=True, slots=True)
class Judged:
    """One requirement: what was seen, its bound, and what would show it."""

    requirement: Requirement
    status: str
    result: Result
    interval: Interval
    by_subject: Interval | None = None  # beside a method that takes trials as independent, where subjects are known
    people: int | None = None  # behind the rate; None where nobody knows
    species: str = ""  # of the attacks, the worst
    attempts: int | None = None  # at most, of a transaction; None where comparisons were judged
    more_trials: int | None = None  # needed, with the same rate; None where no number of them helps
    more_people: int | None = None

    @property
    def bound(self) -> float:
        """The upper end of the interval."""
        return self.interval.high

    @property
    def counts(self) -> bool:
        """Does the answer of the scheme depend on it?"""
        return not self.requirement.recommended

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        rule, result = self.requirement, self.result
        asked = {"rate": rule.rate, "limit": rule.limit, "strict": rule.strict, "confidence": rule.confidence}
        asked |= {"sides": rule.sides, "stated": rule.stated, "unit": rule.unit, "least_people": rule.people}
        asked |= {"attempts": self.attempts}
        seen = {"value": result.value, "errors": result.errors, "trials": result.trials, "people": self.people}
        beside = {} if self.by_subject is None else {"bound_by_subject": self.by_subject.high}
        reason = text_of(result.reason or self.interval.reason)
        more = {"method": str(self.interval.method), "more_trials": self.more_trials, "more_people": self.more_people}
        whole = asked | {"recommended": rule.recommended, "verdict": self.status, "species": self.species or None}
        made: dict[str, Any] = plain(whole | seen | {"bound": self.bound} | beside | more | {"reason": reason})
        return made


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SchemeCheck(Finding):
    """The verdict on every requirement of a scheme."""

    name: str
    scheme: Scheme
    rule: AcceptRule
    threshold: float | None  # None where every requirement has a place of its own
    chosen: str | None  # "shown" or "seen" where the threshold was chosen on the same scores, by what its FMR is there
    judged: tuple[Judged, ...]
    data: str  # the fingerprint
    counts: Mapping[str, int]
    notes: tuple[Message, ...] = ()

    @property
    def passed(self) -> bool:
        """Are all requirements shown, recommendations aside?"""
        return all(row.status == SHOWN for row in self.judged if row.counts)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        about: dict[str, Any] = {"name": self.scheme.name, "title": self.scheme.title, "source": self.scheme.source}
        about |= {"read": self.scheme.read, "second_hand": self.scheme.second_hand}
        whole: dict[str, Any] = {
            "bertillon": __version__,
            "mode": "scheme",
            "name": self.name,
            "scheme": about,
            "data": self.data,
        }
        whole |= {"rule": self.rule.value, "threshold": plain(self.threshold), "threshold_chosen": self.chosen}
        whole |= {"counts": dict(self.counts), "passed": self.passed}
        whole["requirements"] = [row.to_dict() for row in self.judged]
        return whole | {"notes": [str(note) for note in self.notes] + list(self.scheme.notes)}

    def to_frame(self) -> pl.DataFrame:
        """One row a requirement."""
        numbers: list[str] = ["errors", "trials", "people", "more_trials", "more_people"]
        kinds: dict[str, Any] = dict.fromkeys(numbers, pl.Int64) | {"value": pl.Float64, "bound": pl.Float64}
        kinds |= {"bound_by_subject": pl.Float64, "species": pl.String, "reason": pl.String}
        rows = [{"bound_by_subject": None, **row.to_dict()} for row in self.judged]
        return pl.DataFrame(rows, schema_overrides=kinds)


def check_scheme(
    trials: ScoreSet | SearchSet,
    scheme: str | Path | Scheme,
    *,
    threshold: float | None = None,
    attacks: AttackSet | Mapping[str, ArrayLike] | None = None,
    method: str | None = None,
    transactions: TransactionSet | None = None,
    attempts: int | None = None,
) -> SchemeCheck:
    """Judge a system by the requirements of a scheme.

    Parameters
    ----------
    trials
        Scores with their subjects, or searches.
    scheme
        A name, such as "cc-bio-pp-2", or a TOML file of rules.
    threshold
        The threshold in use; without it one is chosen on the same scores.
    attacks
        Scores of attacks by species, for IAPAR.
    method
        Another way to intervals than that of the scheme: "annex-b", "by-subject", "clopper-pearson", ...
    transactions
        The attempts behind the scores (`bt.trials.transactions_from`), which rules about transactions are judged on.
    attempts
        How many of them the system allows; as many as were made, or as the scheme allows, where nothing is said.

    Returns
    -------
    SchemeCheck
        The verdict on every requirement.

    Examples
    --------
    >>> import bertillon as bt
    >>> people = [f"s{i}" for i in range(174)]
    >>> ids = bt.TrialIds(people), bt.TrialIds(people[:-1], people[1:])
    >>> scores = bt.ScoreSet([0.1] * 5 + [0.9] * 169, [0.2] * 173, mated_ids=ids[0], nonmated_ids=ids[1])
    >>> row = bt.analysis.check_scheme(scores, "cc-bio-pp-2", threshold=0.5).judged[1]
    >>> row.requirement.rate, row.status, round(row.bound, 5)
    ('FNMR', 'shown', 0.04501)
    """
    rules = read_scheme(scheme)
    require_trials(trials)
    if threshold is not None:
        require(threshold, NUMBER, "threshold", "a score, such as 0.5")
    if method is not None and method not in INTERVAL_METHODS:
        raise InputError(f"method is {method!r}; expected one of {listed(INTERVAL_METHODS)}")
    if threshold is not None and math.isnan(threshold):
        raise InputError("threshold is not a number")
    if method is not None:
        asked = (rule if rule.measure else replace(rule, method=method) for rule in rules.requirements)
        rules = replace(rules, requirements=tuple(asked))
    if trials.kind == "identification":
        return _found(trials, rules, [_of_measure(trials, rule) for rule in rules.requirements], None, None, ())
    scores, notes = counted_once(trials, rules)
    rates = SchemeRates(scores, transactions, attempts)
    rates.require_fit(rules)
    judging, chosen = _Rules(rates, None if attacks is None else AttackSet.of(attacks)), None
    if threshold is None and any(rule.measure is None for rule in rules.requirements):
        threshold, chosen = judging.most_permissive(rules)
    judged = [
        judging.measured(rule) if rule.measure or threshold is None else judging.judged(rule, threshold)
        for rule in rules.requirements
    ]
    return _found(scores, rules, judged, threshold, chosen, (*notes, *_units(rates, rules)))


def _units(rates: SchemeRates, rules: Scheme) -> list[Message]:
    """What a scheme that judges transactions was shown."""
    about = rules.of_transactions[:1]
    made = rates.whole(about[0]) if about else None
    if made is None:
        return [say("scheme.transactions") for _ in about]
    genuine, impostor = (int(np.count_nonzero(made.kind == kind)) for kind in (GENUINE, IMPOSTOR))
    return [say("scheme.by_transaction", n=rates.allowed(about[0]), genuine=genuine, impostor=impostor)]


def _found(
    trials: ScoreSet | SearchSet,
    rules: Scheme,
    judged: list[Judged],
    threshold: float | None,
    chosen: str | None,
    notes: tuple[Message, ...],
) -> SchemeCheck:
    counts = dict(trials.counts)
    return SchemeCheck(
        trials.name, rules, trials.rule, threshold, chosen, tuple(judged), str(trials.fingerprint), counts, notes
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Rules:
    """Requirements judged at any threshold."""

    rates: SchemeRates
    attacks: AttackSet | None

    def most_permissive(self, rules: Scheme) -> tuple[float, str]:
        """The most permissive threshold at which the first FMR or FAR is shown, or else seen."""
        ruled, scores = [rule for rule in rules.requirements if MATED.get(rule.rate) is False], self.rates.scores
        if not ruled:
            raise InputError(f"{rules.name}: has no FMR to choose a threshold by; give a threshold")
        oriented = np.unique(np.asarray(scores.rule.orient(np.append(scores.mated, scores.nonmated))))
        candidates = [float(scores.rule.restore(float(at))) for at in (*oriented, np.inf)]

        def first(good: Callable[[Judged], bool]) -> int:
            low, high = 0, len(candidates) - 1
            while low < high:
                middle = (low + high) // 2
                low, high = (low, middle) if good(self.judged(ruled[0], candidates[middle])) else (middle + 1, high)
            return low

        at = first(lambda row: row.requirement.met_by(row.bound))
        if ruled[0].met_by(self.judged(ruled[0], candidates[at]).bound):
            return candidates[at], SHOWN
        return candidates[first(lambda row: row.requirement.met_by(row.result.value))], SEEN

    def measured(self, rule: Requirement) -> Judged:
        """A requirement of a measure with a place of its own."""
        scores = self.rates.scores
        return _of_measure(scores, rule, people=people_of(owners_of(scores, mated=True)))

    def judged(self, rule: Requirement, threshold: float) -> Judged:
        """A requirement at a threshold."""
        if rule.rate == IAPAR:
            row = self._attacked(rule, threshold)
        else:
            tried = self.rates.tried(rule, threshold, _two_sided(rule))
            by_subject = (
                None if tried.by_subject is None else tried.by_subject.one_sided("upper", rule.confidence, 0, 1)
            )
            result = Result.share(tried.errors, tried.trials, threshold)
            interval = _interval(rule, result, tried, by_subject)
            row = _judged(rule, result, interval, by_subject, people_of(tried.owners), pairs=not MATED[rule.rate])
        return replace(row, attempts=self.rates.allowed(rule))

    def _attacked(self, rule: Requirement, threshold: float) -> Judged:
        """The species whose bound is the highest."""
        worst: Judged | None = None
        for species, tried in self.rates.attacked(rule, threshold, self.attacks):
            how: dict[str, Any] = {"level": rule.confidence, "method": _of_shares(rule), "side": rule.sides}
            interval = proportion(tried.errors, tried.trials, **how)
            found = _judged(rule, Result.share(tried.errors, tried.trials, threshold), interval, None, None)
            if worst is None or found.bound > worst.bound:
                worst = replace(found, species=species)
        if worst is None:
            none = Result.undefined(say("scheme.no_attacks"))
            return _judged(rule, none, Interval.undefined(say("scheme.no_attacks"), rule.confidence), None, None)
        return worst


def _interval(rule: Requirement, result: Result, tried: Tried, by_subject: Interval | None) -> Interval:
    """By the method of the requirement, at the level whose upper end is judged."""
    if not result.trials:
        return Interval.undefined(result.reason or say("reason.value_undefined"), rule.confidence)
    if rule.method == BY_SUBJECT or rule.method == ANNEX_B:
        if tried.failed:
            return Interval.undefined(say("scheme.failures_without_subject", n=tried.failed), rule.confidence)
        if tried.owners is None or by_subject is None:
            return Interval.undefined(say("scheme.no_subjects"), rule.confidence)
        if rule.method == BY_SUBJECT:
            return by_subject
        person = tried.owners[0]
        errors, done = np.bincount(person, tried.wrong).astype(np.int64), np.bincount(person)
        return annex_b(errors[done > 0], done[done > 0]).interval(rule.confidence, rule.sides)
    assert result.errors is not None
    return proportion(result.errors, result.trials, level=rule.confidence, method=rule.method, side=rule.sides)


def _of_measure(trials: ScoreSet | SearchSet, rule: Requirement, people: int | None = None) -> Judged:
    """A measure with a place of its own, where these trials have it."""
    asked = rule.measure
    if asked is None or asked[0].mode != trials.kind:
        reason = say("scheme.other_kind", kind=trials.kind)
        return _judged(rule, Result.undefined(reason), Interval.undefined(reason, rule.confidence), None, None)
    how: dict[str, Any] = {"level": rule.confidence, "sides": rule.sides}
    evaluation = evaluate(trials, [asked[1]]).with_intervals(**how)
    lacking, name = _lacking(evaluation, asked[1]), str(asked[1])
    if lacking is not None:
        nothing = Interval.undefined(lacking, rule.confidence)
        return _judged(rule, Result.undefined(lacking), nothing, None, people)
    return _judged(rule, evaluation.results[name], evaluation.intervals[name], None, people)


def _lacking(evaluation: AnyEvaluation, measure: Measure) -> Message | None:
    """Why the trials cannot show the rate that a measure is read at (rule of 3); None where they can."""
    target = measure.target
    if target is None or not 0.0 < target.error < 1.0:
        return None
    kind = COUNTED[evaluation.kind][0 if target.mated else 1]
    n, needed = evaluation.counts[kind], needed_trials(target.error)
    about: dict[str, Any] = {"target": target.error, "n": n, "needed": needed, "trials": say(f"budget.trials.{kind}")}
    return say("budget.not_measurable", **about) if n < needed else None


def _judged(
    rule: Requirement,
    result: Result,
    interval: Interval,
    by_subject: Interval | None,
    people: int | None,
    *,
    pairs: bool = False,
) -> Judged:
    """The status, and what more is needed."""
    beside = None if rule.method == BY_SUBJECT else by_subject
    row = Judged(rule, UNTESTED, result, interval, beside, people)
    if math.isnan(result.value) or math.isnan(interval.high):
        return row
    if not rule.met_by(result.value):
        return replace(row, status=NOT_MET)
    lacking = max(rule.people - (people or 0), 0)
    if rule.met_by(interval.high) and not lacking:
        return replace(row, status=SHOWN)
    return _with_needed(replace(row, status=SEEN), lacking, pairs=pairs)


def _with_needed(row: Judged, lacking: int, *, pairs: bool) -> Judged:
    """How many more trials and people would show it, the rate being the same."""
    rule, result, people = row.requirement, row.result, row.people
    trials = result.trials or 0
    times = 1.0 if rule.met_by(row.bound) else _times(row)
    if math.isinf(times) or not trials:
        return row
    more = math.ceil(round(trials * (times - 1.0), 6))
    if people is None:
        return replace(row, more_trials=more, more_people=lacking or None)
    needed = math.ceil(round(people * (math.sqrt(times) if pairs else times), 6))
    return replace(row, more_trials=more, more_people=max(needed - people, lacking))


def _times(row: Judged) -> float:
    """How many times as many trials show the limit; the width of an interval falls with the root of their number."""
    rule, rate, trials = row.requirement, row.result.value, row.result.trials or 0
    room = rule.limit - rate
    if room <= 0.0 or not trials:
        return math.inf
    if rule.method in INTERVAL_METHODS and rule.method not in (ANNEX_B, BY_SUBJECT):
        return _fewest(rule, rate, trials)
    return row.bound / rule.limit if not rate else ((row.bound - rate) / room) ** 2


def _fewest(rule: Requirement, rate: float, trials: int) -> float:
    """The same of independent trials, found by their interval."""

    def shows(n: float) -> bool:
        ends = proportion(rate * n, n, level=rule.confidence, method=rule.method, side=rule.sides)
        return rule.met_by(ends.high)

    low, high = float(trials), 2.0 * trials
    while not shows(high):
        low, high = high, 2.0 * high
        if high > MOST_TRIALS:
            return math.inf
    while high - low > 0.5:
        middle = (low + high) / 2.0
        low, high = (low, middle) if shows(middle) else (middle, high)
    return math.ceil(high) / trials


def _of_shares(rule: Requirement) -> str:
    """Presentations of attacks are taken as independent."""
    return INTERVAL_METHODS[0] if rule.method in (ANNEX_B, BY_SUBJECT) else rule.method


def _two_sided(rule: Requirement) -> float:
    """The level of an interval with equal tails whose upper end is the one asked for."""
    return rule.confidence if rule.sides == "both" else 2.0 * rule.confidence - 1.0
