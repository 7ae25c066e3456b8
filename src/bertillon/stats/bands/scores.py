"""Bands of ROC and DET: how sure the true match rate is at every false match rate.

Conventions: the false match rate is held and the other rate varies, with everything that makes it uncertain: the mated
comparisons, and the threshold, which non-mated comparisons fix. As in every figure, the rate at FMR = x is that of the
most permissive threshold with an FMR of at most x. A grid begins at one false match unless another one is given; below
about three of them no comparison says where the threshold lies, and the upper end of the FNMR is 1.

Holds `roc_band` and `det_band`.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from bertillon.core.errors import InputError
from bertillon.counting.curves.error_curve import Band, Kind
from bertillon.counting.tally import CountedScores
from bertillon.measures.operating_point import OperatingPoint
from bertillon.measures.rates import Rate
from bertillon.stats.bands.along import SampledCurve, band_along, rates_grid
from bertillon.stats.kinds import statistics_of
from bertillon.stats.settings import Settings
from bertillon.trials.predictions import Predictions
from bertillon.trials.score_set import ScoreSet


def roc_band(
    trials: ScoreSet | CountedScores | Predictions,
    grid: ArrayLike | None = None,
    *,
    settings: Settings | None = None,
    kind: Kind = "pointwise",
) -> Band:
    """The band of the true match rate (of a classifier: TPR) over a grid of false match rates (FPR).

    >>> from bertillon.trials.simulate import simulate
    >>> scores, truth = simulate("subjects", subjects=50, mated=500, nonmated=5000, rng=2)
    >>> band = roc_band(scores, [0.01, 0.1], settings=Settings(resamples=200))
    >>> bool(band.low[1] < 1.0 - truth.fnmr_at_fmr(0.1) < band.high[1]), str(band.name)
    (True, '95 % band, pointwise')
    """
    return det_band(trials, grid, settings=settings, kind=kind).complement


def det_band(
    trials: ScoreSet | CountedScores | Predictions,
    grid: ArrayLike | None = None,
    *,
    settings: Settings | None = None,
    kind: Kind = "pointwise",
) -> Band:
    """The same for the false non-match rate (FNR)."""
    asked = settings or Settings()
    statistics = statistics_of(trials, asked)
    if statistics.bands["det"] is not det_band:
        return statistics.bands["det"](trials, grid, settings=asked, kind=kind)
    rates = rates_grid(grid, _nonmated(trials), "false match rates")
    measures = [Rate("FNMR", OperatingPoint("FMR", rate)) for rate in rates.tolist()]
    curve = SampledCurve.of(trials, rates, measures, rises=-1)
    return band_along(curve, statistics, statistics.resampler(measures, alone=True), settings=asked, kind=kind)


def _nonmated(trials: ScoreSet | CountedScores | Predictions) -> int:
    """How many non-mated scores there are; there must be some of either kind."""
    mated, nonmated = trials.counts["mated"], trials.counts["nonmated"]
    if not mated or not nonmated:
        kind = "non-mated" if mated else "mated"
        raise InputError(f"{trials.name or 'scores'}: no {kind} scores, so no curve and no band")
    return nonmated
