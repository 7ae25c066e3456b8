"""`bertillon plan`: how many people and comparisons a test needs."""

from __future__ import annotations

from typing import Annotated

import typer

from bertillon.cli import outputs
from bertillon.cli.progress import Bar
from bertillon.core.errors import InputError

AIM = "What is to be known (one of)"


def plan(
    fmr: Annotated[float | None, typer.Option("--fmr", help="A false match rate.", rich_help_panel=AIM)] = None,
    fnmr: Annotated[float | None, typer.Option("--fnmr", help="A false non-match rate.", rich_help_panel=AIM)] = None,
    fpir: Annotated[
        float | None, typer.Option("--fpir", help="A false positive identification rate.", rich_help_panel=AIM)
    ] = None,
    fnir: Annotated[
        float | None, typer.Option("--fnir", help="A false negative identification rate.", rich_help_panel=AIM)
    ] = None,
    interval: Annotated[
        float, typer.Option(help="Half the width of the interval, as a share of the rate: 0.3 is ±30 %.")
    ] = 0.3,
    level: Annotated[float, typer.Option(help="Confidence.")] = 0.95,
    samples: Annotated[int, typer.Option(help="Trials of each person, or of each pair of people for --fmr.")] = 1,
    correlation: Annotated[
        float | None,
        typer.Option(
            help="Share of a score's variance that belongs to a person; 0.2 (each of the two) for --fmr, else 0.3."
        ),
    ] = None,
    ordered: Annotated[
        bool | None,
        typer.Option("--ordered/--unordered", help="Each pair of people twice, with the parts changed, or once."),
    ] = None,
    simulate: Annotated[int | None, typer.Option(help="Make the test so often on simulated people.")] = None,
    seed: Annotated[int, typer.Option(help="Of the simulation.")] = 0,
    json: outputs.JsonOption = None,
) -> None:
    """Say how many people and comparisons a test needs: to claim a rate, or to know it so precisely.

    Example: bertillon plan --fmr 1e-4 --interval 0.3
    """
    from bertillon.render.planning import plan_json, plan_text
    from bertillon.stats.planning.simulated import try_plan
    from bertillon.stats.planning.sizes import Aim, plan_test

    name, rate = _asked({"FMR": fmr, "FNMR": fnmr, "FPIR": fpir, "FNIR": fnir})
    planned = plan_test(Aim(name, rate, interval, level), samples=samples, correlation=correlation, ordered=ordered)
    with Bar() as bar:
        tried = try_plan(planned, simulate, seed=seed, progress=bar) if simulate is not None else None
    if json == "-":
        print(plan_json(planned, tried), end="")
        return
    written = [outputs.write_text(plan_json(planned, tried), json)] if json else []
    console = outputs.console()
    console.print(plan_text(planned, tried))
    outputs.show_written(console, written)


def _asked(rates: dict[str, float | None]) -> tuple[str, float]:
    given = [(name, rate) for name, rate in rates.items() if rate is not None]
    if len(given) != 1:
        options = ", ".join(f"--{name.lower()}" for name in rates)
        found = " and ".join(f"--{name.lower()}" for name, _ in given) or "none"
        raise InputError(f"expected one rate to plan for, of {options}; found {found}")
    return given[0]
