"""What is drawn of transactions, by hand."""

from __future__ import annotations

import polars as pl
import pytest

import bertillon as bt
from bertillon.core import ComparisonTable
from bertillon.views import Line, charts_of


def test_D2_the_chart_holds_the_rates_of_every_number_of_attempts() -> None:
    rows = [{"transaction": t, "attempt": k, "mated": t < 4} for t in range(8) for k in (1, 2)]
    scores = [0.9, 0.9, 0.1, 0.9, 0.1, 0.1, 0.9, 0.1, 0.1, 0.9, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]
    table = ComparisonTable(pl.DataFrame([row | {"score": s} for row, s in zip(rows, scores, strict=True)]))
    far, frr = charts_of("transactions", [bt.analysis.transactions(table, thresholds=[0.5])])["transactions"]().panels
    drawn = [[line for line in panel.marks if isinstance(line, Line)] for panel in (far, frr)]
    assert [(line.x, line.y) for line in (drawn[0][0], drawn[1][0])] == [
        ((1.0, 2.0), (0.0, 0.25)),
        ((1.0, 2.0), (0.5, 0.25)),
    ]
    assert drawn[1][0].shade is not None
    assert drawn[1][0].shade.apart
    assert drawn[1][0].shade.high[1] == pytest.approx(0.806, abs=0.001)  # Clopper-Pearson, 1 of 4
    assert drawn[1][1].y == pytest.approx((0.5, 0.25))  # FNMR of single attempts: 4 of 8
    assert [mark.name for mark in drawn[0]] == ["threshold 0.5", "threshold 0.5, if independent"]
