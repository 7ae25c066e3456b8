"""From an evaluation to what is drawn of it; its bands by the names of their curves, where they are wanted.

Holds `system_of`, for 1:1 comparisons, and `searches_of`, for 1:N searches.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bertillon.counting.curves.error_curve import Band
from bertillon.evaluation import ScoreEvaluation, SearchEvaluation
from bertillon.trials.score_set import kept_of
from bertillon.views.figures.data import System
from bertillon.views.figures.search_data import Searches

NO_BANDS: Mapping[str, Band] = {}


def system_of(evaluation: ScoreEvaluation, bands: Mapping[str, Band] = NO_BANDS) -> System:
    """The curve, the scores that were kept and the EER, which is worked out where nobody asked for it."""
    eer = evaluation["EER"]
    return System(
        evaluation.name,
        evaluation.tally.curve,
        kept_of(evaluation.trials),
        threshold=eer.threshold,
        eer=eer.value,
        band=bands.get("det"),
    )


def searches_of(evaluation: SearchEvaluation, bands: Mapping[str, Band] = NO_BANDS) -> Searches:
    """The rank curve, the watch list and EERopen, where these are known."""
    eer = evaluation.results.get("EERopen")
    system = Searches.of(evaluation.tally, None if eer is None else eer.value)
    return replace(system, cmc_band=bands.get("cmc"), watch_list_band=bands.get("watch-list"))
