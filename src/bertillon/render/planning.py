"""The plan of a test for the terminal and as JSON."""

from __future__ import annotations

from rich.console import Group
from rich.padding import Padding

from bertillon._version import __version__
from bertillon.advice.planning import plan_notes, plan_verdict
from bertillon.core.messages import say, spoken
from bertillon.render.console import Text
from bertillon.render.strict_json import strict_json
from bertillon.render.tables import plain_table
from bertillon.stats.planning import Plan, SimulatedTests, Size
from bertillon.stats.proportion import short_rate
from bertillon.views.numbers import count_text


def plan_text(plan: Plan, tried: SimulatedTests | None = None) -> Group:
    """The sizes as a table, then in words."""
    trials = say(f"planning.trials.{plan.aim.name}")
    first, *others = (say(f"terminal.plan.{name}") for name in ("shows", "taken", "people", "seen"))
    table = plain_table(None, first, *others[:2], trials, others[2])
    for size in plan.sizes:
        if not size.independent and size.people == plan.size(size.shows, independent=True).people:
            continue  # nothing is shared, so nothing more is needed
        seen = say("terminal.plan.none") if size.shows == "bound" else count_text(size.expected_errors)
        correlated = say("terminal.plan.correlated", correlation=f"{plan.design.correlation:g}")
        assumed = say("terminal.plan.independent") if size.independent else correlated
        table.add_row(_shown(plan, size), assumed, count_text(size.people), count_text(size.trials), seen)
    notes = Text("\n".join(map(spoken, plan_notes(plan, tried))))
    return Group(Padding(table, (1, 0, 1, 0)), Text(f"{spoken(plan_verdict(plan))}\n", style="bold"), notes)


def plan_json(plan: Plan, tried: SimulatedTests | None = None) -> str:
    """The same as strict JSON text."""
    whole = {"bertillon": __version__, "mode": "plan"} | plan.to_dict()
    whole |= {"simulated": tried.to_dict()} if tried else {}
    whole |= {"verdict": str(plan_verdict(plan)), "notes": [str(note) for note in plan_notes(plan, tried)]}
    return strict_json(whole)


def _shown(plan: Plan, size: Size) -> str:
    aim = plan.aim
    if size.shows == "bound":
        return f"{aim.name} < {short_rate(aim.rate)}"
    return f"{aim.name} {short_rate(aim.rate)} ±{100 * aim.precision:.3g} %"
