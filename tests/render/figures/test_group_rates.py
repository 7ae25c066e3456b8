"""Error rates by group of people as dots and as a map."""

from __future__ import annotations

import numpy as np
import pytest

import bertillon as bt
from bertillon.render import figures_of
from bertillon.views import MOST_MAPPED_GROUPS, MOST_ROWS, across_data, rate_rows

COLUMN = bt.plot.figure_size("column", aspect=0.7)
pictured = pytest.mark.mpl_image_compare(
    baseline_dir="baseline", style="default", tolerance=2, savefig_kwargs={"dpi": 80, "metadata": {"Software": None}}
)


def rates(groups: int = 3, *, people: int = 4, name: str = "a system") -> bt.analysis.GroupRates:
    """Four people a group, each compared with oneself five times and once with everybody else."""
    total = groups * people
    ids = np.array([f"p{place:03d}" for place in range(total)])
    rng = np.random.default_rng(2)
    one, other = np.triu_indices(total, 1)
    alike = np.where(one % groups == other % groups, 0.8, 0.0)
    scores = bt.ScoreSet(
        rng.normal(2.0, 1.0, 5 * total),
        rng.normal(alike, 1.0),
        mated_ids=bt.TrialIds(np.repeat(ids, 5)),
        nonmated_ids=bt.TrialIds(ids[one], ids[other]),
        name=name,
    )
    known = {who: f"group {place % groups:02d}" for place, who in enumerate(ids)}
    return bt.analysis.group_rates(scores, known, thresholds={"low": 0.5, "high": 1.5})


def by_hand(nonmated: tuple[float, ...] = (0.6, 0.1, 0.2)) -> bt.analysis.GroupRates:
    """Ann and Eve are of one group, Bob of another; nobody is like Bob in his."""
    own, others = bt.TrialIds(["ann", "ann", "eve", "bob"]), bt.TrialIds(["ann", "ann", "eve"], ["eve", "bob", "bob"])
    scores = bt.ScoreSet([0.9, 0.4, 0.8, 0.7], nonmated, mated_ids=own, nonmated_ids=others)
    return bt.analysis.group_rates(scores, {"ann": "f", "eve": "f", "bob": "m"}, thresholds=[0.5])


def test_dots_are_in_percent_and_groups_without_comparisons_say_so_by_hand() -> None:
    found = by_hand()
    fnmr = rate_rows(found.points[0], "FNMR", 0.95)
    assert [(row.name, round(row.value, 3)) for row in fnmr.rows] == [("f", 33.333), ("m", 0.0)]
    assert fnmr.axis.label == "FNMR in %"
    assert fnmr.axis.limits[0] < 0.0 < fnmr.rows[0].value < fnmr.axis.limits[1]
    fmr = rate_rows(found.points[0], "FMR", 0.95)
    assert fmr.rows[0].value == 100.0
    assert (np.isnan(fmr.rows[1].value), fmr.rows[1].note) == (True, "no comparisons")


def test_the_map_is_the_same_both_ways_and_empty_where_nobody_was_compared_by_hand() -> None:
    data = across_data(by_hand().points[0])
    assert data.groups == ("f", "m")
    assert data.rates[0].tolist() == [100.0, 0.0]
    assert data.rates[1, 0] == 0.0
    assert np.isnan(data.rates[1, 1])
    assert data.rows[1][1] is None
    assert data.shares.tolist() == [[1.0, 0.0], [0.0, 0.0]]


def test_a_map_without_errors_is_blank() -> None:
    data = across_data(by_hand((0.1, 0.1, 0.1)).points[0])
    assert data.shares.tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_of_many_groups_the_highest_rates_are_shown_and_the_note_says_so() -> None:
    point = rates(20, people=3).points[0]
    data = rate_rows(point, "FNMR", 0.95)
    shown = [row.value for row in data.rows]
    assert shown == sorted(shown, reverse=True)
    assert len(shown) == MOST_ROWS
    assert data.notes[-1] == "15 highest of 20 groups"
    square = across_data(point)
    assert square.rates.shape == (MOST_MAPPED_GROUPS, MOST_MAPPED_GROUPS)
    assert np.nanmax(square.rates) == 100 * max(row.value for row in (*point.fmr, *point.fmr_across))
    assert " ".join(square.notes) == "the 8 groups (of 20) with the highest FMR"


def test_the_threshold_is_chosen_by_its_name() -> None:
    found = rates()
    first, named = (bt.plot.group_rates(found, "FMR", point=point, size=(4, 3)) for point in (None, "low"))
    other = bt.plot.group_rates(found, "FMR", point="high", size=(4, 3))
    places = [[line.get_xdata() for line in drawn.get_lines()] for drawn in (first, named, other)]
    assert str(places[0]) == str(places[1]) != str(places[2])
    with pytest.raises(bt.InputError, match="point 'middle' is not known; expected one of 'low', 'high'"):
        bt.plot.group_rates(found, point="middle")


def test_a_cell_of_the_map_holds_its_rate() -> None:
    found = rates()
    texts = [one.get_text() for one in bt.plot.group_rates(found, "across").texts]
    assert texts[0] == f"{100 * found.points[0].fmr[0].value:.3g}"
    assert len(texts) == 9


def test_whole_figures_have_a_row_for_each_threshold() -> None:
    made = {name: make() for name, make in figures_of("groups", [rates(), rates(name="other")]).items()}
    assert {name: len(figure.axes) for name, figure in made.items()} == {"groups": 8, "groups-across": 4}
    titles = [axes.get_title(loc="left") for axes in made["groups-across"].axes]
    assert titles == ["a system: low", "a system: high", "other: low", "other: high"]


def test_one_group_alone_has_no_map() -> None:
    assert list(figures_of("groups", [rates(1)])) == ["groups"]


def test_what_cannot_be_drawn_is_said() -> None:
    with pytest.raises(
        bt.InputError, match=r"plot\.group_rates: ScoreSet cannot be drawn; expected what bt\.analysis\.group_rates"
    ):
        bt.plot.group_rates(bt.ScoreSet([1], [0]))
    with pytest.raises(bt.InputError, match="kind is 'EER'; expected FNMR, FMR, across"):
        bt.plot.group_rates(rates(), "EER")


@pictured
def test_group_rates():
    return bt.plot.group_rates(rates(), "FNMR", size=COLUMN).figure


@pictured
def test_group_map():
    return bt.plot.group_rates(rates(), "across", size=COLUMN).figure
