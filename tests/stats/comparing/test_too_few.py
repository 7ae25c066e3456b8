"""Systems are compared only where errors and people are enough, and equal ones are seldom found to differ."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

import bertillon as bt
from bertillon.stats import compare_systems

DPRIME = 3.0


def paired(rng, mated=300, nonmated=3000):
    """Two systems, equally good, over the same comparisons."""
    common = rng.normal(DPRIME, 0.7, mated), rng.normal(0.0, 0.7, nonmated)
    scores = [[own + rng.normal(0.0, 0.7, own.size) for own in common] for _ in range(2)]
    return [bt.ScoreSet(*own, name=name) for own, name in zip(scores, "AB", strict=True)]


def test_systems_are_not_compared_where_a_measure_rests_on_few_errors():
    names = ["FNMR@FMR=0.001", "FNM@FMR=0.001", "HTER@FMR=0.001", "pAUC@FMR=0.001", "ZeroFMR", "FMR@TMR=0.999"]
    few, enough = [*names, "minDCF(p=0.0001,cmiss=1,cfa=1)"], ["FNMR@FMR=0.01", "minHTER", "EER", "minCllr"]
    systems = paired(np.random.default_rng(1))
    [found] = compare_systems(systems, [*few, *enough], settings=bt.Settings(resamples=50))
    for difference in found.differences:
        tested = difference.measure in enough
        assert math.isnan(difference.p) is not tested, difference.measure
        assert ("too few" in str(difference.reason)) is not tested


def test_a_system_is_the_same_as_itself_however_few_errors_it_makes():
    scores = paired(np.random.default_rng(2))[0]
    [found] = compare_systems([scores, scores], ["ZeroFMR"], settings=bt.Settings(resamples=50))
    assert found.differences[0].p == 1.0


def test_equal_systems_are_seldom_found_to_differ():
    """At the best threshold, whose values are optimistic in both, and at a target with five errors or more."""
    rng, names = np.random.default_rng(3), ["minHTER", "FNMR@FMR=0.003", "HTER@FMR=0.003"]
    p = [
        [own.p for own in compare_systems(paired(rng), names, settings=bt.Settings(resamples=60))[0].differences]
        for _ in range(60)
    ]
    assert (np.mean(np.array(p) <= 0.05, axis=0) <= 0.13).all()


def test_systems_of_few_people_are_not_compared_by_what_is_fitted_to_the_scores():
    """Of 15 and 30 people 11 to 13 % of such tests found a difference between equal systems."""
    rng, own = (
        np.random.default_rng(1),
        bt.simulate.scores("subjects", subjects=30, mated=300, nonmated=870, rng=1).scores,
    )
    noisy = [scores + rng.normal(0.0, 0.5, scores.size) for scores in (own.mated, own.nonmated)]
    named = [replace(own, name="A"), replace(own, name="B", mated=noisy[0], nonmated=noisy[1])]
    [found] = compare_systems(named, ["minCllr", "AUC"], settings=bt.Settings(resamples=50))
    fitted, area = found.differences
    assert math.isnan(fitted.p)
    assert fitted.reason.key == "reason.few_to_test"
    assert not math.isnan(area.p)
