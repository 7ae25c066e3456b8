"""The input of a 1:N evaluation: what is left to know of each search once a gallery has gone by.

Conventions: one row is one search of a probe in the gallery. People are ranked, not templates (unless `fusion` is
"none"). Scores keep the user's units and direction. A search of an enrolled person has a *mate*, the person it is of.
Where the mate is no candidate (its comparisons failed, or a candidate list ended before it) it has no rank and is never
found, but the search still counts. A search that gave no score at all is not a row: it is counted as failed.

Ties: `n_better` others are strictly more alike than the mate and `n_equal` ones just as alike, so the mate's rank is
1 + n_better + n_equal (pessimistic, the default), 1 + n_better (optimistic) or halfway (mean).

Holds `SearchSet`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.arguments import NUMBER, as_array, fill, require
from bertillon.core.errors import InputError
from bertillon.core.messages import Text, say
from bertillon.core.rule import AcceptRule
from bertillon.core.showing import short_repr
from bertillon.counting.error_counts import FloatArray, IntArray
from bertillon.counting.keys import fingerprint
from bertillon.counting.tally import Needs
from bertillon.trials.aligning import Aligned, align_searches, refuse_ids, same_columns
from bertillon.trials.protocol import row_numbers
from bertillon.trials.search_blocks import FUSIONS
from bertillon.trials.search_tally import TIES as TIES
from bertillon.trials.search_tally import SearchTally

NO_RANK = -1
_COLUMNS = ("enrolled", "mate_score", "n_better", "n_equal", "top_score", "top_other")
_OPTIONAL_COLUMNS = ("others", "probe_subject", "average_precision", "source_row")
_READ = (  # by measures
    *("mate_score", "n_better", "n_equal", "top_score", "top_other", "others", "average_precision"),
    *("gallery_size", "rule", "failed_enrolled", "failed_nonenrolled"),
)


@dataclass(frozen=True, slots=True, eq=False)
class SearchSet:
    """Searches, one a row, and the rule their scores follow.

    Parameters
    ----------
    enrolled
        Whether the person who searches is in the gallery.
    mate_score
        The score with oneself; NaN without a mate.
    n_better, n_equal
        People with a better score than the mate, and with the same.
    top_score, top_other
        The best score of all, and of all but the mate.
    gallery_size
        How many people are enrolled.
    rule
        "similarity" or "distance".

    Examples
    --------
    >>> s = SearchSet([True], [0.82], [1], [0], [0.85], [0.85], gallery_size=5)
    >>> s.ranks().tolist(), s.n_enrolled, s.n_nonenrolled
    ([2.0], 1, 0)
    """

    __repr__ = short_repr

    enrolled: NDArray[np.bool_]
    mate_score: FloatArray  # NaN without a mate
    n_better: IntArray  # -1 where the mate is no candidate
    n_equal: IntArray
    top_score: FloatArray  # of all people in the gallery; NaN where a list came back empty
    top_other: FloatArray  # of all people but the mate
    gallery_size: int
    rule: AcceptRule = AcceptRule.SIMILARITY
    _: KW_ONLY
    failed_enrolled: int = 0
    failed_nonenrolled: int = 0
    others: FloatArray | None = None  # best candidates of each non-enrolled search, best first, NaN after the last
    probe_subject: NDArray[Any] | None = None
    average_precision: FloatArray | None = None  # over templates, ties pessimistic; NaN for a non-enrolled search
    source_row: IntArray | None = None  # of the probe among the templates, or its first among comparisons
    fusion: str = "best"
    name: str = ""
    notes: tuple[Text, ...] = ()
    warnings: tuple[Text, ...] = ()

    kind: ClassVar[Literal["identification"]] = "identification"
    form: ClassVar[Literal["whole"]] = "whole"

    def __post_init__(self) -> None:
        fill(self, rule=AcceptRule.of(self.rule), enrolled=np.asarray(self.enrolled, dtype=np.bool_))
        for name in ("mate_score", "top_score", "top_other", "others", "average_precision"):
            if getattr(self, name) is not None:
                fill(self, **{name: _floats(getattr(self, name), name)})
        fill(self, n_better=np.asarray(self.n_better, np.int64), n_equal=np.asarray(self.n_equal, np.int64))
        if self.probe_subject is not None:
            fill(self, probe_subject=as_array(self.probe_subject, "probe_subject", "one subject for each search"))
        require(self.gallery_size, NUMBER, "gallery_size", "how many people are enrolled")
        self._check_lengths()
        fill(self, mate_score=np.where(self.enrolled, self.mate_score, np.nan))
        fill(self, n_better=np.where(self.enrolled, self.n_better, NO_RANK))
        fill(self, n_equal=np.where(self.n_better < 0, 0, self.n_equal))
        self._check_counts()

    @classmethod
    def from_ranks(cls, ranks: ArrayLike, gallery_size: int | None = None) -> SearchSet:
        """Searches of enrolled people of which only the mate's rank is known; 0 or infinity: not found.

        >>> SearchSet.from_ranks([1, 1, 3], gallery_size=10).ranks().tolist()
        [1.0, 1.0, 3.0]
        """
        values = _floats(ranks, "ranks")
        known = np.isfinite(values) & (values != 0)
        if ((values[known] < 1) | (values[known] % 1 != 0)).any():
            raise InputError("ranks: expected whole numbers from 1, and 0 or infinity where the mate was not found")
        n_better = np.where(known, values - 1, NO_RANK).astype(np.int64)
        unknown = np.full(values.size, np.nan)
        size = gallery_size if gallery_size is not None else int(n_better.max(initial=0)) + 1
        return cls(np.ones(values.size, bool), unknown, n_better, np.zeros(values.size, int), unknown, unknown, size)

    @classmethod
    def join(cls, parts: Sequence[SearchSet]) -> SearchSet:
        """Searches of different probes in the same gallery as one set; what was said of each part is said once."""
        if not parts:
            raise InputError("no searches to join; expected one set or more")
        first = parts[0]
        for name in ("rule", "gallery_size", "fusion"):
            if len({getattr(part, name) for part in parts}) > 1:
                raise InputError(f"searches that differ in {name} cannot be joined")
        return cls(
            **{name: np.concatenate([getattr(part, name) for part in parts]) for name in _COLUMNS},
            **{name: _joined([getattr(part, name) for part in parts]) for name in _OPTIONAL_COLUMNS},
            gallery_size=first.gallery_size,
            rule=first.rule,
            failed_enrolled=sum(part.failed_enrolled for part in parts),
            failed_nonenrolled=sum(part.failed_nonenrolled for part in parts),
            fusion=first.fusion,
            name=first.name,
            notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
            warnings=tuple(dict.fromkeys(warning for part in parts for warning in part.warnings)),
        )

    def __len__(self) -> int:
        return int(self.enrolled.size)

    @property
    def n_enrolled(self) -> int:
        """Searches of people who are in the gallery."""
        return int(np.count_nonzero(self.enrolled))

    @property
    def n_nonenrolled(self) -> int:
        """Searches of people who are not."""
        return len(self) - self.n_enrolled

    @property
    def failed(self) -> int:
        """Searches that gave no score."""
        return self.failed_enrolled + self.failed_nonenrolled

    @property
    def found(self) -> NDArray[np.bool_]:
        """Is the mate among the candidates?"""
        return self.n_better >= 0

    @property
    def scored(self) -> bool:
        """Are scores known, not ranks only?"""
        return not np.isnan(self.mate_score[self.found]).any()

    def ranks(self, ties: str = TIES[0]) -> FloatArray:
        """The mate's rank in each search of an enrolled person; infinite where it is no candidate."""
        if ties not in TIES:
            raise InputError(f"ties is {ties!r}; expected {', '.join(TIES)}")
        n_better, n_equal = self.n_better[self.enrolled], self.n_equal[self.enrolled]
        share = {"pessimistic": 1.0, "optimistic": 0.0, "mean": 0.5}[ties]
        return np.where(n_better < 0, np.inf, 1.0 + n_better + share * n_equal)

    @property
    def n_trials(self) -> int:
        """All searches that gave a score."""
        return len(self)

    @property
    def counts(self) -> dict[str, int]:
        """How many searches of each kind, how many failed, and how many people are in the gallery."""
        return {
            "enrolled": self.n_enrolled,
            "nonenrolled": self.n_nonenrolled,
            "failed": self.failed,
            "gallery": self.gallery_size,
        }

    @property
    def fingerprint(self) -> str:
        """A short name for the data: the same for the same searches in any order."""
        table = np.stack([getattr(self, name) for name in _COLUMNS if name != "enrolled"])
        table = np.where(np.isnan(table), np.inf, table)  # one spelling of NaN
        return fingerprint(table[:, self.enrolled].ravel(), table[:, ~self.enrolled].ravel())

    @property
    def definitions(self) -> dict[str, Any]:
        """What the numbers mean, and the data they belong to."""
        return {
            "rule": say("signature.rule.pass", sign=self.rule.sign),
            "thresholds": say("signature.thresholds.searches"),
            "targets": say("signature.targets.at_most"),
            "dir": say("signature.dir.passes"),
            "ties": say("signature.ties.pessimistic"),
            "fusion": say(f"signature.fusion.{self.fusion}") if self.fusion in FUSIONS else self.fusion,
            "failed": say("signature.failed.left_out"),
            "eer": say("signature.eer.interpolated"),
            "data": self.fingerprint,
        }

    @property
    def curves(self) -> tuple[str, ...]:
        """The CMC, and the watch list where somebody is not enrolled and scores are known."""
        if not self.n_enrolled:
            return ()
        return ("cmc", "watch-list") if self.n_nonenrolled and self.scored else ("cmc",)

    def count(self, needs: Needs) -> SearchTally:
        """Everything that measures of searches read; it is counted when first read."""
        return SearchTally(self)

    def select(self, rows: ArrayLike) -> Self:
        """Some of the searches, by a mask or by row numbers.

        >>> SearchSet.from_ranks([1, 1, 3], gallery_size=10).select([2, 0]).ranks().tolist()
        [3.0, 1.0]
        """
        chosen = row_numbers(rows, len(self))
        held = {name: getattr(self, name) for name in (*_COLUMNS, *_OPTIONAL_COLUMNS) if name != "others"}
        columns = {name: column[chosen] for name, column in held.items() if column is not None}
        if self.others is not None:  # one row a non-enrolled search
            nonenrolled_row = np.cumsum(~self.enrolled) - 1
            columns["others"] = self.others[nonenrolled_row[chosen[~self.enrolled[chosen]]]]
        return replace(self, **columns)

    def same_as(self, other: SearchSet) -> bool:
        """Is whatever a measure reads the same?"""
        return same_columns(self, other, _READ)

    def align(self, other: SearchSet, by: Sequence[str] | None = None) -> Aligned[SearchSet]:
        """The searches both systems made; their people tell them apart, so nothing can be named in `by`."""
        refuse_ids(by)
        return align_searches(self, other)

    def _check_lengths(self) -> None:
        optional = [name for name in _OPTIONAL_COLUMNS if name != "others"]
        extra = [name for name in optional if getattr(self, name) is not None]
        for name in (*_COLUMNS, *extra):
            shape = np.shape(getattr(self, name))
            if shape != self.enrolled.shape or len(shape) != 1:
                raise InputError(f"{name} has shape {shape} for {self.enrolled.shape} searches; expected one each")
        if self.others is not None and (self.others.ndim != 2 or len(self.others) != self.n_nonenrolled):
            raise InputError(
                f"others has shape {self.others.shape} for {self.n_nonenrolled:,} non-enrolled searches; "
                "expected one row each"
            )

    def _check_counts(self) -> None:
        lowest = int(min(self.n_equal.min(initial=0), self.n_better.min(initial=0) - NO_RANK))
        if min(lowest, self.failed_enrolled, self.failed_nonenrolled) < 0:
            raise InputError("a count of searches or people is negative; expected 0 or more (n_better: -1 for no rank)")
        last = int((1 + self.n_better + self.n_equal).max(initial=0))
        if last > self.gallery_size:
            raise InputError(f"a mate has rank {last:,} in a gallery of {self.gallery_size:,}; is gallery_size right?")

        mate, top = (self.rule.orient(scores[self.found]) for scores in (self.mate_score, self.top_score))
        if not (np.isnan(mate) | (top >= mate)).all():
            raise InputError("a mate is more alike than the top score of its search; expected the top over all people")


def _joined(columns: Sequence[Any]) -> Any:
    """The columns one after the other; None where one is not known or they do not go together."""
    if any(column is None for column in columns) or len({np.shape(column)[1:] for column in columns}) > 1:
        return None
    return np.concatenate(columns)


def _floats(values: ArrayLike, name: str) -> FloatArray:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: not numbers ({error})") from None
