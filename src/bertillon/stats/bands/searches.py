"""Bands of the curves of 1:N searches: how sure the CMC is at every rank, and the watch list at every rate of alarms.

Conventions: as everywhere, the gallery stays as it is; what varies are the people who are searched for. All places of a
curve are read from a resample at once.

Holds `cmc_band` and `watch_list_band`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.errors import InputError
from bertillon.counting.curves.error_curve import Band, Kind
from bertillon.counting.error_counts import FloatArray, IntArray
from bertillon.measures.base import Measure
from bertillon.measures.identification.common import SearchOperatingPoint
from bertillon.measures.identification.ranks import CumulativeMatchScore
from bertillon.measures.identification.rates import SearchRate
from bertillon.stats.bands.along import SampledCurve, band_along, rates_grid
from bertillon.stats.kinds import statistics_of
from bertillon.stats.resampling.searches import SearchResampler, WeightedSearches
from bertillon.stats.resampling.weights import Draw, weights_of
from bertillon.stats.settings import Settings
from bertillon.trials.search_set import SearchSet

FIRST_RANKS, MORE_RANKS = 20, 40  # each of the first, then at equal steps of the logarithm


def cmc_band(
    searches: SearchSet,
    ranks: ArrayLike | None = None,
    *,
    settings: Settings | None = None,
    kind: Kind = "pointwise",
) -> Band:
    """The band of the identification rate by rank (CMS).

    >>> band = cmc_band(SearchSet.from_ranks([1] * 90 + [2] * 10, gallery_size=50), [1, 2])
    >>> band.low.round(3).tolist(), band.high.round(3).tolist()
    ([0.824, 0.964], [0.951, 1.0])
    """
    asked = settings or Settings()
    _require(searches, searches.n_enrolled, "enrolled searches, so no CMC")
    places = _ranks(ranks, searches.gallery_size)
    measures = [CumulativeMatchScore(rank) for rank in places.tolist()]
    curve = SampledCurve.of(searches, places, measures, rises=1)
    resampler = _RankResampler(searches, places, asked.scheme)
    return band_along(curve, statistics_of(searches, asked), resampler, settings=asked, kind=kind)


def watch_list_band(
    searches: SearchSet,
    grid: ArrayLike | None = None,
    *,
    k: int = 1,
    settings: Settings | None = None,
    kind: Kind = "pointwise",
) -> Band:
    """The band of the detection and identification rate at rank k over a grid of false alarm rates (FPIR)."""
    asked = settings or Settings()
    _require(searches, searches.n_enrolled, "enrolled searches, so no watch list")
    _require(searches, searches.n_nonenrolled, "non-enrolled searches, so no watch list")
    _require(searches, searches.scored, "scores, so no watch list")
    rates = rates_grid(grid, searches.n_nonenrolled, "false alarm rates")
    measures = [SearchRate("DIR", SearchOperatingPoint("FPIR", rate), k) for rate in rates.tolist()]
    resampler = _WatchListResampler(searches, rates, k, asked.scheme)
    curve = SampledCurve.of(searches, rates, measures, rises=1)
    return band_along(curve, statistics_of(searches, asked), resampler, settings=asked, kind=kind)


class _RankResampler(SearchResampler):
    """CMS at each of the ranks. Mates within each are counted unit by unit: a resample is a sum of rows."""

    def __init__(self, searches: SearchSet, ranks: NDArray[np.int64], scheme: str) -> None:
        super().__init__(searches, scheme)
        units = self.units[searches.enrolled]
        places = np.searchsorted(ranks, searches.ranks())  # one past the last for a mate beyond all of them
        width = ranks.size + 1
        held = np.bincount(units.astype(np.int64) * width + places, minlength=self.n_units * width)
        self._within = np.cumsum(held.reshape(-1, width), axis=1, dtype=np.float64)

    def read_block(self, measures: Sequence[Measure], draw: Draw) -> FloatArray:
        sums = weights_of(self.n_units, draw).astype(np.float64) @ self._within
        seen = np.full((len(draw.resamples), len(measures), 2), np.nan)
        np.divide(sums[:, :-1], sums[:, -1:], out=seen[:, :, 0], where=sums[:, -1:] > 0)
        return seen


class _WatchListResampler(SearchResampler):
    """DIR at each of the rates of false alarms, from one pass over the thresholds of a resample."""

    def __init__(self, searches: SearchSet, rates: FloatArray, k: int, scheme: str) -> None:
        super().__init__(searches, scheme)
        self._rates, self._k = rates, k

    def read(self, measures: Sequence[Measure], weights: IntArray) -> FloatArray:
        tally = WeightedSearches(self, weights)
        seen = np.full((len(measures), 2), np.nan)
        if not tally.n_enrolled or not tally.n_nonenrolled:
            return seen
        counts = tally.watch_list(self._k)
        rows = np.searchsorted(-counts.fmr, -self._rates)
        seen[:, 0] = 1.0 - counts.fnmr[rows]
        return seen


def _ranks(asked: ArrayLike | None, size: int) -> NDArray[np.int64]:
    if asked is None:
        far = np.geomspace(min(FIRST_RANKS, size), size, MORE_RANKS)
        return np.unique(np.concatenate([np.arange(1, min(FIRST_RANKS, size) + 1), np.rint(far)]).astype(np.int64))
    ranks = np.asarray(asked)
    if ranks.ndim != 1 or not ranks.size or ranks.dtype.kind not in "iu" or ranks.min() < 1:
        raise InputError(f"ranks are {asked!r}; expected a list of whole numbers, 1 or more")
    return np.unique(ranks.astype(np.int64))


def _require(searches: SearchSet, there: object, what: str) -> None:
    if not there:
        raise InputError(f"{searches.name or 'searches'}: no {what} and no band")
