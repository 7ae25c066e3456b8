"""Simulated searches follow their stated truth."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bertillon.core import AcceptRule, InputError
from bertillon.evaluation import evaluate
from bertillon.trials import SearchTruth, simulate_searches

SIGMAS = 4.0


@pytest.mark.parametrize("rule", list(AcceptRule))
def test_searches_against_their_truth(rule: AcceptRule) -> None:
    """One probe a person, so that searches are independent."""
    searches, truth = simulate_searches(subjects=1500, strangers=1500, probes=1, gallery=1500, rng=2, rule=rule)
    t = truth.threshold_at_fpir(0.1)
    assert math.copysign(1.0, t) == rule.factor
    e = evaluate(searches, [f"DIR@t={t!r},k=1", f"DIR@t={t!r},k=4", f"FPIR@t={t!r}", "RR", "CMS@5"])
    expected = (truth.dir(t), truth.dir(t, 4), 0.1, truth.cms(1), truth.cms(5))
    for name, rate in zip(e, expected, strict=True):
        assert e[name].value == pytest.approx(rate, abs=SIGMAS * math.sqrt(rate * (1 - rate) / 1500))


def test_truth_without_wolves_by_hand() -> None:
    truth = SearchTruth(gallery=1, wolf=0.0, dprime=2.0)
    assert truth.fpir(1.0) == pytest.approx(0.1586553, abs=1e-7)  # Phi(-1): one candidate
    assert truth.dir(2.0) == pytest.approx(0.5, abs=1e-6)  # nobody else is there
    assert truth.cms(1) == pytest.approx(1.0, abs=1e-9)
    two = SearchTruth(gallery=2, wolf=0.0, dprime=2.0)
    assert two.cms(1) == pytest.approx(0.9213504, abs=1e-6)  # Phi(d' / sqrt 2)
    assert two.dir_at_fpir(0.1) == two.dir(two.threshold_at_fpir(0.1))


def test_searches_of_one_person_go_together() -> None:
    searches, _ = simulate_searches(subjects=200, strangers=200, probes=4, gallery=200, goat=0.5, wolf=0.5, rng=1)
    mates = searches.mate_score[searches.enrolled].reshape(200, 4)
    tops = searches.top_score[~searches.enrolled].reshape(200, 4)
    assert np.corrcoef(mates[:, 0], mates[:, 1])[0, 1] == pytest.approx(0.5, abs=0.2)
    assert np.corrcoef(tops[:, 0], tops[:, 1])[0, 1] > 0.6


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"subjects": 300, "gallery": 200}, "300 subjects in a gallery of 200; expected at most as many"),
        ({"probes": 0}, "probes is 0; expected a whole number, 1 or more"),
        ({"wolf": 1.0}, "wolf is 1; expected a share of variance"),
        ({"goat": -0.1}, "goat is -0.1"),
    ],
)
def test_bad_input(wrong: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        simulate_searches(**wrong)


def test_a_rate_that_no_threshold_has() -> None:
    with pytest.raises(InputError, match="FPIR is 0; expected a rate between 0 and 1"):
        SearchTruth(gallery=10).threshold_at_fpir(0)
