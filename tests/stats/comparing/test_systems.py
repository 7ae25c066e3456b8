"""Two and more systems on the same trials. SPEC U2, V13."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import bertillon as bt
from bertillon.advice import complaints
from bertillon.stats import Settings, compare_systems, delong_test, mcnemar

FEW = Settings(resamples=99, seed=1)


def people(rng, n: int, each: int, gains=(0.0, 0.0), *, own: float = 0.4) -> list[bt.ScoreSet]:
    """Systems over the same people: what a person does to all systems, what to one, and chance."""
    i, j = np.triu_indices(n, 1)
    me = np.repeat(np.arange(n), each)
    names = np.array([f"s{k:03d}" for k in range(n)])
    ids = {"mated_ids": bt.TrialIds(names[me], names[me]), "nonmated_ids": bt.TrialIds(names[i], names[j])}
    goat, lamb = rng.normal(0, 0.6, n), rng.normal(0, 0.4, n)
    mated, nonmated = goat[me] + rng.normal(0, 0.4, me.size), lamb[i] + lamb[j] + rng.normal(0, 0.4, i.size)
    found = []
    for number, gain in enumerate(gains):
        goat, lamb = rng.normal(0, own, n), rng.normal(0, own, n)
        scores = gain + 2.8 + mated + goat[me] + rng.normal(0, 0.4, me.size)
        others = nonmated + lamb[i] + lamb[j] + rng.normal(0, 0.4, i.size)
        found.append(bt.ScoreSet(scores, others, name="ABCDE"[number], **ids))
    return found


def test_values_are_those_of_an_evaluation_and_differences_second_less_first():
    a, b = people(np.random.default_rng(1), 20, 3, (0.0, 1.5))
    [found] = compare_systems([a, b], ["EER", "AUC", "FNMR@FMR=0.01", "dprime"], settings=FEW)
    for one in found.differences:
        values = [bt.evaluate(system, [one.measure])[one.measure].value for system in (a, b)]
        assert [one.first_value, one.second_value] == values
        assert one.difference == values[1] - values[0]
    assert (found.first, found.second, found.trials) == ("A", "B", 20 * 3 + 190)
    assert (str(found.unit), found.n_units, found.naive, found.paired) == ("subjects", 20, False, True)
    assert [one.better for one in found.differences] == [-1, 1, -1, 1]
    assert [one.shown_as for one in found.differences] == ["rate", "number", "rate", "number"]
    assert str(found.differences[0].interval.method) == "paired bootstrap of subjects"


def test_the_order_of_the_rows_does_not_matter():
    a, b = people(np.random.default_rng(2), 12, 2)
    rng = np.random.default_rng(5)
    order, others = rng.permutation(b.mated.size), rng.permutation(b.nonmated.size)
    named = [  # pairs of people occur once here, mated comparisons twice: name the samples
        replace(
            one,
            mated_ids=replace(one.mated_ids, probe=np.arange(24).astype(str), reference=np.arange(24).astype(str)),
            nonmated_ids=replace(
                one.nonmated_ids, probe=one.nonmated_ids.probe_subject, reference=one.nonmated_ids.reference_subject
            ),
        )
        for one in (a, b)
    ]
    shuffled = bt.ScoreSet(
        b.mated[order],
        b.nonmated[others],
        mated_ids=named[1].mated_ids[order],
        nonmated_ids=named[1].nonmated_ids[others],
        name="B",
    )
    plain, mixed = (compare_systems([named[0], other], ["EER"], settings=FEW)[0] for other in (named[1], shuffled))
    assert plain.differences == mixed.differences


def test_a_bootstrap_of_the_mean_against_brute_force():
    """FNMR at a threshold over one comparison a subject: the bootstrap of a mean of -1, 0 and 1."""
    rng = np.random.default_rng(3)
    names = np.array([f"s{k:03d}" for k in range(60)])
    mated = rng.random((2, 60))
    ids = {"mated_ids": bt.TrialIds(names, names), "nonmated_ids": bt.TrialIds(names[:1], names[1:2])}
    a, b = (bt.ScoreSet(own, [0.0], name=name, **ids) for own, name in zip(mated, "AB", strict=True))
    [found] = compare_systems([a, b], ["FNMR@t=0.5"], settings=Settings(resamples=999))
    steps = (mated[1] < 0.5).astype(int) - (mated[0] < 0.5)
    drawn = np.sort([steps[rng.integers(60, size=60)].mean() for _ in range(999)])
    one = found.differences[0]
    assert one.difference == pytest.approx(steps.mean())
    assert one.interval.low == pytest.approx(drawn[24], abs=0.035)
    assert one.interval.high == pytest.approx(drawn[-25], abs=0.035)
    assert one.error == pytest.approx(steps.std() / math.sqrt(60), rel=0.1)


def test_pairing_sees_what_apart_cannot():
    """What both systems have in common is taken out of the difference."""
    a, b = people(np.random.default_rng(4), 40, 4, (0.0, 0.3), own=0.05)
    paired, apart = (compare_systems([a, b], ["EER"], settings=FEW, paired=way)[0] for way in (True, False))
    assert paired.differences[0].error < 0.8 * apart.differences[0].error
    assert not apart.paired
    assert apart.trials == 0
    assert "each system by itself" in str(apart.differences[0].interval.method)
    assert paired.differences[0].difference == apart.differences[0].difference


def test_unpaired_systems_get_weights_of_their_own():
    """Unpaired, even a system against itself varies."""
    [a] = people(np.random.default_rng(4), 20, 3, (0.0,))
    apart = compare_systems([a, replace(a, name="B")], ["EER"], settings=FEW, paired=False)[0]
    assert apart.differences[0].error > 0
    assert apart.differences[0].p > 0.5
    assert not apart.identical
    with pytest.raises(bt.InputError, match="different kinds"):
        compare_systems([a, bt.SearchSet.from_ranks([1])], ["EER"], paired=False)


def test_a_better_and_a_worse_system_are_told():
    a, b, c = people(np.random.default_rng(7), 40, 4, (0.0, 2.0, -2.0))
    found = compare_systems([a, b, c], ["EER", "FNMR@t=1.4"], settings=Settings(resamples=399))
    assert [one.verdict for versus in found for one in versus.differences] == ["better", "better", "worse", "worse"]
    assert [(versus.first, versus.second) for versus in found] == [("A", "B"), ("A", "C")]
    every = compare_systems([a, b, c], ["EER"], settings=FEW, every_pair=True)
    assert [(versus.first, versus.second) for versus in every] == [("A", "B"), ("A", "C"), ("B", "C")]


def test_p_values_are_adjusted_over_pairs_and_measures_by_hand():
    a, b, c = people(np.random.default_rng(8), 15, 2, (0.0, 0.5, 1.5))
    found = compare_systems([a, b, c], ["EER", "AUC"], settings=FEW)
    p_values = [one.p for versus in found for one in versus.differences]
    adjusted = [one.adjusted_p for versus in found for one in versus.differences]
    order = np.argsort(p_values, kind="stable")
    highest = 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, p_values[place] * (4 - rank)))
        assert adjusted[place] == pytest.approx(highest)
    assert all(one.tests == 4 for versus in found for one in versus.differences)


def test_without_ids_rows_are_resampled_together_and_said():
    rng = np.random.default_rng(9)
    mated, nonmated = rng.normal(2, 1, 80), rng.normal(0, 1, 120)
    a = bt.ScoreSet(mated, nonmated, name="A")
    b = bt.ScoreSet(mated + rng.normal(0, 0.05, 80), nonmated + rng.normal(0, 0.05, 120), name="B")
    [found] = compare_systems([a, b], ["AUC"], settings=Settings(resamples=399))
    assert found.naive
    assert found.n_units == 200
    assert str(found.unit) == "comparisons treated as independent (no subject IDs)"
    assert found.differences[0].interval.naive
    paired, apart = (delong_test(a, b, paired=way).interval for way in (True, False))
    width = found.differences[0].interval.high - found.differences[0].interval.low
    assert width == pytest.approx(paired.high - paired.low, rel=0.35)
    assert width < 0.4 * (apart.high - apart.low)


def test_only_mated_subjects_known_is_paired_too():
    rng = np.random.default_rng(10)
    names = np.array([f"s{k}" for k in range(40)])
    a = bt.ScoreSet(rng.normal(2, 1, 40), rng.normal(0, 1, 60), mated_ids=bt.TrialIds(names, names), name="A")
    b = bt.ScoreSet(a.mated + 0.01, a.nonmated, mated_ids=a.mated_ids, name="B")
    [found] = compare_systems([a, b], ["AUC"], settings=FEW, by=["row"])
    assert found.differences[0].error < 0.01
    assert found.naive


def test_the_same_seed_gives_the_same_answer():
    a, b = people(np.random.default_rng(11), 15, 2)
    first, again, other = (
        compare_systems([a, b], ["EER"], settings=Settings(resamples=99, seed=seed))[0].differences[0]
        for seed in (3, 3, 4)
    )
    assert first == again
    assert first.interval != other.interval


def test_identical_systems_are_said_to_be():
    [a] = people(np.random.default_rng(12), 10, 2, (0.0,))
    [found] = compare_systems([a, replace(a, name="again")], ["EER", "AUC"], settings=FEW, margin=0.01)
    assert found.identical
    assert all((one.difference, one.p, one.verdict) == (0.0, 1.0, "equivalent") for one in found.differences)


def test_systems_that_fail_differently_are_not_identical_by_hand():
    """The same scores, and 40 rejections more by one of the two: it is worse, and a check must say so."""
    [a] = people(np.random.default_rng(12), 20, 2, (0.0,))
    failing = replace(a, name="failing", failures=bt.Failures(mated=40))
    [found] = compare_systems([a, failing], ["FNMR@t=1", "FRR@t=1"], settings=FEW)
    assert not found.identical
    assert [one.verdict for one in found.differences] == ["not distinguishable", "worse"]
    assert "failing is worse than A: FRR@t=1" in str(complaints([found])[0])


def test_failures_of_one_system_are_not_held_against_fewer_comparisons_of_the_other_by_hand():
    """A rejects just the ten comparisons in which B fails: both reject 10 of 40, and B is not the worse one."""
    people_of, others = np.array([f"s{k}" for k in range(40)]), bt.TrialIds(["s0", "s1"], ["s1", "s2"])
    mated, answered = np.where(np.arange(40) < 10, 0.1, 0.9), np.arange(40) >= 10
    a = bt.ScoreSet(mated, [0.2, 0.3], mated_ids=bt.TrialIds(people_of, people_of), nonmated_ids=others, name="A")
    b = replace(
        a,
        mated=mated[answered],
        mated_ids=bt.TrialIds(people_of[answered], people_of[answered]),
        failures=bt.Failures(mated=10),
        name="B",
    )
    rejecting, plain = compare_systems([a, b], ["FRR@t=0.5", "FNMR@t=0.5"], settings=FEW)[0].differences
    assert (rejecting.verdict, plain.difference) == ("undefined", 0.0)
    assert "counts failed comparisons" in str(rejecting.reason)
    [apart] = compare_systems([a, b], ["FRR@t=0.5"], settings=FEW, paired=False)
    assert (apart.differences[0].first_value, apart.differences[0].second_value) == (0.25, 0.25)


def test_searches_that_differ_in_any_column_are_not_identical_by_hand():
    searches = bt.SearchSet(
        [True, True, False], [0.9, 0.4, 0], [0, 1, 0], [0, 0, 0], [0.9, 0.5, 0.3], [0.2, 0.5, 0.3], 9,
        others=[[0.3, 0.2]], average_precision=[1.0, 0.5, math.nan], probe_subject=np.array(["ann", "bob", "cem"]),
    )  # fmt: skip
    for changed in (
        {"average_precision": [1.0, 0.25, math.nan]},
        {"others": [[0.3, 0.3]]},
        {"gallery_size": 10},
        {"failed_enrolled": 1},
    ):
        [found] = compare_systems([searches, replace(searches, **changed)], ["RR"], settings=FEW)
        assert not found.identical


def test_a_distance_compares_with_a_similarity():
    a, b = people(np.random.default_rng(13), 15, 3, (0.0, 1.0))
    turned = replace(b, mated=-b.mated, nonmated=-b.nonmated, rule=bt.AcceptRule.DISTANCE)
    measures = ["EER", "FNMR@FMR=0.3", "AUC"]
    plain, mixed = (compare_systems([a, other], measures, settings=FEW)[0] for other in (b, turned))
    for one, other in zip(plain.differences, mixed.differences, strict=True):
        assert other.difference == pytest.approx(one.difference)
        assert other.p == one.p


def test_one_subject_tells_nothing():
    ids = bt.TrialIds(np.array(["x"] * 4), np.array(["x"] * 4))
    a = bt.ScoreSet([1, 2, 3, 4], [], mated_ids=ids, name="A")
    b = bt.ScoreSet([2, 2, 0, 4], [], mated_ids=ids, name="B")
    [found] = compare_systems([a, b], ["FNMR@t=1.5"], settings=FEW, by=["row"])
    assert math.isnan(found.differences[0].p)
    assert "one unit to resample" in str(found.differences[0].reason)


def test_one_class_only_is_undefined_with_a_reason():
    a, b = bt.ScoreSet([1, 2], [], name="A"), bt.ScoreSet([2, 3], [], name="B")
    [found] = compare_systems([a, b], ["EER"], settings=FEW)
    assert found.differences[0].verdict == "undefined"
    assert str(found.differences[0].reason) == "A: no non-mated scores; B: no non-mated scores"


def test_few_subjects_are_said_to_be_few():
    a, b = people(np.random.default_rng(14), 5, 4, (0.0, 0.2))
    [found] = compare_systems([a, b], ["EER"], settings=FEW)
    assert tuple(map(str, found.notes)) == (
        "Only 5 subjects were resampled: intervals are rough, and there is no p value below 15.",
    )
    [difference] = found.differences
    assert math.isnan(difference.p)
    assert difference.interval.low < difference.interval.high
    assert str(difference.reason) == "only 5 subjects: systems are compared from 15 subjects on"
    assert difference.verdict == "undefined"


def test_classical_tests_stand_beside_where_they_apply():
    a, b = people(np.random.default_rng(15), 20, 3)
    measures = ["AUC", "FNMR@t=1.4", "FMR@t=1.4", "FNMR@FMR=0.01", "EER"]
    [found] = compare_systems([a, b], measures, settings=FEW)
    assert [(check.test, check.measure) for check in found.checks] == [
        ("DeLong", "AUC"),
        ("McNemar", "FNMR@t=1.4"),
        ("McNemar", "FMR@t=1.4"),
    ]
    assert found.checks[0].p == delong_test(a, b, paired=True).p
    assert [check.naive for check in found.checks] == [True, False, False]
    errors = [
        np.count_nonzero((a.mated < 1.4) & (b.mated >= 1.4)),
        np.count_nonzero((a.mated >= 1.4) & (b.mated < 1.4)),
    ]
    assert list(found.checks[1].wrong) == errors
    [apart] = compare_systems([a, b], measures, settings=FEW, paired=False)
    assert [check.test for check in apart.checks] == ["DeLong"]


def searched(rng, n: int, gain: float, name: str, shared) -> bt.SearchSet:
    """One enrolled search a person and one of a stranger, in a gallery of n people."""
    names = np.array([f"s{k:03d}" for k in range(2 * n)])
    scores = rng.normal(0, 0.3, (2 * n, n)) + shared
    scores[np.arange(n), np.arange(n)] += 1.5 + gain
    blocks = [(np.arange(2 * n), np.arange(n), scores)]
    return replace(bt.trials.searches_from_blocks(blocks, names, names[:n]), name=name)


def test_searches_are_paired_by_probe():
    rng = np.random.default_rng(20)
    shared = rng.normal(0, 1, (60, 30))
    a, b, c = (searched(rng, 30, gain, name, shared) for gain, name in ((0, "A"), (0.1, "B"), (4, "C")))
    measures = ["RR", "DIR@FPIR=0.2,k=1"]
    near, far = compare_systems([a, b, c], measures, settings=Settings(resamples=199))
    for versus, other in ((near, b), (far, c)):
        for one in versus.differences:
            assert one.second_value == bt.evaluate(other, [one.measure])[one.measure].value
    assert (str(near.unit), near.n_units, near.trials) == ("subjects", 60, 60)
    assert near.differences[0].verdict == "not distinguishable"
    assert far.differences[0].verdict == "better"
    [apart] = compare_systems([a, b], ["RR"], settings=Settings(resamples=199), paired=False)
    assert near.differences[0].error < apart.differences[0].error
    [same] = compare_systems([a, replace(a, name="again")], measures, settings=FEW)
    assert same.identical
    assert [one.p for one in same.differences] == [1.0, 1.0]


def test_predictions_are_paired_row_by_row_against_mcnemar():
    """Accuracy of two classifiers: the bootstrap of a mean of -1, 0 and 1, whose p is that of McNemar's test."""
    rng = np.random.default_rng(21)
    truth = rng.integers(0, 2, 400)
    said = [np.where(rng.random(400) < share, truth, 1 - truth) for share in (0.80, 0.85)]
    a, b = (bt.Predictions.from_labels(truth, labels, name=name) for labels, name in zip(said, "AB", strict=True))
    [found] = compare_systems([a, b], ["Accuracy"], settings=Settings(resamples=999))
    wrong = [labels != truth for labels in said]
    expected = mcnemar(int((wrong[0] & ~wrong[1]).sum()), int((wrong[1] & ~wrong[0]).sum()), method="chi-square")
    assert found.differences[0].p == pytest.approx(expected.p, abs=0.02)
    assert 0.001 < expected.p < 0.5
    assert found.trials == 400
    assert found.naive
    p = rng.random(400)
    one, other = (bt.Predictions.from_probabilities(truth, 0.6 * p + 0.4 * truth * k) for k in (1, 0.5))
    [ranked] = compare_systems([one, other], ["AUC", "LogLoss"], settings=FEW)
    assert ranked.differences[0].verdict == "worse"
    assert ranked.differences[1].better == -1


def test_what_cannot_be_compared_is_refused():
    [a] = people(np.random.default_rng(16), 5, 2, (0.0,))
    with pytest.raises(bt.InputError, match="1 system to compare; expected two or more"):
        compare_systems([a], ["EER"])
    with pytest.raises(bt.InputError, match="unknown measure 'EERR'"):
        compare_systems([a, a], ["EERR"])
    with pytest.raises(bt.InputError, match="margin is -1"):
        compare_systems([a, a], ["EER"], margin=-1)


def false_alarms(runs: int, n: int, resamples: int) -> tuple[float, float]:
    """How often equal systems are told apart at 5 %: by subject, and by DeLong's test."""
    seen, naive = 0, 0
    for run in range(runs):
        a, b = people(np.random.default_rng(1000 + run), n, 4)
        [found] = compare_systems([a, b], ["AUC"], settings=Settings(resamples=resamples, seed=run))
        seen += found.differences[0].p <= 0.05
        naive += found.checks[0].p <= 0.05
    return seen / runs, naive / runs


def test_equal_systems_are_seldom_with_distinct_names_against_theory():
    """U2: one time in twenty, give or take; the fast twin of the next."""
    by_subject, naive = false_alarms(60, 30, 79)
    assert by_subject <= 0.1
    assert naive > by_subject + 0.05


@pytest.mark.slow
def test_equal_systems_are_with_distinct_names_one_time_in_twenty_against_theory():
    by_subject, naive = false_alarms(200, 50, 139)
    assert 0.005 <= by_subject <= 0.09
    assert naive >= 0.15
