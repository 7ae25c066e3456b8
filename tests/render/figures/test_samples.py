"""Error-versus-discard curves and the menagerie as pictures. SPEC R2, R4."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import PathCollection

import bertillon as bt
from bertillon.views import discard_curves, menagerie_data

COLUMN = bt.plot.figure_size("column")
pictured = pytest.mark.mpl_image_compare(
    baseline_dir="baseline", style="default", tolerance=2, savefig_kwargs={"dpi": 80, "metadata": {"Software": None}}
)


def curve(name: str = "", kind: str = "FNMR") -> bt.analysis.DiscardCurve:
    values = [0.2, 0.3, 0.9, 0.8, 0.7]
    return bt.analysis.error_discard(bt.ScoreSet(values, values), [1, 2, 2, 3, 4], threshold=0.5, kind=kind, name=name)


def zoo(people: int = 40, *, rule: str = "similarity") -> bt.analysis.Menagerie:
    sign = 1 if rule == "similarity" else -1
    ids = np.array([f"p{place:02d}" for place in range(people)])
    rng = np.random.default_rng(5)
    own = rng.normal(3, 1, people)
    others = 0.5 * rng.normal(size=people) - 0.5 * own
    given = bt.TrialIds(ids, ids), bt.TrialIds(ids, np.full(people, "outsider"))
    made = bt.ScoreSet(sign * own, sign * others, rule=rule, mated_ids=given[0], nonmated_ids=given[1], name="a system")
    return bt.analysis.menagerie(made)


def test_r2_the_error_holds_until_more_is_discarded_by_hand() -> None:
    (line,) = discard_curves([curve()])
    assert line.line.x.tolist() == pytest.approx([0, 20, 20, 50, 50])
    assert line.line.y.tolist() == pytest.approx([40, 40, 25, 25, 25])
    assert (line.second.x.tolist(), line.second.y.tolist()) == ([0.0, 40.0], [40.0, 0.0])
    assert line.y_axis.limits[1] > 40.0
    assert line.y_axis.label == "FNMR in %"


def test_r2_curves_are_named_by_what_tells_them_apart() -> None:
    assert [one.name for one in discard_curves([curve("sharp"), curve("bright")])] == ["sharp", "bright"]
    both = discard_curves([curve("sharp"), curve("sharp", "FMR")])
    assert [one.name for one in both] == ["sharp FNMR", "sharp FMR"]
    assert both[0].y_axis.label == "Error in %"
    assert discard_curves([curve()])[0].name == "FNMR"


def test_r2_a_system_without_errors_can_be_drawn() -> None:
    assert bt.plot.discard(bt.analysis.error_discard(bt.ScoreSet([1.0, 2.0], []), [1, 2], threshold=0.5))


def test_r4_axes_are_not_mirrored_and_corners_go_with_the_direction() -> None:
    """SPEC R4, erratum: for a similarity worms are top left; for a distance they are where distances say."""
    for rule, place in (("similarity", (False, True)), ("distance", (True, False))):
        data = menagerie_data(zoo(rule=rule))
        assert data.x_axis.limits[0] < data.x_axis.limits[1]
        assert data.y_axis.limits[0] < data.y_axis.limits[1]
        worm = next(box for box in data.corners if box.animal == "worm")
        assert (worm.right, worm.top) == place
        assert worm.people.x.size > 0
        for box in data.corners:
            assert ((box.x[0] <= box.people.x) & (box.people.x <= box.x[1])).all()
            assert ((box.y[0] <= box.people.y) & (box.people.y <= box.y[1])).all()


def test_r4_every_person_with_both_means_is_drawn_once() -> None:
    artists = bt.plot.menagerie(zoo()).get_children()
    points = sum(len(one.get_offsets()) for one in artists if isinstance(one, PathCollection))
    assert points == 40
    data = menagerie_data(zoo())
    assert data.notes == ("1 person not shown (no finite mean)",)
    assert data.corners[3].words.startswith(f"{data.corners[3].people.x.size} worm")


def test_r4_too_few_people_have_no_corners_and_a_note() -> None:
    data = menagerie_data(zoo(5))
    assert data.corners == ()
    assert data.notes[1] == "no corners: 5 people have both mated and non-mated scores; at least 16 are needed"
    assert bt.plot.menagerie(zoo(5))


def test_r4_infinite_means_are_counted_and_left_out() -> None:
    ids = np.array([f"p{place:02d}" for place in range(20)])
    own = np.array([-np.inf] * 5 + list(range(10)) + [np.inf] * 5)
    given = bt.TrialIds(ids, ids), bt.TrialIds(ids, ids[::-1])
    found = bt.analysis.menagerie(bt.ScoreSet(own, np.arange(20.0), mated_ids=given[0], nonmated_ids=given[1]))
    data = menagerie_data(found)
    assert data.notes == ("10 people not shown (no finite mean)",)
    assert all(np.isfinite([*box.x, *box.y]).all() for box in data.corners)
    assert bt.plot.menagerie(found)


def test_what_cannot_be_drawn_is_said() -> None:
    with pytest.raises(
        bt.InputError, match=r"plot\.discard: list cannot be drawn; expected what bt\.analysis\.error_discard"
    ):
        bt.plot.discard([[1, 2]])
    with pytest.raises(bt.InputError, match=r"plot\.discard: nothing cannot be drawn"):
        bt.plot.discard([])
    with pytest.raises(bt.InputError, match=r"plot\.menagerie: ScoreSet cannot be drawn"):
        bt.plot.menagerie(bt.ScoreSet([1], [0]))


@pictured
def test_discard():
    """SPEC R2."""
    rng = np.random.default_rng(4)
    scores = rng.normal(2, 1, 300)
    found = bt.ScoreSet(scores, rng.normal(0, 1, 300))
    curves = [
        bt.analysis.error_discard(found, scores + rng.normal(size=300), starting_error=0.1, name="telling"),
        bt.analysis.error_discard(found, rng.random(300), starting_error=0.1, name="a coin"),
    ]
    return bt.plot.discard(curves, size=COLUMN).figure


@pictured
def test_menagerie():
    """SPEC R4."""
    return bt.plot.menagerie(zoo(60), size=COLUMN).figure
