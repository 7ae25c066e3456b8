"""Axes of charts, on paper and on the page, and where a rate lies on a linear, log or normal-deviate one.

Conventions: coordinates are what the drawing puts on paper: the rate itself on linear and log axes, its normal deviate
on normal axes. Log axes have no zero and normal axes neither zero nor one, so these rates stand half a trial inside.
Ticks of normal axes are labelled in percent, as DET plots are.

Holds `Axis`, `Scale`, `placed`, `clipped`, `rate_axis`, `rank_axis`, `score_axis`, `bent_axis` with `bent` and
`unbent`, `padded`, `spanning`, `from_zero`, `ends_of` and `joined`; `known`, a number that is one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.messages import Text, spoken

FloatArray = NDArray[np.float64]
Scale = Literal["linear", "log", "normal", "asinh"]
Limits = tuple[float, float]

MARGIN = 0.03  # of the axis beyond its first and last value
LOW_PERCENTS = (1e-7, 1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.1, 1.0, 5.0, 10.0, 20.0, 40.0)
PERCENTS = LOW_PERCENTS + tuple(100.0 - p for p in reversed(LOW_PERCENTS))
MORE_PERCENTS = tuple(sorted({*PERCENTS, 2.0, 30.0, 50.0, 70.0, 98.0}))
ENOUGH_TICKS = 4
LETTER, TICK_GAP = 0.018, 0.015  # width of a letter of a tick's label and room between two labels, of the axis
PANEL_LETTER, PANEL_GAP = 0.036, 0.03  # the same on the axis of a narrow panel
LONGEST_LINEAR = 50  # ranks
MOST_STEPS = 10
DECADES_WITH_STEPS = 3
ROOM = 0.1  # around rates that are all the same
BELOW = 0.09  # of the axis under the lowest rate, where its value may stand
LEAST_TOP = 0.01  # of an axis from 0
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis: what it shows, from where to where, and its ticks; no ticks leaves them to the drawing.

    `unit` is how values are read out: as rates, as whole numbers, as scores, or not at all (a density). An upright axis
    may have `names`, a row each from the top; its values are then the numbers of the rows. `floor` and `ceiling` are
    where 1/N and 1 - 1/N lie, N being the number of trials, where that is worth a line. On a bent axis ("asinh") values
    up to `linear` lie evenly.
    """

    label: Text
    low: float
    high: float
    scale: Scale = "linear"
    unit: Literal["rate", "number", "score", "density"] = "rate"
    names: tuple[Text, ...] = ()
    ticks: tuple[float, ...] = ()
    tick_labels: tuple[str, ...] = ()
    floor: float | None = None
    ceiling: float | None = None
    linear: float = 0.0

    @property
    def limits(self) -> Limits:
        """Both ends."""
        return self.low, self.high

    def shows(self, value: float | None) -> bool:
        """Is there a value, and does it lie between the ends?"""
        return value is not None and self.low <= value <= self.high

    def share(self, value: float) -> float:
        """How far along the axis a value lies, from 0 to 1.

        >>> Axis("FMR", 0.01, 1.0, "log").share(0.1)
        0.5
        """
        if self.scale == "log":
            low, at, high = (math.log10(v) for v in (self.low, value, self.high))
        else:
            low, at, high = (float(bent(v, self.linear)) for v in (self.low, value, self.high))
        return (at - low) / (high - low)


def placed(rates: ArrayLike, trials: int, scale: Scale) -> FloatArray:
    """Rates as coordinates; 0 (and on normal axes 1) half a trial inside, and a single trial counted as two.

    >>> placed([0.0, 0.01, 1.0], 100, "log").tolist()
    [0.005, 0.01, 1.0]
    """
    values, lowest = np.asarray(rates, dtype=np.float64), 0.5 / max(trials, 2)
    if scale == "linear":
        return values + 0.0
    if scale == "log":
        return np.maximum(values, lowest)
    return _deviates(np.clip(values, lowest, 1.0 - lowest))


def clipped(rates: ArrayLike, axis: Axis) -> FloatArray:
    """Rates as coordinates of an axis; on log and normal axes those beyond it lie on its edge.

    >>> clipped([0.0, 0.1], Axis("FMR", 0.001, 1.0, "log")).tolist()
    [0.001, 0.1]
    """
    values = np.asarray(rates, dtype=np.float64)
    if axis.scale == "linear":
        return values
    return np.clip(_deviates(np.clip(values, 0.0, 1.0)) if axis.scale == "normal" else values, *axis.limits)


def rate_axis(label: Text, scale: Scale, trials: int, upper: float = 1.0) -> Axis:
    """The axis of a rate measured on so many trials, up to a rate of `upper`."""
    low, high = (float(end) for end in placed([0.0, upper], trials, scale))
    floor = ceiling = None
    if scale != "linear" and trials > 1:
        floor = float(placed(1.0 / trials, trials, scale))
        ceiling = float(placed(1.0 - 1.0 / trials, trials, scale)) if scale == "normal" else None
    return _ticked(Axis(spoken(label), *padded((low, high), scale), scale, floor=floor, ceiling=ceiling))


def rank_axis(label: Text, size: int) -> Axis:
    """Ranks from 1 to the size of the gallery: a log axis, unless they are few."""
    scale: Scale = "linear" if size <= LONGEST_LINEAR else "log"
    limits = padded((1.0, float(size)), scale) if size > 1 else (0.5, 1.5)
    labelled = _labelled_ranks(size, scale)
    ticks = sorted({*labelled, *(_powers(size) if scale == "log" else ())})  # a power without room is a bare tick
    labels = tuple(f"{rank:,}" if rank in labelled else "" for rank in ticks)
    return Axis(spoken(label), *limits, scale, "number", ticks=tuple(float(rank) for rank in ticks), tick_labels=labels)


def score_axis(label: Text, limits: Limits) -> Axis:
    """A linear axis in the user's units."""
    return Axis(spoken(label), *limits, unit="score")


def bent(scores: ArrayLike, linear: float) -> FloatArray:
    """Scores as places on a bent axis; as they are where all lie evenly.

    >>> bent([0.0, 100.0], 0.0).tolist(), unbent(bent(100.0, 2.0), 2.0).round(9).item()
    ([0.0, 100.0], 100.0)
    """
    values = np.asarray(scores, dtype=np.float64)
    return np.arcsinh(values / linear) if linear else values


def unbent(places: ArrayLike, linear: float) -> FloatArray:
    """Places on a bent axis as scores."""
    values = np.asarray(places, dtype=np.float64)
    return np.sinh(values) * linear if linear else values


def bent_axis(label: Text, limits: Limits, linear: float) -> Axis:
    """A bent axis in the user's units, with ticks at 0 and at powers of ten."""
    axis = Axis(spoken(label), *limits, "asinh", "score", linear=linear)
    powers = range(math.floor(math.log10(linear)), math.ceil(math.log10(max(map(abs, limits)))) + 1)
    ticks = [0.0, *(sign * 10.0**power for power in powers for sign in (1, -1))]
    kept: list[tuple[float, float, float]] = []
    for tick in filter(axis.shows, ticks):  # those near 0 first
        at, half = axis.share(tick), PANEL_LETTER * len(f"{tick:.10g}") / 2
        if all(abs(at - other) >= half + width + PANEL_GAP for other, width, _ in kept):
            kept.append((at, half, tick))
    shown = sorted(tick for *_, tick in kept)
    return replace(axis, ticks=tuple(shown), tick_labels=tuple(f"{tick:.10g}" for tick in shown))


def spanning(label: Text, low: float, high: float) -> Axis:
    """A linear axis that shows these rates and little else, so that small differences are seen."""
    if high <= low:
        low, high = max(low - ROOM, 0.0), min(high + ROOM, 1.0)
    return Axis(spoken(label), low - BELOW * (high - low), padded((low, high))[1])


def from_zero(label: Text, top: float) -> Axis:
    """A linear axis from a little below 0."""
    top = max(top, LEAST_TOP)
    return Axis(spoken(label), padded((0.0, top))[0], top)


def ends_of(*values: ArrayLike, more: float = 0.0, room: float = 0.5) -> Limits:
    """Limits around all finite values, with `more` of their span at both ends and some `room` around a single value."""
    whole = np.concatenate([np.atleast_1d(np.asarray(part, dtype=np.float64)) for part in values])
    known = whole[np.isfinite(whole)]
    if not known.size:
        return 0.0, 1.0
    low, high = float(known.min()), float(known.max())
    around = more * (high - low) if low < high else room * max(1.0, abs(low))
    return padded((low - around, high + around))


def joined(axes: Sequence[Axis]) -> Axis:
    """One axis with room for all of them; 1/N is that of the fewest trials."""
    if axes[0].ticks and all(axis == axes[0] for axis in axes):
        return axes[0]
    low, high = min(axis.low for axis in axes), max(axis.high for axis in axes)
    floor = max((axis.floor for axis in axes if axis.floor is not None), default=None)
    return _ticked(replace(axes[0], low=low, high=high, floor=floor))


def padded(limits: Limits, scale: Scale = "linear") -> Limits:
    """Limits with a little room at both ends."""
    if scale == "log":
        low, high = padded((math.log10(limits[0]), math.log10(limits[1])))
        return 10.0**low, 10.0**high
    room = MARGIN * (limits[1] - limits[0])
    return limits[0] - room, limits[1] + room


def _deviates(rates: ArrayLike) -> FloatArray:
    from scipy.special import ndtri

    deviates: FloatArray = ndtri(np.asarray(rates, dtype=np.float64))
    return deviates


def _ticked(axis: Axis) -> Axis:
    if axis.scale == "normal":
        ticks, labels = _normal_ticks(axis.limits)
    elif axis.scale == "log":
        ticks, labels = _log_ticks(axis.limits)
    else:
        return axis
    return replace(axis, ticks=ticks, tick_labels=labels)


def _normal_ticks(limits: Limits) -> tuple[tuple[float, ...], tuple[str, ...]]:
    ticks = _percents_within(PERCENTS, limits)
    if len(ticks) < ENOUGH_TICKS:
        ticks = _percents_within(MORE_PERCENTS, limits)
    return tuple(ticks.values()), tuple(_plain(percent) for percent in ticks)


def _percents_within(percents: Iterable[float], limits: Limits) -> dict[float, float]:
    """Percents and their deviates, those that the axis reaches and has room for."""
    listed = list(percents)
    deviates = _deviates(np.array(listed) / 100.0).tolist()
    kept: dict[float, float] = {}
    taken, span = -math.inf, limits[1] - limits[0]
    for label, at in zip(listed, deviates, strict=True):
        half = LETTER * len(_plain(label)) / 2 * span
        if limits[0] <= at <= limits[1] and at - half >= taken:
            kept[label] = at
            taken = at + half + TICK_GAP * span
    return kept


def _log_ticks(limits: Limits) -> tuple[tuple[float, ...], tuple[str, ...]]:
    """Powers of ten; on a short axis 2 and 5 as well, written out."""
    low, high = (math.log10(limit) for limit in limits)
    exponents = range(math.floor(low), math.floor(high) + 1)
    if high - low > 2:
        powers = [e for e in exponents if low <= e <= high]
        labels = ("10" + str(e).translate(SUPERSCRIPTS) if e else "1" for e in powers)
        return tuple(10.0**e for e in powers), tuple(labels)
    ticks = [float(f"{digit}e{e}") for e in exponents for digit in (1, 2, 5)]
    shown = [tick for tick in ticks if limits[0] <= tick <= limits[1]]
    return tuple(shown), tuple(_plain(tick) for tick in shown)


def _labelled_ranks(size: int, scale: Scale) -> set[int]:
    """The first rank and the last, and round ones between them that have room for their labels."""
    longest = max(math.log10(size), 1e-9) if scale == "log" else max(size - 1, 1)
    kept: dict[int, tuple[float, float]] = {}
    for rank in (1, size, *_round_ranks(size, scale)):
        at = (math.log10(rank) if scale == "log" else rank - 1) / longest
        half = PANEL_LETTER * len(f"{rank:,}") / 2
        if all(abs(at - other) >= half + width + PANEL_GAP for other, width in kept.values()):
            kept[rank] = at, half
    return set(kept)


def _round_ranks(size: int, scale: Scale) -> list[int]:
    """Round ranks below the last, those first that matter most."""
    if scale == "linear":
        step = next((step for step in (1, 2, 5) if size <= MOST_STEPS * step), 10)
        return list(range(step, size, step))
    powers = _powers(size)
    if len(powers) > DECADES_WITH_STEPS:
        return powers
    return powers + [digit * power for power in (1, *powers) for digit in (2, 5) if digit * power < size]


def _powers(size: int) -> list[int]:
    """Powers of ten between the first rank and the last."""
    return [10**e for e in range(1, len(str(size))) if 10**e < size]


def _plain(number: Any) -> str:
    """A number without an exponent: 0.0001, not 1e-04."""
    return np.format_float_positional(float(f"{number:.10g}"), trim="-")


def known(value: float | None) -> float | None:
    """The value; None where it is not a number."""
    return None if value is None or math.isnan(value) else value
