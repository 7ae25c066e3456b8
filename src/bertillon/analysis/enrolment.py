"""Several samples of a person at enrolment: what to make of them, compared on the same probes.

    first sample       the first one alone, as if only one had been taken
    best score         the probe meets each of them, and the most alike counts
    mean score         the mean of these scores
    pooled embedding   the mean of the templates, met once; only vectors have one

Conventions: the first templates of each person are enrolled and all others are probes, so that every way judges the
same probes against the same people and differences are tested in pairs. Before they are pooled, vectors are brought to
length 1 for a matcher that only looks at directions (cosine).

Holds `compare_enrolment`, and `enrolment_systems`, the trials of each way.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from bertillon.core import InputError, TemplateTable
from bertillon.evaluation.comparison import Comparison, compare
from bertillon.evaluation.evaluation import Asked
from bertillon.matching.base import Matcher
from bertillon.matching.base import matcher as named
from bertillon.matching.comparing import Comparing
from bertillon.matching.protocol.pairing import ProbeVersusGallery
from bertillon.matching.protocol.partition import Partition
from bertillon.stats.interval import Settings
from bertillon.trials.comparing import compare as compared
from bertillon.trials.score_set import ScoreSet
from bertillon.trials.transactions import attempts_after_enrolment

FIRST, BEST, MEAN, POOLED = "first sample", "best score", "mean score", "pooled embedding"
OF_DIRECTIONS = ("cosine",)


def enrolment_systems(
    templates: TemplateTable, matcher: Matcher | str = "cosine", *, enrol: int = 3
) -> dict[str, ScoreSet]:
    """The comparisons of the same probes in each way, by what the way is called.

    >>> table = TemplateTable(np.random.default_rng(0).normal(size=(12, 4)), np.repeat(["ann", "bob", "eve"], 4))
    >>> {name: scores.mated.size for name, scores in enrolment_systems(table, enrol=2).items()}
    {'first sample': 6, 'best score': 6, 'mean score': 6, 'pooled embedding': 6}
    """
    if isinstance(enrol, bool) or enrol < 2:
        raise InputError(f"enrolment with {enrol} sample: there is nothing to compare; expected 2 or more")
    chosen = named(matcher) if isinstance(matcher, str) else matcher
    partition = attempts_after_enrolment(templates, enrol=enrol)
    first = np.zeros(len(templates), dtype=np.bool_)
    enrolled = partition.rows("gallery")
    first[enrolled[np.unique(templates.subject[enrolled], return_index=True)[1]]] = True
    alone = replace(partition, role=np.where((partition.role == "gallery") & ~first, "unused", partition.role))
    made = {
        FIRST: _scores(templates, chosen, alone, "best"),
        BEST: _scores(templates, chosen, partition, "best"),
        MEAN: _scores(templates, chosen, partition, "mean"),
    }
    if templates.kind == "vector":
        made[POOLED] = _scores(_pooled(templates, partition, first, chosen), chosen, alone, "best")
    return {name: replace(scores, name=name) for name, scores in made.items()}


def _scores(templates: TemplateTable, matcher: Matcher, partition: Partition, fusion: str) -> ScoreSet:
    pairing = ProbeVersusGallery(multiple=True)
    return compared(Comparing.plan(templates, matcher, pairing, partition=partition, fusion=fusion))


def _pooled(templates: TemplateTable, partition: Partition, first: Any, matcher: Matcher) -> TemplateTable:
    """The templates with the mean of each person's enrolled ones in the place of the first of them."""
    vectors = np.array(templates.templates, dtype=np.float64)
    enrolled = partition.rows("gallery")
    people, owner, number = np.unique(templates.subject[enrolled], return_inverse=True, return_counts=True)
    held = vectors[enrolled]
    if matcher.name in OF_DIRECTIONS:
        length = np.linalg.norm(held, axis=1, keepdims=True)
        held = held / np.where(length > 0.0, length, 1.0)
    means = np.zeros((people.size, vectors.shape[1]))
    np.add.at(means, owner, held)
    places = np.flatnonzero(first)
    vectors[places] = (means / number[:, None])[np.searchsorted(people, templates.subject[places])]
    kept = np.asarray(templates.templates)
    return replace(templates, templates=vectors.astype(kept.dtype) if kept.dtype.kind == "f" else vectors)


def compare_enrolment(
    templates: TemplateTable,
    matcher: Matcher | str = "cosine",
    *,
    enrol: int = 3,
    measures: Asked = None,
    margin: float | None = None,
    settings: Settings | None = None,
) -> Comparison:
    """Test whether it matters how several enrolled samples are used: every way against the first sample alone.

    Parameters
    ----------
    templates
        Of people with more samples than are enrolled; others take no part.
    matcher
        What compares.
    enrol
        How many samples of each person are enrolled.
    measures, margin, settings
        As in `bt.compare`.

    Returns
    -------
    Comparison
        Verdicts and differences with intervals.

    Examples
    --------
    >>> import bertillon as bt
    >>> rng = np.random.default_rng(1)
    >>> faces = rng.normal(size=(40, 1, 8)) + 0.7 * rng.normal(size=(40, 5, 8))
    >>> table = bt.TemplateTable(faces.reshape(200, 8), np.repeat([f"{n:02}" for n in range(40)], 5))
    >>> found = bt.analysis.compare_enrolment(table, enrol=3, measures="EER")
    >>> [round(each["EER"].value, 3) for each in found.evaluations]
    [0.188, 0.16, 0.138, 0.124]
    """
    systems = enrolment_systems(templates, matcher, enrol=enrol)
    return compare(systems, measures, margin=margin, paired=True, settings=settings)
