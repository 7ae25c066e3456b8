"""Goats, lambs, wolves and the menagerie. SPEC R4."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bertillon as bt
from bertillon.analysis import CORNERS, PARTS, binomial_p_value, corner_p_value, subject_scores


def scored(own, others, *, rule="similarity") -> bt.ScoreSet:
    """From (person, score) with oneself and (probe, reference, score) with others."""
    who, mated = zip(*own, strict=True)
    probe, reference, nonmated = zip(*others, strict=True)
    who, probe, reference = (np.array(ids) for ids in (who, probe, reference))
    return bt.ScoreSet(
        mated,
        nonmated,
        rule=rule,
        mated_ids=bt.TrialIds(who, who),
        nonmated_ids=bt.TrialIds(probe, reference),
        name="a test",
    )


def people(own: np.ndarray, others: np.ndarray, *, rule: str = "similarity") -> bt.ScoreSet:
    """Everybody once with oneself, and once as probe and as reference of an outsider with the same score."""
    names = [f"p{place:03d}" for place in range(own.size)]
    return scored(
        list(zip(names, own, strict=True)),
        [(name, "outsider", score) for name, score in zip(names, others, strict=True)],
        rule=rule,
    )


def test_r4_means_by_person_by_hand() -> None:
    """SPEC R4: the target is the reference (column), the attacker the probe (row)."""
    scores = scored(
        [("a", 0.9), ("a", 0.7), ("b", 0.6)], [("a", "b", 0.3), ("a", "b", 0.1), ("b", "a", 0.4), ("c", "a", 0.2)]
    )
    found = subject_scores(scores, threshold=0.3)
    assert found.subject.tolist() == ["a", "b", "c"]
    assert found.genuine.mean.tolist()[:2] == pytest.approx([0.8, 0.6])
    assert math.isnan(found.genuine.mean[2])
    assert found.target.mean.tolist()[:2] == pytest.approx([0.3, 0.2])
    assert found.attacker.mean.tolist() == pytest.approx([0.2, 0.4, 0.2])
    assert found.impostor.mean.tolist() == pytest.approx([0.25, 0.8 / 3, 0.2])
    assert found.target.comparisons.tolist() == [2, 2, 0]
    assert found.target.errors.tolist() == [1, 1, 0]
    assert found.attacker.errors.tolist() == [1, 1, 0]
    assert found.genuine.errors.tolist() == [0, 0, 0]


@pytest.mark.parametrize("rule", ["similarity", "distance"])
def test_r4_the_corners_by_hand(rule) -> None:
    """SPEC R4, erratum: worms are low with themselves and HIGH with others; a distance turns both round."""
    own, others = np.arange(16.0), np.tile(5.0, 16) + np.arange(16) / 100
    others[[0, 15]] = 9.0, 0.0  # the lowest with itself is highest with others, the highest with itself the lowest
    others[[1, 14]] = -1.0, 8.0
    sign = 1.0 if rule == "similarity" else -1.0
    zoo = bt.analysis.menagerie(people(sign * own, sign * others, rule=rule))
    assert zoo["worm"] == ["p000"]
    assert zoo["dove"] == ["p015"]
    assert "p001" in zoo["phantom"]
    assert "p014" in zoo["chameleon"]


def test_r4_corner_tests_by_hand() -> None:
    """STANDARDS 5: n = 100, 12 in a corner: binomial .0222673, hypergeometric .0033772."""
    assert binomial_p_value(12, 100) == pytest.approx(0.0222673, abs=5e-8)
    assert corner_p_value(12, 100, 25, 25) == pytest.approx(0.0033772, abs=5e-8)


def test_r4_corner_tests_against_brute_force() -> None:
    """Of 16 people 4 are low with themselves; every choice of 4 high with others is equally likely."""
    from itertools import combinations

    draws = [len({0, 1, 2, 3} & set(chosen)) for chosen in combinations(range(16), 4)]
    for found in range(5):
        assert corner_p_value(found, 16, 4, 4) == pytest.approx(np.mean([one >= found for one in draws]))


def test_r4_a_full_corner_is_more_than_chance() -> None:
    zoo = bt.analysis.menagerie(people(np.arange(40.0), -np.arange(40.0)))
    found = {corner.animal: corner for corner in zoo.corners}
    assert (found["worm"].found, found["dove"].found, found["phantom"].found) == (10, 10, 0)
    assert found["worm"].expected == 2.5
    assert found["worm"].p_value == pytest.approx(1 / math.comb(40, 10))
    assert found["worm"].p_adjusted == pytest.approx(4 * found["worm"].p_value)
    assert found["phantom"].p_value == 1.0


def test_r4_goats_are_those_below_the_percentile_against_numpy() -> None:
    """STANDARDS 5: goats lie below the 30th percentile of the means with oneself."""
    rng = np.random.default_rng(2)
    for number in range(20, 33):
        own = rng.normal(size=number)
        zoo = bt.analysis.menagerie(people(own, rng.normal(size=number)))
        below = np.flatnonzero(own < np.quantile(own, 0.3))
        assert sorted(zoo["goat"]) == [f"p{place:03d}" for place in below]
        assert zoo["goat"][0] == f"p{own.argmin():03d}"


def simulated(seed: int, **parameters: float) -> tuple[bt.ScoreSet, np.ndarray]:
    """Scores of 100 people, and the goat, lamb and wolf in each: the first numbers that the simulation draws."""
    effects = np.random.default_rng(seed).standard_normal((3, 100))
    made = bt.simulate.scores("subjects", mated=5_000, nonmated=50_000, rng=np.random.default_rng(seed), **parameters)
    return made.scores, effects


def test_r4_those_who_are_goats_lambs_and_wolves_are_found_against_theory() -> None:
    """SPEC R4: means follow d' - sqrt(goat) G, sqrt(lamb) L and sqrt(wolf) W; 9 in 10 of the labelled are true ones."""
    scores, (goat, lamb, wolf) = simulated(7)
    zoo = bt.analysis.menagerie(scores)
    assert zoo.people.genuine.mean == pytest.approx(2.0 - math.sqrt(0.3) * goat, abs=5 * math.sqrt(0.7 / 50))
    assert zoo.people.target.mean == pytest.approx(math.sqrt(0.2) * lamb, abs=5 * math.sqrt(0.8 / 450))
    assert zoo.people.attacker.mean == pytest.approx(math.sqrt(0.2) * wolf, abs=5 * math.sqrt(0.8 / 450))
    for animal, effect in (("goat", goat), ("lamb", lamb), ("wolf", wolf)):
        true = set(np.argsort(-effect)[:30].tolist())
        assert len(zoo[animal]) == 30
        assert len(true & set(zoo[animal])) >= 27
    assert all(one.p_value < 1e-6 for one in zoo.spreads)


def test_r4_where_nobody_differs_the_tests_say_so_against_theory() -> None:
    scores, _ = simulated(8, goat=0.0, lamb=0.0, wolf=0.0)
    zoo = bt.analysis.menagerie(scores)
    assert all(0.01 < one.p_value < 0.99 for one in zoo.spreads)
    assert all(one.p_adjusted > 0.05 for one in zoo.corners)
    only_goats = bt.analysis.menagerie(simulated(8, goat=0.3, lamb=0.0, wolf=0.0)[0]).spreads
    assert only_goats[0].p_value < 1e-6
    assert only_goats[1].p_value > 0.01


def test_r4_differences_against_scipy() -> None:
    from scipy.stats import kruskal

    scores, _ = simulated(9)
    groups = [scores.nonmated[scores.nonmated_ids.reference_subject == one] for one in range(100)]
    spread = bt.analysis.menagerie(scores).spreads[1]
    assert (spread.statistic, spread.p_value) == pytest.approx(tuple(kruskal(*groups)))


def test_r4_a_goat_is_rejected_as_often_as_theory_says() -> None:
    """STANDARDS 5: t = .5, sigma = .09, mean .40: FRR = Phi(1.111) = .867."""
    rng = np.random.default_rng(1)
    own = [("goat", score) for score in rng.normal(0.40, 0.09, 20_000)]
    own += [("sheep", score) for score in rng.normal(0.80, 0.09, 20_000)]
    scores = scored(own, [("goat", "sheep", 0.1), ("sheep", "goat", 0.2)])
    found = subject_scores(scores, threshold=0.5)
    assert found.genuine.rate[0] == pytest.approx(0.867, abs=0.01)
    assert found.genuine.rate[1] < 0.01


@given(
    values=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=16, max_size=24),
    rng=st.randoms(use_true_random=False),
)
def test_r4_order_does_not_matter_and_ties_across_an_edge_are_in_no_group(values, rng) -> None:
    """SPEC R4: equal people are treated alike, however the comparisons are ordered."""
    named = [(f"p{place:03d}", *pair) for place, pair in enumerate(values)]
    shuffled = list(named)
    rng.shuffle(shuffled)
    zoos = []
    for order in (named, shuffled):
        own, others = [(who, a) for who, a, _ in order], [(who, "outsider", b) for who, _, b in order]
        zoos.append(bt.analysis.menagerie(scored(own, others)))
    for animal in (*PARTS, *CORNERS):
        assert set(zoos[0][animal]) == set(zoos[1][animal])
    for animal in CORNERS:
        marks = zoos[0].marks[animal]
        by_values: dict[tuple[int, int], set[bool]] = {}
        for (_, *pair), mark in zip(named, marks[1:], strict=True):  # "outsider" comes before them all
            by_values.setdefault(tuple(pair), set()).add(bool(mark))
        assert all(len(found) == 1 for found in by_values.values())
    low = zoos[0].marks["worm"] | zoos[0].marks["phantom"]
    assert low.sum() <= len(values) // 4


def test_r4_a_pair_that_stands_both_ways_is_tested_once() -> None:
    """All against all compares a with b and b with a: the same score again is no new evidence."""
    rng = np.random.default_rng(3)
    own = np.repeat([f"s{place}" for place in range(20)], 6)
    first, second = (np.array([f"{side}{place}" for place in range(120)]) for side in "xy")
    once, others = rng.normal(size=120), bt.TrialIds(np.array(["s0", "s1"]), np.array(["s1", "s0"]))
    ids = bt.TrialIds(own, own, first, second)
    twice = bt.TrialIds(np.tile(own, 2), np.tile(own, 2), np.append(first, second), np.append(second, first))
    given_scores = [
        bt.ScoreSet(once, [0, 0], mated_ids=ids, nonmated_ids=others),
        bt.ScoreSet(np.tile(once, 2), [0, 0], mated_ids=twice, nonmated_ids=others),
    ]
    single, double = (bt.analysis.menagerie(one).spreads[0] for one in given_scores)
    assert double.statistic == pytest.approx(single.statistic)


def test_r4_too_few_people_or_scores_are_undefined_with_a_reason() -> None:
    zoo = bt.analysis.menagerie(people(np.arange(5.0), np.arange(5.0)))
    assert {str(corner.reason) for corner in zoo.corners} == {
        "5 people have both mated and non-mated scores; at least 16 are needed"
    }
    assert all(math.isnan(corner.p_value) and corner.found == 0 for corner in zoo.corners)
    assert str(zoo.spreads[0].reason) == "fewer than two people have 5 comparisons or more"
    equal = scored([("a", 1.0)] * 5 + [("b", 1.0)] * 5, [("a", "b", 0.0)])
    assert str(bt.analysis.menagerie(equal).spreads[0].reason) == "all scores are equal"


def test_r4_shares_of_errors_by_hand() -> None:
    """The goat has one of the two false non-matches among ten people of one comparison each."""
    own = np.array([0.1, 0.4, *np.linspace(0.6, 0.9, 8)])
    zoo = bt.analysis.menagerie(people(own, np.zeros(10)), threshold=0.5, share=0.1)
    assert zoo["goat"] == ["p000"]
    assert zoo.spreads[0].errors == 0.5
    assert zoo.spreads[1].errors is None  # there are no false matches to share
    assert bt.analysis.menagerie(people(own, np.zeros(10))).spreads[0].errors is None


def test_r4_a_frame_and_a_dict_hold_everything() -> None:
    zoo = bt.analysis.menagerie(people(np.arange(40.0), -np.arange(40.0)), threshold=0.5)
    frame = zoo.to_frame()
    assert frame.height == 41
    assert {"subject", "genuine_mean", "target_comparisons", "fnmr", "goat", "worm"} <= set(frame.columns)
    assert frame.filter(frame["worm"])["subject"].to_list() == sorted(zoo["worm"])
    assert frame["genuine_mean"].null_count() == 1  # of the outsider
    whole = zoo.to_dict()
    assert whole["people"] == 41
    assert whole["most_extreme"]["worm"] == zoo["worm"][:5] == ["p000", "p001", "p002", "p003", "p004"]


@pytest.mark.parametrize(
    ("mated_ids", "nonmated_ids", "said"),
    [
        (None, bt.TrialIds(np.array(["a"]), np.array(["b"])), "in the mated comparisons"),
        (bt.TrialIds(np.array(["a"])), None, "in the non-mated comparisons"),
        (bt.TrialIds(np.array(["a"])), bt.TrialIds(np.array(["a"])), "in the non-mated comparisons"),
        (
            bt.TrialIds(np.array(["a"])),
            bt.TrialIds(np.array(["a"]), np.array([None], dtype=object)),
            "some comparison has no id",
        ),
        (
            bt.TrialIds(np.array(["a"]), np.array(["b"])),
            bt.TrialIds(np.array(["a"]), np.array(["b"])),
            "mated comparison 1 is of two people, a and b",
        ),
    ],
)
def test_people_who_are_not_known_are_asked_for(mated_ids, nonmated_ids, said) -> None:
    with pytest.raises(bt.InputError, match=said):
        bt.analysis.menagerie(bt.ScoreSet([1.0], [0.0], mated_ids=mated_ids, nonmated_ids=nonmated_ids))


def test_one_side_of_a_mated_comparison_is_enough() -> None:
    ids = bt.TrialIds(reference_subject=np.array(["a"])), bt.TrialIds(np.array(["a"]), np.array(["b"]))
    found = subject_scores(bt.ScoreSet([1.0], [0.0], mated_ids=ids[0], nonmated_ids=ids[1]))
    assert found.genuine.comparisons.tolist() == [1, 0]


def test_other_bad_input_is_said() -> None:
    scores = people(np.arange(20.0), np.arange(20.0))
    with pytest.raises(bt.InputError, match=r"share is 0\.7"):
        bt.analysis.menagerie(scores, share=0.7)
    with pytest.raises(bt.InputError, match="threshold is nan"):
        bt.analysis.menagerie(scores, threshold=math.nan)
    with pytest.raises(bt.InputError, match="animal 'sheep' is not known; expected goat"):
        bt.analysis.menagerie(scores)["sheep"]
