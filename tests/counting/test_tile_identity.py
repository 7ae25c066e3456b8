"""What a checkpoint of counted comparisons belongs to: everything that changes the counts, in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from engine.cases import plan

import bertillon as bt
from bertillon.counting import Grid, Keeping, TileJob
from bertillon.io import make_templates
from bertillon.matching import AllAgainstAll, from_function, matcher

VALUES = np.array([[1, 0], [1, 1], [0, 1], [2, 1]], dtype=np.float32)
KEEPING = Keeping(0.5, 1.0, 0.25)


def job(values=VALUES, owners=(0, 0, 1, 1), *, pairing=None, mated=(0.5,), keeping=KEEPING, tile=2) -> TileJob:
    comparing = plan(values, list(owners), "cosine", pairing)
    grid = Grid.around(np.array(mated, dtype=np.float32), comparing.rule)
    return TileJob.of(comparing, grid, keeping, tile=tile)


def test_the_identity_of_a_job_by_hand() -> None:
    found = job().identity
    assert list(found) == [
        "version",
        "layout",
        "comparisons",
        "matcher",
        "pairs",
        "templates",
        "mated scores and thresholds",
        "kept comparisons",
    ]
    assert found["version"] == bt.__version__
    assert found["comparisons"] == "4 x 4 templates in tiles of 2 x 2"
    assert found["matcher"] == repr(matcher("cosine"))
    assert found["pairs"] == "both ways"
    assert found["kept comparisons"] == "from 0.5 up 1.0, of all 0.25"
    assert job(pairing=AllAgainstAll(unique=True)).identity["pairs"] == "once"


@pytest.mark.parametrize(
    ("other", "differs"),
    [
        ({"values": VALUES + np.float32(1)}, "templates"),
        ({"owners": (0, 1, 1, 1)}, "templates"),
        ({"mated": (0.25,)}, "mated scores and thresholds"),
        ({"keeping": Keeping(0.5, 1.0, 0.5)}, "kept comparisons"),
        ({"tile": 3}, "comparisons"),
        ({"pairing": AllAgainstAll(unique=True)}, "pairs"),
    ],
)
def test_each_thing_that_changes_the_counts_changes_the_identity(other: dict, differs: str) -> None:
    one, another = job().identity, job(**other).identity
    assert {name for name in one if one[name] != another[name]} == {differs}


@pytest.mark.parametrize("how", ["dtw", "minutiae", "function"])
def test_what_a_matcher_keeps_in_one_piece_for_all_templates_changes_the_identity(how: str) -> None:
    """Series and minutiae stand one after the other in one array, and functions get the templates as they are."""
    chosen = from_function(lambda a, b: float(a[0] @ b[0]), rule="similarity") if how == "function" else matcher(how)
    kind = "minutiae" if how == "minutiae" else "series"
    first = [np.array([[1.0, 2.0, 0.5], [n, 3.0, 0.5]]) for n in range(4)]
    found = []
    for last in (first[-1], first[-1] + 0.25):
        comparing = bt.Comparing.plan(make_templates([*first[:-1], last], [0, 0, 1, 2], kind=kind), chosen)
        found.append(TileJob.of(comparing, Grid.around(np.array([0.5]), comparing.rule), KEEPING, tile=2).identity)
    assert {name for name in found[0] if found[0][name] != found[1][name]} == {"templates"}


def test_people_are_those_of_either_side_by_hand() -> None:
    whole = job()
    assert whole.people == 2
    assert replace(whole, column_owner=np.array([0, 4, 1, 1])).people == 5
    assert replace(whole, row_owner=np.array([0, 6, 1, 1])).people == 7
    assert whole.sizes.dtype == np.int64
    assert whole.sizes.sum() == 4 + 4 + 4  # two tiles on the diagonal, and one of the two beside it


@pytest.mark.parametrize("side", ["row_owner", "column_owner"])
def test_the_owners_of_either_side_are_part_of_the_identity(side: str) -> None:
    one = job()
    another = replace(one, **{side: np.array([0, 1, 1, 1])})
    assert {name for name in one.identity if one.identity[name] != another.identity[name]} == {"templates"}
