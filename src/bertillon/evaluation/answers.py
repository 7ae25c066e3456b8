"""What every evaluation has in common: answers read by name, a signature, and the ways out to dict, frame and JSON."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, ClassVar

from bertillon._version import __version__
from bertillon.measures.base import Measure, Result
from bertillon.measures.registry import Language
from bertillon.rule import AcceptRule

if TYPE_CHECKING:
    import polars as pl


class Answers(ABC):
    """Results under the canonical names of their measures, for one system in one mode."""

    language: ClassVar[Language]
    results: Mapping[str, Result]

    @property
    @abstractmethod
    def name(self) -> str:
        """The system's name."""

    @property
    @abstractmethod
    def rule(self) -> AcceptRule:
        """Which side of the threshold is accepted."""

    @property
    @abstractmethod
    def counts(self) -> dict[str, int]:
        """How many trials of each kind."""

    @property
    @abstractmethod
    def definitions(self) -> dict[str, Any]:
        """What the numbers mean, and the data they belong to."""

    def __getitem__(self, measure: str | Measure) -> Result:
        name = str(self.language.parse(measure))
        if name not in self.results:
            raise KeyError(f"{name} was not evaluated; evaluated were {', '.join(self.results)}")
        return self.results[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    @property
    def signature(self) -> dict[str, Any]:
        """What one needs to know to get the same numbers again."""
        return {"version": __version__, **self.definitions}

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON: an undefined number is None with its reason, an infinity is "inf"."""
        return {
            "bertillon": __version__,
            "mode": self.language.mode,
            "name": self.name,
            "rule": self.rule.value,
            "counts": self.counts,
            "measures": [{"name": name} | plain(asdict(result)) for name, result in self.results.items()],
            "signature": self.signature,
        }

    def to_json(self) -> str:
        """The same as strict JSON text."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False, ensure_ascii=False)

    def to_frame(self) -> pl.DataFrame:
        """One row a measure: name, value, threshold, errors, trials, reason."""
        import polars as pl

        columns = {"value": pl.Float64, "threshold": pl.Float64, "errors": pl.Int64, "trials": pl.Int64, "reason": str}
        rows = [{"name": name} | asdict(result) for name, result in self.results.items()]
        return pl.DataFrame(rows, schema={"name": str, **columns})


def plain(value: Any) -> Any:
    """A value, or a dict or list of values, as strict JSON allows it."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value
