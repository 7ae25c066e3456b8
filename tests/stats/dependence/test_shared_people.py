"""U1: rates whose trials share people, against published figures, sums over all pairs, and statsmodels' clusters."""

from __future__ import annotations

import math
from itertools import combinations, permutations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st

from bertillon.core import InputError
from bertillon.stats import DependentRate, proportion, rate_by_pair, rate_by_subject, rate_of_subjects, roster_of

people = st.integers(0, 5)


@st.composite
def comparisons(draw, least: int = 1):
    """Any list of comparisons of different people, with their outcomes."""
    pairs = draw(st.lists(st.tuples(people, people).filter(lambda pair: pair[0] != pair[1]), min_size=least))
    errors = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    return [i for i, _ in pairs], [j for _, j in pairs], np.array(errors, dtype=bool)


def variance_of_ordered_pairs(probe, reference, error) -> float:
    """Fogliato et al.: [2 sum d_ij^2 + 4 max(0, sum_i sum_{j != k} d_ij d_ik)] / (sum m_ij)^2, over ordered pairs."""
    rate = sum(map(int, error)) / len(error)
    d = dict.fromkeys(permutations(range(6), 2), 0.0)
    for i, j, wrong in zip(probe, reference, error, strict=True):
        d[i, j] += wrong - rate
        d[j, i] += wrong - rate
    squares = sum(value * value for value in d.values())
    shared = sum(
        d[i, j] * d[i, k] for i in range(6) for j, k in permutations([other for other in range(6) if other != i], 2)
    )
    return (2 * squares + 4 * max(0.0, shared)) / (2 * len(error)) ** 2


def test_U1_three_subjects_of_three_trials_by_hand():
    """STANDARDS 1: errors {3, 0, 0}: V .0740741, n_eff 3, [.0614919, .7923404]; naive [.1205838, .6457979]."""
    rate = rate_of_subjects([3, 0, 0], [3, 3, 3])
    assert rate.variance == pytest.approx(0.0740741, abs=5e-8)
    assert rate.effective_trials == pytest.approx(3)
    found = rate.wilson()
    assert (found.low, found.high) == (pytest.approx(0.0614919, abs=5e-8), pytest.approx(0.7923404, abs=5e-8))
    naive = proportion(3, 9, method="wilson")
    assert (naive.low, naive.high) == (pytest.approx(0.1205838, abs=5e-8), pytest.approx(0.6457979, abs=5e-8))


def test_U1_a_negative_covariance_is_taken_as_none_by_hand():
    """STANDARDS 1: AB and AC wrong, BC right: V .0740741."""
    rate = rate_by_pair(["A", "A", "B"], ["B", "C", "C"], [True, True, False])
    assert rate.variance == pytest.approx(0.0740741, abs=5e-8)
    assert rate.effective_trials == pytest.approx(3)


def test_U1_an_asymmetric_roster_by_hand():
    """Two probes, three references, all of the first probe's comparisons wrong: P = 2 (3/2)^2 + 0, Q = 6/4."""
    rate = rate_by_pair([0, 0, 0, 1, 1, 1], [0, 1, 2] * 2, [True] * 3 + [False] * 3, same_people=False)
    assert rate.variance == pytest.approx((4.5 - 1.5) / 36)
    assert rate.people == 5
    assert rate.disjoint == 2
    assert (rate.sharing.one_shared, rate.sharing.both_shared) == (2 * 3 * 2 + 3 * 2 * 1, 0)


@given(comparisons())
def test_U1_pairs_against_the_sum_over_ordered_pairs(drawn):
    rate = rate_by_pair(*drawn)
    assert rate.errors == sum(drawn[2])
    assert rate.trials == len(drawn[2])
    assert rate.variance == pytest.approx(variance_of_ordered_pairs(*drawn), abs=1e-12)


@given(comparisons())
def test_U1_sharing_against_brute_force(drawn):
    sets = [{i, j} for i, j in zip(drawn[0], drawn[1], strict=True)]
    common = [len(a & b) for a, b in permutations(sets, 2)]
    sharing = rate_by_pair(*drawn).sharing
    assert (sharing.trials, sharing.one_shared, sharing.both_shared) == (len(sets), common.count(1), common.count(2))


@given(comparisons())
def test_U1_that_many_pairs_share_nobody_against_brute_force(drawn):
    pairs = {frozenset(pair) for pair in zip(drawn[0], drawn[1], strict=True)}
    largest = max(
        size
        for size in range(1, 4)
        for chosen in combinations(pairs, size)
        if len(frozenset().union(*chosen)) == 2 * size
    )
    assert 1 <= rate_by_pair(*drawn).disjoint <= largest


def test_U1_pairs_of_different_people_are_all_disjoint_by_hand():
    assert rate_by_pair([0, 2, 4, 0], [1, 3, 5, 1], np.zeros(4, dtype=bool)).disjoint == 3


@pytest.mark.parametrize("n", [4, 5, 10, 11])
def test_U1_everyone_against_everyone_has_half_as_many_disjoint_pairs_by_hand(n):
    first, second = np.triu_indices(n, 1)
    assert rate_by_pair(first, second, np.zeros(first.size, dtype=bool)).disjoint == n // 2


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), st.booleans()), min_size=4).filter(
        lambda rows: len({i for i, _, _ in rows}) > 1 and len({j for _, j, _ in rows}) > 1
    )
)
def test_U1_two_way_clusters_against_statsmodels(rows):
    """Where probes and references are different people and the covariance is not negative."""
    probe, reference, error = (np.array(column) for column in zip(*rows, strict=True))
    rate = rate_by_pair(probe, reference, error, same_people=False)
    groups = np.column_stack([probe, reference])
    ones = np.ones(error.size)
    fit = sm.OLS(error.astype(float), ones).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False, "df_correction": False}
    )
    theirs = float(np.asarray(fit.cov_params())[0, 0])
    within = float(((np.bincount(probe * 5 + reference, error - error.mean())) ** 2).sum()) / error.size**2
    assert rate.variance == pytest.approx(max(theirs, within), abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=2).filter(lambda r: len({i for i, _ in r}) > 1))
def test_U1_clusters_against_statsmodels(rows):
    subject, error = (np.array(column) for column in zip(*rows, strict=True))
    fit = sm.OLS(error.astype(float), np.ones(error.size)).fit(
        cov_type="cluster", cov_kwds={"groups": subject, "use_correction": False, "df_correction": False}
    )
    assert rate_by_subject(subject, error).variance == pytest.approx(
        float(np.asarray(fit.cov_params())[0, 0]), abs=1e-12
    )


@given(comparisons(), st.randoms(use_true_random=False))
def test_U1_neither_order_nor_names_nor_parts_matter(drawn, random):
    """Pairs may stand in any order and either way round, under any ids."""
    rows = list(zip(*drawn, strict=True))
    random.shuffle(rows)
    turned = [(j, i, wrong) if random.random() < 0.5 else (i, j, wrong) for i, j, wrong in rows]
    names = {i: f"s{9 - i}" for i in range(6)}
    first, second = (
        rate_by_pair(*drawn),
        rate_by_pair(
            [names[i] for i, _, _ in turned], [names[j] for _, j, _ in turned], np.array([w for _, _, w in turned])
        ),
    )
    assert same(first, second)


def test_U1_few_pairs_among_many_people_are_sorted_instead_of_counted():
    """The same list under ids that leave most of 3,000 people out, so that the table of pairs would be too large."""
    rng = np.random.default_rng(3)
    i, j, wrong = rng.integers(40, size=500), rng.integers(1, 40, size=500), rng.random(500) < 0.2
    j = (i + j) % 40
    extra = np.arange(40, 3000)
    spread = rate_by_pair(np.r_[i, extra[:-1]], np.r_[j, extra[1:]], np.r_[wrong, np.zeros(extra.size - 1, dtype=bool)])
    assert spread.trials**0.5 < spread.people
    dense = rate_by_pair(i, j, wrong)
    rate = spread.errors / spread.trials
    by_hand = variance_by_hand(np.r_[i, extra[:-1]], np.r_[j, extra[1:]], rate, spread.trials, wrong)
    assert spread.variance == pytest.approx(by_hand, rel=1e-12)
    assert dense.errors == spread.errors


def variance_by_hand(i, j, rate, trials, wrong) -> float:
    d = np.full(trials, -rate)
    d[: wrong.size] += wrong
    of_people = np.bincount(i, d, 3000) + np.bincount(j, d, 3000)
    pairs: dict[tuple[int, int], float] = {}
    for a, b, value in zip(i, j, d, strict=True):
        key = (min(a, b), max(a, b))
        pairs[key] = pairs.get(key, 0.0) + value
    within = sum(value * value for value in pairs.values())
    return max(within, float((of_people**2).sum()) - within) / trials**2


@given(comparisons())
def test_U1_a_roster_answers_for_any_threshold(drawn):
    probe, reference, error = drawn
    roster = roster_of(probe, reference)
    for wrong in (error, ~error, np.zeros_like(error)):
        assert same(roster.rate(wrong), rate_by_pair(probe, reference, wrong))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(lambda row: row[0] <= row[1]), min_size=1))
def test_U1_counts_and_rows_agree(rows):
    subject = np.concatenate([np.full(n, i) for i, (_, n) in enumerate(rows)])
    error = np.concatenate([np.arange(n) < k for k, n in rows])
    from_counts = rate_of_subjects([k for k, _ in rows], [n for _, n in rows])
    assert same(from_counts, rate_by_subject(subject, error))


# the intervals -------------------------------------------------------------------------------------------------------


def test_U1_published_edge_rules_by_hand():
    """STANDARDS 1: without errors n_eff = n; one error: the lower end is -ln(.95) / n."""
    none, one = rate_of_subjects([0] * 5, [4] * 5).wilson(), rate_of_subjects([1, 0, 0, 0, 0], [4] * 5).wilson()
    naive = proportion(0, 20, method="wilson")
    assert (none.low, none.high) == (0.0, pytest.approx(naive.high, rel=1e-12))
    assert one.low == pytest.approx(-math.log(0.95) / 20)
    most = rate_of_subjects([3, 4, 4, 4, 4], [4] * 5).wilson()
    assert most.high == pytest.approx(1 + math.log(0.95) / 20)
    assert rate_of_subjects([4] * 5, [4] * 5).wilson().high == 1.0


def test_U1_student_stands_on_the_people_who_err_by_hand():
    """100 subjects, errors {4, 3, 2, 2}: squares {16, 9, 4, 4} and dust, so 33^2 / 369 people carry the variance."""
    rate = rate_of_subjects([4, 3, 2, 2] + [0] * 9996, [5] * 10_000)
    assert rate.carriers == pytest.approx(33**2 / (256 + 81 + 16 + 16), rel=2e-3)
    assert rate.freedom == 3
    wide, narrow = rate.interval(), rate.wilson()
    assert wide.low < narrow.low < rate.value < narrow.high < wide.high
    assert rate_of_subjects([2] * 50 + [0] * 50, [4] * 100).freedom == 99


def test_U1_errors_that_avoid_each_other_are_luck_by_hand():
    """One error in nearly every pair of trials: published n_eff is far above the trials, ours is the trials."""
    rate = rate_of_subjects([1] * 99 + [0], [2] * 100)
    assert rate.effective_trials > 10 * rate.trials
    ours, naive = rate.interval(), proportion(99, 200, method="wilson")
    assert ours.low < naive.low < naive.high < ours.high


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(1, 4)).filter(lambda row: row[0] <= row[1]), min_size=2),
    st.sampled_from([0.8, 0.95]),
)
def test_U1_intervals_hold_the_rate_and_mirror(rows, level):
    errors, trials = (np.array(column) for column in zip(*rows, strict=True))
    rate, turned = rate_of_subjects(errors, trials), rate_of_subjects(trials - errors, trials)
    for ours, theirs in ((rate.interval(level), turned.interval(level)), (rate.wilson(level), turned.wilson(level))):
        assert 0.0 <= ours.low <= rate.value <= ours.high <= 1.0
        assert (ours.low, ours.high) == pytest.approx((1 - theirs.high, 1 - theirs.low), abs=1e-9)
    both, upper, lower = rate.interval(level), rate.interval(level, "upper"), rate.interval(level, "lower")
    assert (upper.low, lower.high) == (0.0, 1.0)
    assert upper.high <= both.high + 1e-12
    assert lower.low >= both.low - 1e-12


def test_U1_without_an_error_the_bound_is_above_that_of_independent_trials():
    """246 people, each pair once: independent < assumed correlation < as many trials as share nobody."""
    first, second = np.triu_indices(246, 1)
    rate = rate_by_pair(first, second, np.zeros(first.size, dtype=bool))
    independent = proportion(0, 30_135).high
    assert independent < rate.interval().high < 1 - 0.025 ** (1 / 123)
    assert str(rate.interval().reason).startswith("no error was observed; equivalent to 13,363 independent trials")
    assert rate_by_pair(first, second, np.zeros(first.size, dtype=bool), correlation=0.0).interval().high == independent


def test_U1_the_bound_without_errors_is_its_own_rate_by_hand():
    """The design effect is that of the bound itself: u = 1 - .025^(d(u) / n)."""
    rate = rate_of_subjects([0] * 50, [6] * 50)
    high = rate.interval().high
    effect = rate.sharing.design_effect(high, 0.3)
    assert high == pytest.approx(1 - 0.025 ** (effect / 300), rel=1e-6)


def test_U1_nothing_but_errors_is_the_mirror_of_none():
    none, all_wrong = rate_of_subjects([0] * 9, [3] * 9), rate_of_subjects([3] * 9, [3] * 9)
    for side, other in (("both", "both"), ("upper", "lower"), ("lower", "upper")):
        first, second = none.interval(0.9, side), all_wrong.interval(0.9, other)
        assert (first.low, first.high) == pytest.approx((1 - second.high, 1 - second.low), abs=1e-12)
    assert str(all_wrong.interval().reason).startswith("only errors were observed")


@pytest.mark.parametrize(
    ("rate", "reason"),
    [
        (rate_of_subjects([], []), "no trials"),
        (rate_by_pair([], [], np.zeros(0, dtype=bool)), "no trials"),
        (rate_of_subjects([1], [7]), "one subject alone says nothing about others"),
        (rate_by_pair([1, 2], [2, 1], [True, False]), "no two comparisons involve four different people"),
        (rate_by_pair([1] * 9, list(range(2, 11)), [True] + [False] * 8), "no two comparisons involve four"),
    ],
)
def test_U1_what_cannot_be_known_is_undefined_with_a_reason(rate, reason):
    found = rate.interval()
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert str(found.reason).startswith(reason)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: rate_by_subject([1, 2], [True]), "subject: 2 ids for 1 trials"),
        (lambda: rate_by_subject([1, 2], [1, 0]), "expected True or False"),
        (lambda: rate_by_subject(np.array(["a", None], dtype=object), [True, False]), "id is missing"),
        (lambda: rate_of_subjects([3], [2]), "subject 1: 3 errors in 2 trials"),
        (lambda: rate_of_subjects([-1], [2]), "subject 1: -1 errors"),
        (lambda: rate_of_subjects([0.5], [2]), "expected whole numbers"),
        (lambda: rate_of_subjects([1, 1], [2]), "expected one number a subject"),
        (lambda: rate_of_subjects([1], [2], correlation=1.5), "correlation is 1.5"),
        (lambda: rate_by_pair(["a", "b"], ["b", "b"], [True, False]), "comparison 2 is of subject 'b' with itself"),
        (lambda: rate_by_pair([1], [2], [True], correlation=0.6), "0 to 0.5"),
        (lambda: rate_of_subjects([1, 0], [2, 2]).interval(95), "give 0.95"),
        (lambda: rate_of_subjects([1, 0], [2, 2]).interval(side="left"), "both, upper, lower"),
        (lambda: rate_of_subjects([0, 0], [2, 2]).interval(side="left"), "both, upper, lower"),
    ],
)
def test_U1_bad_input_is_refused(call, said):
    with pytest.raises(InputError, match=said):
        call()


def same(first: DependentRate, second: DependentRate) -> bool:
    counted = ("errors", "trials", "people", "unit", "disjoint", "sharing", "correlation")
    return (
        all(getattr(first, name) == getattr(second, name) for name in counted)
        and math.isclose(first.variance, second.variance, abs_tol=1e-12)
        and (first.carriers == second.carriers or math.isclose(first.carriers, second.carriers, rel_tol=1e-6))
    )
