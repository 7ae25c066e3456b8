"""`bertillon measures`: the language of measures, listed."""

from __future__ import annotations

_PLACES = """
After @ stands t (a threshold), FMR, FNMR, TMR, TNMR, FAR, FRR, GAR or GRR.
FMR=x means at most x; FNMR[nearest]@FMR=x and FNMR[interpolated]@FMR=x say otherwise."""


def measures() -> None:
    """List every measure: how it is written, what it means, and its other names."""
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    from bertillon.measures.identification import IDENTIFICATION
    from bertillon.measures.registry import VERIFICATION

    console = Console()
    for language in (VERIFICATION, IDENTIFICATION):
        console.print(Text(f"{language.mode}\n", style="bold underline"))
        for definition in language.definitions.values():
            also = f"; also called {', '.join(definition.synonyms)}" if definition.synonyms else ""
            console.print(Text(definition.example, style="bold"))
            console.print(Padding(Text(f"{definition.summary}: {definition.formula}{also}"), (0, 0, 0, 4)))
    console.print("\nAfter @ stands t (a threshold), FMR, FNMR, TMR, TNMR, FAR, FRR, GAR or GRR.", markup=False)
    console.print(
        "FMR=x means at most x; FNMR[nearest]@FMR=x and FNMR[interpolated]@FMR=x say otherwise.", markup=False
    )
