"""The figures of one finding as functions by name, which `finding.plot` offers.

Conventions: those of `bt.plot` that take such a finding first. A figure that is only a chart of the registry is drawn
on a figure of its own.

Holds `plots_of`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from bertillon.evaluation import Evaluation
from bertillon.render.figures import plots

OF_KIND: dict[str, tuple[str, ...]] = {
    "verification": ("det", "roc", "errors", "distributions", "quality", "groups"),
    "identification": ("cmc", "watch_list", "groups"),
    "classification": (
        *("roc", "det", "pr", "errors", "confusion", "reliability"),
        *("cost", "risk_coverage", "groups"),
    ),
}
OF_TYPE = {  # by the name of the type
    "Comparison": ("forest",),
    "IndexedSearch": ("index",),
    "GallerySizes": ("gallery_size",),
    "DiscardCurve": ("discard",),
    "Menagerie": ("menagerie",),
    "GroupRates": ("group_rates",),
    "AttackFinding": ("attacks",),
}


def plots_of(finding: Any) -> dict[str, Callable[..., Any]]:
    """Every figure there is of a finding."""
    names: tuple[str, ...] = OF_KIND.get(finding.kind, ()) if isinstance(finding, Evaluation) else ()
    for base in type(finding).__mro__:
        names += OF_TYPE.get(base.__name__, ())
    return {name: partial(getattr(plots, f"plot_{name}"), finding) for name in names}
