"""Every measure of identification against loops, its spellings, and what is said where there is no number."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from identification.cases import Case, cases

import bertillon as bt
from bertillon.core import text_of
from bertillon.evaluation import evaluate, usual_measures
from bertillon.measures import IDENTIFICATION
from bertillon.trials import TIES, RankCurve, SearchSet, SearchTally, WatchListCurve, detection_table

TARGETS = (0.0, 0.25, 1 / 3, 0.5, 1.0)
PLACES = st.sampled_from(TARGETS)


@st.composite
def questions(draw: st.DrawFn) -> tuple[Case, float, float, int]:
    return draw(cases()), draw(st.integers(-3, 4)) / 2, draw(PLACES), draw(st.integers(1, 4))


def answers(case: Case, t: float, x: float, k: int) -> dict[str, float]:
    """Every measure by its definition; NaN where it has none."""
    twin, sign = case.twin(), case.sign
    both, at = bool(twin.enrolled and twin.nonenrolled), case.sign * t
    found: dict[str, float] = {}

    def put(name: str, known: bool, value) -> None:
        found[name] = float(value()) if known else math.nan

    fpir_t = twin.at_fpir(x) if twin.nonenrolled else math.nan
    put(f"FPIR@t={t}", bool(twin.nonenrolled), lambda: twin.fpir(at))
    put(f"SEL@t={t}", bool(twin.nonenrolled), lambda: twin.sel(at))
    put(f"SEL@FPIR={x}", bool(twin.nonenrolled), lambda: twin.sel(fpir_t))
    put(f"Missed@t={t}", bool(twin.enrolled), lambda: twin.missed(at))
    put(f"Missed@FPIR={x}", both, lambda: twin.missed(fpir_t))
    for ties in TIES:
        tie = "" if ties == TIES[0] else ties
        bracket = f"[{tie}]" if tie else ""
        put(f"EERopen{bracket}", both, lambda ties=ties: twin.eer(ties))
        put(f"EERopen[{'-'.join(filter(None, ('nearest', tie)))}]", both, lambda ties=ties: twin.nearest_eer(ties))
        put(f"AUCopen{bracket}", both, lambda ties=ties: twin.area(ties))
        lost = [(f"Misidentified{bracket}@t={t}", bool(twin.enrolled), at)]
        lost += [(f"Misidentified{bracket}@FPIR={x}", both, fpir_t)]
        for name, known, where in lost:
            put(name, known, lambda w=where, ties=ties: 1 - twin.dir(w, 1, ties) - twin.missed(w))
        for by in ("mate", "top"):
            words = "-".join(filter(None, ("" if by == "mate" else by, tie)))
            variant = f"[{words}]" if words else ""
            for name, turn in (("DIR", lambda v: v), ("FNIR", lambda v: 1 - v)):
                for place, known, where in ((f"t={t}", bool(twin.enrolled), at), (f"FPIR={x}", both, fpir_t)):
                    put(
                        f"{name}{variant}@{place},k={k}",
                        known,
                        lambda w=where, ties=ties, by=by, turn=turn: turn(twin.dir(w, k, ties, by)),
                    )
            threshold = twin.at_dir(x, k, ties, by) if both else None
            put(f"FPIR{variant}@DIR={x},k={k}", threshold is not None, lambda th=threshold: twin.fpir(th))
        closed = bool(twin.enrolled)
        put(f"CMS{bracket}@{k}", closed, lambda ties=ties: twin.cms(k, ties))
        put(f"RR{bracket}", closed, lambda ties=ties: twin.cms(1, ties))
        area = lambda ties=ties: sum(twin.cms(j, ties) for j in range(1, twin.gallery + 1))  # noqa: E731
        put(f"AUC{bracket}", closed, area)
        put(f"nAUC{bracket}", closed, lambda area=area: area() / twin.gallery)
        put(f"MeanRank{bracket}", closed, lambda ties=ties: twin.mean_rank(ties, statistics.fmean))
        put(f"MedianRank{bracket}", closed, lambda ties=ties: twin.mean_rank(ties, statistics.median))
        put(f"MRR{bracket}", closed, lambda ties=ties: twin.mrr(ties))
    put("mAP", bool(twin.enrolled), lambda: statistics.fmean(s.precision for s in twin.enrolled))
    assert sign in (1, -1)
    return found


def test_every_registered_measure_has_a_twin():
    asked = answers(Case(np.ones((1, 1)), ["a"], ["a"], "similarity", "best"), 0.5, 0.5, 1)
    assert {name.split("@")[0].split("[")[0] for name in asked} == set(IDENTIFICATION.definitions)


@given(questions())
def test_every_measure_against_brute_force(question):
    """O1, O2, O3, O4, C2: each number as its definition says, counted by loops."""
    case, t, x, k = question
    expected = answers(case, t, x, k)
    found = evaluate(case.searches(), expected)
    wrong = {}
    for name, value in expected.items():
        result = found[name]
        if not (math.isclose(result.value, value, abs_tol=1e-12) or (math.isnan(result.value) and math.isnan(value))):
            wrong[name] = (result, value)
        assert math.isnan(result.value) == bool(result.reason), name
    assert not wrong


@given(questions())
def test_rates_are_the_share_of_their_counts(question):
    case, t, x, k = question
    names = [f"DIR@t={t},k={k}", f"FNIR@FPIR={x},k={k}", f"FPIR@t={t}", f"Missed@t={t}", f"CMS@{k}", "RR"]
    for name, result in evaluate(case.searches(), names).results.items():
        if not math.isnan(result.value):
            wrong = result.errors / result.trials
            assert result.value == pytest.approx(1 - wrong if name[:3] in ("DIR", "CMS") or name == "RR" else wrong)


@given(questions())
def test_negating_scores_and_rule_changes_nothing_but_the_sign_of_thresholds(question):
    case, t, x, k = question
    turned_fusion = {"max": "min", "min": "max"}.get(case.fusion, case.fusion)
    rule = "distance" if case.rule == "similarity" else "similarity"
    turned = replace(case, scores=-case.scores, rule=rule, fusion=turned_fusion)
    one = evaluate(case.searches(), [f"DIR@FPIR={x},k={k}", "EERopen", f"FNIR@t={t},k={k}"])
    other = evaluate(turned.searches(), [f"DIR@FPIR={x},k={k}", "EERopen", f"FNIR@t={-t},k={k}"])
    for first, second in zip(one.results.values(), other.results.values(), strict=True):
        np.testing.assert_equal((first.value, first.errors, first.trials), (second.value, second.errors, second.trials))
        if first.threshold is not None:
            assert first.threshold == -second.threshold


@given(questions())
def test_O2_the_two_ways_to_be_missed_add_up(question):
    """O2: FNIR at rank 1 = missed detection + misidentification, and top or mate makes no difference there."""
    case, t, _, _ = question
    found = evaluate(
        case.searches(), [f"FNIR@t={t},k=1", f"FNIR[top]@t={t},k=1", f"Missed@t={t}", f"Misidentified@t={t}"]
    )
    fnir, by_top, missed, wrong = (result.errors for result in found.results.values())
    assert fnir is None or fnir == by_top == missed + wrong


@given(cases())
def test_curves_against_the_measures(case):
    """O4, C2: the curves hold what the measures read."""
    tally = SearchTally(case.searches())
    twin = case.twin()
    curve = WatchListCurve.of(tally, k=2)
    assert curve.rule.orient(curve.threshold).tolist() == [*twin.thresholds[:-1], math.inf]
    if twin.enrolled:
        assert curve.dir.tolist() == pytest.approx([float(twin.dir(t, 2)) for t in twin.thresholds])
        cmc = RankCurve.of(tally, "mean")
        assert cmc.ties == "mean"
        assert cmc.rates.tolist() == pytest.approx([float(twin.cms(k, "mean")) for k in range(1, twin.gallery + 1)])
        assert cmc.thin().counts[-1:].tolist() == cmc.counts[-1:].tolist()
    if twin.nonenrolled:
        assert curve.fpir.tolist() == pytest.approx([float(twin.fpir(t)) for t in twin.thresholds])
    assert (np.diff(curve.detections) <= 0).all()
    assert (np.diff(curve.false_positives) <= 0).all()


def sample() -> SearchSet:
    rng = np.random.default_rng(3)
    scores = rng.normal(0, 1, (60, 20)) + 2 * (np.arange(60)[:, None] % 30 == np.arange(20))
    people = [str(i % 30) for i in range(60)]
    return Case(scores, people, [str(i) for i in range(20)], "similarity", "best").searches()


def test_the_surface_of_rank_and_threshold_is_a_table():
    """O1: DIR(t, k) grows with k and falls with t."""
    tally = SearchTally(sample())
    table = detection_table(tally, (1, 2, 20), points=30)
    assert table.columns == ["k", "threshold", "false_positives", "detections", "fpir", "dir"]
    wide = detection_table(tally, (1, 2, 20), points=10_000)
    by_rank = [wide.filter(wide["k"] == k)["dir"].to_numpy() for k in (1, 2, 20)]
    assert (by_rank[0] <= by_rank[1]).all()
    assert (by_rank[1] <= by_rank[2]).all()
    assert by_rank[2][0] == 1.0
    assert table.height <= 90
    frame = RankCurve.of(tally).to_frame()
    assert frame.columns == ["k", "count", "cms"]
    assert frame.height == 20


def test_an_evaluation_carries_its_definitions_and_leaves_as_json():
    evaluation = evaluate(sample())
    assert list(evaluation) == list(usual_measures(sample()))
    assert evaluation.counts == {"enrolled": 40, "nonenrolled": 20, "failed": 0, "gallery": 20}
    said = evaluation.to_dict()
    assert said["mode"] == "identification"
    assert {"dir", "ties", "fusion", "data"} <= set(said["signature"])
    assert evaluation.to_json()
    assert evaluation["TPIR@FAR=0.01"].value == evaluation["DIR@FPIR=0.01,k=1"].value
    assert evaluation.tally.cmc.rates[0] == evaluation["RR"].value
    assert evaluation.tally.watch_list_curve.k == 1
    assert evaluation.to_frame().height == 9
    assert evaluation.name == "memory"
    shuffled = SearchSet.join([sample()])
    assert evaluate(shuffled).signature["data"] == said["signature"]["data"]


def test_closed_sets_are_asked_closed_questions_only():
    assert list(evaluate(SearchSet.from_ranks([1, 2]))) == ["RR", "CMS@5", "CMS@10", "MeanRank", "nAUC"]
    assert list(evaluate(SearchSet.from_ranks([1, 2]), "RR")) == ["RR"]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("DIR@FPIR=0.01", "DIR@FPIR=0.01,k=1"),
        ("tpir@far=1e-2,k=5", "DIR@FPIR=0.01,k=5"),
        ("DIR@k=5,threshold=2", "DIR@t=2,k=5"),
        ("DIR@T=2,K=5", "DIR@t=2,k=5"),
        ("FRR@FAR=0.1", "FNIR@FPIR=0.1,k=1"),
        ("DIR[top-mean]@t=1,rank=3", "DIR[top-mean]@t=1,k=3"),
        ("DIR[mean-top]@t=1", "DIR[top-mean]@t=1,k=1"),
        ("DIR[mate-pessimistic]@t=1", "DIR@t=1,k=1"),
        ("FPIR@TPIR=0.9", "FPIR@DIR=0.9,k=1"),
        ("FPIR@FRR=0.1,k=2", "FPIR@FNIR=0.1,k=2"),
        ("false-alarm-rate@t=-inf", "FPIR@t=-inf"),
        ("CMC@k=5", "CMS@5"),
        ("rank-1", "RR"),
        ("EER[nearest]", "EERopen[nearest]"),
        ("EER_open[optimistic-nearest]", "EERopen[nearest-optimistic]"),
        ("map", "mAP"),
        ("selectivity@t=3", "SEL@t=3"),
    ],
)
def test_spellings_by_hand(said, meant):
    """DESIGN 4: what is understood, and the one spelling it is shown with."""
    assert str(IDENTIFICATION.parse(said)) == meant
    assert IDENTIFICATION.parse(meant) == IDENTIFICATION.parse(said)


@pytest.mark.parametrize("definition", IDENTIFICATION.definitions.values(), ids=lambda d: d.name)
def test_every_definition_explains_itself(definition):
    example = IDENTIFICATION.parse(definition.example)
    assert str(example) == definition.example
    assert definition.summary
    assert definition.formula
    for synonym in definition.synonyms:
        assert IDENTIFICATION.parse(definition.example.replace(definition.name, synonym, 1)) == example


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("DIR", "expected one place to read it at, such as DIR@t=0.5"),
        ("DIR@FPIR=0.1,t=1", "expected one place"),
        ("DIR@DIR=0.1", "DIR@DIR=0.1: place 'DIR' is not known"),
        ("DIR@FPIR=2", "expected a rate from 0 to 1"),
        ("DIR@t=nan", "not a number"),
        ("DIR@t=1,k=0", "whole number, 1 or more"),
        ("DIR@t=1,k=1.5", "whole number, 1 or more"),
        ("DIR[worst]@t=1", "variant 'worst' is not known; expected mate, top, pessimistic, optimistic, mean"),
        ("DIR[mean-optimistic]@t=1", "both mean and optimistic"),
        ("FPIR@t=1,k=2", "leave k out"),
        ("FPIR[top]@t=1", "variant 'top' is not known"),
        ("FPIR[optimistic]@t=1", "variant 'optimistic' is not known"),
        ("SEL@t=1,k=2", "leave k out"),
        ("CMS", "expected one rank"),
        ("CMS@0", "whole number"),
        ("RR@5", "place"),
        ("mAP[optimistic]", "variant"),
        ("DIRR@t=1", "did you mean DIR"),
    ],
)
def test_what_is_refused_and_what_is_said(said, words):
    with pytest.raises(bt.InputError, match=words):
        IDENTIFICATION.parse(said)


def test_reasons_where_there_is_no_number_by_hand():
    names = ["DIR@FPIR=0.1", "DIR@t=1", "FPIR@t=1", "SEL@t=1", "EERopen", "AUCopen", "RR", "MeanRank", "mAP"]
    names.append("Missed@t=1")

    def reasons(searches: SearchSet) -> dict[str, str | None]:
        return {name: text_of(result.reason) for name, result in evaluate(searches, names).results.items()}

    nobody = reasons(Case(np.empty((0, 0)), [], [], "similarity", "best").searches())
    assert nobody["DIR@FPIR=0.1,k=1"] == "no enrolled searches and no non-enrolled searches"
    assert nobody["DIR@t=1,k=1"] == nobody["RR"] == "no enrolled searches"
    assert nobody["FPIR@t=1"] == "no non-enrolled searches"
    assert nobody["AUCopen"] == "no enrolled searches and no non-enrolled searches"
    strangers = reasons(Case(np.ones((2, 2)), ["y", "z"], ["a", "b"], "similarity", "best").searches())
    assert strangers["RR"] == strangers["EERopen"] == strangers["AUCopen"] == "no enrolled searches"
    assert strangers["FPIR@t=1"] is None
    known = reasons(Case(np.ones((1, 1)), ["a"], ["a"], "similarity", "best").searches())
    assert known["FPIR@t=1"] == known["EERopen"] == known["AUCopen"] == "no non-enrolled searches"
    ranked = reasons(SearchSet.from_ranks([1, math.inf]))
    assert ranked["DIR@t=1,k=1"] == ranked["Missed@t=1"] == "the ranks of the mates are known, but not their scores"
    assert ranked["MeanRank"] == "1 of 2 mates are not among the candidates and have no rank"
    assert "full score matrix" in ranked["mAP"]
    unreachable = evaluate(
        Case(np.array([[1.0, 2.0], [1.0, 1.0]]), ["a", "z"], ["a", "b"], "similarity", "best").searches(),
        ["FPIR@DIR=0.9"],
    )
    assert str(unreachable["FPIR@DIR=0.9"].reason) == "no threshold reaches DIR = 0.9"


def test_SEL_is_not_guessed_beyond_the_candidates_kept_by_hand():
    """SEL is exact while fewer than were kept pass, and undefined beyond."""
    case = Case(np.array([[5.0, 4.0, 3.0, 2.0]]), ["z"], list("abcd"), "similarity", "best")
    kept = evaluate(case.searches(kept=2), ["SEL@t=5", "SEL@t=4", "SEL@t=2"])
    assert kept["SEL@t=5"].value == 1
    assert str(kept["SEL@t=4"].reason) == "one search returns 2 candidates or more, and only 2 were kept"
    assert evaluate(case.searches(), ["SEL@t=2"])["SEL@t=2"].value == 4
    assert "not kept" in str(evaluate(case.searches(kept=0), ["SEL@t=2"])["SEL@t=2"].reason)


def test_all_scores_equal_by_hand():
    """Ties: with everybody just as alike the mate is last, first, or in the middle."""
    case = Case(np.ones((4, 3)), ["a", "b", "c", "z"], list("abc"), "distance", "best")
    names = [
        "RR",
        "RR[optimistic]",
        "MeanRank",
        "MeanRank[mean]",
        "EERopen",
        "EERopen[optimistic]",
        "AUCopen[optimistic]",
    ]
    found = [result.value for result in evaluate(case.searches(), names).results.values()]
    assert found == [0.0, 1.0, 3.0, 2.0, 1.0, 0.5, 0.5]
