"""Coordinates of the figures, by hand and by law."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertillon.core import InputError
from bertillon.views import BLOCK, Line, Spot, det_curve, equal_line, rates_panel, roc_curve, score_distribution

small_scores = st.lists(st.integers(-4, 4), max_size=12)
rules = st.sampled_from(["similarity", "distance"])


def fmr(panel) -> Line | None:
    return next((line for line in panel.of(Line) if line.name == "FMR (FAR)"), None)


def fnmr(panel) -> Line | None:
    return next((line for line in panel.of(Line) if line.name == "FNMR (FRR)"), None)


def points(line) -> list[tuple[float, float]]:
    """The corners of a line without repetitions, rounded."""
    corners = [(round(float(x), 9), round(float(y), 9)) for x, y in zip(line.x, line.y, strict=True)]
    return list(dict.fromkeys(corners))


def test_roc_by_hand(make_system):
    data = roc_curve(make_system([2, 3], [1, 2]))
    assert points(data.line) == [(1, 1), (0.5, 1), (0.5, 0.5), (0, 0.5), (0, 0)]
    assert (data.x_axis.label, data.y_axis.label) == ("False match rate (FMR, FAR)", "True match rate (TMR, TAR, GAR)")
    assert (data.x_axis.scale, data.y_axis.scale) == ("linear", "linear")


def test_roc_with_log_axis_by_hand(make_system):
    data = roc_curve(make_system([2, 3], [1, 2, 0, 0]), "log")
    assert points(data.line) == [(1, 1), (0.5, 1), (0.25, 1), (0.25, 0.5), (0.125, 0.5), (0.125, 0)]
    assert data.x_axis.floor == 0.25


def test_det_on_log_axes_by_hand(make_system):
    data = det_curve(make_system([2, 3], [1, 2, 0, 0]), "log")
    # FNMR 0 of 2 stands at 0.25, FMR 0 of 4 at 0.125
    assert points(data.line) == [(1, 0.25), (0.5, 0.25), (0.25, 0.25), (0.25, 0.5), (0.125, 0.5), (0.125, 1)]
    assert (data.x_axis.floor, data.y_axis.floor) == (0.25, 0.5)


def test_det_on_normal_axes_by_hand(t1):
    data = det_curve(t1)
    assert data.value == pytest.approx(0.2)
    assert data.point == pytest.approx((-0.8416212335729142, -0.8416212335729142))  # the deviate of 0.2
    assert data.line.x.min() == pytest.approx(-1.6448536269514729)  # no false match among ten: 0.05
    assert data.line.y.min() == pytest.approx(-1.2815515655446004)  # no false non-match among five: 0.1
    assert data.x_axis.label.endswith("in %")


def test_tied_scores_are_steps_with_the_eer_on_a_chord(make_system):
    data = roc_curve(make_system([1, 1], [1, 1]))
    assert points(data.line) == [(1, 1), (1, 0), (0, 0)]
    assert data.point == (0.5, 0.5)
    assert data.second is not None
    np.testing.assert_allclose(data.second.x, data.second.y)
    assert data.second.x.min() >= 0.25


def test_no_chord_where_the_steps_go_through_the_eer(t1):
    assert roc_curve(t1).second is None


def test_a_poor_system_is_drawn_up_to_the_end_of_the_axes(make_system):
    good = det_curve(make_system(range(50, 150), range(100)))
    poor = det_curve(make_system(range(100), range(100)))
    assert good.x_axis.limits[1] < 0.2
    assert poor.x_axis.limits[1] > 2


def test_errors_by_threshold_by_hand(make_system):
    data = rates_panel(make_system([2, 3], [1, 2]))
    assert data.x.label == "Threshold t (accept when score >= t)"
    low, high = data.x.limits
    assert (low, high) == pytest.approx((0.94, 3.06))
    assert points(fmr(data)) == [(0.94, 1), (1, 1), (1, 0.5), (2, 0.5), (2, 0), (3, 0), (3.06, 0)]
    assert points(fnmr(data)) == [(0.94, 0), (1, 0), (2, 0), (2, 0.5), (3, 0.5), (3, 1), (3.06, 1)]


def test_errors_by_threshold_of_a_distance_stay_in_its_units(make_system):
    data = rates_panel(make_system([1, 2], [2, 3], rule="distance"))
    assert data.x.label == "Threshold t (accept when score <= t)"
    assert points(fmr(data)) == [(3.06, 1), (3, 1), (3, 0.5), (2, 0.5), (2, 0), (1, 0), (0.94, 0)]
    assert points(fnmr(data))[-1] == (0.94, 1)


def test_infinite_scores_count_in_the_rates_by_threshold(make_system):
    data = rates_panel(make_system([1, 2, np.inf], [-np.inf, 0, 1.5]))
    assert fmr(data).y[0] == pytest.approx(2 / 3)  # -inf is below every threshold on the axis
    assert fnmr(data).y[-1] == pytest.approx(2 / 3)  # inf is above every one
    assert np.isfinite(fmr(data).x).all()


def test_densities_by_hand(make_system):
    data = score_distribution(make_system([0.25, 0.75, 1.0], [0.0, 0.25]), 2)
    assert data.edges.tolist() == [0.0, 0.5, 1.0]
    assert data.mated.tolist() == pytest.approx([1 / 1.5, 2 / 1.5])
    assert data.nonmated.tolist() == [2.0, 0.0]
    assert (data.n_mated, data.n_nonmated, data.accepts_above, data.notes) == (3, 2, True, ())


def test_whole_numbers_are_counted_in_bins_around_them(make_system):
    data = score_distribution(make_system([2, 3, 3], [0, 1]))
    assert data.edges.tolist() == [-0.5, 0.5, 1.5, 2.5, 3.5]
    assert data.mated.tolist() == pytest.approx([0, 0, 1 / 3, 2 / 3])


def test_many_whole_numbers_share_bins_evenly(make_system):
    data = score_distribution(make_system(range(100), range(100)), 30)
    assert np.diff(data.edges).tolist() == [4.0] * 25
    assert data.mated.tolist() == pytest.approx([0.01] * 25)


def test_infinite_scores_are_counted_and_said(make_system):
    data = score_distribution(make_system([0.5, np.inf], [0.25, -np.inf, -np.inf]), 4)
    assert data.notes == ("3 infinite scores not shown",)
    width = data.edges[1] - data.edges[0]
    assert data.mated.sum() * width == pytest.approx(1 / 2)
    assert data.nonmated.sum() * width == pytest.approx(1 / 3)


def test_infinities_in_a_later_block_are_found(make_system):
    mated = np.zeros(BLOCK + 2)
    mated[-1], mated[-2] = np.inf, 3.5
    data = score_distribution(make_system(mated, np.array([0.25, 1.25])))
    assert data.notes[0] == "1 infinite score not shown"
    assert data.edges[-1] >= 3.5


def test_a_far_outlier_does_not_squeeze_the_rest(make_system):
    mated, nonmated = np.linspace(0.5, 1.0, 3000), np.linspace(0.0, 0.6, 5000)
    system = make_system(np.append(mated, -9999.0), nonmated)
    data = score_distribution(system)
    assert -1.0 < data.edges[0] < data.edges[-1] <= 1.0
    assert data.notes == ("1 far-off score not shown",)
    assert rates_panel(system).x.low > -1.0


def test_a_threshold_off_the_axis_is_said(make_system):
    system = make_system([0.5, 1.0], [0.0, 0.25], threshold=np.inf)
    for data in (score_distribution(system), rates_panel(system)):
        assert data.notes == ("EER threshold inf is off this axis",)
    assert score_distribution(system).threshold is None
    assert rates_panel(system).of(Spot) == []


def test_a_class_without_scores_is_said_and_nothing_is_made_up(make_system):
    system = make_system([0.5, 1.0], [])
    for data in (roc_curve(system), det_curve(system), det_curve(system, "log")):
        assert data.note == "no non-mated scores"
        assert data.line.x.size == 0
        assert data.point is None
    assert [line.name for line in rates_panel(system).of(Line)] == ["FNMR (FRR)"]
    assert score_distribution(system).notes == ("no non-mated scores",)


def test_an_eer_that_is_no_number_is_not_marked(t1):
    data = roc_curve(dataclasses.replace(t1, eer=float("nan"), threshold=float("nan")))
    assert (data.value, data.point, data.second) == (None, None, None)
    assert rates_panel(dataclasses.replace(t1, threshold=float("nan"))).of(Spot) == []


def test_bins_must_be_at_least_one(t1):
    with pytest.raises(InputError, match="0 bins; expected 1 or more"):
        score_distribution(t1, 0)


def test_long_curves_are_thinned_and_keep_their_ends(make_system):
    rng = np.random.default_rng(3)
    data = det_curve(make_system(rng.normal(2, 1, 4000), rng.normal(0, 1, 20_000)), "log")
    assert 1000 < data.line.x.size <= 4000
    assert (data.line.x[0], data.line.y[-1]) == (1.0, 1.0)


def test_equal_errors_lie_on_the_diagonal_of_a_det_and_across_a_roc(t1):
    det, roc = det_curve(t1), roc_curve(t1, "log")
    across = equal_line("roc", roc.x_axis, roc.y_axis)
    np.testing.assert_allclose(across.y, 1 - across.x)
    diagonal = equal_line("det", det.x_axis, det.y_axis)
    assert diagonal.x.tolist() == diagonal.y.tolist()


@given(mated=small_scores, nonmated=small_scores, rule=rules)
def test_curves_are_finite_monotone_and_on_their_axes(make_system, mated, nonmated, rule):
    system = make_system(mated, nonmated, rule=rule)
    curves = (roc_curve(system), roc_curve(system, "log"), det_curve(system), det_curve(system, "log"))
    for data in curves:
        x, y = data.line
        assert (x.size == 0) == bool(data.note) == (not mated or not nonmated)
        assert np.isfinite(x).all()
        assert np.isfinite(y).all()
        assert (np.diff(x) <= 0).all()
        assert (np.diff(y) * (1 if data.y_axis.label.startswith("False") else -1) >= 0).all()
        assert (x >= data.x_axis.limits[0]).all()
        assert (y >= data.y_axis.limits[0]).all()
        visible = (x <= data.x_axis.limits[1]) & (y <= data.y_axis.limits[1])
        assert visible.any() or not x.size


@given(mated=small_scores, nonmated=small_scores, rule=rules)
def test_rates_by_threshold_agree_with_counting(make_system, mated, nonmated, rule):
    system = make_system(mated, nonmated, rule=rule)
    data = rates_panel(system)
    accepts = system.scores.rule.accepts
    for rate, scores, wanted in ((fmr, nonmated, True), (fnmr, mated, False)):
        if not scores:
            assert rate(data) is None
            continue
        line = rate(data)
        assert (line.x >= data.x.low).all()
        assert (line.x <= data.x.high).all()
        middles, heights = (line.x[:-1] + line.x[1:]) / 2, line.y[1:]
        for at, height in zip(middles[np.diff(line.x) != 0], heights[np.diff(line.x) != 0], strict=True):
            assert height == pytest.approx(np.mean(accepts(np.array(scores, float), at) == wanted))


@given(mated=small_scores, nonmated=small_scores, rule=rules, bins=st.none() | st.integers(1, 20))
def test_densities_cover_every_score_once(make_system, mated, nonmated, rule, bins):
    data = score_distribution(make_system(mated, nonmated, rule=rule), bins)
    widths = np.diff(data.edges)
    assert (widths > 0).all()
    for density, scores in ((data.mated, mated), (data.nonmated, nonmated)):
        assert (density.size == widths.size) == bool(scores)
        assert (density * widths[: density.size]).sum() == pytest.approx(1.0 if scores else 0.0)
    assert data.axis.limits[0] < data.edges[0]
    assert data.edges[-1] < data.axis.limits[1]


@given(mated=small_scores, nonmated=small_scores)
def test_negating_scores_and_rule_changes_no_curve(make_system, mated, nonmated):
    similarity = make_system(mated, nonmated)
    distance = make_system([-s for s in mated], [-s for s in nonmated], rule="distance")
    for data in (roc_curve, det_curve):
        assert points(data(similarity).line) == points(data(distance).line)


def test_degenerate_sets_have_finite_coordinates(make_system, degenerate_scores):
    system = make_system(*degenerate_scores)
    curves = (roc_curve(system), roc_curve(system, "log"), det_curve(system), det_curve(system, "log"))
    lines = [data.line for data in curves] + rates_panel(system).of(Line)
    assert all(np.isfinite(line.x).all() and np.isfinite(line.y).all() for line in lines)
    distribution = score_distribution(system)
    assert (np.diff(distribution.edges) > 0).all()
    assert np.isfinite(distribution.mated).all()
    assert np.isfinite(distribution.nonmated).all()


def test_inputs_are_left_alone(t1):
    before = [array.copy() for array in _arrays(t1)]
    roc_curve(t1), roc_curve(t1, "log"), det_curve(t1), det_curve(t1, "log"), rates_panel(t1), score_distribution(t1)
    for array, copy in zip(_arrays(t1), before, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_coordinates_need_no_drawing_library():
    code = (
        "import sys, bertillon.views.figures.scores; "
        "print([m for m in ('matplotlib', 'numba', 'polars') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def _arrays(system):
    counts, scores = system.curve.counts, system.scores
    return [counts.threshold, counts.false_match, counts.false_nonmatch, scores.mated, scores.nonmated]
