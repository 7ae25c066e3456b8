"""What every measure is: a frozen value that knows its spelling, where to look, and how to read its number.

Holds `Measure`, its `Result`, what many measures are (`NamedMeasure`, `CurveMeasure`, `ClassMeasure`), `BlockValues`
(what one gives of a block of resamples), the reasons why a number of comparisons cannot be had, and `LIMITS`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from bertillon.core.messages import Message, Text, joined, say
from bertillon.core.rule import AcceptRule
from bertillon.counting.error_counts import BinaryCounts, FloatArray, IntArray
from bertillon.counting.tally import Need, Tally
from bertillon.measures.plans import IntervalPlan, PairedTest, Resample, Target
from bertillon.measures.spelling import Spelling, reject_all_but_name

if TYPE_CHECKING:
    from bertillon.measures.known import Answer, Exact, Known, KnownRates, Visit
    from bertillon.trials.class_tally import ClassTally

BlockValues = tuple[FloatArray, FloatArray]  # values and oriented thresholds, one a resample
NOWHERE: IntArray = np.empty(0, dtype=np.int64)
NO_MATED = say("reason.no_mated")
NO_NONMATED = say("reason.no_nonmated")
NOT_LLR = say("reason.not_llr")
NO_TRIALS = say("reason.no_trials")
NO_POSITIVES, NO_NEGATIVES = say("reason.no_positives"), say("reason.no_negatives")
NO_WEIGHT, ONE_TRUE = say("reason.no_weight"), say("reason.one_true_class")


@dataclass(slots=True)
class Limits:
    """How many scores a measure takes up together, or can be resampled of; read whenever it is done."""

    llr_chunk: int = 1 << 20  # scores whose costs are added up together
    bob_scores: int = 1_000_000  # scores; the equal error rate as bob adds it up is not resampled of more


LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Result:
    """A measure's number and what stands behind it.

    `threshold` is oriented while measures work and in the user's units once an evaluation hands it out; None where the
    measure has none. Where the value is a rate, `errors` of `trials` went wrong: the value is their share, or what is
    left of it for a rate of success. `reason` says why a value is NaN: a message, or the words of a measure of
    another package.
    """

    value: float
    threshold: float | None = None
    errors: int | None = None
    trials: int | None = None
    reason: Text | None = None

    @classmethod
    def undefined(cls, reason: Text) -> Result:
        """A number that cannot be had, and why."""
        return cls(math.nan, reason=reason)

    @classmethod
    def share(cls, errors: int, trials: int, threshold: float | None = None) -> Result:
        """Errors out of trials."""
        if not trials:
            return cls(math.nan, threshold, errors, trials, NO_TRIALS)
        return cls(errors / trials, threshold, errors, trials)

    def restored(self, rule: AcceptRule) -> Result:
        """The same with its oriented threshold in the user's units."""
        if self.threshold is None:
            return self
        return Result(self.value, rule.restore(self.threshold), self.errors, self.trials, self.reason)


class Measure(ABC):
    """A question asked of a tally. Subclasses are frozen dataclasses, registered under their names."""

    rates_alone: ClassVar[bool] = False  # reads rates and no counts, so that a listed curve answers it

    @property
    @abstractmethod
    def spelling(self) -> Spelling:
        """The canonical spelling."""

    @abstractmethod
    def of(self, tally: Any) -> Result:
        """The number, from what was counted in the mode the measure belongs to."""

    def of_block(self, block: Any) -> BlockValues:
        """The number in each resample of a block, and its threshold; NaN where there is none.

        Here one resample is asked after the other; a family that reads all of them at once says the same of each. A
        measure that reads every score has to do so, since a resample has none: only weights of the block's cells.
        """
        values, thresholds = np.full(block.size, math.nan), np.full(block.size, math.nan)
        for resample in range(0 if Need.SCORES in self.needs else block.size):
            result = self.of(block.tally(resample))
            values[resample] = result.value
            thresholds[resample] = math.nan if result.threshold is None else result.threshold
        return values, thresholds

    @property
    def needs(self) -> frozenset[Need]:
        """What it reads besides the counts around the points it seeks."""
        return frozenset()

    @property
    def thresholds(self) -> tuple[float, ...]:
        """Thresholds, in the user's units, at which the measure must know the counts.

        Of the bins that hold them it reads these counts only.
        """
        return ()

    @property
    def ends(self) -> tuple[float, float] | None:
        """The ends of its values where its options decide them; None where its definition does."""
        return None

    def seek(self, outline: BinaryCounts) -> IntArray:
        """Rows of the outline whose bins (up to the next row) may hold the answer; a few too many do no harm."""
        return NOWHERE

    @property
    def monotone(self) -> bool:
        """Is it never better on a worse curve, one with no fewer errors of either kind at every threshold?

        Where scores were only counted, such a measure lies between its values on the best and on the worst curve that
        the counts allow. A subclass may simply say `monotone = True`.
        """
        return False

    @property
    def fixed_between_mated(self) -> bool:
        """Does it not matter which non-mated scores lie between two mated ones, but only how many?"""
        return self.monotone

    def unfit(self, tally: Any) -> Message | None:
        """Why these comparisons have no such number, whatever their scores are."""
        return missing_class(tally)

    def on(self, known: Known) -> Answer:
        """What is known of it where scores were not kept: exact, enclosed, or the reason why not."""
        return known.ask(self)

    def of_rates(self, rates: KnownRates) -> Exact | Message:
        """The number that a listed curve gives, or why it gives none."""
        return rates.read(self) if self.rates_alone else rates.not_kept

    def visit(self, rule: AcceptRule, ends: tuple[float, float] | None) -> Visit | Result | None:
        """What it takes from every block of a stream; None where it need not see them all.

        It is asked before the first block. Where it has nothing to say then, and the stream can be walked again, it is
        asked again when the smallest and the largest oriented score are known, which may be all it needs.
        """
        return None

    def interval(self, result: Result) -> IntervalPlan:
        """Which interval fits it: resampled, and bounded by the worst curve where no error was made."""
        return Resample(None if self.needs & {Need.MOMENTS, Need.SCORES} else self)

    @property
    def paired_test(self) -> PairedTest | None:
        """The classical test of two systems over the same comparisons that fits it."""
        return None

    @property
    def picks_threshold(self) -> bool:
        """Does it choose its threshold by looking at the truth: where a rate meets a target, or something is best?"""
        return False

    @property
    def target(self) -> Target | None:
        """The rate it is read at, such as FMR = 0.001, and of which trials; None where it is read at no rate.

        Whether so many trials can show such a rate is judged by it (rule of 3).
        """
        return None

    def for_classes(self, classes: int, average: str) -> Measure | None:
        """The measure as it is asked of so many classes, averaged so where it is of one; None where it has no sense."""
        return self

    @property
    def counts_failures(self) -> bool:
        """Are comparisons that failed counted in?"""
        return False

    @property
    def counts_enrolments(self) -> bool:
        """Are enrolments that failed counted in?"""
        return False

    def __str__(self) -> str:
        return str(self.spelling)


class NamedMeasure(Measure):
    """A measure that is its name alone, a field of it."""

    name: str

    @classmethod
    def build(cls, spelling: Spelling) -> Self:
        """The measure of that name."""
        reject_all_but_name(spelling)
        return cls(spelling.name)  # type: ignore[call-arg]

    @property
    def spelling(self) -> Spelling:
        return Spelling(self.name)


class CurveMeasure(Measure):
    """A measure that sets two classes against each other, so that it needs both."""

    def of(self, tally: Any) -> Result:
        reason = self.unfit(tally)
        return Result.undefined(reason) if reason else self.read(tally)

    @abstractmethod
    def read(self, tally: Any) -> Result:
        """The number, where both classes have scores."""


class ClassMeasure(Measure):
    """A question asked of predictions, of two classes where it says nothing else."""

    def for_classes(self, classes: int, average: str) -> Measure | None:
        return self if classes == 2 else None

    def unfit(self, tally: ClassTally) -> Message | None:
        return tally.why_not_ranked

    @abstractmethod
    def of(self, tally: ClassTally) -> Result:
        """The number, from what is counted about the predictions."""


def missing_class(tally: Tally) -> Message | None:
    """Why nothing can be said when one class has no scores."""
    missing = [why for why, n in ((NO_MATED, tally.n_mated), (NO_NONMATED, tally.n_nonmated)) if not n]
    return joined(missing) or None
