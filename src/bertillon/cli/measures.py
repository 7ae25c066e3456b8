"""`bertillon measures`: the language of measures, listed."""

from __future__ import annotations

from typing import Annotated

import typer

from bertillon.core.errors import InputError

MODES = ("verification", "identification", "classification")
_PLACES = {
    "verification": (
        "After @ stands t (a threshold), FMR, FNMR, TMR, TNMR, FAR, FRR, GAR or GRR.\n"
        "FMR=x means at most x; FNMR[nearest]@FMR=x and FNMR[interpolated]@FMR=x say otherwise."
    ),
    "classification": (
        "After @ stands t (a threshold), FPR, FNR (at most x), Recall, Specificity or Precision (at least x).\n"
        "Of several classes a rate is an average: [macro], [micro] or [weighted]."
    ),
}


def measures(
    mode: Annotated[str | None, typer.Argument(help=f"{', '.join(MODES)}; all of them without.")] = None,
) -> None:
    """List every measure: how it is written, what it means, and its other names."""
    from rich.padding import Padding

    from bertillon.measures.classification import CLASSIFICATION
    from bertillon.measures.identification import IDENTIFICATION
    from bertillon.measures.registry import VERIFICATION
    from bertillon.render.console import SafeConsole, Text

    if mode is not None and mode not in MODES:
        raise InputError(f"mode {mode!r} is not known; expected {', '.join(MODES)}")
    console = SafeConsole()
    for language in (VERIFICATION, IDENTIFICATION, CLASSIFICATION):
        if mode not in (None, language.mode):
            continue
        console.print(Text(f"{language.mode}\n", style="bold underline"))
        for definition in language.definitions.values():
            also = f"; also called {', '.join(definition.synonyms)}" if definition.synonyms else ""
            console.print(Text(definition.example, style="bold"))
            console.print(Padding(Text(f"{definition.summary}: {definition.formula}{also}"), (0, 0, 0, 4)))
        console.print(Text(f"\n{_PLACES[language.mode]}\n" if language.mode in _PLACES else ""))
