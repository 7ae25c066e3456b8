"""What every measure of a classifier is, and how it gets at the decisions it judges."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from bertillon.counts.class_tally import ClassTally
from bertillon.counts.confusion import Confusion
from bertillon.errors import InputError
from bertillon.measures.base import Measure, Result
from bertillon.measures.classification.place import Place
from bertillon.measures.registry import one_of
from bertillon.measures.spelling import Spelling

AVERAGES = ("macro", "micro", "weighted")
NO_WEIGHT = "all weights are 0"
NO_WEIGHTS = "weights have no part in it; leave them out"


class ClassMeasure(Measure):
    """A question asked of predictions."""

    @property
    def whole(self) -> bool:
        """The whole curve will be walked."""
        return False

    @abstractmethod
    def of(self, tally: ClassTally) -> Result:
        """The number, from what is counted about the predictions."""


def decisions(tally: ClassTally, place: Place | None) -> Confusion | str:
    """The confusion matrix at a place, or of the decisions as they were made; or why there is none."""
    if place is None:
        why = "scores are no probabilities and decide nothing by themselves; say where, as in F1@t=0.5"
        found = tally.confusion
        if found is None:
            return why
        return found if tally.weight else NO_WEIGHT
    reason = tally.why_not_scored or (tally.why_not_ranked if place.key != "t" else None)
    if reason:
        return reason
    row = place.find(tally.points)
    if row is None:
        return f"no threshold reaches {place}"
    threshold = place.target if place.key == "t" else float(tally.points.threshold[row])
    predictions = tally.predictions
    return Confusion.of_cells(predictions.classes, predictions.positive_code, tally.points.cells(row), threshold)


def place_of(spelling: Spelling) -> Place | None:
    """The place behind the @ of a spelling, if there is one."""
    if not spelling.at:
        return None
    if spelling.variant.lower() in AVERAGES:
        raise InputError(f"{spelling}: an average over classes is not read at a place; leave out one of the two")
    return Place.of(spelling)


def positive_bins(spelling: Spelling, default: int) -> int:
    """The bins= option: a whole number of 1 or more."""
    bins = spelling.options.get("bins", default)
    if bins != int(bins) or not 1 <= bins <= 100_000:
        raise InputError(f"{spelling}: bins is {bins:g}; expected a whole number from 1 to 100000")
    return int(bins)


def variant_of(spelling: Spelling, variants: tuple[str, ...]) -> str:
    """The variant, "" for the first (the plain one)."""
    found = one_of(spelling, variants)
    return "" if found == variants[0] else found


def group_rows(tally: ClassTally) -> list[NDArray[np.int64]]:
    """The places of the samples of each group."""
    groups = tally.predictions.groups
    assert groups is not None
    _, place = np.unique(groups.astype(np.str_) if groups.dtype == object else groups, return_inverse=True)
    order = np.argsort(place, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(place[order])) + 1)
