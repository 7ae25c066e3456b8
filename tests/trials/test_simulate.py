"""Simulated scores follow their stated truth, and the truth follows the closed forms."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bertillon.core import AcceptRule, InputError
from bertillon.evaluation import evaluate
from bertillon.trials import KINDS, Truth, simulate

SIGMAS = 4.0  # how many standard errors a fixed seed may be off


def _share_error(rate: float, trials: int) -> float:
    return SIGMAS * math.sqrt(rate * (1 - rate) / trials)


def _subject_means(scores: NDArray[Any], subject: NDArray[Any], number: int) -> NDArray[np.float64]:
    return np.bincount(subject, scores, number) / np.bincount(subject, minlength=number)


def test_truth_of_two_unit_normals_against_closed_forms() -> None:
    truth = simulate("binormal", dprime=2, mated=1, nonmated=1, rng=0).truth
    assert truth.eer().value == pytest.approx(0.1586553, abs=5e-8)  # Phi(-d'/2)
    assert truth.eer().threshold == pytest.approx(1.0, abs=1e-12)
    assert truth.auc() == pytest.approx(0.9213504, abs=5e-8)  # Phi(d'/sqrt 2)
    assert truth.dprime() == pytest.approx(2.0, abs=1e-12)
    assert truth.dprime_sum() == pytest.approx(math.sqrt(2), abs=1e-12)
    assert truth.fmr(0.0) == pytest.approx(0.5)
    assert truth.fnmr(2.0) == pytest.approx(0.5)
    assert truth.fnmr_at_fmr(0.5) == pytest.approx(0.0227501, abs=5e-8)  # Phi(-2)


def test_truth_of_unequal_normals_against_closed_forms() -> None:
    parameters = {"mated_mean": 5.0, "mated_sd": 2.0, "nonmated_mean": -1.0, "nonmated_sd": 1.0}
    truth = simulate("binormal", mated=1, nonmated=1, **parameters).truth
    assert truth.eer() == pytest.approx((0.0227501, 1.0), abs=5e-8)  # Phi(-F), F = 6 / 3; at -1 + 2 sd
    assert truth.auc() == pytest.approx(NormalDist().cdf(6 / math.sqrt(5)), abs=1e-12)
    assert truth.dprime() == pytest.approx(6 / math.sqrt(2.5), abs=1e-12)


def test_dprime_places_the_mated_mean_by_daugmans_form() -> None:
    truth = simulate("binormal", dprime=1.5, mated_sd=2.0, nonmated_mean=3.0, mated=1, nonmated=1).truth
    assert truth.dprime() == pytest.approx(1.5, abs=1e-12)
    assert truth.mated.mean == pytest.approx(3 + 1.5 * math.sqrt(2.5))


def test_truth_of_beta_laws_by_hand() -> None:
    # mated cdf x^2, non-mated survival (1 - x)^2: equal at 1/2; AUC = integral of (2x - x^2) 2x = 5/6
    truth = simulate("beta", mated_a=2, mated_b=1, nonmated_a=1, nonmated_b=2, mated=1, nonmated=1).truth
    assert truth.eer() == pytest.approx((0.25, 0.5), abs=1e-9)
    assert truth.auc() == pytest.approx(5 / 6, abs=1e-9)
    assert truth.fnmr_at_fmr(0.04) == pytest.approx(0.64, abs=1e-9)
    assert truth.threshold_at_fmr(0.04) == pytest.approx(0.8, abs=1e-9)


@pytest.mark.parametrize(("rate", "expected"), [(0.0, 1.0), (1.0, 0.0)])
@pytest.mark.parametrize("kind", KINDS)
def test_the_ends_of_the_truth_are_the_ends_of_the_curve(kind: str, rate: float, expected: float) -> None:
    assert simulate(kind, mated=1, nonmated=1).truth.fnmr_at_fmr(rate) == expected


@pytest.mark.parametrize("rule", list(AcceptRule))
@pytest.mark.parametrize("kind", ["binormal", "beta"])
def test_scores_against_their_truth(kind: str, rule: AcceptRule) -> None:
    scores, truth = simulate(kind, mated=20_000, nonmated=50_000, rng=3, rule=rule)
    for fmr in (0.5, 0.1, 0.01):
        t = truth.threshold_at_fmr(fmr)
        e = evaluate(scores, [f"FMR@t={t!r}", f"FNMR@t={t!r}", f"FNMR@FMR={fmr}"])
        values = [e[name].value for name in e]
        assert values[0] == pytest.approx(fmr, abs=_share_error(fmr, 50_000))
        assert values[1] == pytest.approx(truth.fnmr(t), abs=_share_error(truth.fnmr(t), 20_000))
        assert truth.fmr(t) == pytest.approx(fmr, abs=1e-9)
        assert truth.fnmr_at_fmr(fmr) == pytest.approx(truth.fnmr(t), abs=1e-9)
    _check_summaries(evaluate(scores, ["EER", "AUC", "dprime"]), truth)


def _check_summaries(evaluation: Any, truth: Truth) -> None:
    eer, threshold = truth.eer()
    assert evaluation["EER"].value == pytest.approx(eer, abs=_share_error(eer, 20_000))
    assert evaluation["EER"].threshold == pytest.approx(threshold, abs=0.1)
    assert evaluation["AUC"].value == pytest.approx(truth.auc(), abs=_share_error(truth.auc(), 20_000))
    # two normals of n each: variance 2/n + d'^2/(4n); n of the smaller class bounds it
    spread = math.sqrt((2 + truth.dprime() ** 2 / 4) / 20_000)
    assert evaluation["dprime"].value == pytest.approx(truth.dprime(), abs=SIGMAS * spread)


def test_subjects_have_the_marginal_law_of_the_truth() -> None:
    number = 4000
    scores, truth = simulate("subjects", subjects=number, mated=40_000, nonmated=200_000, rng=5)
    # scores of one subject move together: as many independent ones as there are subjects, at least
    assert scores.mated.mean() == pytest.approx(2.0, abs=SIGMAS / math.sqrt(number))
    assert scores.mated.var() == pytest.approx(1.0, abs=SIGMAS * math.sqrt(2 / number))
    assert scores.nonmated.mean() == pytest.approx(0.0, abs=SIGMAS / math.sqrt(number))
    assert scores.nonmated.var() == pytest.approx(1.0, abs=SIGMAS * math.sqrt(2 / number))
    eer, threshold = truth.eer()
    assert (eer, threshold) == pytest.approx((0.1586553, 1.0), abs=5e-8)
    assert evaluate(scores, ["EER"])["EER"].value == pytest.approx(eer, abs=_share_error(eer, number))


@pytest.mark.parametrize(("goat", "lamb", "wolf"), [(0.3, 0.2, 0.2), (0.6, 0.5, 0.1), (0.0, 0.0, 0.4)])
def test_variance_between_subjects_is_the_stated_share(goat: float, lamb: float, wolf: float) -> None:
    number, each = 400, 100
    scores, _ = simulate(
        "subjects",
        subjects=number,
        mated=number * each,
        nonmated=number * each,
        goat=goat,
        lamb=lamb,
        wolf=wolf,
        rng=11,
    )
    mated, nonmated = scores.mated_ids, scores.nonmated_ids
    assert mated is not None
    assert nonmated is not None
    found = [
        (goat, _subject_means(scores.mated, mated.probe_subject, number)),
        (lamb, _subject_means(scores.nonmated, nonmated.reference_subject, number)),
        (wolf, _subject_means(scores.nonmated, nonmated.probe_subject, number)),
    ]
    for share, means in found:
        expected = share + (1 - share) / each  # what is left of the rest after averaging
        assert means.var(ddof=1) == pytest.approx(expected, abs=SIGMAS * expected * math.sqrt(2 / number) + 1e-3)


def test_the_whole_variance_may_lie_between_subjects() -> None:
    scores, _ = simulate("subjects", subjects=10, mated=30, nonmated=100, goat=1.0, lamb=0.7, wolf=0.3, rng=2)
    assert np.array_equal(scores.mated[:10], scores.mated[10:20])  # a goat's scores are all the same


def test_mated_rows_are_of_one_subject_and_nonmated_rows_of_two() -> None:
    scores, _ = simulate("subjects", subjects=7, mated=70, nonmated=5000, rng=1)
    mated, nonmated = scores.mated_ids, scores.nonmated_ids
    assert mated is not None
    assert nonmated is not None
    assert np.array_equal(mated.probe_subject, mated.reference_subject)
    assert np.bincount(mated.probe_subject).tolist() == [10] * 7
    assert not np.any(nonmated.probe_subject == nonmated.reference_subject)
    pairs = set(zip(nonmated.probe_subject.tolist(), nonmated.reference_subject.tolist(), strict=True))
    assert len(pairs) == 7 * 6  # every ordered pair of different subjects turns up


@pytest.mark.parametrize("kind", KINDS)
def test_a_distance_mirrors_scores_and_truth(kind: str) -> None:
    alike, truth = simulate(kind, mated=50, nonmated=80, rng=4)
    apart, mirrored = simulate(kind, mated=50, nonmated=80, rng=4, rule="distance")
    mirror = 1.0 if kind == "beta" else 0.0
    assert apart.rule is AcceptRule.DISTANCE
    assert np.array_equal(apart.mated, mirror - alike.mated)
    assert np.array_equal(apart.nonmated, mirror - alike.nonmated)
    assert mirrored.eer().value == truth.eer().value
    assert mirrored.eer().threshold == pytest.approx(mirror - truth.eer().threshold)
    assert mirrored.fmr(mirror - 0.3) == pytest.approx(truth.fmr(0.3))
    assert mirrored.fnmr(mirror - 0.3) == pytest.approx(truth.fnmr(0.3))
    assert (mirrored.auc(), mirrored.dprime()) == (truth.auc(), truth.dprime())
    assert mirrored.fnmr_at_fmr(0.01) == pytest.approx(truth.fnmr_at_fmr(0.01))


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_gives_the_same_scores_again(kind: str) -> None:
    one, same, other = (simulate(kind, mated=20, nonmated=20, rng=seed).scores for seed in (8, 8, 9))
    assert np.array_equal(one.mated, same.mated)
    assert np.array_equal(one.nonmated, same.nonmated)
    assert not np.array_equal(one.mated, other.mated)


def test_a_generator_goes_on_where_it_stands() -> None:
    rng = np.random.default_rng(8)
    first, second = simulate(mated=5, rng=rng).scores, simulate(mated=5, rng=rng).scores
    assert np.array_equal(first.mated, simulate(mated=5, rng=8).scores.mated)
    assert not np.array_equal(first.mated, second.mated)


def test_the_scores_say_what_they_are() -> None:
    scores = simulate("beta", mated=3, nonmated=4, mated_a=5, name="toy").scores
    assert (scores.name, scores.mated.size, scores.nonmated.size) == ("toy", 3, 4)
    assert tuple(map(str, scores.notes)) == ("simulated: beta(mated_a=5, mated_b=2, nonmated_a=2, nonmated_b=8)",)


@pytest.mark.parametrize(
    ("kind", "arguments", "message"),
    [
        ("gaussian", {}, "expected one of binormal, beta, subjects"),
        ("binormal", {"d": 2}, "parameter 'd' is not known; expected dprime, mated_mean"),
        ("binormal", {"dprime": 2, "mated_mean": 1}, "expected one of them"),
        ("binormal", {"mated_sd": 0}, "mated_sd is 0; expected a number above 0"),
        ("binormal", {"dprime": math.nan}, "dprime is nan; expected a finite number"),
        ("binormal", {"dprime": "2"}, "dprime is '2'; expected a finite number"),
        ("beta", {"nonmated_b": -1}, "nonmated_b is -1; expected a number above 0"),
        ("subjects", {"subjects": 1}, "subjects is 1; expected a whole number, 2 or more"),
        ("subjects", {"subjects": 2.5}, "subjects is 2.5; expected a whole number, 2 or more"),
        ("subjects", {"goat": 1.1}, "goat is 1.1; expected a share of variance"),
        ("subjects", {"lamb": 0.6, "wolf": 0.5}, "lamb \\+ wolf is 1.1; expected at most 1"),
        ("binormal", {"mated": -1}, "mated is -1; expected how many scores"),
        ("binormal", {"nonmated": 1.5}, "nonmated is 1.5; expected how many scores"),
        ("binormal", {"rng": -1}, "rng is -1; expected a seed"),
        ("binormal", {"rule": "bigger"}, "rule is 'bigger'; expected 'similarity' or 'distance'"),
    ],
)
def test_what_cannot_be_simulated_is_said(kind: str, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        simulate(kind, **arguments)


def test_a_rate_outside_0_to_1_is_refused() -> None:
    with pytest.raises(InputError, match=r"FMR is 1\.5; expected a rate from 0 to 1"):
        simulate(mated=1, nonmated=1).truth.fnmr_at_fmr(1.5)
