"""What is left of comparisons that were counted and not kept.

Holds `CountedScores`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from numpy.typing import NDArray

from bertillon.core.messages import Text, say
from bertillon.core.rule import AcceptRule
from bertillon.counting.fingerprint import fingerprint
from bertillon.counting.outcomes import Outcomes, outcomes_on
from bertillon.counting.scores import Failures, curves_of, definitions_of
from bertillon.counting.tally import Needs, Tally

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

    kind: ClassVar[Literal["verification"]] = "verification"
    form: ClassVar[Literal["counted", "streamed"]] = "counted"

    @property
    def rule(self) -> AcceptRule:
        return self.tally.rule

    @property
    def failures(self) -> Failures:
        return self.tally.failures

    @property
    def failed(self) -> int:
        """Comparisons that gave no score."""
        return self.failures.comparisons

    @property
    def n_trials(self) -> int:
        """Mated and non-mated comparisons together."""
        return self.tally.n_mated + self.tally.n_nonmated

    @property
    def counts(self) -> dict[str, int]:
        """How many comparisons of each kind, and how many failed."""
        return {"mated": self.tally.n_mated, "nonmated": self.tally.n_nonmated, "failed": self.failed}

    @property
    def fingerprint(self) -> str:
        """A short name for the data, from what was kept of them."""
        return fingerprint(self.mated, self.sample)

    @property
    def data(self) -> Text:
        """The fingerprint, and what it is of."""
        return say("signature.data.sampled", data=self.fingerprint)

    @property
    def definitions(self) -> dict[str, Any]:
        """What the numbers mean, and the data they belong to."""
        return definitions_of(self.rule, self.data) | ({"tile": self.tile} if self.tile else {})

    @property
    def curves(self) -> tuple[str, ...]:
        """ROC and DET, where there are scores of both kinds."""
        return curves_of(self.tally.n_mated, self.tally.n_nonmated)

    def count(self, needs: Needs) -> Tally:
        """What was counted; nothing more can be, whatever is needed."""
        return self.tally

    def outcomes(self, threshold: float) -> Outcomes:
        """How the comparisons end at the first threshold at least as strict at which the curve is known."""
        return outcomes_on(self.tally.outline, self.rule, threshold)

    def with_enrolments(self, failed: int, attempted: int) -> CountedScores:
        """The same counts, and how many people could not be enrolled."""
        failures = replace(self.failures, enrolments=failed, enrolment_attempts=attempted)
        return replace(self, tally=replace(self.tally, failures=failures))
