"""The four all-against-all algorithms of 001, written as it prints them, against ours. SPEC P5, O5, E5.

They speak of distances. With E5: P is the union of P_G and P_N, `label(L_i,j)` in the open-set code is `label(L_i,1)`,
CMS starts from counts, and TG = TA is the number of rows that have a mate. A template never meets itself. Where 001
leaves the order of equal distances open, templates of others come first (pessimistic). 001 counts places in the list of
templates, which is our fusion "none"; at place 1 people and templates agree.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from identification.cases import Case, cases, searches_of_square

import bertillon as bt
from bertillon.core import ScoreMatrix
from bertillon.evaluation import evaluate
from bertillon.trials import systems_from

WITHOUT_FAILURES = {"failed": False, "all_against_all": True}
THRESHOLDS = st.integers(-3, 4)


def verification_single(M, label, t) -> Counter:
    """for each cell M[i][j] with i != j"""
    n: Counter = Counter()
    for i in range(len(M)):
        for j in range(len(M)):
            if i == j:
                continue
            if M[i][j] <= t:
                n["GA" if label[i] == label[j] else "FA"] += 1
            elif label[i] == label[j]:
                n["FR"] += 1
            else:
                n["GR"] += 1
    return n


def verification_multiple(M, label, t) -> Counter:
    """for each group of cells M[i][j] with the same label(j), excluding M[i][i]"""
    n: Counter = Counter()
    for i in range(len(M)):
        for group in sorted(set(label)):
            cells = [M[i][j] for j in range(len(M)) if label[j] == group and j != i]
            if not cells:
                continue
            diff = min(cells)
            if diff <= t:
                n["GA" if label[i] == group else "FA"] += 1
            elif label[i] == group:
                n["FR"] += 1
            else:
                n["GR"] += 1
    return n


def ordered(M, label, i) -> list[tuple[float, str]]:
    """{L_i,m} = {M_i,j} without M_i,i, ordered by increasing value; others first among equals"""
    cells = [(M[i][j], label[j]) for j in range(len(M)) if j != i]
    return sorted(cells, key=lambda cell: (cell[0], cell[1] == label[i]))


def open_set(M, label, t) -> tuple[Counter, dict[int, float], float]:
    """DI(t, k), then DIR(t, k) up to the first k without any, and FAR(t)"""
    DI: Counter = Counter()
    FA = GR = 0
    for i in range(len(M)):
        L = ordered(M, label, i)
        if L and L[0][0] <= t:
            if label[i] == L[0][1]:
                DI[1] += 1
                if any(other != label[i] and value <= t for value, other in L):
                    FA += 1
                else:
                    GR += 1
            else:
                k = next((m for m, (value, other) in enumerate(L, 1) if other == label[i] and value <= t), None)
                if k is not None:
                    DI[k] += 1
                FA += 1
        else:
            GR += 1
    TG = sum(list(label).count(one) > 1 for one in label)
    TI = len(M)
    assert FA + GR == TI
    DIR = {1: DI[1] / TG} if TG else {}
    k = 2
    while DIR and DI[k] != 0:
        DIR[k] = DI[k] / TG + DIR[k - 1]
        k += 1
    return DI, DIR, FA / TI


def closed_set(M, label) -> dict[int, float]:
    """CMS(k) for k from 1 to |G| - 2"""
    count: Counter = Counter()
    TA = 0
    for i in range(len(M)):
        for k, (_, other) in enumerate(ordered(M, label, i), 1):
            if other == label[i]:
                count[k] += 1
                TA += 1
                break
    if not TA:
        return {}
    CMS = {1: count[1] / TA}
    k = 2
    while k < len(M) - 1:
        CMS[k] = count[k] / TA + CMS[k - 1]
        k += 1
    return CMS


def distances(case: Case) -> list[list[float]]:
    return case.scores.tolist()


def assert_rates(scores: bt.ScoreSet, t: int, n: Counter) -> None:
    names = ("GA", "FR", "GR", "FA")
    found = bt.evaluate(scores, [f"{name}@t={t}" for name in names])
    for name in names:
        result = found[f"{name}@t={t}"]
        assert result.value == n[name] or (result.reason and not n[name])


@given(cases(**WITHOUT_FAILURES), THRESHOLDS)
def test_P5_verification_single_template_against_001(case, t):
    own = np.eye(len(case.probes), dtype=bool)
    matrix = ScoreMatrix(case.scores, case.matrix.probe_subject, case.matrix.reference_subject, ignored=own)
    [scores] = systems_from([matrix], rule=bt.AcceptRule.DISTANCE)
    assert_rates(scores, t, verification_single(distances(case), case.probes, t))


@given(cases(**WITHOUT_FAILURES), THRESHOLDS)
def test_P5_verification_multiple_templates_against_001(case, t):
    """The mate's score and the best of every other person are what a search keeps of each row."""
    found = searches_of_square(case.scores, case.probes, rule="distance", kept=100)
    scores = bt.ScoreSet(found.mate_score[found.enrolled], found.others.ravel(), rule="distance")
    assert_rates(scores, t, verification_multiple(distances(case), case.probes, t))


@given(cases(**WITHOUT_FAILURES), THRESHOLDS)
def test_O5_E5_open_set_against_001(case, t):
    if len(set(case.probes)) < 2:
        return  # nobody is left to search among, and 001 counts a rejection
    DI, DIR, far = open_set(distances(case), case.probes, t)
    for fusion in ("none", "best"):
        searches = searches_of_square(case.scores, case.probes, rule="distance", fusion=fusion)
        assert searches.n_nonenrolled == len(case.probes)
        ranks = [1] if fusion == "best" else list(DIR)
        found = evaluate(searches, [f"FPIR@t={t}", f"FNIR@t={t}", *(f"DIR@t={t},k={k}" for k in ranks)])
        assert found[f"FPIR@t={t}"].value == pytest.approx(far)
        if DIR:
            assert found[f"FNIR@t={t}"].value == pytest.approx(1 - DIR[1])
        for k in ranks if DIR else ():
            assert found[f"DIR@t={t},k={k}"].value == pytest.approx(DIR[k])
    assert sum(DI.values()) <= len(case.probes)


@given(cases(**WITHOUT_FAILURES))
def test_O5_E5_closed_set_against_001(case):
    CMS = closed_set(distances(case), case.probes)
    for fusion in ("none", "best"):
        searches = searches_of_square(case.scores, case.probes, rule="distance", fusion=fusion)
        ranks = [k for k in CMS if k == 1 or fusion == "none"]
        found = evaluate(searches, ["RR", *(f"CMS@{k}" for k in ranks)])
        for k in ranks:
            assert found[f"CMS@{k}"].value == pytest.approx(CMS[k])
        if CMS:
            assert found["RR"].value == pytest.approx(CMS[1])


@pytest.mark.parametrize(("people", "each"), [(10, 10), (3, 2), (4, 1)])
def test_P5_number_of_attempts_by_hand(people, each):
    """P5: TG = |G|(S-1) and TI = |G|(N-1)S, or with several templates |G| and |G|(N-1); 10 x 10: 900 and 9000."""
    label = np.repeat(np.arange(people), each).tolist()
    size = people * each
    M = np.random.default_rng(1).random((size, size)).tolist()
    single, multiple = verification_single(M, label, 0.5), verification_multiple(M, label, 0.5)
    assert single["GA"] + single["FR"] == size * (each - 1)
    assert single["FA"] + single["GR"] == size * (people - 1) * each
    assert multiple["GA"] + multiple["FR"] == (size if each > 1 else 0)
    assert multiple["FA"] + multiple["GR"] == size * (people - 1)
    searches = searches_of_square(M, label, rule="distance")
    assert searches.n_enrolled == (size if each > 1 else 0)
    assert searches.n_nonenrolled == size
