"""Coordinates of scores by sample quality.

Conventions: comparisons are put in order of their quality and cut into parts of equally many; each part shows the
median of its scores and the range that holds nine in ten of them, at its median quality. Equal qualities stay together.
A comparison has one quality: usually the lower one of its two samples. Mated and non-mated ones are cut apart.

Holds `QualityData`, made of two `ByQuality`, and `quality_data`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import say, spoken
from bertillon.views.figures.axis import Axis, Limits, padded
from bertillon.views.figures.data import SCORE, System
from bertillon.views.figures.shapes import FloatArray, Line, Ribbon

PARTS, FEWEST = 20, 20  # parts at most, comparisons in each at least
TAILS = (5.0, 50.0, 95.0)  # percent
SHOWN = say("figure.quality.shown")


class ByQuality(NamedTuple):
    """The median score by quality, and the range of most scores; empty where there are none."""

    median: Line
    most: Ribbon


@dataclass(frozen=True, slots=True, eq=False)
class QualityData:
    """Scores of both classes by quality, and the threshold between them."""

    name: str
    mated: ByQuality
    nonmated: ByQuality
    x_axis: Axis
    y_axis: Axis
    threshold: float | None = None
    notes: tuple[str, ...] = ()


def quality_data(system: System, mated: ArrayLike, nonmated: ArrayLike) -> QualityData:
    """Scores by the quality of each comparison, given in the order of the scores."""
    first = _parts(_checked(mated, system.scores.mated.size, "mated"), system.scores.mated)
    second = _parts(_checked(nonmated, system.scores.nonmated.size, "non-mated"), system.scores.nonmated)
    return QualityData(
        system.name,
        first,
        second,
        Axis(spoken(say("figure.quality")), "linear", _ends(first.most.x, second.most.x)),
        Axis(spoken(SCORE), "linear", _ends(first.most.low, first.most.high, second.most.low, second.most.high)),
        system.threshold if system.threshold is not None and np.isfinite(system.threshold) else None,
        (spoken(say("figure.shaded", what=SHOWN)),),
    )


def _checked(values: ArrayLike, expected: int, kind: str) -> FloatArray:
    quality = np.asarray(values, dtype=np.float64)
    if quality.shape != (expected,):
        raise InputError(
            f"{quality.size:,} qualities for {expected:,} {kind} scores; expected one each "
            "(a comparison that failed has no score: leave out its quality)"
        )
    if not np.isfinite(quality).all():
        raise InputError(f"a {kind} quality is {quality[~np.isfinite(quality)][0]}; expected numbers")
    return quality


def _parts(quality: FloatArray, scores: NDArray[Any]) -> ByQuality:
    """The median and the range of the scores in each part."""
    order = np.argsort(quality, kind="stable")
    quality, scores = quality[order], scores[order]
    count = max(min(PARTS, quality.size // FEWEST), 1)
    begin = quality[(np.arange(count) * quality.size) // count] if quality.size else quality
    starts = np.unique(np.searchsorted(quality, begin))  # a part among equal qualities begins before them all
    parts = [part for part in np.split(np.arange(quality.size), starts[1:]) if part.size]
    x = np.array([np.median(quality[part]) for part in parts])
    ends = np.array([np.percentile(scores[part], TAILS) for part in parts]).reshape(-1, 3)
    return ByQuality(Line(x, ends[:, 1]), Ribbon(x, ends[:, 0], ends[:, 2], spoken(SHOWN)))


def _ends(*values: FloatArray) -> Limits:
    whole = np.concatenate(values)
    known = whole[np.isfinite(whole)]
    if not known.size:
        return 0.0, 1.0
    low, high = float(known.min()), float(known.max())
    room = 0.0 if low < high else 0.5 * max(1.0, abs(low))
    return padded((low - room, high + room))
