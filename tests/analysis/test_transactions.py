"""D2: transactions of several attempts; D8: several samples at enrolment; D6: their bounds of one side."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bertillon as bt
from bertillon.analysis import enrolment_systems
from bertillon.core import ComparisonTable
from bertillon.stats import proportion, rate_by_pair, rate_by_subject
from bertillon.trials import GENUINE, IMPOSTOR, TransactionSet, attempts_after_enrolment, transactions_from

BY_HAND = {  # three transactions of ann, one of eve against ann and one of two masks against ann
    "transaction": ["1", "1", "1", "2", "3", "3", "1", "1", "9", "9", "8"],
    "attempt": [1, 2, 3, 1, 1, 2, 1, 2, 1, 2, 1],
    "probe_subject": ["ann"] * 6 + ["eve"] * 2 + ["ann"] * 3,
    "reference_subject": ["ann"] * 11,
    "attack": [None] * 8 + ["mask"] * 3,
    "score": [0.2, 0.4, 0.9, 0.8, None, 0.6, 0.1, 0.7, 0.3, 0.6, 0.2],
}


def table_of(rows: dict[str, object]) -> ComparisonTable:
    return ComparisonTable(pl.DataFrame(rows), source="gate.csv")


def test_D2_attempts_belong_to_people_and_stand_in_order_by_hand() -> None:
    """The number 1 is used for ann and again for eve; a failed attempt keeps its place."""
    made = transactions_from(table_of(BY_HAND))
    assert made.made.tolist() == [3, 1, 2, 2, 1, 2] or sorted(made.made.tolist()) == [1, 1, 2, 2, 2, 3]
    rows = {tuple(row) for row in np.nan_to_num(made.scores, nan=-1.0).tolist()}
    assert (0.2, 0.4, 0.9) in rows
    assert (-1.0, 0.6, -1.0) in rows


def test_D2_rates_of_transactions_by_hand() -> None:
    """t = 0.5. Genuine: accepted at attempt 3, 1 and 2. Impostor: at 2. Masks: one of two at 2."""
    found = bt.analysis.transactions(table_of(BY_HAND), thresholds=[0.5])
    assert (found.genuine, found.impostor, found.attacks) == (3, 1, 2)
    assert [point.frr.value for point in found.points] == pytest.approx([2 / 3, 1 / 3, 0])
    assert [point.far.value for point in found.points] == [0, 1, 1]
    assert [point.iapar["mask"].value for point in found.points] == [0, 0.5, 0.5]
    assert found.ended == 1  # the mask that was tried once and not accepted


def test_D2_two_of_three_attempts_and_the_lock_out_by_hand() -> None:
    """Two acceptances are needed: nobody of one attempt has them. Two failures end a transaction: 3 attempts."""
    scores = np.array([[0.9, 0.1, 0.8], [0.9, 0.1, 0.2], [0.1, 0.9, 0.9], [0.9, 0.9, np.nan]])
    made = TransactionSet(scores, np.array([3, 3, 3, 2]), np.array([GENUINE, GENUINE, IMPOSTOR, IMPOSTOR]))
    found = bt.analysis.transactions(made, thresholds=[0.5], accepts=2)
    assert [(point.attempts, point.frr.value, point.far.value) for point in found.points] == [(2, 1, 0.5), (3, 0.5, 1)]
    locked = bt.analysis.transactions(made, thresholds=[0.5], accepts=2, lock_out=2)
    assert locked.to_dict()["points"] == found.to_dict()["points"]


def accepted_by_hand(attempts: list[float], threshold: float, accepts: int, lock_out: int) -> bool:
    """What a gate does, attempt by attempt."""
    passed = failed = 0
    for score in attempts:
        if score >= threshold:
            passed += 1
        else:  # NaN too
            failed += 1
        if passed == accepts:
            return True
        if failed == lock_out:
            return False
    return False


@given(
    st.lists(st.lists(st.one_of(st.just(math.nan), st.integers(0, 4).map(float)), min_size=1, max_size=5), min_size=1),
    st.integers(1, 3),
    st.integers(1, 3),
)
def test_D2_the_score_that_decides_is_what_a_gate_decides(rows: list[list[float]], accepts: int, lock_out: int) -> None:
    """j of k with a lock-out, simulated one attempt after the other."""
    width = max(map(len, rows))
    scores = np.array([row + [math.nan] * (width - len(row)) for row in rows])
    made = TransactionSet(scores, np.array([len(row) for row in rows]), np.full(len(rows), GENUINE))
    decided = made.best_of(accepts + lock_out - 1, accepts)
    for threshold in (1.0, 3.0):
        by_hand = [accepted_by_hand(row, threshold, accepts, lock_out) for row in rows]
        assert (decided >= threshold).tolist() == by_hand


@given(st.integers(0, 10_000))
def test_D2_more_attempts_accept_more_and_shuffled_rows_change_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    keys = list(product(range(4), range(4), range(1, 4)))
    rows = {
        "transaction": [1] * len(keys),
        "probe_subject": [f"s{one}" for one, _, _ in keys],
        "reference_subject": [f"s{other}" for _, other, _ in keys],
        "attempt": [attempt for _, _, attempt in keys],
        "score": rng.integers(0, 6, len(keys)).astype(float),
    }
    found = bt.analysis.transactions(table_of(rows), thresholds=[3.0, 5.0], targets=[0.2])
    for curve in found.curves:
        assert np.all(np.diff([point.far.value for point in curve]) >= 0)
        assert np.all(np.diff([point.frr.value for point in curve]) <= 0)
    assert found.curves[-1][-1].far.value <= 0.2
    order = rng.permutation(len(keys))
    other = bt.analysis.transactions(ComparisonTable(pl.DataFrame(rows)[order]), thresholds=[3.0, 5.0], targets=[0.2])
    assert other.to_dict()["points"] == found.to_dict()["points"]


def test_D2_distances_give_what_negated_similarities_give() -> None:
    rows = {"transaction": [1, 1, 2], "attempt": [1, 2, 1], "mated": [True, True, False]}
    similar = bt.analysis.transactions(table_of(rows | {"score": [0.2, 0.8, 0.5]}), thresholds=[0.5])
    distant = bt.analysis.transactions(
        table_of(rows | {"score": [-0.2, -0.8, -0.5]}), thresholds=[-0.5], rule="distance"
    )
    assert [point.far for point in similar.points] == [point.far for point in distant.points]
    assert [point.frr for point in similar.points] == [point.frr for point in distant.points]


def test_D2_intervals_know_the_people_and_without_any_are_naive() -> None:
    """Both people of an impostor's transaction, one of a genuine one; Clopper-Pearson where nobody is known."""
    rng = np.random.default_rng(1)
    one, other = (side.ravel() for side in np.meshgrid(range(12), range(12), indexing="ij"))
    scores = rng.normal(size=(144, 2)) + 2.0 * (one == other)[:, None]
    kind = np.where(one == other, GENUINE, IMPOSTOR)
    made = TransactionSet(scores, np.full(144, 2), kind, one.astype(str), other.astype(str))
    point = bt.analysis.transactions(made, thresholds=[1.5]).points[-1]
    wrong = scores.max(axis=1) >= 1.5
    rows = kind == IMPOSTOR
    assert point.far.interval == rate_by_pair(one[rows].astype(str), other[rows].astype(str), wrong[rows]).interval()
    assert point.frr.interval == rate_by_subject(one[~rows].astype(str), ~wrong[~rows]).interval()
    nobody = bt.analysis.transactions(TransactionSet(scores, np.full(144, 2), kind), thresholds=[1.5]).points[-1]
    errors = int(wrong[rows].sum())
    assert nobody.far.interval.naive
    assert nobody.far.interval.high == proportion(errors, int(rows.sum())).high


def test_D2_independence_is_given_beside_and_called_that() -> None:
    """1 - (1 - FMR)^k and FNMR^k, of all attempts."""
    scores = np.array([[0.9, 0.1], [0.1, 0.9], [0.1, 0.1], [0.9, 0.9], [0.1, 0.2], [0.1, 0.9]])
    made = TransactionSet(scores, np.full(6, 2), np.array([GENUINE] * 2 + [IMPOSTOR] * 4))
    point = bt.analysis.transactions(made, thresholds=[0.5]).points[-1]
    assert point.independent_frr == pytest.approx(0.5**2)
    assert point.independent_far == pytest.approx(1 - (1 - 3 / 8) ** 2)
    assert point.to_dict()["independent"] == {"far": point.independent_far, "frr": point.independent_frr}


def test_D6_no_impostor_in_30102_transactions_as_in_standards_10() -> None:
    """0 of 30,102: at most 9.951e-5 at 95 %, one-sided, where nobody is known."""
    made = TransactionSet(np.zeros((30_102, 1)), np.ones(30_102, dtype=int), np.full(30_102, IMPOSTOR))
    interval = bt.analysis.transactions(made, thresholds=[0.5], side="upper").points[0].far.interval
    assert (interval.low, round(interval.high, 8)) == (0.0, 9.951e-5)


def test_D6_bounds_of_one_side_are_nearer_than_those_of_both() -> None:
    kind, people = np.full(174, GENUINE), np.arange(174).astype(str)
    scores = np.where(np.arange(174) < 5, 0.0, 1.0)[:, None]
    made = TransactionSet(scores, np.ones(174, dtype=int), kind, people, people)
    both, upper = (
        bt.analysis.transactions(made, thresholds=[0.5], side=side).points[0].frr for side in ("both", "upper")
    )
    assert upper.interval.low == 0.0
    assert 5 / 174 < upper.interval.high < both.interval.high


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"attempt": [1, 3, 1]}, r"'a' \(row 2\): attempts 1, 3 have a gap; expected 1 to 2, each once"),
        ({"attempt": [1, 1, 1]}, r"'a' \(row 2\): attempt 1 appears twice; expected 1 to 2"),
        ({"attempt": [1.0, 2.5, 1.0]}, "row 2 has attempt 2.5; expected a whole number"),
        ({"attempt": [1, None, 1]}, "row 2 has attempt None"),
        ({"attempt": [0, 1, 1]}, "row 1 has attempt 0"),
        ({"transaction": ["a", None, "b"]}, "row 2 names no transaction"),
        ({"mated": [True, False, False], "probe_subject": ["x"] * 3}, "holds genuine and other attempts together"),
        ({"mated": [True, None, False]}, "row 2 has no label"),
    ],
)
def test_D2_faults_of_a_table_are_told_with_their_place(change: dict[str, list[object]], problem: str) -> None:
    rows: dict[str, object] = {
        "transaction": ["a", "a", "b"],
        "attempt": [1, 2, 1],
        "mated": [True, True, False],
        "score": [0.5, 0.6, 0.7],
    }
    with pytest.raises(bt.InputError, match=f"gate.csv: .*{problem}"):
        bt.analysis.transactions(table_of(rows | change), thresholds=[0.5])


def test_D2_missing_columns_are_told() -> None:
    with pytest.raises(bt.InputError, match="no column 'transaction'; transactions need"):
        transactions_from(table_of({"score": [0.1], "mated": [True]}))
    with pytest.raises(bt.InputError, match="nothing says which transactions are genuine"):
        transactions_from(table_of({"score": [0.1], "transaction": [1]}))


@pytest.mark.parametrize(
    ("how", "problem"),
    [
        ({"attempts": 9}, "9 attempts are allowed, and no transaction has more than 3"),
        ({"attempts": 0}, "attempts is 0; expected a whole number"),
        ({"accepts": 4}, "4 of 3 attempts cannot be accepted"),
        ({"attempts": 2, "lock_out": 3}, "attempts=2 and lock_out=3 both say when a transaction ends"),
        ({"thresholds": []}, "neither a threshold nor a target FAR"),
        ({"targets": [0.0]}, "target FAR 0.0: expected a rate"),
        ({"thresholds": [math.nan]}, "a threshold is NaN"),
    ],
)
def test_D2_what_cannot_be_asked_is_refused(how: dict[str, object], problem: str) -> None:
    with pytest.raises(bt.InputError, match=problem):
        bt.analysis.transactions(table_of(BY_HAND), **({"thresholds": [0.5]} | how))  # type: ignore[arg-type]


def faces(people: int = 30, each: int = 5, *, seed: int = 0) -> bt.TemplateTable:
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(people, 1, 12)) + 0.9 * rng.normal(size=(people, each, 12))
    return bt.TemplateTable(vectors.reshape(-1, 12), np.repeat([f"{n:02}" for n in range(people)], each))


def test_D2_templates_are_enrolled_and_presented_in_their_order() -> None:
    """The first enrols, the next three are attempts, against everybody; one person with two templates is left out."""
    table = faces(6)
    few = bt.TemplateTable(np.vstack([table.templates, np.ones((2, 12))]), [*table.subject, "zoe", "zoe"])
    found = bt.analysis.transactions(few, attempts=3, thresholds=[0.3], matcher="euclidean")
    assert (found.genuine, found.impostor) == (6, 30)
    vectors = np.asarray(table.templates).reshape(6, 5, 12)
    near = np.array(
        [
            [np.linalg.norm(vectors[one, 1:4] - vectors[other, 0], axis=1).min() for other in range(6)]
            for one in range(6)
        ]
    )
    threshold = float(np.median(near))
    point = bt.analysis.transactions(few, attempts=3, thresholds=[threshold + 1e-9], matcher="euclidean").points[-1]
    off = ~np.eye(6, dtype=bool)
    assert point.far.result.errors == int((near[off] <= threshold + 1e-9).sum())
    assert point.frr.result.errors == int((near[~off] > threshold + 1e-9).sum())


def test_D2_too_few_people_or_templates_are_refused() -> None:
    with pytest.raises(bt.InputError, match="0 of 6 people have 9 templates or more; expected two people at least"):
        attempts_after_enrolment(faces(6), attempts=8)
    with pytest.raises(bt.InputError, match="1 of 1 people"):
        attempts_after_enrolment(faces(1), attempts=2)
    with pytest.raises(bt.InputError, match="say how many attempts a transaction has"):
        bt.analysis.transactions(faces(6), thresholds=[0.5])


def attempts_of_people(seed: int, people: int = 40) -> TransactionSet:
    """Three attempts of everybody four times, and against ten others; people differ, as genuine and as targets."""
    rng = np.random.default_rng(seed)
    own, alike = rng.normal(0, 0.7, people), rng.normal(0, 0.4, people)
    who = np.concatenate([np.repeat(np.arange(people), 4), np.repeat(np.arange(people), 10)])
    whom = np.concatenate(
        [np.repeat(np.arange(people), 4), (who[4 * people :] + np.tile(np.arange(1, 11), people)) % people]
    )
    genuine = np.arange(who.size) < 4 * people
    middle = np.where(genuine, 2.0 + own[who], alike[who] + alike[whom])
    scores = middle[:, None] + rng.normal(0, 1, (who.size, 3))
    kind = np.where(genuine, GENUINE, IMPOSTOR)
    names = [np.array([f"p{number}" for number in side]) for side in (who, whom)]
    return TransactionSet(scores, np.full(who.size, 3), kind, *names)


def test_D2_the_frr_at_a_target_far_knows_that_its_threshold_was_chosen_on_the_same_data() -> None:
    """As FNMR@FMR of the scores that decide; at a threshold that is given as before."""
    made = attempts_of_people(1)
    found = bt.analysis.transactions(made, targets=[0.05], resamples=100)
    last, best = found.points[-1], made.best_of(3)
    own, other = (made.kind == kind for kind in (GENUINE, IMPOSTOR))
    ids = {"mated_ids": bt.TrialIds(made.person[own], made.claimed[own])}
    ids["nonmated_ids"] = bt.TrialIds(made.person[other], made.claimed[other])
    same = bt.evaluate(bt.ScoreSet(best[own], best[other], **ids), "FNMR@FMR=0.05").with_intervals(resamples=100)
    assert (last.target, last.threshold, last.frr.value) == (
        0.05,
        same["FNMR@FMR=0.05"].threshold,
        same["FNMR@FMR=0.05"].value,
    )
    assert last.frr.interval == same.intervals["FNMR@FMR=0.05"]
    given = bt.analysis.transactions(made, thresholds=[last.threshold]).points[-1]
    assert given.target is None
    assert given.frr.interval == rate_by_subject(made.person[own], best[own] < last.threshold).interval()
    width = [each.frr.interval.high - each.frr.interval.low for each in (last, given)]
    assert width[0] > width[1]
    first, alone = found.points[0], bt.analysis.transactions(made, thresholds=[last.threshold]).points[0]
    assert first.frr.value == alone.frr.value
    assert first.frr.interval.high > alone.frr.interval.high
    assert first.far == alone.far


def test_D2_intervals_of_the_frr_at_a_target_far_hold_the_truth() -> None:
    from scipy.stats import binom

    whole = attempts_of_people(0, people=20_000)
    best = whole.best_of(3)
    truth = float((best[whole.kind == GENUINE] < np.quantile(best[whole.kind == IMPOSTOR], 0.9)).mean())
    held = 0
    for seed in range(1, 41):
        last = bt.analysis.transactions(attempts_of_people(seed), targets=[0.1], resamples=100).points[-1]
        held += last.frr.interval.holds(truth)
    assert held >= binom.ppf(0.001, 40, 0.95), held


def test_D2_intervals_at_a_given_threshold_hold_the_truth_at_every_number_of_attempts() -> None:
    """FAR_k by both people and FRR_k by person, of a crowd in which some are rejected and taken for others more."""
    from scipy.stats import binom

    at = 2.2
    truth = bt.analysis.transactions(attempts_of_people(0, people=20_000), thresholds=[at], intervals=False).points
    held = np.zeros((2, len(truth)), dtype=int)
    for seed in range(1, 101):
        found = bt.analysis.transactions(attempts_of_people(seed), thresholds=[at]).points
        for place, (point, known) in enumerate(zip(found, truth, strict=True)):
            held[0, place] += point.far.interval.holds(known.far.value)
            held[1, place] += point.frr.interval.holds(known.frr.value)
    assert held.min() >= binom.ppf(0.001, 100, 0.95), held


def test_D2_a_target_may_be_kept_where_nobody_is_known_or_nothing_was_accepted() -> None:
    made = attempts_of_people(2)
    scores = made.scores.copy()
    scores[:3] = np.nan
    unknown = bt.analysis.transactions(
        TransactionSet(scores, made.made, made.kind), targets=[0.05], resamples=50
    ).points[-1]
    assert unknown.frr.interval.naive
    assert unknown.frr.result.errors >= 3
    turned = TransactionSet(-made.scores, made.made, made.kind, made.person, made.claimed, rule=bt.AcceptRule.DISTANCE)
    found = [bt.analysis.transactions(each, targets=[0.05], resamples=50).points[-1].frr for each in (made, turned)]
    assert found[0] == found[1]


def test_D8_ways_to_enrol_are_judged_on_the_same_probes_by_hand() -> None:
    """Two enrolled, three probes of each person; best, mean and pooled scores made one by one."""
    systems = enrolment_systems(faces(6), "cosine", enrol=2)
    assert list(systems) == ["first sample", "best score", "mean score", "pooled embedding"]
    vectors = np.asarray(faces(6).templates).reshape(6, 5, 12)
    unit = vectors / np.linalg.norm(vectors, axis=2, keepdims=True)
    each = np.einsum("pad,qed->paqe", unit[:, 2:], unit[:, :2])  # probe, attempt, person, enrolled
    pooled = unit[:, :2].mean(axis=1)
    pooled /= np.linalg.norm(pooled, axis=1, keepdims=True)
    by_hand = {
        "first sample": each[..., 0],
        "best score": each.max(axis=3),
        "mean score": each.mean(axis=3),
        "pooled embedding": np.einsum("pad,qd->paq", unit[:, 2:], pooled),
    }
    for name, scores in by_hand.items():
        own = np.sort([scores[person, attempt, person] for person in range(6) for attempt in range(3)])
        assert np.sort(systems[name].mated) == pytest.approx(own)
        assert systems[name].nonmated.size == 6 * 3 * 5


def test_D8_differences_are_tested_in_pairs() -> None:
    found = bt.analysis.compare_enrolment(
        faces(80, 8, seed=2), enrol=3, measures="AUC", settings=bt.Settings(resamples=200)
    )
    assert [pair.second for pair in found.pairs] == ["best score", "mean score", "pooled embedding"]
    assert found.verdicts["first sample", "pooled embedding", "AUC"] == "better"


def test_D8_one_sample_has_nothing_to_compare() -> None:
    with pytest.raises(bt.InputError, match="enrolment with 1 sample: there is nothing to compare"):
        bt.analysis.compare_enrolment(faces(), enrol=1)
