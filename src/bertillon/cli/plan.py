"""`bertillon plan`: how many people and comparisons a test needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from bertillon.cli import outputs as out
from bertillon.cli.declare import only, option
from bertillon.cli.options import TERMINAL, IntervalOptions, OutputOptions, RandomOptions
from bertillon.cli.progress import Bar
from bertillon.cli.rooms import render, stats, views
from bertillon.core.errors import InputError


@dataclass(frozen=True, slots=True)
class Aim:
    """The rate to measure."""

    PANEL: ClassVar[str] = "Rate to measure (one of)"
    fmr: float | None = option(metavar="RATE", help="A false match rate.")
    fnmr: float | None = option(metavar="RATE", help="A false non-match rate.")
    fpir: float | None = option(metavar="RATE", help="A false positive identification rate.")
    fnir: float | None = option(metavar="RATE", help="A false negative identification rate.")

    @property
    def rate(self) -> tuple[str, float]:
        """The name and value of the one rate that was given."""
        rates = {"FMR": self.fmr, "FNMR": self.fnmr, "FPIR": self.fpir, "FNIR": self.fnir}
        rates_given = [(name, rate) for name, rate in rates.items() if rate is not None]
        if len(rates_given) != 1:
            options = ", ".join(f"--{name.lower()}" for name in rates)
            found = " and ".join(f"--{name.lower()}" for name, _ in rates_given) or "none"
            raise InputError(f"expected one rate to plan for, of {options}; found {found}")
        return rates_given[0]


@dataclass(frozen=True, slots=True)
class DesignOptions:
    """The design of the test."""

    interval: float = option(
        default=0.3, metavar="SHARE", help="Half the width of the interval, as a share of the rate: 0.3 is ±30 %."
    )
    samples: int = option(default=1, help="Trials per subject, or per pair of subjects for --fmr.")
    correlation: float | None = option(
        metavar="SHARE",
        help="Share of a score's variance that belongs to a subject; by default 0.2 (each of the two) for --fmr, else "
        "0.3.",
    )
    ordered: bool | None = option(
        "--ordered/--unordered", help="Each pair of subjects twice, with roles exchanged, or once."
    )
    simulate: int | None = option(help="Repeat the test this many times on simulated subjects.")


def plan(
    aim: Aim,
    design: DesignOptions,
    random: RandomOptions,
    intervals: Annotated[IntervalOptions, only("level")],
    outputs: Annotated[OutputOptions, only("json", "lang"), TERMINAL],
) -> None:
    """Compute how many subjects and comparisons a test needs: to claim a rate, or for a given precision.

    Example: bertillon plan --fmr 1e-4 --interval 0.3
    """
    target = stats.Aim(*aim.rate, design.interval, intervals.level)
    planned = stats.plan_test(target, samples=design.samples, correlation=design.correlation, ordered=design.ordered)
    tried = None
    if design.simulate is not None:
        with Bar() as bar:
            tried = stats.try_plan(planned, design.simulate, seed=random.seed, progress=bar)
    found = views.PlannedTest(planned, tried)
    out.deliver(outputs, lambda: render.finding_json(found), lambda: [render.terminal_text(found)])
