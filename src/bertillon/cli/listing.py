"""`bertillon measures`, `formats` and `matchers`: what can be asked and read, and how templates are compared."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from bertillon.cli.declare import argument
from bertillon.core.errors import InputError

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
    from rich.padding import Padding

    from bertillon.core.messages import spoken
    from bertillon.measures.attacks import ATTACKS
    from bertillon.measures.classification import CLASSIFICATION
    from bertillon.measures.identification import IDENTIFICATION
    from bertillon.measures.registry import VERIFICATION
    from bertillon.render.console import SafeConsole, Text

    if mode is not None and mode not in MODES:
        raise InputError(f"mode {mode!r} is not known; expected {', '.join(MODES)}")
    console = SafeConsole()
    for measure_set in (VERIFICATION, IDENTIFICATION, CLASSIFICATION, ATTACKS):
        if mode not in (None, measure_set.mode):
            continue
        console.print(Text(f"{measure_set.mode}\n", style="bold underline"))
        for definition in measure_set.definitions.values():
            also = f"; also called {', '.join(definition.synonyms)}" if definition.synonyms else ""
            console.print(Text(definition.example, style="bold"))
            console.print(Padding(Text(f"{spoken(definition.summary)}: {definition.formula}{also}"), (0, 0, 0, 4)))
        console.print(
            Text(f"\n{_OPERATING_POINTS[measure_set.mode]}\n" if measure_set.mode in _OPERATING_POINTS else "")
        )


def formats() -> None:
    """List the formats of files: of scores, and of templates."""
    from bertillon.io import FORMATS
    from bertillon.io.templates import TEMPLATE_FORMATS

    _show(
        "scores",
        ((f"{name} ({_use(format.reads, format.writes)})", format.summary) for name, format in FORMATS.items()),
    )
    known = TEMPLATE_FORMATS.items()
    _show("templates", ((f"{name} ({_use(format.reader is not None)})", format.summary) for name, format in known))


def matchers() -> None:
    """List the matchers: what they compare, their scores, and their options."""
    from bertillon.matching import MATCHERS, matcher_options

    rows = []
    for name, matcher in MATCHERS.items():
        options = ", ".join(matcher_options(name)) or "none"
        meaning = (matcher.__doc__ or "").partition("\n")[0]
        rows.append(
            (name, f"{meaning} A {matcher.rule.value} of {' or '.join(matcher.kinds)} templates; options: {options}")
        )
    _show("matchers", rows)


def _use(reads: bool, writes: bool = False) -> str:
    return ", ".join([*["read"] * reads, *["written"] * writes]) or "not read"


def _show(heading: str, rows: Iterable[tuple[str, str]]) -> None:
    from rich.padding import Padding

    from bertillon.render.console import SafeConsole, Text

    console = SafeConsole()
    console.print(Text(f"{heading}\n", style="bold underline"))
    for name, meaning in rows:
        console.print(Text(name, style="bold"))
        console.print(Padding(Text(meaning), (0, 0, 0, 4)))
    console.print()
