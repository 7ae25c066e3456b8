"""What is left of comparisons that were counted and not kept.

Holds `CountedScores`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from bertillon.core.messages import Text
from bertillon.core.rule import AcceptRule
from bertillon.counting.scores import Failures
from bertillon.counting.tally import Tally

if TYPE_CHECKING:
    from bertillon.counting.tiles.group_cells import CountedGroups
    from bertillon.counting.tiles.people import ComparedPeople


@dataclass(frozen=True, slots=True, eq=False)
class CountedScores:
    """A tally, the mated scores, and a sample of the others."""

    tally: Tally
    mated: NDArray[Any]
    sample: NDArray[Any]  # of the non-mated scores, spread over all tiles
    thresholds: tuple[float, ...]  # asked for before counting; only these are exact between mated scores
    name: str
    notes: tuple[Text, ...]
    warnings: tuple[Text, ...] = ()
    tile: int | None = None  # the side of the tiles in which they were counted
    people: ComparedPeople | None = None  # who was compared; None where nobody knows
    groups: CountedGroups | None = None  # counts by pairs of groups of people, where these were asked for

    @property
    def rule(self) -> AcceptRule:
        return self.tally.rule

    @property
    def failures(self) -> Failures:
        return self.tally.failures

    def with_enrolments(self, failed: int, attempted: int) -> CountedScores:
        """The same counts, and how many people could not be enrolled."""
        failures = replace(self.failures, enrolments=failed, enrolment_attempts=attempted)
        return replace(self, tally=replace(self.tally, failures=failures))
