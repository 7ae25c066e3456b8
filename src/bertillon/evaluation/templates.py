"""Templates to trials of each mode, ready to be evaluated.

Conventions: up to `LIMITS.kept_comparisons` the scores are kept; beyond that, or where a checkpoint or an engine is
named, they are counted while they are made, which gives the same rates. Searches keep a few numbers a probe.

Holds `verification_trials`, `scores_are_kept` and `search_trials`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace

from bertillon.core.errors import InputError
from bertillon.counting.tiles.comparisons import count_comparisons
from bertillon.counting.tiles.counted_scores import CountedScores
from bertillon.engine.jobs import Engine, Progress
from bertillon.evaluation.limits import LIMITS
from bertillon.matching.comparing import Comparing
from bertillon.matching.groups import GroupsLike
from bertillon.matching.protocol.pair_list import PairList
from bertillon.measures.base import Measure
from bertillon.measures.registry import VERIFICATION
from bertillon.trials.comparing import compare, compare_sampled
from bertillon.trials.score_set import ScoreSet
from bertillon.trials.search_job import search
from bertillon.trials.search_set import SearchSet


def verification_trials(
    comparing: Comparing,
    measures: Iterable[str | Measure] = (),
    *,
    groups: GroupsLike | None = None,
    sample: tuple[int, int] | None = None,
    progress: Progress | None = None,
    engine: Engine | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> ScoreSet | CountedScores:
    """The comparisons of a protocol; `measures` name the thresholds that must be known before counting.

    `groups` are those of the people, so that comparisons that are counted are counted by groups too (`group_rates`).
    `sample` is how many of the non-mated comparisons are made, drawn at random, and a seed; None makes all.
    """
    counts = comparing.counts
    counts.check(comparing.templates.source)
    one_by_one = _one_by_one(comparing)
    in_tiles = engine is not None or checkpoint is not None
    if one_by_one and in_tiles:
        raise InputError(
            "a checkpoint or an engine needs comparisons of single templates, all against all or probes against a "
            "gallery; leave them out, or --multiple"
        )
    if sample is not None and in_tiles:
        raise InputError("a sample is quickly compared; leave out the checkpoint and the engine, or --sample-nonmated")
    if sample is not None:
        number, seed = sample
        return compare_sampled(comparing, number, seed=seed, progress=progress)
    if scores_are_kept(comparing, in_tiles=in_tiles):
        return compare(comparing, progress)
    asked = VERIFICATION.parse_all(measures)
    thresholds = sorted({threshold for measure in asked for threshold in measure.thresholds})
    return count_comparisons(
        comparing, thresholds, groups=groups, progress=progress, engine=engine, checkpoint=checkpoint
    )


def scores_are_kept(comparing: Comparing, *, in_tiles: bool) -> bool:
    """Every score is held, and not only counted; `in_tiles` where a checkpoint or an engine is named."""
    counts = comparing.counts
    return _one_by_one(comparing) or (counts.mated + counts.nonmated <= LIMITS.kept_comparisons and not in_tiles)


def _one_by_one(comparing: Comparing) -> bool:
    return comparing.pairing.multiple or isinstance(comparing.pairing, PairList)


def search_trials(
    comparing: Comparing,
    *,
    progress: Progress | None = None,
    engine: Engine | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> SearchSet:
    """Every probe searches the gallery; in all-against-all once as enrolled and once as non-enrolled."""
    searches = search(comparing, progress=progress, engine=engine, checkpoint=checkpoint)
    return replace(searches, notes=(*comparing.search_words, *searches.notes))
