"""Words for the plan of a test: what its numbers rest on, and what to do.

Holds `plan_verdict` (one sentence: what to plan for) and `plan_notes` (what stands behind it).
"""

from __future__ import annotations

import math

from bertillon.stats.planning.simulated import Tried
from bertillon.stats.planning.sizes import TRIALS, Plan, Size
from bertillon.stats.rules_of_thumb import short_rate


def plan_verdict(plan: Plan) -> str:
    """How large the test should be.

    >>> from bertillon.stats.planning.sizes import Aim, plan_test
    >>> plan_verdict(plan_test(Aim("FNMR", 0.01), samples=5))
    'Plan for 1,001 people with 5 mated comparisons each: FNMR 0.01 is then known within 30 % at 95 % confidence.'
    """
    size, aim = plan.size("precision"), plan.aim
    return (
        f"Plan for {size.people:,} {_who(plan)}{_how(plan)}: {aim.name} {short_rate(aim.rate)} is then known "
        f"within {_percent(aim.precision)} at {_percent(aim.level)} confidence."
    )


def plan_notes(plan: Plan, tried: Tried | None = None) -> list[str]:
    """What the sizes rest on, a sentence or two each."""
    aim, kind = plan.aim, TRIALS[plan.aim.name]
    errors = math.ceil(round(aim.trials_to_measure * aim.rate, 6))
    notes = [
        f"Rule of 3: {aim.trials_to_bound:,.0f} independent {kind} without an error show {aim.name} < "
        f"{short_rate(aim.rate)} with {_percent(aim.level)} confidence.",
        f"Rule of 30: about {errors:,} errors must be seen to know a rate within {_percent(aim.precision)}, more where "
        "errors come in clusters.",
        _sharing_note(plan, plan.size("precision")),
    ]
    return notes if tried is None else [*notes, _tried_note(tried)]


def _who(plan: Plan) -> str:
    return TRIALS[plan.aim.name].partition(" by ")[2] or "people"


def _how(plan: Plan) -> str:
    design, kind = plan.design, TRIALS[plan.aim.name].partition(" by ")[0]
    if not design.by_pair:
        one = {"searches": "search"}.get(kind, kind.removesuffix("s"))
        return f" with {f'{design.samples:,} {kind}' if design.samples > 1 else f'one {one}'} each"
    times = design.samples * (2 if design.ordered else 1)
    often = {1: "once", 2: "twice"}.get(times, f"{times} times")
    return f", every pair of them compared {often}"


def _sharing_note(plan: Plan, size: Size) -> str:
    design = plan.design
    if not design.by_pair and design.samples == 1:
        return "One trial of each person: trials are independent. More of each (--samples) take fewer people."
    if not design.correlation:
        return "Nothing of a score is taken to belong to people (--correlation 0), which is rarely true."
    whose = "each of its two people" if design.by_pair else "the person"
    return (
        f"Trials {'that share a' if design.by_pair else 'of one'} person are not independent. Where "
        f"{_percent(design.correlation)} of a score's variance belongs to {whose} (--correlation), two such errors "
        f"correlate by {plan.error_correlation:.2g} at this rate, and {size.trials:,} trials of {size.people:,} people "
        f"are worth {size.worth:,.0f}."
    )


def _tried_note(tried: Tried) -> str:
    return (
        f"Simulated: {tried.runs:,} tests of {tried.people:,} people gave intervals of ±{_percent(tried.width)} (the "
        f"middle one), and {_percent(tried.coverage)} of them held the true rate. Taking trials as independent they "
        f"would have said ±{_percent(tried.naive_width)}, and {_percent(tried.naive_coverage)} would have held it."
    )


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"
