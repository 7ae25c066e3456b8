"""What cannot be used is refused in words that say what to pass instead, and never with an error from inside."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import bertillon as bt
from bertillon.core import BertillonError

G, B = [0.7, 0.9], [0.1, 0.2, 0.3]
FRAME = pd.DataFrame({"score": [0.9, 0.1], "label": [1, 0]})
TABLE = bt.TemplateTable([[1.0], [2.0]], ["a", "b"])
CLASSES = bt.Predictions.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
CASES = {
    "nothing": (lambda: bt.evaluate(), "y_true= is missing"),
    "None": (lambda: bt.evaluate(None, B), "genuine scores are None"),
    "text": (lambda: bt.evaluate("scores.txt", B), "the text 'scores.txt'"),
    "a number": (lambda: bt.eer(0.5, B), "the single number 0.5"),
    "a dict": (lambda: bt.eer({"a": 1}, B), "genuine scores are a dict"),
    "words": (lambda: bt.eer(["high", "low"], B), "not numbers but text"),
    "numbers as text": (lambda: bt.eer(["0.5", "0.7"], B), "convert them with float"),
    "mixed": (lambda: bt.eer([0.5, "x", 1], B), "text"),
    "objects": (lambda: bt.eer([0.5, object()], B), "not numbers"),
    "ragged": (lambda: bt.eer([[1, 2], [3]], B), "rows of different lengths"),
    "matrix": (lambda: bt.eer(np.ones((2, 2)), B), "expected one dimension"),
    "complex": (lambda: bt.eer([1j], B), "not numbers but complex"),
    "a table": (lambda: bt.eer(FRAME, B), "pass one column of it: 'score', 'label'"),
    "one array": (lambda: bt.evaluate(G), "cannot be evaluated by itself"),
    "measures as impostors": (lambda: bt.evaluate(G, "EER"), "measures=..."),
    "three arrays": (lambda: bt.evaluate(G, B, G), "cannot be evaluated"),
    "labels as scores": (lambda: bt.evaluate([0, 1, 1], [0.2, 0.8, 0.7]), "y_true=labels, y_score=scores"),
    "labels as floats": (lambda: bt.eer([0.0, 1.0, 1.0], [0.2, 0.8, 0.7]), "y_true=labels, y_score=scores"),
    "labels and counts": (lambda: bt.evaluate([0, 1, 1], [3, 40, 27]), "y_true=labels, y_score=scores"),
    "scores, labels": (lambda: bt.evaluate([0.2, 0.8, 0.7], [0, 1, 1]), "y_true=labels, y_score=scores"),
    "labels in a set": (lambda: bt.ScoreSet([0, 1, 1], [0.2, 0.8]), "look like labels"),
    "booleans": (lambda: bt.ScoreSet([True, False], [0.2]), "booleans"),
    "unknown argument": (lambda: bt.evaluate(G, B, nmae="x"), "did you mean 'name'"),
    "name": (lambda: bt.evaluate(G, B, name=3), "expected text"),
    "distance": (lambda: bt.evaluate(G, B, distance="yes"), "expected True"),
    "rule of trials": (lambda: bt.evaluate(bt.ScoreSet(G, B), name="x"), "does not go with trials"),
    "no scores": (lambda: bt.evaluate(y_true=[1, 0]), "y_score= is missing"),
    "no labels": (lambda: bt.evaluate(y_score=[1, 0]), "y_true= is missing"),
    "lengths": (lambda: bt.evaluate(y_true=[1, 0, 1], y_score=[0.1, 0.2]), "3 labels for 2 scores"),
    "NaN labels": (lambda: bt.evaluate(y_true=[1.0, float("nan")], y_score=[0.1, 0.2]), "row 2 is NaN"),
    "no label": (lambda: bt.evaluate(y_true=["genuine", None], y_score=[0.1, 0.2]), "missing"),
    "masked labels": (lambda: bt.evaluate(y_true=np.ma.array([1, 0], mask=[0, 1]), y_score=[0.1, 0.2]), "masked"),
    "odd labels": (lambda: bt.evaluate(y_true=[1, 2], y_score=[0.1, 0.2]), "labels hold 2"),
    "swapped": (lambda: bt.evaluate(y_true=[0.3, 0.2], y_score=[0, 1]), "swapped"),
    "odd words": (lambda: bt.evaluate(y_true=["cat", "dog"], y_score=[0.1, 0.2]), "not understood"),
    "columns of classes": (lambda: bt.evaluate(y_true=[1, 0], y_score=[[0.1, 0.9], [0.8, 0.2]]), "y_prob="),
    "no column": (lambda: bt.evaluate(FRAME), 'score="..."'),
    "unknown column": (lambda: bt.evaluate(FRAME, score="scroe", label="label"), "did you mean 'score'"),
    "unknown polars column": (lambda: bt.evaluate(pl.from_pandas(FRAME), score="score", label="l"), "is unknown"),
    "empty frame": (lambda: bt.evaluate(FRAME[:0], score="score", label="label"), "no rows"),
    "text column": (lambda: bt.evaluate(FRAME.assign(score=["a", "b"]), score="score", label="label"), "not numbers"),
    "flat embeddings": (lambda: bt.evaluate_embeddings([1.0, 2.0], ["a", "b"]), "two dimensions"),
    "ragged embeddings": (lambda: bt.evaluate_embeddings([[1.0], [2.0, 3.0]], ["a", "b"]), "different lengths"),
    "people": (lambda: bt.evaluate_embeddings([[1.0], [2.0]], ["a"]), "1 subjects for 2 embeddings"),
    "matcher": (lambda: bt.evaluate_embeddings([[1.0], [2.0]], ["a", "b"], matcher="cosin"), "did you mean 'cosine'"),
    "mode": (lambda: bt.evaluate_embeddings([[1.0]], ["a"], mode="search"), "'verify', 'identify', 'all'"),
    "files": (lambda: bt.evaluate("g.txt", "i.txt"), "evaluate(read_scores('g.txt', 'i.txt'))"),
    "compared evaluation": (lambda: bt.compare(bt.evaluate(G, B)), "systems is an Evaluation; expected a dict"),
    "compared list": (lambda: bt.compare([G, B]), "expected a dict"),
    "compared alone": (lambda: bt.compare({"a": (G, B)}), "two or more"),
    "compared text": (lambda: bt.compare({"a": "x", "b": (G, B)}), "'a' is the text"),
    "predictions": (lambda: bt.Predictions(np.arange(600) % 2, np.linspace(0, 1, 600)), "from_probabilities"),
    "prediction lists": (lambda: bt.Predictions([1, 0], [0.9, 0.1]), "from_probabilities"),
    "prediction tuples": (lambda: bt.Predictions(np.array([1, 0]), (0.9, 0.1)), "from_probabilities"),
    "nested labels": (lambda: bt.Predictions.from_labels([[1], [0]], [1, 0]), "one dimension"),
    "probability text": (lambda: bt.Predictions.from_probabilities([1, 0], ["a", "b"]), "not numbers"),
    "masked truth": (lambda: bt.Predictions.from_labels(np.ma.array([1, 0], mask=[1, 0]), [1, 0]), "has no label"),
    "templates": (lambda: bt.TemplateTable([[1.0], [2.0]], ["a"]), "2 templates and 1 subjects"),
    "ids": (lambda: bt.TrialIds(probe="anna"), "one id for each score"),
    "a measure that is a number": (lambda: bt.evaluate(G, B, measures=3), "measures is the single number 3"),
    "measures of numbers": (
        lambda: bt.evaluate(G, B, measures=[1]),
        "a measure is the single number 1",
    ),
    "asked by number": (lambda: bt.evaluate(G, B)[3], "expected its name, such as 'EER'"),
    "level": (lambda: bt.evaluate(G, B).with_intervals(level="x"), "level is 'x'; expected a share"),
    "report": (lambda: bt.evaluate(G, B).report(None), "the report is None; expected its path"),
    "axes": (lambda: bt.evaluate(G, B).plot.det(ax=3), "ax is the single number 3; expected Axes"),
    "size": (lambda: bt.evaluate(G, B).plot.det(size="big"), "expected (width, height) in inches"),
    "figures of a number": (lambda: bt.save_figures(3, "x"), "an evaluation is the single number 3"),
    "figures of scores": (lambda: bt.save_figures([G], "x"), "expected what bt.evaluate returns"),
    "folder": (lambda: bt.save_figures([bt.evaluate(G, B)], None), "the folder is None; expected its path"),
    "matcher by number": (lambda: bt.matcher(3), "matcher is the single number 3; expected its name"),
    "matcher function": (lambda: bt.evaluate_embeddings([[1.0]], ["a"], matcher=max), "bt.matching.from_function"),
    "no matcher": (lambda: bt.evaluate_embeddings([[1.0]], ["a"], matcher=None), "matcher is None; expected a name"),
    "matcher class": (lambda: bt.Comparing.plan(TABLE, type(bt.matcher("cosine"))), "expected a name such as 'cosine'"),
    "plan of an array": (lambda: bt.Comparing.plan(np.ones((2, 2)), "cosine"), "expected a TemplateTable"),
    "pairing by name": (
        lambda: bt.Comparing.plan(TABLE, "cosine", "all"),
        "pairing is the text 'all'",
    ),
    "samples": (lambda: bt.TemplateTable([[1.0], [2.0]], ["a", "b"], ["1"]), "1 samples for 2 templates"),
    "ids of a set": (lambda: bt.ScoreSet(G, B, mated_ids=["a", "b"]), "expected bt.TrialIds(probe_subject="),
    "failures": (lambda: bt.ScoreSet(G, B, failures=3), "expected bt.Failures(mated="),
    "failed text": (lambda: bt.Failures(mated="x"), "failures: mated is the text 'x'"),
    "gallery": (lambda: bt.SearchSet.from_ranks([1], gallery_size="x"), "gallery_size is the text 'x'"),
    "margin": (lambda: bt.compare({"a": (G, B), "b": (G, B)}, "EER", margin="x"), "margin is the text 'x'"),
    "parsed number": (lambda: bt.parse(3), "a measure is the single number 3"),
    "parsed list": (lambda: bt.parse(["EER"]), "a measure is a list of 1"),
    "scores of no file": (lambda: bt.read_scores(None), "a file is None; expected its path"),
    "scores of an array": (lambda: bt.read_scores(np.array(G)), "a file is a float64 array of shape (2,)"),
    "templates of no file": (lambda: bt.read_templates(3), "a file is the single number 3"),
    "predictions of no file": (lambda: bt.read_predictions(None), "a file is None"),
    "nothing inspected": (lambda: bt.inspect(None), "a file is None"),
    "columns": (lambda: bt.read_scores("x.csv", columns="x"), "columns is the text 'x'; expected a dict"),
    "column by number": (lambda: bt.read_scores("x.csv", columns={"score": 3}), "its number from 1 as text"),
    "calibrator of a list": (lambda: bt.calibration.fit_calibrator("platt", G), "expected Predictions"),
    "folds": (lambda: bt.calibration.cross_calibrated("platt", CLASSES, folds=1.5), "folds is the single number 1.5"),
    "calibrated text": (lambda: bt.analysis.Platt().fit(["a", "b"], [1, 0]), "not numbers but text"),
    "calibrated rows": (lambda: bt.analysis.Platt().fit([[1], [1, 2]], [1, 0]), "rows of different lengths"),
}


@pytest.mark.parametrize("case", CASES)
def test_refused_in_words(case):
    call, words = CASES[case]
    with pytest.raises(bt.InputError) as caught:
        call()
    assert words in str(caught.value)
    assert isinstance(caught.value, BertillonError)


def test_masked_scores_are_failed_comparisons():
    scores = bt.ScoreSet(np.ma.array([0.9, 0.8, 0.7], mask=[0, 1, 0]), [0.1])
    assert (scores.mated.tolist(), scores.failures.mated) == ([0.9, 0.7], 1)
    assert bt.ScoreSet([0.9, None], pd.array([0.1, None], dtype="Float64")).failed == 2


def test_whole_scores_are_no_labels():
    assert bt.ScoreSet([0, 1], [2, 3]).size == 4
    assert bt.evaluate([0, 1, 5], [0, 1, 1]).counts["mated"] == 3


def test_traps_that_now_work():
    table = bt.TemplateTable([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]], ["anna", "anna", "bob"])
    assert table.sample.tolist() == ["0", "1", "2"]
    assert bt.evaluate(bt.evaluation.verification_trials(bt.Comparing.plan(table, "cosine")))["EER"].value == 0.0


def test_what_is_read_once_is_not_read_twice():
    assert bt.evaluate((s for s in G), iter(B)).to_dict()["measures"] == bt.evaluate(G, B).to_dict()["measures"]
    assert float(bt.eer(iter(G), (s for s in B))) == float(bt.eer(G, B))


def test_a_lazy_table_is_collected():
    lazy = pl.from_pandas(FRAME).lazy()
    assert bt.evaluate(lazy, score="score", label="label").counts["mated"] == 1
