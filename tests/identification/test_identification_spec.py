"""The figures of the source documents (SPEC O and C) and of the standards' goldens for 1:N searches."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bertillon.core import ScoreMatrix
from bertillon.evaluation import evaluate
from bertillon.trials import SearchSet, searches_from_matrix

NAN = math.nan


def strangers(top_scores, rule: str = "similarity", gallery_size: int = 1000) -> SearchSet:
    """Non-enrolled searches of which the top scores are known."""
    n = len(top_scores)
    return SearchSet([False] * n, [NAN] * n, [0] * n, [0] * n, top_scores, top_scores, gallery_size, rule)


def value(searches: SearchSet, measure: str) -> float:
    return evaluate(searches, [measure])[measure].value


def test_O3_five_hundred_false_alarms_of_9998_by_hand():
    """O3: 500 of 9998 passengers who are not on the list alarm: 5 %."""
    searches = strangers([0.9] * 500 + [0.1] * 9498)
    result = evaluate(searches, ["FPIR@t=0.5"])["FPIR@t=0.5"]
    assert (result.errors, result.trials) == (500, 9998)
    assert round(result.value, 2) == 0.05


def test_fpir_golden_of_score_analysis():
    """Rank-1 distances 2, 4, 6, 8, 10 of non-mated searches, accepted at d <= t."""
    searches = strangers([2, 4, 6, 8, 10], "distance")
    assert value(searches, "FPIR@t=5") == 0.4
    assert value(searches, "FPIR@t=6") == 0.6


def test_tpir_golden_of_score_analysis():
    """Mate distances and ranks; where the mate is not first, somebody stands one before it."""
    distance, rank = np.array([2.0, 12, 14, 8, 16]), np.array([1, 2, 3, 1, 2])
    top = np.where(rank == 1, distance, distance - 1)
    searches = SearchSet([True] * 5, distance, rank - 1, [0] * 5, top, top, 10, "distance")
    assert value(searches, "TPIR@t=10,k=10") == 0.4
    assert value(searches, "TPIR@t=12,k=10") == 0.6
    assert value(searches, "TPIR@t=13,k=2") == 0.6
    assert value(searches, "TPIR@t=13,k=1") == 0.4


BOB = [([0.3, 1.1, 0.5], [0.7]), ([1.4, -1.3, 0.6], [0.2]), ([0.8, 0, 1.5], [-0.8, 1.8]), ([2, 1.3, 1.6, 0.9], [2.4])]


def bob() -> SearchSet:
    """Four probes, each with its negatives and positives; who is not compared is NaN."""
    gallery = [*"nopq", *(f"{person}" for person in "0011223344"[:8])]
    scores = np.full((4, len(gallery)), NAN)
    for row, (negatives, positives) in enumerate(BOB):
        scores[row, : len(negatives)] = negatives
        scores[row, 4 + 2 * row : 4 + 2 * row + len(positives)] = positives
    return searches_from_matrix(ScoreMatrix(scores, np.array(list("0123")), np.array(gallery)))


def test_C2_cmc_golden_of_bob():
    """C2: CMC .5, .75, 1, 1, 1; the rank is 1 + the negatives at least as alike as the best positive."""
    assert bob().ranks().tolist() == [2, 3, 1, 1]
    assert [value(bob(), f"CMS@{k}") for k in range(1, 6)] == [0.5, 0.75, 1, 1, 1]


def test_O1_dir_by_the_mate_and_by_the_top_golden():
    """O1: thresholding the mate's score or the top one differs: .5 and .75 at T = 1, R = 2 (STANDARDS 1 and 7)."""
    assert value(bob(), "TPIR@t=0.5,k=1") == 0.5
    assert value(bob(), "TPIR@t=0.5,k=2") == 0.75
    assert value(bob(), "DIR@t=1,k=2") == 0.5
    assert value(bob(), "DIR[top]@t=1,k=2") == 0.75


def test_O1_dir_at_growing_ranks_by_hand():
    """O1 (000 §3.4.1): 170, 184 and 190 of 200 enrolled probes at rank 1, 5 and 10."""
    rank = np.array([1] * 170 + [4] * 14 + [9] * 6 + [50] * 10)
    searches = SearchSet([True] * 200, [0.8] * 200, rank - 1, [0] * 200, [0.9] * 200, [0.9] * 200, 100)
    assert [value(searches, f"DIR@t=0.5,k={k}") for k in (1, 5, 10)] == [0.85, 0.92, 0.95]


def test_O1_right_in_verification_and_wrong_in_a_search_by_hand():
    """O1 (000 §3.5): A at .25 passes .3, but B at .22 comes first: no detection at rank 1."""
    matrix = ScoreMatrix(np.array([[0.25, 0.22]]), np.array(["A"]), np.array(["A", "B"]))
    searches = searches_from_matrix(matrix, rule="distance")
    assert value(searches, "DIR@t=0.3,k=1") == 0
    assert value(searches, "DIR@t=0.3,k=2") == 1
    assert value(searches, "Misidentified@t=0.3") == 1
    assert value(searches, "Missed@t=0.3") == 0
    assert value(searches, "Missed@t=0.2") == 1


def test_C1_bob_before_alice_by_hand():
    """C1: Bob .15, Alice .18, Charlie .23, David .29, Eve .35: Alice's rank is 2."""
    names = np.array(["Alice", "Bob", "Charlie", "David", "Eve"])
    matrix = ScoreMatrix(np.array([[0.18, 0.15, 0.23, 0.29, 0.35]]), names[:1], names)
    assert searches_from_matrix(matrix, rule="distance").ranks().tolist() == [2]


def test_C1_ties_by_hand():
    """C1: among others just as alike the mate is last, first or in the middle."""
    matrix = ScoreMatrix(np.array([[0.5, 0.9, 0.5, 0.5]]), np.array(["a"]), np.array(list("abcd")))
    searches = searches_from_matrix(matrix)
    assert [float(searches.ranks(ties)[0]) for ties in ("pessimistic", "optimistic", "mean")] == [4, 2, 3]
    assert [value(searches, f"CMS{v}@2") for v in ("", "[optimistic]", "[mean]")] == [0, 1, 0]


def test_C2_area_under_the_cmc_by_hand():
    """C2: CMS .6 .7 .8 .85 .9 .93 .95 .97 .98 1: AUC 8.68, nAUC .868."""
    cms = [0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 1.0]
    here = np.diff([0, *np.round(np.array(cms) * 100).astype(int)])
    evaluation = evaluate(SearchSet.from_ranks(np.repeat(np.arange(1, 11), here), 10), ["AUC", "nAUC"])
    assert evaluation.tally.cmc.rates.tolist() == cms
    assert evaluation["AUC"].value == pytest.approx(8.68, abs=1e-12)
    assert evaluation["nAUC"].value == pytest.approx(0.868, abs=1e-12)


def test_C2_ranks_of_a_hundred_probes_by_hand():
    """C2 (000 §4.2): 82, 90, 93, 96, 98, 99 and 100 of 100 probes at rank 1, 2, 3, 5, 10, 20 and 50."""
    ranks = [1] * 82 + [2] * 8 + [3] * 3 + [5] * 3 + [10] * 2 + [20, 50]
    evaluation = evaluate(SearchSet.from_ranks(ranks, 50), ["RR", *(f"CMS@{k}" for k in (2, 3, 5, 10, 20, 50))])
    assert [result.value for result in evaluation.results.values()] == [0.82, 0.90, 0.93, 0.96, 0.98, 0.99, 1.0]


def test_C2_mean_median_and_reciprocal_rank_by_hand():
    """STANDARDS 7: ranks 1, 2, 2, 3, 4 over the five probes that have a mate: CMS(1) = .2."""
    evaluation = evaluate(SearchSet.from_ranks([1, 2, 2, 3, 4]), ["RR", "MeanRank", "MedianRank", "MRR"])
    assert evaluation["RR"].value == 0.2
    assert evaluation["MeanRank"].value == 2.4
    assert evaluation["MedianRank"].value == 2
    assert evaluation["MRR"].value == pytest.approx((1 + 0.5 + 0.5 + 1 / 3 + 0.25) / 5)


def test_mAP_by_hand():
    """Ann's two templates at places 1 and 3 of the list: (1 + 2/3) / 2."""
    matrix = ScoreMatrix(np.array([[0.9, 0.5, 0.7, 0.1]]), np.array(["ann"]), np.array(["ann", "ann", "bob", "cat"]))
    assert value(searches_from_matrix(matrix), "mAP") == pytest.approx(5 / 6)


def test_O4_watch_list_roc_its_area_and_eer_by_hand():
    """O4: two of three enrolled are at rank 1, with .9 and .6; strangers' tops are .7 and .4."""
    enrolled = [True, True, True, False, False]
    mate, better = [0.9, 0.6, 0.5, NAN, NAN], [0, 0, 1, 0, 0]
    searches = SearchSet(enrolled, mate, better, [0] * 5, [0.9, 0.6, 0.8, 0.7, 0.4], [0.1, 0.1, 0.8, 0.7, 0.4], 3)
    evaluation = evaluate(searches, ["AUCopen", "EERopen", "EERopen[nearest]", "DIR@FPIR=0.5,k=1", "FPIR@DIR=0.3"])
    curve = evaluation.tally.watch_list_curve
    assert curve.threshold.tolist() == [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, math.inf]
    assert curve.fpir.tolist() == [1, 0.5, 0.5, 0.5, 0, 0, 0]
    assert curve.detections.tolist() == [2, 2, 2, 1, 1, 1, 0]
    assert evaluation["AUCopen"].value == 0.5  # (1 + 2) of 6 pairs: .9 beats both, .6 beats .4
    assert evaluation["DIR@FPIR=0.5"].value == pytest.approx(2 / 3)
    assert evaluation["DIR@FPIR=0.5"].threshold == 0.5
    assert evaluation["FPIR@DIR=0.3"].value == 0
    # FPIR - FNIR: .5 - .333 at .6 and .5 - .667 at .7, so both are equal halfway, at FPIR .5
    assert evaluation["EERopen"].value == 0.5
    assert evaluation["EERopen"].threshold == pytest.approx(0.65)
    assert evaluation["EERopen[nearest]"].value == pytest.approx(5 / 12)


def test_O2_a_promise_is_kept_at_most_never_nearest():
    """DESIGN 2: FPIR = .3 of four strangers means one alarm of four, not two."""
    searches = SearchSet.join([strangers([1, 2, 3, 4.0], gallery_size=2), _one_enrolled(2.5)])
    result = evaluate(searches, ["DIR@FPIR=0.3"])["DIR@FPIR=0.3"]
    assert result.threshold == 4
    assert result.value == 0


def _one_enrolled(mate: float) -> SearchSet:
    return SearchSet([True], [mate], [0], [0], [mate], [NAN], 2)


def test_selectivity_is_at_least_the_false_alarm_rate_by_hand():
    """STANDARDS 1: SEL counts every candidate, FPIR every search with one."""
    scores = np.array([[5.0, 4.0, 1.0], [4.0, 1.0, 1.0], [1.0, 1.0, 1.0]])
    searches = searches_from_matrix(ScoreMatrix(scores, np.array(list("xyz")), np.array(list("abc"))))
    assert value(searches, "SEL@t=4") == 1.0
    assert value(searches, "FPIR@t=4") == pytest.approx(2 / 3)
    assert value(searches, "SEL@FPIR=0.5") == pytest.approx(1 / 3)
