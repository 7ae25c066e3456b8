"""The quality of comparisons from the columns of a table, or from the templates compared. SPEC R2."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

import bertillon as bt
from bertillon.core import ComparisonTable, TemplateTable
from bertillon.trials import quality_of_pairs, quality_of_templates, systems_from


def table(**more) -> ComparisonTable:
    columns = {"score": [0.9, math.nan, 0.2, 0.7, 0.1], "mated": [True, True, False, True, False]}
    return ComparisonTable(pl.DataFrame(columns | more), source="scores.csv")


def test_r2_qualities_are_in_the_order_of_the_scores_by_hand() -> None:
    """The failed comparison has no score, and none of its quality is left."""
    given = table(one=["5", "6", "7", "8", "9"], two=[9, 1, 2, 3, 10])
    (scores,) = systems_from([given])
    found = quality_of_pairs(given, ["one", "two"])
    assert (scores.mated.tolist(), found.mated.tolist()) == ([0.9, 0.7], [5.0, 3.0])
    assert (scores.nonmated.tolist(), found.nonmated.tolist()) == ([0.2, 0.1], [2.0, 9.0])
    assert quality_of_pairs(given, ["one"]).mated.tolist() == [5.0, 8.0]


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["1", "2", "x", "4", "5"], "scores.csv: row 3 has q 'x'; expected a number"),
        (["1", None, "3", "4", "5"], "scores.csv: row 2 has q empty; expected a number"),
        ([1.0, 2.0, 3.0, math.nan, 5.0], "scores.csv: row 4 has q nan"),
    ],
)
def test_cells_without_a_quality_are_said(cells, said) -> None:
    with pytest.raises(bt.InputError, match=said):
        quality_of_pairs(table(q=cells), ["q"])


def test_columns_that_are_not_there_are_said() -> None:
    with pytest.raises(bt.InputError, match="quality column 'qualty' is unknown; did you mean 'quality'"):
        quality_of_pairs(table(quality=[1, 2, 3, 4, 5]), ["qualty"])
    with pytest.raises(bt.InputError, match="has no column 'mated'; qualities go with a table"):
        quality_of_pairs(ComparisonTable(pl.DataFrame({"score": [1.0], "q": [1]})), ["q"])


def templates(metadata: pl.DataFrame | None) -> TemplateTable:
    vectors = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.8]])
    return TemplateTable(vectors, np.array(["a", "a", "b", "b"]), np.array(["s4", "s3", "s2", "s1"]), metadata=metadata)


def test_r2_the_lower_of_two_templates_by_hand() -> None:
    given = templates(pl.DataFrame({"quality": [40, 30, 20, 10]}))
    scores = bt.evaluation.verification_trials(bt.Comparing.plan(given, bt.matcher("cosine")))
    found = quality_of_templates(scores, given, "quality")
    assert found.mated.tolist() == [30.0, 30.0, 10.0, 10.0]
    pairs = zip(scores.nonmated_ids.probe, scores.nonmated_ids.reference, strict=True)
    assert found.nonmated.tolist() == [10.0 * min(int(one[1]), int(other[1])) for one, other in pairs]


def test_templates_without_a_quality_are_said() -> None:
    given = templates(None)
    scores = bt.evaluation.verification_trials(bt.Comparing.plan(given, bt.matcher("cosine")))
    with pytest.raises(bt.InputError, match="has no metadata"):
        quality_of_templates(scores, given, "quality")
    fused = bt.ScoreSet(scores.mated, scores.nonmated)
    with pytest.raises(bt.InputError, match="templates were fused"):
        quality_of_templates(fused, templates(pl.DataFrame({"quality": [1, 2, 3, 4]})), "quality")
