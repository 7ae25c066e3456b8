"""Any Python function of two templates as a matcher.

Conventions: the function is called once for every pair with the two templates as they stand in the table, and returns
a number; NaN or None is a failed comparison. It is called by one thread at a time.

Holds `from_function` and `FromFunction`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np

from bertillon.core.errors import InputError
from bertillon.core.rule import AcceptRule
from bertillon.core.tables import TemplateTable
from bertillon.io.templates.checks import KINDS
from bertillon.matching.base import Array, Matcher, Prepared, empty_block

Function = Callable[[Array, Array], Any]

_CALL_LOCK = Lock()  # comparisons may be counted on several threads, and a function may know nothing of that


@dataclass(frozen=True)
class FromFunction(Matcher):
    """Compares templates by calling a function for each pair."""

    function: Function = field(repr=False)  # its address is another one in every run
    rule: AcceptRule
    name: str = "function"
    kinds: tuple[str, ...] = KINDS

    threaded = False

    @property
    def symmetric(self) -> bool:
        return False

    def _prepare(self, templates: TemplateTable) -> Prepared:
        rows = np.arange(len(templates))
        return Prepared({"row": rows}, 0, np.dtype(np.float64), {"templates": templates.templates})

    def _compare(self, probes: Prepared, gallery: Prepared) -> Array:
        out = empty_block(probes, gallery)
        x, y = probes.shared["templates"], gallery.shared["templates"]
        with _CALL_LOCK:
            for i, probe in enumerate(probes.rows["row"]):
                for j, other in enumerate(gallery.rows["row"]):
                    out[i, j] = self._score(x[probe], y[other])
        return out

    def _score(self, probe: Array, other: Array) -> float:
        score = self.function(probe, other)
        try:
            return float("nan") if score is None else float(score)
        except (TypeError, ValueError) as error:
            raise InputError(f"matcher {self.name}: the function returned {score!r}; a number is expected") from error


def from_function(function: Function, *, rule: AcceptRule | str, name: str | None = None) -> FromFunction:
    """A matcher that calls `function(probe, reference)` for each pair.

    >>> from_function(lambda a, b: abs(a - b).max(), rule="distance", name="chebyshev").name
    'chebyshev'
    """
    return FromFunction(function, AcceptRule.of(rule), name or str(getattr(function, "__name__", "function")))
