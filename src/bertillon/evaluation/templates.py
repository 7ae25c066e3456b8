"""Templates to trials of each mode, ready to be evaluated.

Conventions: up to KEEP comparisons the scores are kept; beyond that they are counted while they are made, which gives
the same rates. Searches are made a strip of probes at a time and keep a few numbers a probe.

Holds `verification_trials` and `search_trials`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.counts.comparisons import CountedScores, count_comparisons
from bertillon.engine.progress import Progress, Silent
from bertillon.measures.base import Measure
from bertillon.measures.registry import VERIFICATION
from bertillon.protocol.pair_list import PairList
from bertillon.protocol.pairing import AllAgainstAll
from bertillon.trials.comparing import STRIP_CELLS, Comparing, compare
from bertillon.trials.score_set import ScoreSet
from bertillon.trials.search_set import SearchSet
from bertillon.trials.searches import searches_in_strips

KEEP = 20_000_000  # comparisons; their scores and ids fit in memory


def verification_trials(
    comparing: Comparing, measures: Iterable[str | Measure] = (), *, progress: Progress | None = None
) -> ScoreSet | CountedScores:
    """The comparisons of a protocol; `measures` name the thresholds that must be known before counting."""
    counts = comparing.counts
    counts.check(comparing.templates.source)
    one_by_one = comparing.pairing.multiple or isinstance(comparing.pairing, PairList)
    if one_by_one or counts.mated + counts.nonmated <= KEEP:
        return compare(comparing, progress)
    asked = VERIFICATION.parse_all(measures)
    thresholds = sorted({threshold for measure in asked for threshold in measure.thresholds})
    return count_comparisons(comparing, thresholds, progress=progress)


def search_trials(comparing: Comparing, *, progress: Progress | None = None) -> SearchSet:
    """Every probe searches the gallery; in all-against-all once as enrolled and once as non-enrolled."""
    watched = progress or Silent()
    subject, width = comparing.templates.subject, comparing.columns.size
    height = max(1, STRIP_CELLS // max(1, width))
    watched.begin(comparing.rows.size * width, "searching")
    everything = np.arange(width)

    def strip(number: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        rows = np.arange(number * height, min((number + 1) * height, comparing.rows.size))
        block = comparing.matcher.block(comparing.probes[rows[0] : rows[-1] + 1], comparing.gallery)
        watched.advance(block.size)
        return rows, everything, block

    return searches_in_strips(
        -(-comparing.rows.size // height),
        strip,
        subject[comparing.rows],
        subject[comparing.columns],
        rule=comparing.rule,
        fusion=comparing.fusion,
        all_against_all=isinstance(comparing.pairing, AllAgainstAll),
        name=comparing.name,
    )
