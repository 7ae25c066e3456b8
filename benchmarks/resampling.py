"""The cases of resampling by subject: a thousand resamples beside one plain evaluation, and beside copies of scores.

Ours is timed from a score set with ids to the values of every resample, the numbering of the ids included.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

import bertillon as bt
from benchmarks.harness import Case, Measured, best_time, require, seconds
from bertillon.measures.registry import parse_all
from bertillon.stats.interval import Settings
from bertillon.stats.kinds import resampled
from bertillon.stats.resampling import Resampled, subject_weights
from bertillon.trials.score_set import ScoreSet, TrialIds
from bertillon.trials.simulate import simulate

TARGETS = (0.01, 0.001, 0.0001, 0.00001)
ASKED = ("EER", *(f"FNMR@FMR={target:g}" for target in TARGETS), "AUC")
SUBJECTS = 1000
MATED, NONMATED = 1_000_000, 10_000_000
RESAMPLES = 1000
COPIED = 3  # resamples that the copying peer is given
TENTH = 0.1


@lru_cache(maxsize=1)
def _scores(scale: float) -> ScoreSet:
    return simulate(
        "subjects", subjects=SUBJECTS, dprime=3, mated=round(MATED * scale), nonmated=round(NONMATED * scale), rng=1
    ).scores


def against_plain(scale: float) -> Measured:
    """Ids that are numbers."""
    return _beside_evaluation(_scores(scale))


def against_plain_named(scale: float) -> Measured:
    """Ids that are texts."""
    scores, names = _scores(scale), np.array([f"subject-{i:04d}" for i in range(SUBJECTS)])

    def named(ids: TrialIds | None) -> TrialIds:
        assert ids is not None
        return TrialIds(names[ids.probe_subject], names[ids.reference_subject])

    return _beside_evaluation(
        ScoreSet(
            scores.mated,
            scores.nonmated,
            mated_ids=named(scores.mated_ids),
            nonmated_ids=named(scores.nonmated_ids),
        )
    )


def _beside_evaluation(scores: ScoreSet) -> Measured:
    evaluation, found = bt.evaluate(scores, ASKED), _resampled(scores)
    spread = found.values.std(axis=0)
    apart = np.abs(found.estimate - [evaluation[name].value for name in ASKED])
    require(bool((apart < 0.1 * spread).all()), f"read between cuts, values are {apart / spread} of their spread off")
    plain = best_time(lambda: bt.evaluate(scores, ASKED))
    ours = best_time(lambda: _resampled(scores), repeats=2)
    return Measured(ours / plain, ours, plain, f"{RESAMPLES:,} resamples, {scores.size:,} scores")


def against_copies(scale: float) -> Measured:
    """Each resample a copy of the scores that is sorted anew, on a tenth of the scores; a few of them, scaled up."""
    scores = _scores(scale * TENTH)
    found, copies = _resampled(scores), _copied(scores)
    apart, spread = np.abs(found.values[:COPIED] - copies), found.values.std(axis=0)
    require(bool((apart < 0.2 * spread).all()), f"values differ by {apart / spread} of their spread")
    ours = best_time(lambda: _resampled(scores), repeats=3)
    peer = seconds(lambda: _copied(scores)) * RESAMPLES / COPIED
    return Measured(peer / ours, ours, peer, f"numpy, {COPIED} resamples scaled to {RESAMPLES:,}")


def _resampled(scores: ScoreSet) -> Resampled:
    return resampled(scores, parse_all(ASKED), Settings(resamples=RESAMPLES))


def _copied(scores: ScoreSet) -> NDArray[np.float64]:
    """EER, FNMR at each FMR, and AUC of copies of the scores."""
    own, others = scores.mated_ids, scores.nonmated_ids
    assert own is not None
    assert others is not None
    rows = []
    for weights in subject_weights(SUBJECTS, COPIED, seed=0).astype(np.int64):
        mated = np.sort(np.repeat(scores.mated, weights[own.probe_subject]))
        times = weights[others.probe_subject] * weights[others.reference_subject]
        nonmated = np.sort(np.repeat(scores.nonmated, times))
        rows.append(_read(mated, nonmated))
    return np.array(rows)


def _read(mated: NDArray[np.float64], nonmated: NDArray[np.float64]) -> list[float]:
    fnmr = np.searchsorted(mated, nonmated) / mated.size  # at each non-mated score as threshold
    fmr = 1.0 - np.arange(nonmated.size) / nonmated.size
    equal = int(np.argmax(fnmr >= fmr))
    at = [nonmated[nonmated.size - int(target * nonmated.size) - 1] for target in TARGETS]
    won = 1.0 - fnmr.mean()
    return [float(fnmr[equal]), *(float(np.mean(mated <= threshold)) for threshold in at), float(won)]


CASES: Sequence[Case] = (
    Case("1,000 subject resamples, one evaluation", 60, against_plain, "at most"),
    Case("the same, ids that are texts", 60, against_plain_named, "at most"),
    Case("1,000 subject resamples, numpy copies", 100, against_copies),
)
