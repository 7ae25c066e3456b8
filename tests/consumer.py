"""A program of somebody else: what a type checker must be able to say about the package once it is installed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import assert_type

import bertillon as bt
from bertillon.counting import Tally


def verification() -> None:
    scores = bt.ScoreSet(mated=[0.4, 0.6, 0.7, 0.8], nonmated=[0.1, 0.2, 0.3, 0.5])
    assert_type(bt.read_scores("scores.csv"), bt.ScoreSet)
    assert_type(bt.read_systems([Path("a.csv"), Path("b.csv")]), list[bt.ScoreSet])
    found = bt.evaluate(scores, ["EER", bt.parse("FNMR@FMR=0.01")])
    assert_type(found, bt.Evaluation[bt.ScoreSet, Tally])
    assert_type(found["EER"], bt.Estimate)
    assert_type(found["EER"].value, float)
    assert_type(found["EER"].threshold, float | None)
    assert_type(found.results, Mapping[str, bt.measures.Result])
    assert_type(found.with_intervals(level=0.9), bt.Evaluation[bt.ScoreSet, Tally])
    assert_type(found.tally.curve, bt.counting.ErrorCurve)
    assert_type(found.to_json(), str)
    assert_type(bt.counting.error_curve(scores), bt.counting.ErrorCurve)


def identification() -> None:
    templates = bt.read_templates("faces.npz", labels="owners.csv")
    assert_type(templates, bt.TemplateTable)
    found = bt.evaluate(bt.trials.searches_from_matrix(bt.matching.match(templates, templates, bt.matcher("cosine"))))
    assert_type(found.trials, bt.SearchSet)
    assert_type(found.tally.cmc, bt.trials.RankCurve)
    assert_type(found["RR"].value, float)


def classification() -> None:
    predictions = bt.read_predictions("screening.csv", positive=1)
    assert_type(predictions, bt.Predictions)
    assert_type(bt.evaluate(predictions, ["F1"]).trials, bt.Predictions)


def scale() -> None:
    counts = bt.evaluation.count_scores(bt.stream_scores("many.parquet"))
    assert_type(counts, bt.counting.ScoreCounts)
    assert_type(bt.evaluation.merge_counts([counts, bt.counting.read_counts("more.counts")]), bt.counting.ScoreCounts)
    assert_type(bt.evaluate(counts).trials.passes, int)


def wrong() -> None:
    bt.evaluate(3)  # type: ignore[call-overload]
    bt.read_scores(score="x.csv")  # type: ignore[call-arg]
