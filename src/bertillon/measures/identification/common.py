"""What measures of searches share: variants made of words, where on a watch list a number is read, and what is missing.

Holds `words_of` and `variant_of`, `search_point` and `rank_of`, the ways in which an enrolled search goes wrong
(`Miss` and its kinds `Unranked`, `NobodyPasses`, `OthersPass`), and the reasons why a number cannot be had.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, joined, say
from bertillon.counting.error_counts import BinaryCounts, FloatArray
from bertillon.measures.base import Spelling
from bertillon.measures.operating_point import THRESHOLD, OperatingPoint, require_point
from bertillon.measures.registry import IDENTIFICATION
from bertillon.trials.search_set import SearchSet
from bertillon.trials.search_tally import DETECTED_BY, TIES, SearchTally

NO_ENROLLED = say("reason.no_enrolled")
NO_NONENROLLED = say("reason.no_nonenrolled")
NO_SCORES = say("reason.ranks_only")
RANK = "k"
RANKED_POINTS = ("DIR", "FNIR")


def words_of(spelling: Spelling, *families: Sequence[str]) -> list[str]:
    """One word of each family from a variant such as [top-optimistic]; the first of a family where none is given."""
    words = spelling.variant.lower().split("-") if spelling.variant else []
    chosen = []
    for family in families:
        named = [word for word in words if word in family]
        if len(named) > 1:
            raise InputError(f"{spelling}: variant has both {named[0]} and {named[1]}; expected one of them")
        chosen.append(named[0] if named else family[0])
    strange = [word for word in words if not any(word in family for family in families)]
    if strange:
        known = ", ".join(word for family in families for word in family)
        raise InputError(f"{spelling}: variant {spelling.variant!r} is not known; expected {known or 'none'}")
    return chosen


def variant_of(chosen: Sequence[str], *families: Sequence[str]) -> str:
    """The shortest variant that means these words.

    >>> variant_of(["top", "pessimistic"], ("mate", "top"), ("pessimistic", "optimistic"))
    'top'
    """
    return "-".join(word for word, family in zip(chosen, families, strict=True) if word != family[0])


def rank_of(spelling: Spelling, rank: float | None) -> int:
    """A rank as a whole number; 1 where none is given."""
    if rank is None:
        return 1
    if not (math.isfinite(rank) and rank >= 1 and rank == int(rank)):
        raise InputError(f"{spelling}: rank {rank:g}; expected a whole number, 1 or more")
    return int(rank)


def missing(tally: SearchTally, *, enrolled: bool, nonenrolled: bool, scores: bool = True) -> Message | None:
    """Why a number cannot be had that needs enrolled searches, non-enrolled ones, or scores."""
    reasons = [NO_ENROLLED] if enrolled and not tally.n_enrolled else []
    reasons += [NO_NONENROLLED] if nonenrolled and not tally.n_nonenrolled else []
    if not reasons and enrolled and scores and not tally.searches.scored:
        reasons.append(NO_SCORES)
    return joined(reasons) or None


def search_point(spelling: Spelling, keys: Sequence[str]) -> tuple[OperatingPoint, float | None]:
    """The point behind the @ of a spelling, and the rank beside it."""
    at = {_canonical(key): value for key, value in spelling.at.items()}
    rank = at.pop(RANK, None)
    if len(at) != 1 or len(at) + (rank is not None) != len(spelling.at):
        raise InputError(f"{spelling}: expected one place to read it at, such as {spelling.name}@{keys[0]}=0.5")
    (key, target), *_ = at.items()
    require_point(spelling, key, target=target, keys=keys, written=key)
    return OperatingPoint(key, target), rank


@dataclass(frozen=True, slots=True)
class Miss:
    """An enrolled search is missed: what must pass does not, or the mate is not at rank k or better."""

    k: float = 1
    by: str = DETECTED_BY[0]
    ties: str = TIES[0]

    def wrong(self, searches: SearchSet, threshold: float) -> NDArray[np.bool_]:
        """Which enrolled searches go wrong at a threshold in the user's units."""
        score = searches.mate_score if self.by == DETECTED_BY[0] else searches.top_score
        passes = searches.rule.accepts(score[searches.enrolled], threshold)
        return np.asarray(~(passes & (searches.ranks(self.ties) <= self.k)))

    def curve(self, tally: SearchTally) -> BinaryCounts:
        """False alarms and misses at every threshold."""
        return tally.watch_list(self.k, self.ties, self.by)


class Unranked(Miss):
    """The mate is not at rank k or better, whatever its score."""

    __slots__ = ()

    def wrong(self, searches: SearchSet, threshold: float) -> NDArray[np.bool_]:
        return np.asarray(self.ranks(searches) > self.k)

    def ranks(self, searches: SearchSet) -> FloatArray:
        """The rank of each mate."""
        return searches.ranks(self.ties)


class NobodyPasses(Miss):
    """The list comes back empty."""

    __slots__ = ()

    def wrong(self, searches: SearchSet, threshold: float) -> NDArray[np.bool_]:
        return np.asarray(~searches.rule.accepts(searches.top_score[searches.enrolled], threshold))

    def curve(self, tally: SearchTally) -> BinaryCounts:
        return tally.top_score_errors()


class OthersPass(Miss):
    """Somebody passes, and the search is missed all the same."""

    __slots__ = ()

    def wrong(self, searches: SearchSet, threshold: float) -> NDArray[np.bool_]:
        somebody = searches.rule.accepts(searches.top_score[searches.enrolled], threshold)
        return np.asarray(somebody & Miss(self.k, self.by, self.ties).wrong(searches, threshold))


def _canonical(key: str) -> str:
    if key.lower() in ("t", "threshold"):
        return THRESHOLD
    if key.lower() in ("k", "rank"):
        return RANK
    return IDENTIFICATION.canonical_name(key) or key
