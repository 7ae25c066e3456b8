"""Coordinates, ticks and labels of the figures of 1:N searches; drawing only puts them on paper.

Conventions: as in `data`. All systems of a CMC share its axes, which show the rates that occur and little else. Ranks
are whole numbers: the lines between them only guide the eye. A watch-list ROC is a ROC whose false matches are false
alarms and whose true matches are detections. The surface DIR(t, k) is drawn along k, at the thresholds that keep a
few rates of false alarms: along t, later ranks differ only where almost every search alarms.

Holds `Searches`, and for each figure a function and what it returns: `cmc_data` (`CmcData`), `watch_list_data`
(`CurveData`) and `dir_ranks_data` (`DirRanksData`). `Level` is the surface at one threshold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertillon.core.messages import Message, chained, say, spoken
from bertillon.counting.curves.error_curve import Band
from bertillon.counting.error_counts import BinaryCounts
from bertillon.trials.search_tally import RankCurve, SearchTally, WatchListCurve
from bertillon.views.figures.axis import Axis, rank_axis, rate_axis, spanning
from bertillon.views.figures.bands import banded
from bertillon.views.figures.data import POINTS, CurveData, curve_data
from bertillon.views.figures.shapes import NOTHING, Line, Point, Ribbon

FPIRS = (0.001, 0.01, 0.1, 0.3, 1.0)

CMS, FPIR, DIR_SHORT = say("figure.CMS"), say("figure.FPIR"), say("figure.DIR_short")
EER_NAME = "EERopen"
NO_ENROLLED, NO_NONENROLLED = say("figure.no_enrolled"), say("figure.no_nonenrolled")
NO_SCORES = say("figure.no_threshold")


class Level(NamedTuple):
    """How many mates are detected within each rank, at the most permissive threshold that keeps an FPIR."""

    fpir: float
    detected: RankCurve


@dataclass(frozen=True, slots=True, eq=False)
class Searches:
    """What is drawn of one system: its CMC and, where known, its watch list at rank 1, EERopen and DIR by rank.

    >>> from bertillon.trials.search_set import SearchSet
    >>> system = Searches.of(SearchTally(SearchSet.from_ranks([1, 1, 3], gallery_size=10)))
    >>> system.cmc.rates[0].round(2).item(), system.open_set
    (0.67, False)
    """

    name: str
    cmc: RankCurve
    watch_list: WatchListCurve | None = None
    eer: float | None = None
    levels: tuple[Level, ...] = ()  # ever stricter
    cmc_band: Band | None = None
    watch_list_band: Band | None = None

    @classmethod
    def of(cls, tally: SearchTally, eer: float | None = None) -> Searches:
        """All that can be drawn of a set of searches; without non-enrolled ones, or scores, that is the CMC."""
        name, cmc = tally.searches.name, RankCurve.of(tally)
        if not tally.n_nonenrolled or not tally.searches.scored:
            return cls(name, cmc)
        return cls(name, cmc, WatchListCurve.of(tally), eer, levels_of(tally))

    @property
    def open_set(self) -> bool:
        """Are there non-enrolled searches, and so a watch list?"""
        return self.watch_list is not None and self.watch_list.counts.n_nonmated > 0

    @property
    def has_levels(self) -> bool:
        """Is DIR known by rank?"""
        return self.open_set and bool(self.levels)


@dataclass(frozen=True, slots=True, eq=False)
class CmcData:
    """Identification rate by rank; without enrolled searches the line is empty and the note says so."""

    name: str
    line: Line
    x_axis: Axis
    y_axis: Axis
    rr: float | None = None
    note: str = ""
    band: Ribbon | None = None

    @property
    def rr_point(self) -> Point | None:
        """Where the recognition rate stands, at rank 1."""
        return None if self.rr is None else Point(1.0, self.rr)


@dataclass(frozen=True, slots=True, eq=False)
class DirRanksData:
    """DIR by rank at several FPIR, strictest first, each line with the FPIR it holds for."""

    name: str
    lines: tuple[tuple[tuple[float, ...], Line], ...]
    x_axis: Axis
    y_axis: Axis
    note: str = ""


def levels_of(tally: SearchTally, fpirs: Sequence[float] = FPIRS) -> tuple[Level, ...]:
    """DIR(t, k) at each FPIR that the searches could show, and at no false alarm at all."""
    counts, searches = tally.watch_list(), tally.searches
    shown = [fpir for fpir in sorted(fpirs, reverse=True) if fpir * counts.n_nonmated >= 1]
    mates, ranks, rule = searches.mate_score[searches.enrolled], searches.ranks(), searches.rule
    levels = []
    for fpir in (*shown, 0.0):
        row = int(np.argmax(counts.false_match <= round(fpir * counts.n_nonmated, 6)))
        passes = np.isfinite(ranks) & rule.accepts(mates, rule.restore(float(counts.threshold[row])))
        passes &= row < len(counts) - 1  # the last rejects all
        passing = np.bincount(ranks[passes].astype(np.int64), minlength=tally.gallery_size + 1)
        levels.append(Level(fpir, RankCurve(np.cumsum(passing)[1:], tally.n_enrolled)))
    return tuple(levels)


def cmc_data(systems: Sequence[Searches]) -> list[CmcData]:
    """The share of mates within rank k, for all systems on the same axes."""
    sizes = {max(len(system.cmc), 1) for system in systems}
    x_axis = rank_axis(_rank_label(sizes), max(sizes))
    bands = [system.cmc_band for system in systems if system.cmc_band is not None]
    y_axis = _rates_axis(CMS, [system.cmc for system in systems], bands)
    return [banded(_cmc(system, x_axis, y_axis), system.cmc_band) for system in systems]


def watch_list_data(system: Searches) -> CurveData:
    """DIR at rank 1 against FPIR on a log axis."""
    counts, k = (system.watch_list.counts, system.watch_list.k) if system.watch_list else (_none_counted(system), 1)
    axes = rate_axis(FPIR, "log", counts.n_nonmated), rate_axis(say("figure.DIR", k=k), "linear", counts.n_mated)
    drawn = curve_data(system.name, counts, axes, eer=system.eer, note=_missing(counts))
    return banded(replace(drawn, eer_name=EER_NAME), system.watch_list_band)


def dir_ranks_data(system: Searches) -> DirRanksData:
    """DIR by rank at each of the system's levels."""
    size = max(len(system.cmc), 1)
    x_axis = rank_axis(_rank_label({size}), size)
    note = _missing(system.watch_list.counts if system.watch_list else _none_counted(system))
    if note or not system.levels:
        return DirRanksData(system.name, (), x_axis, rate_axis(DIR_SHORT, "linear", 0), note or spoken(NO_SCORES))
    curves = [level.detected for level in system.levels]
    y_axis = _rates_axis(DIR_SHORT, curves)
    fpirs, lines = [level.fpir for level in system.levels], [_by_rank(curve) for curve in curves]
    return DirRanksData(system.name, _shared(fpirs[::-1], lines[::-1]), x_axis, y_axis)


def _rank_label(sizes: set[int]) -> Message:
    return say("figure.rank_of", n=max(sizes)) if len(sizes) == 1 else say("figure.rank")


def _cmc(system: Searches, x_axis: Axis, y_axis: Axis) -> CmcData:
    curve = system.cmc
    if not curve.n_enrolled or not len(curve):
        return CmcData(system.name, Line(NOTHING, NOTHING), x_axis, y_axis, note=spoken(NO_ENROLLED))
    return CmcData(system.name, _by_rank(curve), x_axis, y_axis, float(curve.rates[0]))


def _by_rank(curve: RankCurve) -> Line:
    ranks = _seen_ranks(len(curve))
    return Line(ranks.astype(np.float64), curve.rates[ranks - 1])


def _rates_axis(label: Message, curves: Sequence[RankCurve], bands: Sequence[Band] = ()) -> Axis:
    """From the lowest rate at rank 1, or the lower end of a band, to the highest of all."""
    ends = [curve.rates[[0, -1]] for curve in curves if curve.n_enrolled and len(curve)]
    if not ends:
        return rate_axis(label, "linear", 0)
    known = [end for band in bands for end in (band.low, band.high)]
    whole = np.concatenate([*ends, *known])
    return spanning(label, float(np.nanmin(whole)), float(np.nanmax(whole)))


def _seen_ranks(size: int) -> NDArray[np.int64]:
    """All ranks, or as many as can be told apart on a log axis."""
    if size <= POINTS:
        return np.arange(1, size + 1)
    return np.unique(np.rint(np.geomspace(1, size, POINTS)).astype(np.int64))


def _shared(fpirs: Sequence[float], lines: Sequence[Line]) -> tuple[tuple[tuple[float, ...], Line], ...]:
    """Lines that differ, each with its FPIR."""
    kept: list[tuple[tuple[float, ...], Line]] = []
    for fpir, line in zip(fpirs, lines, strict=True):
        if kept and np.array_equal(kept[-1][1].y, line.y):
            kept[-1] = ((*kept[-1][0], fpir), line)
        else:
            kept.append(((fpir,), line))
    return tuple(kept)


def _missing(counts: BinaryCounts) -> str:
    lacking = {NO_ENROLLED: counts.n_mated, NO_NONENROLLED: counts.n_nonmated}
    return spoken(chained([words for words, size in lacking.items() if not size]))


def _none_counted(system: Searches) -> BinaryCounts:
    """The counts of a system without a watch list."""
    none = np.zeros(0, dtype=np.int64)
    return BinaryCounts(NOTHING, none, none, system.cmc.n_enrolled, 0)
