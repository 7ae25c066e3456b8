"""Resampling the slow way: rows repeated as often as their units were taken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.evaluation import evaluate
from bertillon.measures import Measure
from bertillon.stats import subject_weights
from bertillon.trials import ScoreSet


def copied(scores: ScoreSet, people: Sequence[Any], weights: NDArray[Any]) -> ScoreSet:
    """Mated rows once for each copy of their subject, the others once for each pair of copies of theirs."""
    taken = {person: int(weight) for person, weight in zip(people, weights, strict=True)}
    own, others = scores.mated_ids, scores.nonmated_ids
    assert own is not None
    assert others is not None
    mated = [taken[person] for person in own.probe_subject]
    nonmated = [taken[a] * taken[b] for a, b in zip(others.probe_subject, others.reference_subject, strict=True)]
    return ScoreSet(np.repeat(scores.mated, mated), np.repeat(scores.nonmated, nonmated), rule=scores.rule)


def resampled_values(
    scores: ScoreSet, measures: Sequence[Measure], resamples: int, seed: int, scheme: str = "multinomial"
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Values and thresholds of the measures over resamples by subject."""
    columns = (scores.mated_ids.probe_subject, scores.nonmated_ids.probe_subject, scores.nonmated_ids.reference_subject)
    people = np.unique(np.concatenate([np.asarray(column) for column in columns])).tolist()
    values, thresholds = [], []
    for weights in subject_weights(len(people), resamples, seed=seed, scheme=scheme):
        evaluation = evaluate(copied(scores, people, weights), measures)
        results = [evaluation[measure] for measure in measures]
        values.append([result.value for result in results])
        thresholds.append([np.nan if result.threshold is None else result.threshold for result in results])
    return np.array(values), np.array(thresholds)
