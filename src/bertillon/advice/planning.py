"""Words for the plan of a test: what its numbers rest on, and what to do.

Holds `plan_verdict` (one sentence: what to plan for) and `plan_notes` (what stands behind it).
"""

from __future__ import annotations

import math

from bertillon.core.messages import Message, say
from bertillon.stats.planning import Plan, SimulatedTests, Size
from bertillon.stats.proportion import short_rate

OFTEN = {1: "once", 2: "twice"}


def plan_verdict(plan: Plan) -> Message:
    """How large the test should be.

    >>> from bertillon.stats.planning import Aim, plan_test
    >>> str(plan_verdict(plan_test(Aim("FNMR", 0.01), samples=5)))
    'Plan for 1,001 people with 5 mated comparisons each: FNMR 0.01 is then known within 30 % at 95 % confidence.'
    """
    aim, design = plan.aim, _design(plan, plan.size("precision").people)
    rate = short_rate(aim.rate)
    return say("planning.verdict", design=design, name=aim.name, rate=rate, precision=aim.precision, level=aim.level)


def plan_notes(plan: Plan, tried: SimulatedTests | None = None) -> list[Message]:
    """What the sizes rest on, a sentence or two each."""
    aim = plan.aim
    errors = math.ceil(round(aim.trials_to_measure * aim.rate, 6))
    notes = [
        say(
            "planning.rule_of_3",
            trials=aim.trials_to_bound,
            kind=say(f"planning.kind.{aim.name}"),
            name=aim.name,
            rate=short_rate(aim.rate),
            level=aim.level,
        ),
        say("planning.rule_of_30", errors=errors, precision=aim.precision),
        _sharing_note(plan, plan.size("precision")),
    ]
    return notes if tried is None else [*notes, _tried_note(tried)]


def _design(plan: Plan, people: int) -> Message:
    """So many people, and how often each or each pair of them is tried."""
    design = plan.design
    if not design.by_pair:
        return say(f"planning.design.{plan.aim.name}", people=people, n=design.samples)
    times = design.samples * (2 if design.ordered else 1)
    return say(f"planning.pairs.{OFTEN.get(times, 'times')}", people=people, n=times)


def _sharing_note(plan: Plan, size: Size) -> Message:
    design = plan.design
    if not design.by_pair and design.samples == 1:
        return say("planning.sharing.none")
    if not design.correlation:
        return say("planning.sharing.uncorrelated")
    return say(
        "planning.sharing.pair" if design.by_pair else "planning.sharing.person",
        share=design.correlation,
        correlation=plan.error_correlation,
        trials=size.trials,
        people=size.people,
        worth=size.worth,
    )


def _tried_note(tried: SimulatedTests) -> Message:
    return say(
        "planning.tried",
        runs=tried.runs,
        people=tried.people,
        width=tried.width,
        coverage=tried.coverage,
        naive_width=tried.naive_width,
        naive_coverage=tried.naive_coverage,
    )
