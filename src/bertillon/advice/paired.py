"""Words for systems beside each other: over all false match rates, and tested against each other.

Conventions: one message a pair of systems and measure, about the second system as against the first. Rates are in
percent and their differences in points (percentage points). A difference that was not found is never called none: what
is said instead is how large one would have to be to be found. Pairs grow with the square of the systems, so of more
than `MANY` only the best are spoken of.

Holds `verdict_sentences`, `brief_sentences`, `fold_sentence`, `versus_warnings`, and `complaints`, what a check of
"not worse" says. Over all rates: `comparison_sentences` (every pair), `comparison_sentence` (one), and `leading`, the
best of many systems. `difference_text` is a difference as every table and sentence writes it, `difference_line` all of
it in a line.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bertillon.core.messages import Message, Value, say, sentences
from bertillon.evaluation import ScoreEvaluation
from bertillon.measures.registry import better
from bertillon.stats.interval import Interval, Settings, decimals_for, width_between
from bertillon.stats.units import SUBJECTS

if TYPE_CHECKING:
    from bertillon.analysis.leads import Comparison
    from bertillon.stats import Difference, FoldDifference, Versus

BRIEF = ("better", "worse", "different", "equivalent", "not_worse", "undefined")  # verdicts with words of their own
FORESEEN = 20  # times as many subjects: further ahead a standard error is not to be trusted
PERCENT = 100.0


def verdict_sentences(versus: Versus) -> list[Message]:
    """One message a measure; one for all where both systems give the same scores."""
    if versus.identical:
        return [say("paired.identical", first=versus.first, second=versus.second)]
    return [_verdict(difference, versus) for difference in versus.differences]


def brief_sentences(versus: Versus) -> list[Message]:
    """A message for each verdict, with the measures it is about."""
    if versus.identical:
        return [say("paired.identical", first=versus.first, second=versus.second)]
    kinds: dict[str, list[str]] = {}
    for difference in versus.differences:
        kind = difference.verdict.replace(" ", "_")
        open_ended = "unclear" if difference.margin is None else "unshown"
        kinds.setdefault(kind if kind in BRIEF else open_ended, []).append(difference.measure)
    names = {"first": versus.first, "second": versus.second}
    return [say(f"paired.brief.{kind}", measures=measures, **names) for kind, measures in kinds.items()]


def versus_warnings(pairs: Sequence[Versus], settings: Settings) -> list[Message]:
    """What to know before trusting the p values."""
    warnings = [] if all(versus.paired for versus in pairs) else [say("paired.unpaired")]
    units = list(dict.fromkeys(versus.unit for versus in pairs if versus.naive))
    warnings += [say("paired.naive", units=units)] if units else []
    few = _too_few_resamples(pairs, settings)
    return [*warnings, few] if few else warnings


def complaints(pairs: Sequence[Versus]) -> list[Message]:
    """Why a later system does not pass as "not worse": significantly worse or, with a margin, not shown to be no worse.

    What cannot be judged does not pass either.
    """
    judged = [_complaint(difference) for versus in pairs if not versus.identical for difference in versus.differences]
    return [complaint for complaint in judged if complaint]


def fold_sentence(fold: FoldDifference, versus: Versus) -> Message:
    """Accuracy over folds, and whether it differs."""
    values = say("paired.folds.values", folds=fold.folds, first=fold.first, second=fold.second)
    names = {"first": versus.first, "second": versus.second}
    if math.isnan(fold.p):
        return say("paired.folds.undefined", values=values, reason=fold.interval.reason, **names)
    if fold.p > 1.0 - fold.interval.level or not fold.difference:
        return say("paired.folds.unclear", values=values, p=fold.p, **names)
    size = say("number.points", n=float(f"{abs(fold.difference) * PERCENT:.2g}"))
    low, high = (say("number.short", x=end * PERCENT) for end in _ends(fold.interval))
    way = "paired.apart.more" if fold.difference > 0 else "paired.apart.less"
    apart = say(way, size=size, level=fold.interval.level, low=low, high=high, p=fold.p)
    return say(
        "paired.folds.better" if fold.difference > 0 else "paired.folds.worse", values=values, apart=apart, **names
    )


def _verdict(difference: Difference, versus: Versus) -> Message:
    names = {"first": difference.first, "second": difference.second}
    if difference.verdict == "undefined":
        return say("paired.undefined", measure=difference.measure, reason=difference.reason, **names)
    if difference.same_twice:
        return say("paired.same", measure=difference.measure, **names)
    about: dict[str, Value] = {"values": _values(difference), **names}
    if difference.verdict in ("better", "worse", "different"):
        said = say(f"paired.{difference.verdict}", apart=_apart(difference), **about)
        return sentences(said, *_beyond(difference)) if difference.verdict == "worse" else said
    if difference.verdict in ("equivalent", "not worse"):
        about |= {"margin": _size(difference, difference.margin), "within": _within(difference)}
        said = say(f"paired.{difference.verdict.replace(' ', '_')}", **about)
        though = "paired.equivalent.better" if difference.gain > 0 else "paired.equivalent.worse"
        apart = difference.verdict == "equivalent" and difference.gain
        return sentences(said, say(though)) if apart else said
    detectable = say("paired.detectable", size=_size(difference, difference.detectable))
    unclear = say("paired.unclear", p=difference.adjusted_p, **about)
    return sentences(unclear, detectable, *_needed(difference, versus))


def _values(difference: Difference) -> Message:
    """Both values of the measure."""
    return say(
        "paired.values",
        measure=difference.measure,
        first=_value(difference, difference.first_value),
        second=_value(difference, difference.second_value),
    )


def _apart(difference: Difference) -> Message:
    """How much more or less, between what bounds."""
    low, high = (_unsigned(difference, end) for end in _ends(difference.interval))
    size = _unsigned(difference, difference.difference)
    return say(
        "paired.apart.more" if difference.difference > 0 else "paired.apart.less",
        size=say("number.points", n=size) if difference.shown_as == "rate" else size,
        level=difference.interval.level,
        low=low,
        high=high,
        p=difference.adjusted_p,
    )


def difference_text(difference: Difference, value: float) -> str:
    """A difference, or an end of its interval, with its sign and two digits of the interval's width; rates in points.

    Without an interval it has four digits. Nothing where it is not known.
    """
    if not value or math.isnan(value):
        return "" if value else "0"
    factor = PERCENT if difference.shown_as == "rate" else 1.0
    width = width_between(difference.interval.low, difference.interval.high) * factor
    least = 0 if difference.shown_as == "count" else 1
    decimals = decimals_for(width, least=least, unknown=-1)
    text = f"{value * factor:+.4g}" if decimals < 0 else f"{value * factor:+.{decimals}f}"
    return text if float(text) else text.lstrip("+-")


def difference_line(difference: Difference) -> str:
    """What was found of one measure, in a line.

    >>> from bertillon.stats import Difference
    >>> ends = Interval(-0.031, -0.009)
    >>> difference_line(Difference("EER", "old", "new", 0.05, 0.03, ends, 0.001, 0.001, better=-1, shown_as="rate"))
    'EER: new against old: better (-2.0 points, 95 % CI -3.1 to -0.9, p = 0.001)'
    """
    size, low, high = (
        difference_text(difference, end)
        for end in (difference.difference, difference.interval.low, difference.interval.high)
    )
    facts = [f"{size} points" if difference.shown_as == "rate" else size] if size else []
    facts += [f"{difference.interval.level * 100:g} % CI {low} to {high}"] if low and high else []
    facts += [] if math.isnan(difference.p) else [str(say("paired.check.p", p=difference.adjusted_p))]
    behind = f" ({', '.join(facts)})" if facts else ""
    about = f"{difference.measure}: {difference.second} against {difference.first}: {difference.verdict}"
    return f"{about}{behind}".replace("\u00a0", " ")


def _unsigned(difference: Difference, value: float) -> Value:
    """The same without its sign."""
    if difference.shown_as == "count":
        return say("number.count", x=abs(value))
    return difference_text(difference, value).lstrip("+-")


def _ends(interval: Interval) -> list[float]:
    """Both ends of a difference without their sign, the smaller first."""
    return sorted((abs(interval.low), abs(interval.high)))


def _within(difference: Difference) -> Message:
    """The interval that was held against the margin."""
    assert difference.within is not None
    low, high = (_signed(difference, end) for end in (difference.within.low, difference.within.high))
    key = "paired.within.points" if difference.shown_as == "rate" else "paired.within.plain"
    return say(key, low=low, high=high, level=difference.within.level)


def _beyond(difference: Difference) -> list[Message]:
    """What a margin makes of a system that is worse."""
    if difference.margin is None or difference.within is None:
        return []
    sure = min(abs(difference.within.low), abs(difference.within.high)) > difference.margin
    return [say("paired.beyond" if sure else "paired.beyond.unsure", margin=_size(difference, difference.margin))]


def _needed(difference: Difference, versus: Versus) -> list[Message]:
    """How many units two equal systems would need to be called so."""
    if difference.margin is None:
        return []
    needed, margin = difference.units_for_margin, _size(difference, difference.margin)
    if needed is None or versus.unit != SUBJECTS:  # nobody knows what more comparisons of the same people would show
        return [say("paired.not_shown", first=difference.first, second=difference.second, margin=margin)]
    have: dict[str, Value] = {"margin": margin, "unit": versus.unit, "units": difference.n_units}
    if needed > FORESEEN * difference.n_units:
        return [say("paired.needed.many", times=FORESEEN, **have)]
    return [say("paired.needed", needed=float(f"{needed:.1e}"), **have)]  # no more digits than are known


def _complaint(difference: Difference) -> Message | None:
    names = {"first": difference.first, "second": difference.second}
    if difference.verdict == "undefined":
        return say(
            "paired.fails.undefined", second=difference.second, measure=difference.measure, reason=difference.reason
        )
    if not difference.better:
        return say("paired.fails.direction", second=difference.second, measure=difference.measure)
    if difference.margin is not None and not difference.not_worse:
        assert difference.within is not None
        worst = _size(difference, difference.within.high if difference.better < 0 else difference.within.low)
        return say(
            "paired.fails.margin",
            margin=_size(difference, difference.margin),
            measure=difference.measure,
            size=worst,
            **names,
        )
    if difference.margin is None and difference.gain < 0:
        return say("paired.fails.worse", measure=difference.measure, apart=_apart(difference), **names)
    return None


def _too_few_resamples(pairs: Sequence[Versus], settings: Settings) -> Message | None:
    tests = max((difference.tests for versus in pairs for difference in versus.differences), default=1)
    alpha = round(1.0 - settings.level, 12)
    if tests <= alpha * (settings.resamples + 1):
        return None
    needed = math.ceil(round(tests / alpha, 6)) - 1
    return say("paired.few_resamples", n=tests, alpha=alpha, resamples=settings.resamples, needed=needed)


def _value(difference: Difference, value: float) -> Message:
    keys = {"rate": "number.percent", "count": "number.count"}
    return say(keys.get(difference.shown_as, "number.plain"), x=value)


def _size(difference: Difference, amount: float | None) -> Message:
    """A difference without its sign, in points for rates."""
    if difference.shown_as != "rate":
        return _bare(difference, math.nan if amount is None else amount)
    size = _shown(difference, math.nan if amount is None else amount)
    return say("number.many_points", n=size) if size >= 100 else say("number.points", n=float(f"{size:.2g}"))


def _bare(difference: Difference, amount: float) -> Message:
    size = _shown(difference, amount)
    return say("number.count" if size >= 100 else "number.short", x=size)


def _signed(difference: Difference, amount: float) -> Message:
    size = math.copysign(_shown(difference, amount), amount) if amount else 0.0
    return say("number.signed_count" if abs(size) >= 100 else "number.signed", x=size)


def _shown(difference: Difference, amount: float) -> float:
    """The size of a difference in the unit it is shown in."""
    return abs(amount) * (PERCENT if difference.shown_as == "rate" else 1.0)


SHOWN_CROSSINGS = 3
MANY = 20  # systems, of which all are shown
BEST = 10  # shown of more


def leading(evaluations: Sequence[ScoreEvaluation]) -> tuple[list[ScoreEvaluation], str]:
    """All systems, or of many the best, and by which measure they are: the first one of which less or more is better.

    Where there is none the first systems are taken.
    """
    if len(evaluations) <= MANY:
        return list(evaluations), ""
    name = next((name for name in evaluations[0].results if better(name)), "")
    if not name:
        return list(evaluations[:BEST]), ""
    sign = -better(name)

    def place(evaluation: ScoreEvaluation) -> float:
        value = evaluation.results[name].value
        return math.inf if math.isnan(value) else sign * value

    return sorted(evaluations, key=place)[:BEST], name


def comparison_sentences(evaluations: Sequence[ScoreEvaluation]) -> list[Message]:
    """Who is better at which false match rate, for every pair of systems."""
    from bertillon.analysis.leads import compare_curves

    return [
        comparison_sentence(pair)
        for pair in compare_curves({evaluation.name: evaluation.tally.curve for evaluation in evaluations})
    ]


def comparison_sentence(comparison: Comparison) -> Message:
    """Who is better at which false match rate; of many changes of the lead the first few.

    >>> from bertillon.analysis.leads import Comparison, Lead
    >>> str(comparison_sentence(Comparison("A", "B", (Lead(0.0, 0.01, "A"), Lead(0.01, 1.0, "B")))))
    'A has the lower FNMR below FMR 0.01, B from FMR 0.01 on. Neither is better throughout.'
    """
    first, second = comparison.first, comparison.second
    if comparison.is_tied:
        return say("comparison.tied", first=first, second=second)
    if comparison.dominant is not None:
        worse = second if comparison.dominant == first else first
        return say("comparison.dominates", better=comparison.dominant, worse=worse)
    crossings = comparison.crossings
    later = [say("comparison.from", name=crossing.after, fmr=crossing.high) for crossing in crossings[:SHOWN_CROSSINGS]]
    return say("comparison.crossing", name=crossings[0].before, fmr=crossings[0].low, later=later)
