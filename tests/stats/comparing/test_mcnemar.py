"""McNemar's test of paired decisions. SPEC U2; STANDARDS section 8."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar

import bertillon as bt
from bertillon.stats import DECISION_METHODS, compare_decisions, mcnemar


@pytest.mark.parametrize(
    ("method", "statistic", "p"),
    [("chi-square", 3.7692, 0.05220), ("corrected", 2.7692, 0.09609), ("exact", 3, 0.0922852), ("mid-p", 3, 0.0573730)],
)
def test_golden_ten_against_three(method, statistic, p):
    """STANDARDS 8: b = 10, c = 3."""
    found = mcnemar(10, 3, method=method)
    assert found.statistic == pytest.approx(statistic, abs=5e-5)
    assert found.p == pytest.approx(p, abs=5e-6)
    assert found.naive


@given(st.integers(0, 40), st.integers(0, 40))
def test_against_statsmodels(b, c):
    if not b + c:
        return
    table = [[7, b], [c, 9]]
    exact = statsmodels_mcnemar(table, exact=True)
    assert mcnemar(b, c, method="exact").p == pytest.approx(exact.pvalue)
    for method, correction in (("chi-square", False), ("corrected", True)):
        theirs = statsmodels_mcnemar(table, exact=False, correction=correction)
        if method == "corrected" and b == c:
            continue  # (|0| - 1)² is 1 there; a difference of 0 is no evidence here
        assert mcnemar(b, c, method=method).p == pytest.approx(theirs.pvalue)


@given(st.integers(0, 30), st.integers(0, 30))
def test_mid_p_by_hand(b, c):
    """The chance of less plus half the chance of what was seen, on both sides."""
    n, low = b + c, min(b, c)
    chance = [math.comb(n, k) / 2**n for k in range(low + 1)]
    assert mcnemar(b, c, method="mid-p").p == pytest.approx(min(1.0, 2 * sum(chance[:-1]) + chance[-1]) if n else 1.0)


@pytest.mark.parametrize("method", DECISION_METHODS)
def test_no_decision_differs(method):
    found = mcnemar(0, 0, method=method)
    assert found.p == 1.0
    assert "same decision" in str(found.reason)


def test_bad_counts_and_methods_are_refused():
    with pytest.raises(bt.InputError, match="-1 and 3; expected 0 or more"):
        mcnemar(-1, 3)
    with pytest.raises(bt.InputError, match="'fisher'; expected one of exact, mid-p"):
        mcnemar(1, 3, method="fisher")


def system(mated, nonmated, subjects=None, others=None, **more) -> bt.ScoreSet:
    ids = {}
    if subjects is not None:
        ids["mated_ids"] = bt.TrialIds(np.array(subjects), np.array(subjects))
    if others is not None:
        ids["nonmated_ids"] = bt.TrialIds(*(np.array(side) for side in others))
    return bt.ScoreSet(mated, nonmated, **ids, **more)


def test_own_thresholds_and_rules_by_hand():
    """A similarity at .5 and a distance at 3: both reject the third, only the distance rejects the second."""
    a = system([0.9, 0.5, 0.1], [0.4, 0.6])
    b = system([1, 4, 9], [2, 8], rule="distance")
    missed = compare_decisions(a, b, (0.5, 3), kind="mated")
    assert (missed.first_only, missed.second_only, missed.method) == (0, 1, "mid-p")
    accepted = compare_decisions(a, b, (0.5, 3), kind="nonmated")
    assert (accepted.first_only, accepted.second_only) == (1, 1)
    assert accepted.p == pytest.approx(1.0)


def signs_by_enumeration(sums: list[int]) -> float:
    """Every choice of signs once."""
    seen = abs(sum(sums))
    all_sums = [
        abs(sum(s * x for s, x in zip(signs, sums, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(sums))
    ]
    return sum(total >= seen for total in all_sums) / len(all_sums)


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from([-1, 0, 1])), min_size=1, max_size=20))
def test_by_subject_against_brute_force(comparisons):
    subject = [f"s{who}" for who, _ in comparisons]
    lead = np.array([step for _, step in comparisons])
    a, b = system(np.where(lead > 0, 1, 0), [0], subject), system(np.where(lead < 0, 1, 0), [0], subject)
    both_right = lead == 0
    a = system(np.where(both_right, 1, a.mated), [0], subject)
    b = system(np.where(both_right, 1, b.mated), [0], subject)
    found = compare_decisions(a, b, (0.5, 0.5), kind="mated")
    sums = [int(lead[[s == who for s in subject]].sum()) for who in sorted(set(subject))]
    assert found.p == pytest.approx(signs_by_enumeration(sums))
    assert (found.first_only, found.second_only) == (int((lead < 0).sum()), int((lead > 0).sum()))
    assert str(found.method).startswith("signs of subjects")
    assert not found.naive


@given(st.integers(0, 25), st.integers(0, 25))
def test_one_comparison_a_subject_is_the_exact_test(b, c):
    n = b + c + 1
    first = np.r_[np.zeros(b), np.ones(c + 1)]
    second = np.r_[np.ones(b), np.zeros(c), 1]
    subjects = [f"s{i}" for i in range(n)]
    found = compare_decisions(system(first, [0], subjects), system(second, [0], subjects), (0.5, 0.5), kind="mated")
    assert found.p == pytest.approx(mcnemar(b, c, method="exact").p)


def test_a_subject_who_fails_always_counts_once_by_hand():
    """Ten misses of one person are one sign: p = 1, where independent comparisons would say .001."""
    subjects = ["goat"] * 10 + ["sheep"] * 10
    a, b = system(np.ones(20), [0], subjects), system(np.r_[np.zeros(10), np.ones(10)], [0], subjects)
    assert compare_decisions(a, b, (0.5, 0.5), kind="mated").p == 1.0
    naive = compare_decisions(a, b, (0.5, 0.5), kind="mated", method="mid-p")
    assert naive.p == pytest.approx(2**-10)
    assert naive.naive


def variance_by_pairs(lead, probe, reference) -> float:
    """The products of all comparisons that share a subject."""
    people = [{p, r} for p, r in zip(probe, reference, strict=True)]
    told = [i for i in range(len(lead)) if lead[i]]
    return float(sum(lead[i] * lead[j] for i in told for j in told if people[i] & people[j]))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(5, 8), st.sampled_from([-1, 0, 1])), min_size=1, max_size=15))
def test_two_subjects_against_brute_force(comparisons):
    probe, reference = [f"p{i}" for i, _, _ in comparisons], [f"p{j}" for _, j, _ in comparisons]
    lead = np.array([step for *_, step in comparisons])
    others = (probe, reference)
    a, b = system([1], np.where(lead < 0, 1, 0), ["x"], others), system([1], np.where(lead > 0, 1, 0), ["x"], others)
    found = compare_decisions(a, b, (0.5, 0.5), kind="nonmated")
    assert not found.naive
    if not lead.any():
        assert found.p == 1.0
        return
    variance = max(variance_by_pairs(lead, probe, reference), float(np.count_nonzero(lead)))
    assert found.statistic == pytest.approx(lead.sum() / math.sqrt(variance))


def test_what_is_not_comparable_is_refused():
    with pytest.raises(bt.InputError, match="'all'; expected 'mated' or 'nonmated'"):
        compare_decisions(system([1], [0]), system([1], [0]), (0.5, 0.5), kind="all")
    with pytest.raises(bt.InputError, match="2 mated scores of one system and 1 of the other"):
        compare_decisions(system([1, 1], [0]), system([1], [0]), (0.5, 0.5), kind="mated")
