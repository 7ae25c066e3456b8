"""Peer variants give the peer's number: against the installed peers, and by hand for the others."""

from __future__ import annotations

import math
import warnings
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from bertillon.core import InputError
from bertillon.evaluation import evaluate
from bertillon.measures import PEERS, Result, parse, peer
from bertillon.trials import ScoreSet

T1 = ScoreSet([0.35, 0.55, 0.60, 0.80, 0.90], [0.05, 0.10, 0.15, 0.20, 0.25, 0.30, 0.40, 0.45, 0.50, 0.65])
T2 = ScoreSet([0.4, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.5, 0.65])
T3 = ScoreSet([1, 2, 2, 3], [0, 1, 1, 2])
TIED = ScoreSet([1.0, 1.0], [1.0, 1.0, 1.0])
TARGETS = (0.0, 0.001, 0.01, 0.05, 0.1, 0.25, 1 / 3, 0.5, 0.9, 1.0)

few = st.lists(st.integers(0, 8), min_size=1, max_size=30)
targets = st.sampled_from(TARGETS) | st.floats(0, 1)


def read(scores: ScoreSet, measure: Any) -> Result:
    """One measure of one score set."""
    return evaluate(scores, [measure])[measure]


def normals(seed: int, mated: int = 300, nonmated: int = 1000) -> ScoreSet:
    rng = np.random.default_rng(seed)
    return ScoreSet(rng.normal(1.5, 1, mated).round(2), rng.normal(0, 1, nonmated).round(2))  # rounded: some ties


# PyEER


def pyeer_stats(scores: ScoreSet) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pyeer.eer_info import get_eer_stats

        return get_eer_stats(scores.mated, scores.nonmated, ds_scores=scores.rule.value == "distance")


def check_pyeer(scores: ScoreSet) -> None:
    stats = pyeer_stats(scores)
    eer = read(scores, "EER[pyeer]")
    assert (eer.value, eer.threshold) == (stats.eer, stats.eer_th)
    for target, name in ((0.0, "fmr0"), (0.001, "fmr1000"), (0.01, "fmr100"), (0.05, "fmr20"), (0.1, "fmr10")):
        fnmr = read(scores, peer("pyeer").fnmr_at_fmr(target))
        assert (fnmr.value, fnmr.threshold) == (getattr(stats, name), getattr(stats, f"{name}_th"))


@given(mated=few, nonmated=few, rule=st.sampled_from(["similarity", "distance"]))
def test_eer_and_fnmr_with_ties_against_pyeer(mated: list[int], nonmated: list[int], rule: str) -> None:
    check_pyeer(ScoreSet(np.array(mated, float), np.array(nonmated, float), rule=rule))


@pytest.mark.parametrize("seed", range(5))
def test_eer_and_fnmr_of_normals_against_pyeer(seed: int) -> None:
    check_pyeer(normals(seed))


def test_curves_that_never_cross_give_eer_1_by_hand() -> None:
    assert read(TIED, "EER[pyeer]") == Result(1.0, 1.0)
    assert read(TIED, "EER[fvc]").value == 0.5


def test_pyeer_reads_fmr_0_above_0_when_the_best_score_is_nonmated_by_hand() -> None:
    scores = ScoreSet([1, 2, 3], [0, 1, 4])
    assert read(scores, "FNMR[pyeer]@FMR=0") == Result(1 / 3, 2.0, 1, 3)  # FMR is 1/3 from there on
    assert read(scores, "FNMR@FMR=0").threshold == math.inf


# scikit-learn


def roc(scores: ScoreSet) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    from sklearn.metrics import roc_curve

    labels = np.repeat([1, 0], [scores.mated.size, scores.nonmated.size])
    fpr, tpr, thresholds = roc_curve(labels, np.concatenate([scores.mated, scores.nonmated]))
    return fpr, tpr, thresholds


def check_sklearn(scores: ScoreSet, target: float) -> None:
    from scipy.optimize import brentq

    fpr, tpr, _ = roc(scores)
    eer = brentq(lambda x: 1.0 - x - np.interp(x, fpr, tpr), 0.0, 1.0, xtol=1e-14)
    assert read(scores, "EER[sklearn]").value == pytest.approx(eer, abs=1e-11)
    fnmr = read(scores, peer("sklearn").fnmr_at_fmr(target)).value
    assert fnmr == pytest.approx(1.0 - np.interp(target, fpr, tpr), abs=1e-12)


def check_insightface(scores: ScoreSet, target: float) -> None:
    fpr, tpr, thresholds = (values[::-1] for values in roc(scores))
    nearest = np.argmin(np.abs(fpr - target))
    tmr = read(scores, parse(f"TMR[insightface]@FMR={target!r}"))
    assert (tmr.value, tmr.threshold) == (tpr[nearest], thresholds[nearest])
    assert read(scores, peer("insightface").eer).value == read(scores, "EER[sklearn]").value


@given(mated=few, nonmated=few, target=targets)
def test_eer_and_fnmr_with_ties_against_sklearn(mated: list[int], nonmated: list[int], target: float) -> None:
    check_sklearn(ScoreSet(mated, nonmated), target)


@given(mated=few, nonmated=few, target=targets)
def test_insightface_with_ties_against_sklearn(mated: list[int], nonmated: list[int], target: float) -> None:
    check_insightface(ScoreSet(mated, nonmated), target)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("target", [0.001, 0.0015, 0.01, 0.1])
def test_normals_against_sklearn(seed: int, target: float) -> None:
    check_sklearn(normals(seed), target)
    check_insightface(normals(seed), target)


def test_sklearn_reads_between_two_thresholds_by_hand() -> None:
    """FMR is .4 at .5 and .2 at .6, so .3 lies half way between them; there one mated score of four is missed."""
    for kind, value in (("FNMR", 0.25), ("TMR", 0.75)):
        found = read(T2, parse(f"{kind}[sklearn]@FMR=0.3"))
        assert (found.value, found.threshold) == (pytest.approx(value), pytest.approx(0.55))


def test_the_nearest_recipe_on_a_whole_roc_is_our_nearest_against_sklearn() -> None:
    from sklearn.metrics import roc_curve

    scores = normals(9)
    labels = np.repeat([1, 0], [scores.mated.size, scores.nonmated.size])
    fpr, tpr, _ = roc_curve(labels, np.concatenate([scores.mated, scores.nonmated]), drop_intermediate=False)
    row = np.argmin(np.abs(1.0 - tpr - fpr))
    assert read(scores, "EER[nearest]").value == pytest.approx((1.0 - tpr[row] + fpr[row]) / 2, abs=1e-12)


# InsightFace


def test_insightface_passes_over_points_within_a_straight_stretch_by_hand() -> None:
    # five non-mated scores in a row, then a mated one: roc_curve keeps FPR 0, 1/5 and 1 of that stretch
    scores = ScoreSet([9.0, 0.0], [1.0, 2.0, 3.0, 4.0, 5.0])
    assert read(scores, "FNMR[insightface]@FMR=0.7") == Result(0.0, 0.0, 0, 2)  # 1 is nearer than 0
    assert read(scores, "FNMR[nearest]@FMR=0.7").value == 0.5  # 3/5 is a point as well


def test_insightface_may_exceed_the_target_by_hand() -> None:
    # FPR 0, 1/5, 2/5 ...: 0.15 is nearest to 1/5, where the mated scores from 0.6 on are accepted
    assert read(T2, "FNMR[insightface]@FMR=0.15") == Result(0.25, 0.6, 1, 4)
    assert read(T2, "FNMR@FMR=0.15") == Result(0.5, 0.7, 2, 4)


# bob.measure


@pytest.mark.parametrize(
    ("nonmated", "target", "threshold"),
    [  # the thresholds of bob.measure's own tests
        ([0.5, 0.6, 0.7, 0.8, 0.9, 1, 1, 1, 1], 0.5, 1.0),
        ([0.5, 0.6, 0.7, 0.8, 0.9, 1, 1, 1, 1], 0.4, math.nextafter(1.0, 2.0)),
        (range(10), 0.09, math.nextafter(9.0, 10.0)),
        (range(10), 0.11, 9.0),
        (range(10), 0.91, 1.0),
        (range(10), 1.0, math.nextafter(0.0, -1.0)),
    ],
)
def test_bob_never_exceeds_the_target_by_hand(nonmated: Any, target: float, threshold: float) -> None:
    scores = ScoreSet([0.55, 1.0, 3.5, 9.0, 12.0], list(nonmated))
    found = read(scores, peer("bob").fnmr_at_fmr(target))
    assert found.threshold == threshold
    assert found.value == np.mean(scores.mated < threshold)
    assert np.mean(scores.nonmated >= threshold) <= target


def test_bob_takes_only_nonmated_scores_as_thresholds_by_hand() -> None:
    # FMR = 1/5 from 0.6 to 0.65; bob stands at 0.65 and loses the mated 0.6
    assert read(T2, "FNMR[bob]@FMR=0.2") == Result(0.5, 0.65, 2, 4)
    assert read(T2, "FNMR@FMR=0.2") == Result(0.25, 0.6, 1, 4)


def test_bob_needs_two_nonmated_scores_by_hand() -> None:
    found = read(ScoreSet([1, 2], [0]), "FNMR[bob]@FMR=0.5")
    assert math.isnan(found.value)
    assert str(found.reason) == "bob needs at least 2 non-mated scores"


@pytest.mark.parametrize(
    ("scores", "value", "threshold"),
    [
        (T1, 0.2, (0.45 + 0.50) / 2),  # FMR 2/10, FNMR 1/5
        (T2, 0.225, (0.5 + 0.6) / 2),  # FMR 1/5, FNMR 1/4
        (T3, 0.25, 1.5),  # FMR 1/4 and FNMR 1/4 between 1 and 2
        (ScoreSet([3, 4], [1, 2]), 0.0, 2.5),  # apart: midway
        (TIED, 0.5, 1.0),
    ],
)
def test_eer_of_bob_by_hand(scores: ScoreSet, value: float, threshold: float) -> None:
    found = read(scores, "EER[bob]")
    assert found.value == pytest.approx(value, abs=1e-15)
    assert found.threshold == pytest.approx(threshold, abs=1e-15)


def test_bob_takes_the_strictest_of_equally_close_thresholds_by_hand() -> None:
    # FMR 1/2 throughout, FNMR 1/4 from 2 and 3/4 from 4 on: as far off on either side
    scores = ScoreSet([1, 3, 3, 6], [0, 5])
    assert read(scores, "EER[bob]") == Result(0.625, 4.0)
    assert read(scores, "EER[nearest]") == Result(0.375, 3.0)


def test_bob_wants_a_better_point_once_a_class_is_used_up_by_hand() -> None:
    # 1/2, 0 between 0 and 1, and 0, 1/2 between 1 and 3, where no non-mated score is left
    assert read(ScoreSet([1, 3], [0, 1]), "EER[bob]") == Result(0.25, 0.5)


@given(mated=few, nonmated=few)
def test_eer_of_bob_against_a_walk_through_the_scores(mated: list[int], nonmated: list[int]) -> None:
    # after each distinct score the rates change by whole steps; thresholds lie midway to the next score
    fmr, fnmr, best = 1.0, 0.0, (math.inf, 0.0)
    values = sorted({*mated, *nonmated})
    for value, lower in zip(values, (values[0], *values), strict=False):
        if abs(fmr - fnmr) <= best[0]:
            best = abs(fmr - fnmr), (lower + value) / 2
        for _ in range(nonmated.count(value)):
            fmr -= 1.0 / len(nonmated)
        for _ in range(mated.count(value)):
            fnmr += 1.0 / len(mated)
        if value >= min(max(mated), max(nonmated)):  # one class is used up: only a better point counts
            upper = min((v for v in values if v > value), default=value)
            best = min(best, (abs(fmr - fnmr), (value + upper) / 2), key=lambda point: point[0])
            break
    errors = np.mean(np.array(nonmated) >= best[1]), np.mean(np.array(mated) < best[1])
    found = read(ScoreSet(mated, nonmated), "EER[bob]")
    assert (found.value, found.threshold) == (sum(errors) / 2, best[1])


# WeSpeaker


def test_eer_of_wespeaker_by_hand() -> None:
    # T2: FNMR 1/4 while FMR falls from 2/5 to 1/5, so they meet at 1/4; the first point beyond rejects up to 0.5
    found = read(T2, "EER[wespeaker]")
    assert found.value == pytest.approx(0.25, abs=1e-15)
    assert found.threshold == 0.6  # accepts what score > 0.5 accepts


@given(st.permutations(range(20)), st.integers(2, 18))
def test_eer_of_wespeaker_without_ties_against_its_points(order: list[int], cut: int) -> None:
    # one point after each score in ascending order, accepting what is above; none accepts all
    mated, nonmated = set(order[:cut]), set(order[cut:])
    points = [
        (sum(s <= t for s in mated) / len(mated), 1 - sum(s <= t for s in nonmated) / len(nonmated)) for t in range(20)
    ]
    crossed = [(a, b) for a, b in pairwise(points) if a[0] < a[1] and b[0] >= b[1]]
    ((miss, false_alarm), (miss_2, false_alarm_2)) = crossed[0]
    share = (false_alarm - miss) / (false_alarm - miss + miss_2 - false_alarm_2)
    found = read(ScoreSet(sorted(mated), sorted(nonmated)), "EER[wespeaker]")
    assert found.value == pytest.approx(miss + share * (miss_2 - miss), abs=1e-12)


def test_wespeaker_stops_where_the_lowest_score_alone_crosses_by_hand() -> None:
    assert read(ScoreSet([1, 2], [0]), "EER[wespeaker]").reason is not None
    assert read(ScoreSet([0], [1, 2]), "EER[wespeaker]").reason is not None
    assert read(ScoreSet([2, 3], [0, 1]), "EER[wespeaker]").value == 0.0
    assert read(TIED, "EER[wespeaker]").value == 0.5


def test_wespeaker_has_no_point_that_accepts_all_by_hand() -> None:
    assert read(T3, "FNMR[wespeaker]@FMR=1") == Result(0.0, 1.0, 0, 4)
    assert read(ScoreSet([0, 3], [1, 2]), "FNMR[wespeaker]@FMR=1") == Result(0.5, 1.0, 1, 2)
    assert read(T2, "FNMR[wespeaker]@FMR=0.3") == read(T2, "FNMR@FMR=0.3")


# All of them


def test_peers_differ_where_a_score_is_shared_by_hand() -> None:
    scores = ScoreSet([2, 2, 3, 5], [0, 1, 2, 2, 4])
    values = {name: read(scores, peer(name).eer).value for name in PEERS}
    # FMR, FNMR: 3/5, 0 at 2; 1/5, 1/2 at 3 (midway 2.5); the lines meet at 1/3
    third = pytest.approx(1 / 3, abs=1e-15)
    assert values == {
        "bob": pytest.approx(0.35, abs=1e-15),
        "pyeer": pytest.approx(0.3, abs=1e-15),
        "sklearn": third,
        "wespeaker": third,
        "insightface": third,
    }


@pytest.mark.parametrize("name", PEERS)
def test_spellings_read_back(name: str) -> None:
    for measure in (peer(name).eer, peer(name).fnmr_at_fmr(0.001), parse(f"TPR[{name.upper()}]@FPR=1e-4")):
        assert parse(str(measure)) == measure
    assert str(peer(name).fnmr_at_fmr(0.001)) == f"FNMR[{name}]@FMR=0.001"
    assert str(parse(f"tpr[{name}]@fpr=1e-4")) == f"TMR[{name}]@FMR=0.0001"


@pytest.mark.parametrize("name", PEERS)
@given(mated=few, nonmated=few, target=targets)
def test_negated_distances_give_the_same(name: str, mated: list[int], nonmated: list[int], target: float) -> None:
    measures = [peer(name).eer, peer(name).fnmr_at_fmr(target)]
    alike = evaluate(ScoreSet(mated, nonmated), measures)
    apart = evaluate(ScoreSet([-s for s in mated], [-s for s in nonmated], rule="distance"), measures)
    for measure in measures:
        one, other = alike[measure], apart[measure]
        assert other.value == one.value or math.isnan(one.value)
        assert (other.threshold, other.reason) == (None if one.threshold is None else -one.threshold, one.reason)


@pytest.mark.parametrize("name", PEERS)
def test_one_class_alone_says_nothing(name: str) -> None:
    for measure in (peer(name).eer, peer(name).fnmr_at_fmr(0.1)):
        assert str(read(ScoreSet([], [1.0, 2.0]), measure).reason) == "no mated scores"
        assert str(read(ScoreSet([1.0, 2.0], []), measure).reason) == "no non-mated scores"


@pytest.mark.parametrize("name", PEERS)
@given(mated=few, nonmated=few, target=targets)
def test_what_is_missed_and_what_is_hit_make_one(
    name: str, mated: list[int], nonmated: list[int], target: float
) -> None:
    scores = ScoreSet(mated, nonmated)
    fnmr, tmr = (read(scores, parse(f"{kind}[{name}]@FMR={target!r}")) for kind in ("FNMR", "TMR"))
    assert fnmr.value + tmr.value == pytest.approx(1.0, abs=1e-15) or math.isnan(fnmr.value)
    assert (fnmr.threshold, fnmr.errors, fnmr.trials) == (tmr.threshold, tmr.errors, tmr.trials)


@pytest.mark.parametrize("scores", [-math.inf, math.inf])
def test_infinite_scores_do_not_stop_a_peer(scores: float) -> None:
    infinite = ScoreSet([scores, 1.0], [-math.inf, math.inf, 0.0])
    for name in PEERS:
        assert 0.0 <= read(infinite, peer(name).eer).value <= 1.0
        assert 0.0 <= read(infinite, peer(name).fnmr_at_fmr(0.1)).value <= 1.0


def test_bob_has_no_middle_between_infinities_by_hand() -> None:
    found = read(ScoreSet([math.inf], [-math.inf]), "EER[bob]")
    assert str(found.reason) == "bob has no threshold between scores of -inf and inf"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("EER[matlab]", "variant 'matlab' is not known; expected interpolated, .*, bob, pyeer, sklearn"),
        ("FNMR[matlab]@FMR=0.1", "variant 'matlab' is not known; expected at-most, .*, bob, pyeer, sklearn"),
        ("FNMR[bob]@t=0.5", r"bob is known at an FMR only; expected FNMR\[bob\]@FMR=0.001"),
        ("FNMR[bob]@FMR=2", "expected a rate from 0 to 1"),
        ("FMR[bob]@FNMR=0.1", "variant 'bob' is not known"),
        ("EER[bob]@FMR=0.1", "place 'FMR' is not known"),
    ],
)
def test_what_a_peer_does_not_have_is_said(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse(text)


def test_an_unknown_peer_is_said() -> None:
    with pytest.raises(InputError, match="no peer is called 'excel'; expected one of bob, pyeer"):
        peer("excel")


def test_every_peer_says_its_convention_in_one_sentence() -> None:
    for name in PEERS:
        summary = peer(name).summary
        assert summary.startswith("accepts score >")
        assert summary.count(". ") == 0
        assert summary.endswith(".")
        assert "EER" in summary
