"""`bertillon measures`, `formats` and `matchers`: what can be asked and read, and how templates are compared."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from bertillon.cli import rooms
from bertillon.cli.declare import argument
from bertillon.cli.rooms import render
from bertillon.core.errors import InputError
from bertillon.core.messages import spoken

MODES = ("verification", "identification", "classification", "attacks")
_OPERATING_POINTS = {
    "verification": (
        "After @ stands t (a threshold), FMR, FNMR, TMR, TNMR, FAR, FRR, GAR or GRR.\n"
        "FMR=x means at most x; FNMR[nearest]@FMR=x and FNMR[interpolated]@FMR=x say otherwise."
    ),
    "classification": (
        "After @ stands t (a threshold), FPR, FNR (at most x), Recall, Specificity or Precision (at least x).\n"
        "Of several classes a rate is an average: [macro], [micro] or [weighted]."
    ),
    "attacks": (
        "After @ stands t (a threshold); for IAPAR and RIAPAR also FMR or another rate of verification,\n"
        "for APCER, BPCER and ACER also APCER (at most x for every species) or BPCER."
    ),
}


def measures(
    mode: Annotated[str | None, argument("MODE", f"{', '.join(MODES)}; all of them by default.")] = None,
) -> None:
    """List every measure: how it is written, what it means, and its other names."""
    known = {measure_set.mode: measure_set for measure_set in rooms.measures.measure_sets()}
    if mode is not None and mode not in known:
        raise InputError(f"mode {mode!r} is not known; expected {', '.join(known)}")
    for name in known if mode is None else [mode]:
        rows = ((each.example, _meaning(each)) for each in known[name].definitions.values())
        _show(name, rows, _OPERATING_POINTS.get(name, ""))


def _meaning(definition: rooms.measures.Definition) -> str:
    also = f"; also called {', '.join(definition.synonyms)}" if definition.synonyms else ""
    formula = f": {definition.formula}" if definition.formula else ""
    return f"{spoken(definition.summary)}{formula}{also}"


def formats() -> None:
    """List the formats of files: of scores, and of templates."""
    scores, templates = rooms.formats.FORMATS.items(), rooms.formats.TEMPLATE_FORMATS.items()
    _show("scores", ((f"{name} ({_use(format.reads, format.writes)})", format.summary) for name, format in scores))
    _show("templates", ((f"{name} ({_use(format.reader is not None)})", format.summary) for name, format in templates))


def matchers() -> None:
    """List the matchers: what they compare, their scores, and their options."""
    rows = []
    for name, matcher in rooms.matching.MATCHERS.items():
        options = ", ".join(rooms.matching.matcher_options(name)) or "none"
        meaning = (matcher.__doc__ or "").partition("\n")[0]
        rows.append(
            (name, f"{meaning} A {matcher.rule.value} of {' or '.join(matcher.kinds)} templates; options: {options}")
        )
    _show("matchers", rows)


def _use(reads: bool, writes: bool = False) -> str:
    return ", ".join([*["read"] * reads, *["written"] * writes]) or "not read"


def _show(heading: str, rows: Iterable[tuple[str, str]], note: str = "") -> None:
    from rich.padding import Padding

    console = render.SafeConsole()
    console.print(render.Text(f"{heading}\n", style="bold underline"))
    for name, meaning in rows:
        console.print(render.Text(name, style="bold"))
        console.print(Padding(render.Text(meaning), (0, 0, 0, 4)))
    console.print(render.Text(f"\n{note}\n" if note else ""))
