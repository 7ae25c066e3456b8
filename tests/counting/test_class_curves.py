"""Curves of classifiers and of searches on a handful of samples, every number written out."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bertillon.counting import (
    BinaryCounts,
    BinaryTrials,
    Gain,
    RiskCoverage,
    equal_width,
    gain,
    precision_recall,
    reject_costs,
    reliability,
    risk_coverage,
    sweep,
    thinned_rows,
    threshold_table,
)
from bertillon.trials import RankCurve, SearchSet, SearchTally, WatchListCurve, detection_table


@pytest.fixture
def small() -> BinaryCounts:
    """Two positives and two negatives: thresholds .1, .4, .6, .9 and one that accepts nothing."""
    return sweep(BinaryTrials(np.array([0.9, 0.4]), np.array([0.6, 0.1])))


def long(points: int = 2500) -> BinaryCounts:
    return sweep(BinaryTrials(np.arange(0.0, points), np.arange(0.5, points)))


def test_every_rate_at_every_threshold_by_hand(small: BinaryCounts) -> None:
    """K5: outcomes and rates; what has no trials is null."""
    frame = threshold_table(small)
    assert frame["threshold"].to_list() == [0.1, 0.4, 0.6, 0.9, math.inf]
    assert frame.select("tp", "fp", "fn", "tn").rows() == [
        (2, 2, 0, 0),
        (2, 1, 0, 1),
        (1, 1, 1, 1),
        (1, 0, 1, 2),
        (0, 0, 2, 2),
    ]
    assert frame["precision"].to_list() == [0.5, 2 / 3, 0.5, 1.0, None]
    assert frame["recall"].to_list() == [1.0, 1.0, 0.5, 0.5, 0.0]
    assert frame["specificity"].to_list() == [0.0, 0.5, 0.5, 1.0, 1.0]
    assert frame["fpr"].to_list() == [1.0, 0.5, 0.5, 0.0, 0.0]
    assert frame["f1"].to_list() == pytest.approx([2 / 3, 0.8, 0.5, 2 / 3, 0.0])
    assert frame["accuracy"].to_list() == [0.5, 0.75, 0.5, 0.75, 0.5]


def test_rates_at_thresholds_asked_for_by_hand(small: BinaryCounts) -> None:
    """A score equal to the threshold is positive (E8): .4 itself counts at .4, and no longer at .41."""
    frame = threshold_table(small, [0.4, 0.41, 5])
    assert frame["threshold"].to_list() == [0.4, 0.41, 5.0]
    assert frame.select("tp", "fp").rows() == [(2, 1), (1, 1), (0, 0)]


def test_precision_and_recall_by_hand(small: BinaryCounts) -> None:
    curve = precision_recall(small)
    assert curve.interpolated.tolist() == [0.5, 2 / 3, 2 / 3, 1.0]
    assert curve.to_frame().to_dict(as_series=False) == {
        "threshold": [0.1, 0.4, 0.6, 0.9],
        "recall": [1.0, 1.0, 0.5, 0.5],
        "precision": [0.5, 2 / 3, 0.5, 1.0],
    }
    thin = curve.thin(2)
    assert (thin.threshold.tolist(), thin.recall.tolist(), thin.precision.tolist()) == ([0.1, 0.9], [1, 0.5], [0.5, 1])
    assert thin.baseline == 0.5
    assert math.isnan(precision_recall(sweep(BinaryTrials(np.empty(0), np.empty(0)))).baseline)


@pytest.mark.parametrize(
    ("x", "y", "points", "rows"),
    [
        ([0, 1, 5, 6, 10], [0, 0, 0, 0, 0], 3, [0, 2, 4]),
        ([0, 0, 0, 0, 0], [10, 9, 5, 4, 0], 3, [0, 2, 4]),
        ([0, 1, 1, 2, 2], [0, 0, 1, 1, 2], 3, [0, 2, 4]),
        ([0, 0, 5, 6, 10], [math.nan, 0, 0, 0, 0], 3, [0, 2, 4]),
        ([math.nan, 0, 5, 6, 10], [0, 0, 0, 0, 0], 3, [0, 2, 4]),
        ([0, 1, 5, 6, 10], [0, 0, 0, 0, 0], 2, [0, 4]),
        ([0, 1, 5, 6, 10], [0, 0, 0, 0, 0], 5, [0, 1, 2, 3, 4]),
        ([0, 1, 5, 6, 10], [0, 0, 0, 0, 0], 1, [0, 1, 2, 3, 4]),
        ([0, 4, 4, 4, 4], [0, 0, 0, 0, 0], 5, [0, 1, 2, 3, 4]),
        ([0, 9, 10], [0, 0, 0], 2, [0, 2]),
    ],
)
def test_rows_at_equal_steps_along_a_path_by_hand(x, y, points, rows) -> None:
    assert thinned_rows(np.array(x, dtype=float), np.array(y, dtype=float), points).tolist() == rows


@pytest.mark.parametrize("curve_of", [precision_recall, gain, risk_coverage])
def test_curves_are_thinned_to_two_thousand_points_unless_told_otherwise(curve_of) -> None:
    curve = curve_of(long())
    assert curve.thin().threshold.tolist() == curve.thin(2000).threshold.tolist()
    assert curve.thin().threshold.tolist() != curve.thin(2001).threshold.tolist()


def test_risk_and_coverage_by_hand() -> None:
    """K9: of four decisions at .9, .8, .7 and .6 the two least sure are wrong."""
    curve = risk_coverage(sweep(BinaryTrials(np.array([0.9, 0.8]), np.array([0.6, 0.7]))))
    assert curve.area == pytest.approx((1 / 2 + 1 / 3) / 4)
    assert curve.to_frame().to_dict(as_series=False) == {
        "threshold": [0.6, 0.7, 0.8, 0.9],
        "coverage": [1.0, 0.75, 0.5, 0.25],
        "risk": pytest.approx([1 / 2, 1 / 3, 0, 0]),
    }
    thin = RiskCoverage(np.arange(5.0), np.array([1, 0.9, 0.5, 0.4, 0.0]), np.full(5, 0.25)).thin(3)
    assert (thin.threshold.tolist(), thin.coverage.tolist(), thin.risk.tolist()) == (
        [0.0, 2.0, 4.0],
        [1, 0.5, 0],
        [0.25] * 3,
    )


def test_gain_and_lift_by_hand(small: BinaryCounts) -> None:
    """K10: half of the samples are positive, so a lift of 2 is a precision of 1."""
    curve = gain(small)
    frame = curve.to_frame().to_dict(as_series=False)
    assert list(frame) == ["threshold", "share", "gain", "lift"]
    assert frame["threshold"] == [0.1, 0.4, 0.6, 0.9, math.inf]
    assert frame["share"] == [1.0, 0.75, 0.5, 0.25, 0.0]
    assert frame["gain"] == [1.0, 1.0, 0.5, 0.5, 0.0]
    assert frame["lift"][:4] == pytest.approx([1.0, 4 / 3, 1.0, 2.0])
    assert math.isnan(frame["lift"][4])
    thin = Gain(np.arange(5.0) + 7, np.array([1, 0.9, 0.5, 0.4, 0.0]), np.zeros(5), np.arange(5.0)).thin(3)
    assert thin.share.tolist() == [1, 0.5, 0]
    assert thin.gain.tolist() == [0, 0, 0]
    assert thin.lift.tolist() == [0, 2, 4]
    assert thin.threshold.tolist() == [7, 9, 11]


def test_a_reliability_diagram_by_hand() -> None:
    """K8: one negative at .25; both at .75; a bin holds its upper end; empty ones are left out."""
    diagram = reliability(equal_width(BinaryTrials(np.array([0.75]), np.array([0.25, 0.75])), 4))
    assert diagram.bins == 4
    assert diagram.to_frame().to_dict(as_series=False) == {
        "low": [0.0, 0.5],
        "high": [0.25, 0.75],
        "count": [1.0, 2.0],
        "mean": [0.25, 0.75],
        "observed": [0.0, 0.5],
        "gap": [-0.25, -0.25],
    }


def test_the_cost_of_rejecting_by_hand() -> None:
    """Right at .9 and .8, wrong at .7 and .6; an error costs 10, a rejection 1, by four samples."""
    curve = reject_costs(sweep(BinaryTrials(np.array([0.9, 0.8]), np.array([0.6, 0.7]))), reject=1.0, error=10.0)
    assert curve.threshold.tolist() == [0.6, 0.7, 0.8, 0.9, math.inf]
    assert curve.cost.tolist() == [20 / 4, 11 / 4, 2 / 4, 3 / 4, 4 / 4]
    assert curve.best == (0.8, 0.5)


def test_a_rank_curve_ends_where_it_rises_no_more_by_hand() -> None:
    curve = RankCurve(np.array([2, 3, 3, 3]), 4, "mean").thin()
    assert curve.counts.tolist() == [2, 3]
    assert (curve.n_enrolled, curve.ties) == (4, "mean")
    assert curve.rates.tolist() == [0.5, 0.75]
    assert RankCurve(np.array([1, 2]), 2).thin().counts.tolist() == [1, 2]
    assert len(RankCurve(np.empty(0, dtype=np.int64), 0).thin()) == 0
    assert np.isnan(RankCurve(np.array([0]), 0).rates).all()


@pytest.fixture
def searches() -> SearchTally:
    """An enrolled search that finds its mate first at .9; non-enrolled ones whose best candidates score .9 and .4."""
    return SearchTally(SearchSet([1, 0, 0], [0.9, 0, 0], [0, 0, 0], [0, 0, 0], [0.9, 0.4, 0.9], [0.1, 0.4, 0.2], 2))


def test_a_watch_list_curve_by_hand(searches: SearchTally) -> None:
    curve = WatchListCurve.of(searches)
    assert curve.to_frame().to_dict(as_series=False) == {
        "threshold": [0.4, 0.9, math.inf],
        "false_positives": [2, 1, 0],
        "detections": [1, 1, 0],
        "fpir": [1.0, 0.5, 0.0],
        "dir": [1.0, 1.0, 0.0],
    }
    assert curve.fnir.tolist() == [0.0, 0.0, 1.0]
    thin = curve.thin(2)
    assert thin.threshold.tolist() == [0.4, math.inf]
    assert (thin.k, thin.ties, thin.by) == (curve.k, curve.ties, curve.by)
    other = WatchListCurve.of(searches, 2, "mean", "top")
    assert (other.k, other.ties, other.by) == (2, "mean", "top")


def test_without_enrolled_searches_nothing_can_be_detected_by_hand() -> None:
    curve = WatchListCurve.of(SearchTally(SearchSet([0], [0], [0], [0], [0.9], [0.1], 2)))
    assert np.isnan(curve.dir).tolist() == [True] * len(curve)


def test_detections_by_rank_and_threshold_by_hand(searches: SearchTally) -> None:
    frame = detection_table(searches, [1, 2])
    assert frame.columns == ["k", "threshold", "false_positives", "detections", "fpir", "dir"]
    assert frame["k"].to_list() == [1, 1, 1, 2, 2, 2]
    assert frame["dir"].to_list() == [1.0, 1.0, 0.0] * 2
    assert detection_table(searches)["k"].unique(maintain_order=True).to_list() == [1, 5, 10, 20]
    assert detection_table(searches, [1], points=2)["threshold"].to_list() == [0.4, math.inf]


def test_each_rank_of_the_surface_has_two_hundred_points_unless_told_otherwise() -> None:
    top, none = np.arange(1.0, 1001), np.zeros(1000)
    enrolled = np.arange(1000) % 2
    many = SearchTally(SearchSet(enrolled, top * enrolled, none, none, top, none, 2))
    assert detection_table(many, [1]).equals(detection_table(many, [1], points=200))
    assert 100 < detection_table(many, [1]).height <= 200
    assert not detection_table(many, [1]).equals(detection_table(many, [1], points=201))
