"""Words for systems that were tested against each other: which is better, and how sure that is.

Conventions: one sentence a pair of systems and measure, about the second system as against the first. Rates are in
percent and their differences in points (percentage points). A difference that was not found is never called none: what
is said instead is how large one would have to be to be found.

Holds `verdict_sentences`, `fold_sentence`, `versus_warnings`, and `complaints`, what a check of "not worse" says.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from bertillon.core.messages import Message
from bertillon.stats.comparing.difference import SAME_TWICE, Difference
from bertillon.stats.comparing.folds import FoldDifference
from bertillon.stats.comparing.systems import Versus
from bertillon.stats.resampling.units import SUBJECTS
from bertillon.stats.settings import Settings

FORESEEN = 20  # times as many subjects: further ahead a standard error is not to be trusted


def verdict_sentences(versus: Versus) -> list[str]:
    """One sentence a measure; one for all where both systems give the same scores."""
    if versus.identical:
        return [f"{versus.first} and {versus.second} give the same scores throughout: nothing tells them apart."]
    return [_sentence(one, versus.unit) for one in versus.differences]


def versus_warnings(found: Sequence[Versus], settings: Settings) -> list[str]:
    """What to know before trusting the p values."""
    said = [_unpaired(found), _naive(found), _too_few_resamples(found, settings)]
    return [sentence for sentence in said if sentence]


def complaints(found: Sequence[Versus]) -> list[str]:
    """Why a later system does not pass as "not worse": significantly worse or, with a margin, not shown to be no worse.

    What cannot be judged does not pass either.
    """
    return [said for versus in found if not versus.identical for one in versus.differences if (said := _complaint(one))]


def fold_sentence(fold: FoldDifference, versus: Versus) -> str:
    """Accuracy over folds, and whether it differs."""
    values = f"accuracy over {fold.folds} folds {fold.second * 100:.4g} % against {fold.first * 100:.4g} %"
    if math.isnan(fold.p):
        return f"{versus.second} and {versus.first}, {values}: {fold.interval.reason}."
    if fold.p > 1.0 - fold.interval.level or not fold.difference:
        return f"{versus.second} and {versus.first} cannot be told apart over folds: {values}, p = {p_text(fold.p)}."
    word, more = ("better", "more") if fold.difference > 0 else ("worse", "less")
    ends = sorted(abs(end) * 100 for end in (fold.interval.low, fold.interval.high))
    return (
        f"{versus.second} is {word} than {versus.first}: {values}, {abs(fold.difference) * 100:.2g} points {more} "
        f"({_level(fold.interval.level)} interval {ends[0]:.2g} to {ends[1]:.2g}), p = {p_text(fold.p)} (t over folds)."
    )


def p_text(p: float) -> str:
    """A p value with two significant digits.

    >>> p_text(0.0123), p_text(0.0002), p_text(1.0)
    ('0.012', '0.0002', '1')
    """
    return f"{p:.2g}" if p >= 1e-4 else f"{p:.0e}".replace("e-0", "e-")


def _sentence(one: Difference, unit: Message) -> str:
    if one.verdict == "undefined":
        return f"{one.measure} of {one.second} and {one.first} cannot be compared: {one.reason}."
    if one.reason == SAME_TWICE:
        return f"{one.second} and {one.first} have the same {one.measure} in every resample: nothing tells them apart."
    values = f"{one.measure} {_value(one, one.second_value)} against {_value(one, one.first_value)}"
    match one.verdict:
        case "better":
            return f"{one.second} is better than {one.first}: {values}, {_apart(one)}."
        case "worse":
            return f"{one.second} is worse than {one.first}: {values}, {_apart(one)}{_beyond(one)}."
        case "different":
            return f"{one.second} differs from {one.first}: {values}, {_apart(one)}; neither way is the better one."
        case "equivalent":
            margin = _size(one, one.margin)
            return f"{one.second} is equivalent to {one.first} within {margin}: {values}, {_within(one)}{_though(one)}."
        case "not worse":
            margin = _size(one, one.margin)
            return f"{one.second} is not worse than {one.first} by {margin} or more: {values}, {_within(one)}."
    unseen = f"a true difference must be about {_size(one, one.detectable)} to be seen four times in five"
    p = p_text(one.adjusted_p)
    return f"{one.second} and {one.first} cannot be told apart: {values}, p = {p}; {unseen}{_needed(one, unit)}."


def _apart(one: Difference) -> str:
    """How much more or less, between what bounds."""
    word = "more" if one.difference > 0 else "less"
    ends = sorted(abs(end) for end in (one.interval.low, one.interval.high))
    return (
        f"{_size(one, one.difference)} {word} ({_level(one.interval.level)} interval {_bare(one, ends[0])} to "
        f"{_bare(one, ends[1])}), p = {p_text(one.adjusted_p)}"
    )


def _within(one: Difference) -> str:
    """The interval that was held against the margin."""
    assert one.within is not None
    low, high = (f"{'-' if end < 0 else '+'}{_bare(one, end)}" for end in (one.within.low, one.within.high))
    return f"the difference is {low} to {high}{_points(one)} with {_level(one.within.level)} confidence"


def _though(one: Difference) -> str:
    return f"; it is measurably {'better' if one.gain > 0 else 'worse'}, but by less than that" if one.gain else ""


def _beyond(one: Difference) -> str:
    """What a margin makes of a system that is worse."""
    if one.margin is None or one.within is None:
        return ""
    if min(abs(one.within.low), abs(one.within.high)) > one.margin:
        return f"; that is more than the margin of {_size(one, one.margin)}"
    return f"; whether that is more than the margin of {_size(one, one.margin)} is not sure"


def _needed(one: Difference, unit: Message) -> str:
    """How many units two equal systems would need to be called so."""
    if one.margin is None:
        return ""
    needed, margin = one.units_for_margin, _size(one, one.margin)
    if needed is None or unit != SUBJECTS:  # what more comparisons of the same people would tell is anybody's guess
        return f", and that {one.second} is not worse by {margin} is not shown"
    much = f"about {_round(needed)}" if needed <= FORESEEN * one.n_units else f"more than {FORESEEN} times as many"
    return f"; to show two equal systems to be alike within {margin} takes {much} subjects (here are {one.n_units:,})"


def _complaint(one: Difference) -> str | None:
    if one.verdict == "undefined":
        return f"{one.second}: {one.measure} cannot be judged ({one.reason})"
    if not one.better:
        return f"{one.second}: {one.measure} cannot be judged (nobody says which way is better)"
    if one.margin is not None and not one.not_worse:
        assert one.within is not None
        worst = one.within.high if one.better < 0 else one.within.low
        return (
            f"{one.second} is not shown to be no worse than {one.first} by {_size(one, one.margin)}: {one.measure} may "
            f"be worse by {_size(one, worst)}"
        )
    if one.margin is None and one.gain < 0:
        return f"{one.second} is worse than {one.first}: {one.measure} {_apart(one)}"
    return None


def _unpaired(found: Sequence[Versus]) -> str | None:
    if all(versus.paired for versus in found):
        return None
    return (
        "the systems are compared as unpaired, each resampled by itself: if they judged the same people or trials, a "
        "paired comparison would see smaller differences."
    )


def _naive(found: Sequence[Versus]) -> str | None:
    units = dict.fromkeys(versus.unit for versus in found if versus.naive)
    if not units:
        return None
    resampled = "; ".join(map(str, units))
    return f"resampled were {resampled}: where several are of one person, intervals and p values are too small."


def _too_few_resamples(found: Sequence[Versus], settings: Settings) -> str | None:
    tests = max((one.tests for versus in found for one in versus.differences), default=1)
    alpha = round(1.0 - settings.level, 12)
    if tests <= alpha * (settings.resamples + 1):
        return None
    needed = math.ceil(round(tests / alpha, 6)) - 1
    return (
        f"{tests} tests beside each other cannot reach p = {alpha:g} with {settings.resamples:,} resamples, whatever "
        f"the data; use --resamples {needed}."
    )


def _value(one: Difference, value: float) -> str:
    if one.shown_as == "rate":
        return f"{value * 100:.4g} %"
    return f"{value:,.0f}" if one.shown_as == "count" else f"{value:.4g}"


def _size(one: Difference, amount: float | None) -> str:
    """A difference without its sign, in points for rates."""
    text = _bare(one, math.nan if amount is None else amount)
    return text + ("" if one.shown_as != "rate" else " point" if text == "1" else " points")


def _bare(one: Difference, amount: float) -> str:
    size = abs(amount) * (100.0 if one.shown_as == "rate" else 1.0)
    return f"{size:,.0f}" if size >= 100 else f"{size:.2g}"


def _points(one: Difference) -> str:
    return " points" if one.shown_as == "rate" else ""


def _level(level: float) -> str:
    return f"{round(level * 100, 6):g} %"


def _round(number: int) -> str:
    """Two digits of a number that nobody knows better."""
    return f"{float(f'{number:.1e}'):,.0f}"
