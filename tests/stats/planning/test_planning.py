"""U1: how large a test must be, by formula and by simulation."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertillon.advice import plan_notes, plan_verdict
from bertillon.core import InputError
from bertillon.stats import Aim, Design, error_correlation, plan_test, proportion, roster_of, try_plan

names = st.sampled_from(["FMR", "FNMR", "FPIR", "FNIR"])


def test_people_for_thirty_thousand_comparisons_by_hand():
    """STANDARDS 1: 174 people where each pair meets twice (174 173 = 30,102), 246 where it meets once."""
    for ordered, people, trials in ((True, 174, 30_102), (False, 246, 30_135)):
        size = plan_test(Aim("FMR", 1e-4), ordered=ordered).size("bound", independent=True)
        assert (size.people, size.trials) == (people, trials)


def test_the_rule_of_30_by_hand():
    """±30 % at 90 % takes 30 errors, so 300,000 comparisons at 1e-4; (1.96 / .3)^2 = 43 errors at 95 %."""
    at_90 = plan_test(Aim("FMR", 1e-4, 0.3, 0.9), correlation=0).size("precision")
    assert at_90.expected_errors == pytest.approx(30, rel=0.01)
    at_95 = plan_test(Aim("FNMR", 0.001)).size("precision")
    assert at_95.trials == math.ceil((1.959963984540054 / 0.3) ** 2 * 0.999 / 0.001)


def test_subjects_who_try_several_times_by_hand():
    """FNMR 1 %, 5 attempts: trials times 1 + 4 rho, rounded up to whole people."""
    plan = plan_test(Aim("FNMR", 0.01), samples=5, correlation=0.3)
    needed = (1.959963984540054 / 0.3) ** 2 * 0.99 / 0.01 * (1 + 4 * error_correlation(0.01, 0.3))
    assert plan.size("precision").people == math.ceil(needed / 5)
    bound = plan.size("bound")
    assert bound.people == math.ceil(300 * (1 + 4 * error_correlation(0.01, 0.3)) / 5)


@pytest.mark.parametrize(("samples", "ordered"), [(1, False), (1, True), (3, False), (2, True)])
def test_what_comparisons_share_against_brute_force(samples, ordered):
    first, second = (np.repeat(end, samples) for end in np.triu_indices(7, 1))
    if ordered:
        first, second = np.r_[first, second], np.r_[second, first]
    design = Design(by_pair=True, correlation=0.2, samples=samples, ordered=ordered)
    assert design.trials(7) == first.size
    assert design.sharing(7) == roster_of(first, second).sharing


@given(names, st.floats(1e-6, 0.3), st.floats(0.05, 1.0), st.integers(1, 5), st.floats(0, 0.5))
def test_a_plan_is_the_smallest_that_does(name, rate, precision, samples, correlation):
    plan = plan_test(Aim(name, rate, precision), samples=samples, correlation=correlation)
    for shows, needed in (("bound", plan.aim.trials_to_bound), ("precision", plan.aim.trials_to_measure)):
        alone, together = plan.size(shows, independent=True), plan.size(shows)
        assert alone.people <= together.people
        assert together.worth >= needed
        assert alone.trials >= needed
        if together.people > 2:
            assert plan.design.worth(together.people - 1, rate) < needed
        if alone.people > 2:
            assert plan.design.trials(alone.people - 1) < needed


@given(names, st.floats(1e-5, 0.3))
def test_more_correlation_takes_more_people(name, rate):
    few, many = (plan_test(Aim(name, rate), samples=3, correlation=c).size("precision").people for c in (0.1, 0.4))
    assert few <= many


def test_a_bound_that_was_planned_is_a_bound_that_is_shown():
    """No error in the comparisons of so many people: the interval by pairs ends at the rate aimed at."""
    plan = plan_test(Aim("FMR", 1e-3))
    people = plan.size("bound").people
    first, second = np.triu_indices(people, 1)
    rate = roster_of(first, second).rate(np.zeros(first.size, dtype=bool))
    assert rate.interval(side="upper").high == pytest.approx(1e-3, rel=0.02)
    assert rate.interval(side="upper").high <= 1e-3


def test_the_check_of_a_protection_profile_by_hand():
    """STANDARDS 1: FMR at most 1e-4 at the upper end of an interval of 80 %: 30,000 without an error show it."""
    assert proportion(0, 30_000, level=0.8).high <= 1e-4 < proportion(1, 30_000, level=0.8).high


@pytest.mark.parametrize(
    ("aim", "options", "runs"),
    [
        (Aim("FMR", 0.02), {}, 200),
        (Aim("FMR", 0.05), {"ordered": True, "samples": 2}, 200),
        (Aim("FNMR", 0.05), {"samples": 10}, 400),
    ],
)
def test_simulated_tests_give_what_was_planned_against_theory(aim, options, runs):
    """The middle interval is ±30 % or little more, since Student's t knows what the formula does not."""
    tried = try_plan(plan_test(aim, **options), runs)
    assert 0.28 <= tried.width <= 0.35
    assert tried.coverage >= 0.92
    assert tried.naive_width < 0.25
    assert tried.naive_coverage < 0.90
    assert tried.to_dict()["runs"] == runs


def test_a_seed_gives_the_same_tests_however_many_follow():
    plan = plan_test(Aim("FNMR", 0.05), samples=2)
    assert try_plan(plan, 5, seed=3) == try_plan(plan, 5, seed=3)
    assert try_plan(plan, 5, seed=3) != try_plan(plan, 5, seed=4)


def test_the_words_of_a_plan():
    plan = plan_test(Aim("FMR", 1e-4))
    assert str(plan_verdict(plan)) == (
        "Plan for 2,586 people, every pair compared once: FMR 0.0001 is then known within 30 % at 95 % confidence."
    )
    notes = " ".join(map(str, plan_notes(plan)))
    assert "30,000 independent non-mated comparisons" in notes
    assert "about 43 errors" in notes
    assert "each of the two people explains 20 % of the variance of scores" in notes
    assert "with one search each" in str(plan_verdict(plan_test(Aim("FNIR", 0.01))))
    assert "compared 4 times" in str(plan_verdict(plan_test(Aim("FMR", 0.01), samples=2, ordered=True)))
    assert "--correlation 0" in " ".join(map(str, plan_notes(plan_test(Aim("FMR", 0.01), correlation=0))))
    assert "More trials per person (--samples)" in " ".join(map(str, plan_notes(plan_test(Aim("FPIR", 0.01)))))


def test_a_plan_as_json():
    found = json.loads(json.dumps(plan_test(Aim("FNMR", 0.01), samples=5).to_dict(), allow_nan=False))
    assert found["aim"]["name"] == "FNMR"
    assert found["design"]["correlation"] == 0.3
    assert [size["people"] for size in found["sizes"]] == [60, 72, 846, 1001]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: Aim("EER", 0.1), "expected one of FMR, FNMR, FPIR, FNIR"),
        (lambda: Aim("FMR", 0.0), "FMR: rate is 0.0"),
        (lambda: Aim("FMR", 1.5), "FMR: rate is 1.5"),
        (lambda: Aim("FMR", 0.1, 0.0), "interval is 0.0"),
        (lambda: Aim("FMR", 0.1, 0.3, 95), "give 0.95"),
        (lambda: plan_test(Aim("FMR", 0.1), samples=0), "samples is 0"),
        (lambda: plan_test(Aim("FMR", 0.1), samples=1.5), "samples is 1.5"),
        (lambda: plan_test(Aim("FMR", 0.1), correlation=0.6), r"0 to 0\.5"),
        (lambda: plan_test(Aim("FNMR", 0.1), correlation=1.1), "0 to 1"),
        (lambda: plan_test(Aim("FNMR", 0.1), ordered=False), "leave out --ordered"),
        (lambda: plan_test(Aim("FMR", 1e-30, 1e-9)), "more than 1,000,000,000,000 people"),
        (lambda: try_plan(plan_test(Aim("FMR", 1e-6)), 10), "too many"),
        (lambda: try_plan(plan_test(Aim("FNMR", 0.1)), 1), "simulated tests is 1"),
        (lambda: try_plan(plan_test(Aim("FNMR", 0.1)), 5, seed=-1), "seed is -1"),
    ],
)
def test_bad_plans_are_refused(call, said):
    with pytest.raises(InputError, match=said):
        call()
