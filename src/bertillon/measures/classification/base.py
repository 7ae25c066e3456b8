"""What every measure of a classifier is, and how it gets at the decisions it judges.

Holds `ClassMeasure`, `ClassMeasureAtPoint` and `AnyNumberOfClasses` (the base classes), what advice asks of any measure
(`picks_threshold`, `for_classes`), `Judged` (what plans of intervals take as an error), `decisions` (the confusion
matrix a measure reads), what is read of groups (`group_rows`, `group_trials`), what spellings have in
common (`point_of`, `variant_of`, `positive_bins`), and the reasons why a number cannot be had.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say
from bertillon.counting.classes.confusion import Confusion
from bertillon.counting.classes.one_vs_rest import BinaryTrials, binary_trials
from bertillon.counting.error_counts import BinaryCounts, IntArray
from bertillon.counting.id_codes import rows_of_groups
from bertillon.counting.tally import Need
from bertillon.measures.base import NOWHERE, Measure, Result
from bertillon.measures.operating_point import THRESHOLD, OperatingPoint
from bertillon.measures.registry import CLASSIFICATION, one_of
from bertillon.measures.spelling import Spelling
from bertillon.trials.class_tally import NO_WEIGHT, ClassTally

AVERAGES = ("macro", "micro", "weighted")
NO_WEIGHTS = say("reason.weights_unused")
NO_GROUPS = say("reason.no_groups")
ONE_TRUE = say("reason.one_true_class")


class Judged(Enum):
    """What a plan of intervals takes as an error of a classifier."""

    DECISIONS = "a decision that is wrong"
    RANKING = "a negative with as high a score as a positive"
    ACCEPTED = "a negative among what is accepted"


class ClassMeasure(Measure):
    """A question asked of predictions."""

    @property
    def picks_threshold(self) -> bool:
        """Does it choose its threshold by looking at the truth?"""
        return False

    def for_classes(self, classes: int, average: str) -> ClassMeasure | None:
        """The measure as it is asked of so many classes, averaged so where it is of one; None where it has no sense."""
        return self if classes == 2 else None

    @abstractmethod
    def of(self, tally: ClassTally) -> Result:
        """The number, from what is counted about the predictions."""


class ClassMeasureAtPoint(ClassMeasure):
    """A measure of decisions: of those that were made, or of those at a place on the curve."""

    point: OperatingPoint | None

    @property
    def at(self) -> dict[str, float]:
        """The place as it stands behind the @ of the spelling."""
        return {} if self.point is None else {self.point.key: self.point.target}

    @property
    def needs(self) -> frozenset[Need]:
        return frozenset({Need.DECISIONS}) if self.point is None else frozenset()

    @property
    def thresholds(self) -> tuple[float, ...]:
        return (self.point.target,) if self.point is not None and self.point.key == THRESHOLD else ()

    @property
    def picks_threshold(self) -> bool:
        return self.point is not None and self.point.key != THRESHOLD

    def seek(self, outline: BinaryCounts) -> IntArray:
        return NOWHERE if self.point is None else self.point.seek(outline)


class AnyNumberOfClasses(ClassMeasure):
    """A measure of two classes and of more alike."""

    __slots__ = ()

    def for_classes(self, classes: int, average: str) -> ClassMeasure | None:
        return self


def picks_threshold(measure: Measure) -> bool:
    """Does a measure choose its threshold by looking at the truth?"""
    return isinstance(measure, ClassMeasure) and measure.picks_threshold


def for_classes(measure: Measure, classes: int, average: str) -> Measure | None:
    """A measure as it is asked of so many classes; None where it has no sense."""
    return measure.for_classes(classes, average) if isinstance(measure, ClassMeasure) else measure


def decisions(tally: ClassTally, point: OperatingPoint | None) -> Confusion | Message:
    """The confusion matrix at a place, or of the decisions as they were made; or why there is none."""
    if point is None:
        confusion = tally.confusion
        if confusion is None:
            return say("reason.undecided")
        return confusion if tally.weight else NO_WEIGHT
    reason = tally.why_not_scored or (None if tally.weight else NO_WEIGHT)
    reason = reason or (tally.why_not_ranked if point.key != "t" else None)
    if reason:
        return reason
    found = point.find(tally.points)
    if found is None:
        return say("reason.place_unreachable", place=str(point))
    threshold = point.shown(found, tally.points)
    predictions, cells = tally.predictions, tally.points.cells(found.row)
    return Confusion.of_cells(predictions.classes, predictions.positive_code, cells, threshold=threshold)


def point_of(spelling: Spelling) -> OperatingPoint | None:
    """The place behind the @ of a spelling, if there is one."""
    if not spelling.at:
        return None
    if spelling.variant.lower() in AVERAGES:
        raise InputError(f"{spelling}: an average over classes is not read at a place; leave out one of the two")
    return OperatingPoint.of(spelling, measures=CLASSIFICATION)


def positive_bins(spelling: Spelling, default: int) -> int:
    """The bins= option: a whole number of 1 or more."""
    bins = spelling.options.get("bins", default)
    if bins != int(bins) or not 1 <= bins <= 100_000:
        raise InputError(f"{spelling}: bins is {bins:g}; expected a whole number from 1 to 100000")
    return int(bins)


def variant_of(spelling: Spelling, variants: tuple[str, ...]) -> str:
    """The variant, "" for the first (the plain one)."""
    variant = one_of(spelling, variants)
    return "" if variant == variants[0] else variant


def group_rows(tally: ClassTally) -> list[NDArray[np.int64]]:
    """The places of the samples of each group of predictions that have groups."""
    assert tally.predictions.groups is not None
    return rows_of_groups(tally.predictions.groups)


def group_trials(tally: ClassTally) -> Iterator[BinaryTrials]:
    """The positive class against the other, group by group, of scored predictions that have groups."""
    predictions, scores = tally.predictions, tally.predictions.positive_scores
    assert scores is not None
    for chosen in group_rows(tally):
        weights = None if predictions.weights is None else predictions.weights[chosen]
        yield binary_trials(scores[chosen], predictions.truth[chosen], predictions.positive_code, weights=weights)
