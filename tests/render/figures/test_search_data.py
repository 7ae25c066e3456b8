"""Coordinates of the figures of searches, by hand and by law."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertillon.evaluation import evaluate
from bertillon.trials import RankCurve, SearchSet, SearchTally, searches_from_blocks
from bertillon.views import (
    POINTS,
    Line,
    Searches,
    cmc_curves,
    dir_ranks_panel,
    levels_of,
    rank_axis,
    spanning,
    watch_list_curve,
)


def points(line) -> list[tuple[float, float]]:
    """The corners of a line without repetitions, rounded."""
    return list(dict.fromkeys((round(float(x), 9), round(float(y), 9)) for x, y in zip(line.x, line.y, strict=True)))


@pytest.fixture
def small(make_searches):
    """Mates at rank 1 with score 4 and at rank 2 with score 2; outsiders whose tops are 3 and 1."""
    return make_searches([[4, 0, 0], [3, 2, 0], [3, 0, 1], [1, 0, 1]], [0, 1, 7, 8], 3)


def test_cmc_by_hand(closed_set):
    (data,) = cmc_curves([closed_set])
    assert points(data.line) == [(1, 0.5), (2, 0.75), (3, 1), (4, 1)]
    assert (data.value, data.point) == (0.5, (1, 0.5))
    assert (data.x_axis.scale, data.x_axis.label) == ("linear", "Rank k (gallery of 4)")
    assert data.x_axis.tick_labels == ("1", "2", "3", "4")


def test_all_systems_of_a_cmc_share_its_axes(closed_set, random_searches):
    first, second = cmc_curves([closed_set, random_searches()])
    assert (first.x_axis, first.y_axis) == (second.x_axis, second.y_axis)
    assert first.x_axis.scale == "log"
    assert first.x_axis.label == "Rank k (up to the size of the gallery)"
    assert (first.line.x[-1], second.line.x[-1]) == (4, 60)


def test_the_rates_of_a_cmc_fill_its_axis():
    ranks = [1] * 97 + [2, 3, 4]
    (data,) = cmc_curves([Searches.of(SearchTally(SearchSet.from_ranks(ranks, gallery_size=1000)))])
    low, high = data.y_axis.limits
    assert 0.96 < low < data.value == 0.97
    assert 1.0 < high < 1.01


def test_mates_that_are_never_found_keep_a_cmc_below_one():
    (data,) = cmc_curves([Searches.of(SearchTally(SearchSet.from_ranks([1, 2, 0, np.inf], gallery_size=9)))])
    assert points(data.line)[-1] == (9, 0.5)


def test_long_cmcs_are_thinned_and_keep_their_first_ranks_and_ends():
    size = 300_000
    curve = RankCurve(np.minimum(np.arange(1, size + 1), 250_000), 250_000)
    (data,) = cmc_curves([Searches("large", curve)])
    assert 1000 < data.line.x.size <= POINTS
    assert data.line.x[:10].tolist() == list(range(1, 11))
    assert (data.line.x[-1], data.line.y[-1]) == (size, 1.0)
    np.testing.assert_array_equal(data.line.y, curve.rates[data.line.x.astype(int) - 1])


def test_watch_list_by_hand(small):
    data = watch_list_curve(small)
    # thresholds 1, 2, 3, 4, inf: alarms 2, 1, 1, 0, 0 of 2; at rank 1 only the first mate counts, down to inf
    assert points(data.line) == [(1, 0.5), (0.5, 0.5), (0.25, 0.5), (0.25, 0)]
    assert (data.x_axis.scale, data.x_axis.floor) == ("log", 0.5)
    assert (data.value, data.fact) == (pytest.approx(0.5), "EERopen 50 %")
    assert data.point == pytest.approx((0.5, 0.5))
    assert data.y_axis.label.endswith("(DIR) at rank 1")


def test_dir_by_rank_by_hand(small):
    lines = dir_ranks_panel(small).of(Line)
    # any FPIR: both mates, the second at rank 2; FPIR 0: threshold 4, the first mate only
    assert [line.name for line in lines] == ["FPIR = 0", "any FPIR"]
    assert [points(line) for line in lines] == [[(1, 0.5), (2, 0.5), (3, 0.5)], [(1, 0.5), (2, 1), (3, 1)]]


def test_levels_with_the_same_line_share_it(make_searches):
    data = dir_ranks_panel(make_searches([[5, 1], [1, 5], [0, 0], [0, 0]], [0, 1, 5, 6], 2))
    assert [line.name for line in data.of(Line)] == ["FPIR 0 to 1"]


def test_levels_agree_with_the_measures():
    rng = np.random.default_rng(5)
    scores = rng.integers(0, 30, (300, 40)) + 9 * np.eye(300, 40)
    searches = searches_from_blocks([(np.arange(300), np.arange(40), scores)], np.arange(300), np.arange(40))
    evaluation = evaluate(searches, [f"DIR@FPIR={x},k={k}" for x in (0.01, 0.1, 0.3) for k in (1, 5, 40)])
    levels = {level.fpir: level.detected.rates for level in levels_of(SearchTally(searches))}
    assert list(levels) == [1.0, 0.3, 0.1, 0.01, 0.0]  # 260 outsiders cannot show 0.001
    for name, result in evaluation.results.items():
        fpir, k = (float(part.split("=")[1]) for part in name.split("@")[1].split(","))
        assert levels[fpir][int(k) - 1] == result.value


def test_the_threshold_that_rejects_all_rejects_infinite_mates_too(make_searches):
    system = make_searches([[np.inf, 0], [np.inf, 0]], [0, 5], 2)
    assert system.levels[-1].fpir == 0.0
    assert system.levels[-1].detected.counts.tolist() == [0, 0]


def test_without_non_enrolled_searches_only_the_cmc_has_a_line(closed_set):
    assert not closed_set.open_set
    assert watch_list_curve(closed_set).note == "no non-enrolled searches"
    assert dir_ranks_panel(closed_set).missing == ("no non-enrolled searches",)
    assert watch_list_curve(closed_set).line.x.size == 0
    assert dir_ranks_panel(closed_set).marks == ()


def test_without_enrolled_searches_nothing_is_made_up(make_searches):
    system = make_searches([[0.9, 0.1]], [5], 2)
    (cmc,) = cmc_curves([system])
    assert (cmc.note, watch_list_curve(system).note) == ("no enrolled searches",) * 2
    assert dir_ranks_panel(system).missing == ("no enrolled searches",)
    assert (cmc.line.x.size, cmc.value, cmc.point) == (0, None, None)


def test_a_watch_list_alone_has_no_levels(small):
    system = Searches("a system", small.cmc, small.watch_list)
    assert (system.open_set, system.has_levels) == (True, False)
    assert dir_ranks_panel(system).missing == ("not known at any threshold",)


def test_an_eer_that_is_no_number_is_not_marked(small):
    data = watch_list_curve(Searches("a system", small.cmc, small.watch_list, float("nan")))
    assert (data.value, data.point, data.second) == (None, None, None)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 10, 11, 49, 50, 51, 99, 100, 200, 1000, 1001, 54_321, 10**6, 10**9])
def test_rank_axes_begin_at_one_and_end_at_the_gallery(size):
    axis = rank_axis("Rank", size)
    assert axis.scale == ("linear" if size <= 50 else "log")
    assert axis.limits[0] < 1 <= size < axis.limits[1]
    assert (axis.tick_labels[0], axis.tick_labels[-1]) == ("1", f"{size:,}")
    assert list(axis.ticks) == sorted(set(axis.ticks))
    assert all(label in ("", f"{int(tick):,}") for tick, label in zip(axis.ticks, axis.tick_labels, strict=True))


def test_powers_of_ten_without_room_are_bare_ticks():
    axis = rank_axis("Rank", 101)
    assert dict(zip(axis.ticks, axis.tick_labels, strict=True))[100.0] == ""
    assert axis.ticks[-2:] == (100.0, 101.0)


@pytest.mark.parametrize(("low", "high"), [(0.0, 0.0), (1.0, 1.0), (0.4, 0.4), (0.999, 1.0), (0.0, 1.0), (0.1, 0.7)])
def test_rates_lie_inside_their_axis(low, high):
    limits = spanning("rate", low, high).limits
    assert limits[0] < low <= high < limits[1]
    assert limits[0] > -0.1
    assert limits[1] < 1.04


@given(st.lists(st.tuples(st.integers(0, 6), st.lists(st.integers(-2, 2), min_size=4, max_size=4)), min_size=1))
def test_lines_are_finite_monotone_and_on_their_axes(make_searches, searches):
    system = make_searches([scores for _, scores in searches], [who for who, _ in searches], 4)
    data = dir_ranks_panel(system)
    rising = [(data.x, data.y, line) for line in data.of(Line)]
    rising += [(cmc.x_axis, cmc.y_axis, cmc.line) for cmc in cmc_curves([system])]
    for *_, line in rising:
        assert (np.diff(line.x) > 0).all()
        assert (np.diff(line.y) >= 0).all()
    falling = watch_list_curve(system)
    assert (np.diff(falling.line.x) <= 0).all()
    assert (np.diff(falling.line.y) <= 0).all()
    for x_axis, y_axis, line in [*rising, (falling.x_axis, falling.y_axis, falling.line)]:
        for values, axis in ((line.x, x_axis), (line.y, y_axis)):
            assert np.isfinite(values).all()
            assert ((values >= axis.limits[0]) & (values <= axis.limits[1])).all()
    heights = [line.y for line in data.of(Line)]
    assert all((strict <= permissive).all() for strict, permissive in pairwise(heights))


def test_degenerate_sets_have_finite_coordinates(degenerate_searches):
    lines = [cmc_curves([degenerate_searches])[0].line, watch_list_curve(degenerate_searches).line]
    lines += dir_ranks_panel(degenerate_searches).of(Line)
    assert all(np.isfinite(line.x).all() and np.isfinite(line.y).all() for line in lines)


def test_inputs_are_left_alone(small):
    counts = small.watch_list.counts
    arrays = [small.cmc.counts, counts.threshold, counts.false_match, counts.false_nonmatch]
    copies = [array.copy() for array in arrays]
    cmc_curves([small]), watch_list_curve(small), dir_ranks_panel(small)
    for array, copy in zip(arrays, copies, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_coordinates_need_no_drawing_library():
    code = (
        "import sys, bertillon.views.figures.searches\n"
        "print([m for m in ('matplotlib', 'numba', 'polars') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
