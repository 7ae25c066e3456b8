"""Names and rates as they stand in a figure: on one line, cleaned, and short.

Holds `shortened`, `shown_names`, `sized` and `percent_label`.
"""

from __future__ import annotations

from collections.abc import Sequence

from bertillon.core.messages import Text, say, spoken

LONGEST = 28  # characters


def shortened(name: str, longest: int = LONGEST) -> str:
    """A name on one line, its middle left out when it is long: names often differ at the end.

    >>> shortened("face matcher trained on the large set, version 7", 20)
    'face match…version 7'
    """
    clean = "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in name).strip()
    if len(clean) <= longest:
        return clean
    tail = (longest - 1) // 2
    return clean[: longest - 1 - tail] + "…" + clean[-tail:]


def shown_names(names: Sequence[str]) -> list[str]:
    """Short names; among several systems the nameless are numbered."""
    shown = [shortened(name) for name in names]
    return (
        [name or spoken(say("figure.system", number=i)) for i, name in enumerate(shown, 1)] if len(names) > 1 else shown
    )


def sized(name: Text, size: int) -> str:
    """A name with how many there are of it."""
    return spoken(say("figure.sized", name=name, n=size))


def percent_label(rate: float) -> str:
    """A rate in percent to three digits."""
    return f"{100 * rate:.3g} %"
