"""Two systems over the same trials: which trial of the one is which of the other.

Conventions: comparisons are aligned within their class, mated with mated and non-mated with non-mated, by what both
systems know of them:

    probe and reference           the names of the two samples
    the two subjects              where rows and columns of a matrix have no other name and each couple occurs once
    all four                      where people have several rows, which are told apart by their numbers
    row by row                    where neither system knows any of these and both have as many trials of each class

Trials that only one system has (or in which the other failed) are left out, counted and said. Where ids repeat, the
first of the one goes with the first of the other, provided that both repeat them as often. Afterwards both systems hold
the same trials in the same order, under the same ids. Failures stay with the system that failed. Nothing is aligned by
guess: a trial that is mated in one system and not in the other, or names that do not meet, are errors.

Searches are aligned by the probe's subject, predictions row by row with the same true labels.

Holds `align` and its `Aligned`; one module a kind of trials: `scores`, `searches`, `predictions`.
"""

from __future__ import annotations

from collections.abc import Sequence

from bertillon.core.errors import InputError
from bertillon.stats.comparing.aligning.aligned import Aligned, Trials, name_of
from bertillon.stats.comparing.aligning.predictions import align_predictions
from bertillon.stats.comparing.aligning.scores import align_scores
from bertillon.stats.comparing.aligning.searches import align_searches
from bertillon.trials.predictions import Predictions
from bertillon.trials.score_set import ScoreSet
from bertillon.trials.search_set import SearchSet

__all__ = ["Aligned", "Trials", "align", "name_of"]


def align(first: Trials, second: Trials, *, by: Sequence[str] | None = None) -> Aligned:
    """The trials both systems have; `by` names the ids that tell comparisons apart, or is ("row",).

    >>> import numpy as np
    >>> from bertillon.trials.score_set import TrialIds
    >>> ids = [TrialIds(probe=np.array(p), reference=np.array(["r"] * len(p))) for p in (["a", "b"], ["b", "c"], ["x"])]
    >>> a = ScoreSet([0.9, 0.8], [0.1], mated_ids=ids[0], nonmated_ids=ids[2], name="A")
    >>> b = ScoreSet([0.7, 0.6], [0.2], mated_ids=ids[1], nonmated_ids=ids[2], name="B")
    >>> both = align(a, b)
    >>> both.first.mated.tolist(), both.second.mated.tolist(), str(both.how), both.only_first
    ([0.8], [0.7], 'by probe and reference', 1)
    """
    if isinstance(first, ScoreSet) and isinstance(second, ScoreSet):
        return align_scores(first, second, by)
    if by is not None:
        raise InputError(f"paired by {', '.join(by)}; only comparisons can be aligned by ids of one's choice")
    if isinstance(first, SearchSet) and isinstance(second, SearchSet):
        return align_searches(first, second)
    if isinstance(first, Predictions) and isinstance(second, Predictions):
        return align_predictions(first, second)
    raise InputError(
        f"{name_of(first)} and {name_of(second)} are not of one kind; expected comparisons, searches or predictions"
    )
