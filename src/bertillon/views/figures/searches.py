"""Figures of 1:N searches: CMC, watch-list ROC, DIR by rank, and the trade-off of an approximate index.

Conventions: all systems of a CMC share its axes, which show the rates that occur and little else. Ranks are whole
numbers: the lines between them only guide the eye. A watch-list ROC is a ROC whose false matches are false alarms and
whose true matches are detections. The surface DIR(t, k) is drawn along k, at the thresholds that keep a few rates of
false alarms, the darker, the fewer these are: along t, later ranks differ only where almost every search alarms. What
an index loses is in percentage points against the exact search, which loses nothing and stands alone at its own speed.

Holds `Searches` with `searches_of` and `levels_of` (`Level` is the surface at one threshold); `cmc_curves`,
`watch_list_curve`, `dir_ranks_panel` and `trade_off_panel`.
"""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import NamedTuple

import numpy as np

from bertillon.core.messages import Message, chained, say, spoken
from bertillon.counting import Band, BinaryCounts
from bertillon.evaluation import SearchEvaluation
from bertillon.evaluation.templates import DETECTION, RANK_ONE, IndexedSearch
from bertillon.trials.search_tally import RankCurve, SearchTally, WatchListCurve
from bertillon.views.figures import chart
from bertillon.views.figures.axis import Axis, Limits, rank_axis, rate_axis, spanning
from bertillon.views.figures.compose import Curve, banded, each, those_with, together
from bertillon.views.figures.errors import NO_BANDS, POINTS, error_curve_on, rate_text

FPIRS = (0.001, 0.01, 0.1, 0.3, 1.0)
RAMP = ("#08306B", "#0072B2", "#2A9D96", "#6FA23A", "#B8912B", "#888888")  # no false alarm, up to each of FPIRS
DOTTED_RANKS, DOT = 10, 3.5
PERCENT = 100.0
LEAST = 0.1  # percentage points that the axis of an index shows at least
HEAD, FOOT = 0.45, 0.08  # of the losses, left free above them for the names, and below

CMS, FPIR, DIR_SHORT = say("figure.CMS"), say("figure.FPIR"), say("figure.DIR_short")
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
    eer_text: str = ""  # with the digits that its interval supports
    levels: tuple[Level, ...] = ()  # ever stricter
    cmc_band: Band | None = None
    watch_list_band: Band | None = None

    @classmethod
    def of(cls, tally: SearchTally, eer: float | None = None) -> Searches:
        """All that can be drawn of a set of searches; without non-enrolled ones, or scores, that is the CMC."""
        name, cmc = tally.searches.name, RankCurve.of(tally)
        if not tally.n_nonenrolled or not tally.searches.scored:
            return cls(name, cmc)
        return cls(name, cmc, WatchListCurve.of(tally), eer, levels=levels_of(tally))

    @property
    def open_set(self) -> bool:
        """Are there non-enrolled searches, and so a watch list?"""
        return self.watch_list is not None and self.watch_list.counts.n_nonmated > 0

    @property
    def has_levels(self) -> bool:
        """Is DIR known by rank?"""
        return self.open_set and bool(self.levels)


def searches_of(evaluation: SearchEvaluation, bands: Mapping[str, Band] = NO_BANDS) -> Searches:
    """The rank curve, the watch list and EERopen, where these are known."""
    eer = evaluation.results.get("EERopen")
    system = Searches.of(evaluation.tally, None if eer is None else eer.value)
    text = "" if eer is None else rate_text(eer, evaluation.intervals.get("EERopen"))
    return replace(system, eer_text=text, cmc_band=bands.get("cmc"), watch_list_band=bands.get("watch-list"))


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


def cmc_curves(systems: Sequence[Searches]) -> list[Curve]:
    """The share of mates within rank k, for all systems on the same axes; at rank 1 the recognition rate."""
    sizes = {max(len(system.cmc), 1) for system in systems}
    bands = [system.cmc_band for system in systems if system.cmc_band is not None]
    axes = rank_axis(_rank_label(sizes), max(sizes)), _rates_axis(CMS, [system.cmc for system in systems], bands)
    return [banded(_cmc(system, axes), system.cmc_band) for system in systems]


def cmc_panel(curves: Sequence[Curve]) -> chart.Panel:
    """Identification rate by rank, with the recognition rate, and dots at the first ranks, where they stand apart."""
    panel, ranks = together(curves, sides=chart.SIDES[1:2], size="normal", headed=False), slice(DOTTED_RANKS)
    first = [
        chart.Line("", line.x[ranks], line.y[ranks], dots=True, joined=False, pen=chart.Pen(line.style, dot=DOT))
        for line in panel.of(chart.Line)
    ]
    return replace(panel, marks=(*first, *panel.marks))


def watch_list_curve(system: Searches) -> Curve:
    """DIR at rank 1 against FPIR on a log axis."""
    counts, k = (system.watch_list.counts, system.watch_list.k) if system.watch_list else (_none_counted(system), 1)
    axes = rate_axis(FPIR, "log", counts.n_nonmated), rate_axis(say("figure.DIR", k=k), "linear", counts.n_mated)
    how = {"name": system.name, "note": _missing(counts), "eer_name": "EERopen", "eer_text": system.eer_text}
    return banded(error_curve_on(axes, counts, "roc", eer=system.eer, **how), system.watch_list_band)


def dir_ranks_chart(systems: Sequence[Searches]) -> chart.Chart:
    """A panel for each system with non-enrolled searches; of systems that all lack them, the first says so."""
    shown, note = those_with(systems, lambda system: system.has_levels, needed="nonenrolled")
    if not shown:
        shown, note = list(systems[:1]), ""
    return each(shown, dir_ranks_panel, note)


def dir_ranks_panel(system: Searches) -> chart.Panel:
    """A line an FPIR, strictest first: what longer candidate lists are worth, and what fewer false alarms cost."""
    size = max(len(system.cmc), 1)
    x_axis = rank_axis(_rank_label({size}), size)
    missing = _missing(system.watch_list.counts if system.watch_list else _none_counted(system))
    if missing or not system.levels:
        why = (missing or spoken(NO_SCORES),)
        return chart.Panel(x_axis, rate_axis(DIR_SHORT, "linear", 0), title=system.name, missing=why)
    alike = groupby(reversed(system.levels), key=lambda level: level.detected.counts.tobytes())
    lines = tuple(_level_line(list(levels)) for _, levels in alike)
    y_axis = _rates_axis(DIR_SHORT, [level.detected for level in system.levels])
    return chart.Panel(x_axis, y_axis, lines, system.name, legend="ends")


def trade_off_panel(indexed: IndexedSearch) -> chart.Panel:
    """Speed against loss of rank 1 and, where it is known, of DIR; a point an effort, the one used in a circle."""
    points = indexed.trade_off
    speed = np.array([point.searches_a_second for point in points])
    used = next(index for index, point in enumerate(points) if point.effort == indexed.effort)
    every = {
        RANK_ONE: [PERCENT * point.rank_one_loss for point in points],
        DETECTION: [PERCENT * point.detection_loss for point in points],
    }
    lost = {name: np.array(losses) for name, losses in every.items() if not math.isnan(losses[used])}
    marks: list[chart.Mark] = []
    for i, (name, losses) in enumerate(lost.items()):
        marks.append(chart.Line(name, speed, losses, i, dots=True))
        marks.append(chart.Spot(float(speed[used]), float(losses[used]), i, "circle"))
    marks.append(chart.Spot(indexed.exact_a_second, 0.0, "quiet", "diamond", spoken(say("figure.exact"))))
    above = chart.Side(0.0, 7.0, "center", "baseline")
    highest = np.max(list(lost.values()), axis=0)
    marks += [
        chart.Label(f"{point.effort}", float(x), float(y), (above,), "quiet", rim=False, optional=True)
        for point, x, y in zip(points, speed, highest, strict=True)
    ]
    low, high = min(0.0, *map(np.min, lost.values())), max(LEAST, *map(np.max, lost.values()))
    return chart.Panel(
        Axis(spoken(say("figure.speed")), *_speeds([indexed.exact_a_second, *speed.tolist()]), "log", "number"),
        Axis(spoken(say("figure.loss")), low - FOOT * (high - low), high + HEAD * (high - low)),
        tuple(marks),
        title=spoken(say("figure.index", kind=indexed.kind, system=indexed.searches.name)),
        notes=(spoken(say("figure.efforts")),),
        legend="corner",
    )


def _rank_label(sizes: set[int]) -> Message:
    return say("figure.rank_of", n=max(sizes)) if len(sizes) == 1 else say("figure.rank")


def _cmc(system: Searches, axes: tuple[Axis, Axis]) -> Curve:
    curve = system.cmc
    if not curve.n_enrolled or not len(curve):
        return Curve(system.name, chart.EMPTY, *axes, note=spoken(NO_ENROLLED))
    rate = float(curve.rates[0])
    fact = f"RR {chart.near_all(rate)}"
    return Curve(system.name, _by_rank(curve), *axes, fact, rate, chart.Point(1.0, rate), fact)


def _by_rank(curve: RankCurve) -> chart.Path:
    """The rates at all ranks, or at as many as can be told apart on a log axis."""
    size = len(curve)
    ranks = np.arange(1, size + 1)
    if size > POINTS:
        ranks = np.unique(np.rint(np.geomspace(1, size, POINTS)).astype(np.int64))
    return chart.Path(ranks.astype(np.float64), curve.rates[ranks - 1])


def _rates_axis(label: Message, curves: Sequence[RankCurve], bands: Sequence[Band] = ()) -> Axis:
    """From the lowest rate at rank 1, or the lower end of a band, to the highest of all."""
    ends = [curve.rates[[0, -1]] for curve in curves if curve.n_enrolled and len(curve)]
    if not ends:
        return rate_axis(label, "linear", 0)
    known = [end for band in bands for end in (band.low, band.high)]
    whole = np.concatenate([*ends, *known])
    return spanning(label, float(np.nanmin(whole)), float(np.nanmax(whole)))


def _missing(counts: BinaryCounts) -> str:
    lacking = {NO_ENROLLED: counts.n_mated, NO_NONENROLLED: counts.n_nonmated}
    return spoken(chained([words for words, size in lacking.items() if not size]))


def _none_counted(system: Searches) -> BinaryCounts:
    """The counts of a system without a watch list."""
    none = np.zeros(0, dtype=np.int64)
    return BinaryCounts(chart.NOTHING, none, none, system.cmc.n_enrolled, 0)


def _level_line(levels: Sequence[Level]) -> chart.Line:
    """One line for levels that detect the same."""
    fpirs = [level.fpir for level in levels]
    return chart.Line(_level_name(fpirs), *_by_rank(levels[0].detected), pen=chart.Pen(RAMP[bisect(FPIRS, fpirs[0])]))


def _level_name(fpirs: Sequence[float]) -> str:
    """What the strictest of several levels promises, and up to which the line is the same.

    >>> _level_name([0.01]), _level_name([0.0, 0.01]), _level_name([1.0])
    ('FPIR ≤ 0.01', 'FPIR 0 to 0.01', 'any FPIR')
    """
    first, last = (f"{fpir:.4g}" for fpir in (fpirs[0], fpirs[-1]))
    if first != last:
        return spoken(say("figure.fpir_range", first=first, last=last))
    return {"0": "FPIR = 0", "1": spoken(say("figure.any_fpir"))}.get(first, f"FPIR ≤ {first}")


def _speeds(speeds: Sequence[float]) -> Limits:
    """Whole powers of ten around all speeds, so that the axis has two ticks at least."""
    low, high = (math.log10(end) for end in (min(speeds), max(speeds)))
    return 10.0 ** math.floor(low - 0.05), 10.0 ** math.ceil(high + 0.05)
