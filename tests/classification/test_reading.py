"""Predictions from files: what is understood, said, and refused."""

from __future__ import annotations

import gzip

import numpy as np
import polars as pl
import pytest

from bertillon.core import InputError
from bertillon.evaluation import evaluate
from bertillon.trials import read_predictions

LAYOUTS = {
    "label,score": "label,score\n1,0.9\n0,0.2\n1,3.5\n",
    "y_true,y_score": "y_true,y_score\n1,0.9\n0,0.2\n1,-1e3\n",
    "y_true,y_pred": "y_true,y_pred\ncat,dog\ndog,dog\nowl,cat\n",
    "p": "y_true;p\n1;0.9\n0;0.2\n",
    "p_0": "y_true,p_0,p_1,p_2\n1,0.1,0.8,0.1\n0,0.5,0.25,0.25\n",
    "prob_cat": "Label,prob_cat,prob_dog\ncat,0.7,0.3\ndog,0.1,0.9\n",
    "proba_x": "truth\tproba_x\nx\t0.7\ny\t0.2\n",
    "logit": "y_true,logit\n1,2.5\n0,-1\n",
    "logit_a": "y_true,logit_a,logit_b\na,2,-1\nb,0,4\n",
    "weight": "label,p,weight,group\n1,0.5,2,u\n0,0.1,0,v\n",
    "true": "y_true,y_pred\nTrue,False\nFalse,False\n",
}


def stored(folder, text, name="predictions.csv"):
    path = folder / name
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    ("layout", "classes", "positive", "holds"),
    [
        ("label,score", (0, 1), 1, "scores"),
        ("y_true,y_score", (0, 1), 1, "scores"),
        ("y_true,y_pred", ("cat", "dog", "owl"), None, "predicted"),
        ("p", (0, 1), 1, "probabilities"),
        ("p_0", (0, 1, 2), None, "probabilities"),
        ("prob_cat", ("cat", "dog"), None, "probabilities"),
        ("proba_x", ("x", "y"), "x", "probabilities"),
        ("logit", (0, 1), 1, "logits"),
        ("logit_a", ("a", "b"), None, "logits"),
        ("weight", (0, 1), 1, "weights"),
        ("true", (False, True), True, "predicted"),
    ],
)
def test_layouts_are_known_by_the_names_of_their_columns(tmp_path, layout, classes, positive, holds):
    made = read_predictions(stored(tmp_path, LAYOUTS[layout]))
    assert (made.classes, made.positive) == (classes, positive)
    assert getattr(made, holds) is not None
    assert made.name == "predictions.csv"
    assert any("the true label" in str(note) for note in made.notes)


def test_a_score_is_never_read_as_a_probability(tmp_path):
    made = read_predictions(stored(tmp_path, "label,score\n1,0.9\n0,0.2\n"))
    assert made.probabilities is None
    assert any("name it p" in str(note) for note in made.notes)
    asked = read_predictions(stored(tmp_path, "label,score\n1,0.9\n0,0.2\n"), columns={"probability": "score"})
    assert asked.probabilities.tolist() == [0.9, 0.2]


def test_the_caller_names_columns_and_the_positive_class(tmp_path):
    path = stored(tmp_path, "diagnosis,risk,noise\nsick,3.2,x\nwell,0.1,y\n")
    made = read_predictions(path, positive="sick", columns={"truth": "diagnosis", "score": "risk"})
    assert made.positive == "sick"
    assert evaluate(made, "AUC")["AUC"].value == 1.0


def test_labels_of_both_columns_are_read_alike(tmp_path):
    """'1' and 'x' in one column make '1' text in the other; 007 stays as it is written."""
    assert read_predictions(stored(tmp_path, "y_true,y_pred\n1,1\n2,x\n")).classes == ("1", "2", "x")
    assert read_predictions(stored(tmp_path, "y_true,y_pred\n007,7\n007,007\n")).classes == ("007", "7")
    assert read_predictions(stored(tmp_path, "y_true,y_pred\n1.0,1\n0,0.0\n")).classes == (0, 1)
    mixed = read_predictions(stored(tmp_path, "y_true,y_pred\nTRUE,false\nFalse,true\n"))
    assert (mixed.classes, mixed.truth.tolist(), mixed.predicted.tolist()) == ((False, True), [1, 0], [0, 1])


def test_long_whole_numbers_stay_apart_by_hand(tmp_path):
    """A double holds 53 bits: 900719925474099301 and ...302 would be one class."""
    made = read_predictions(stored(tmp_path, "y_true,y_pred\n900719925474099301,900719925474099302\n-5,+7\n"))
    assert made.classes == (-5, 7, 900719925474099301, 900719925474099302)
    assert (made.truth.tolist(), made.predicted.tolist()) == ([2, 0], [3, 1])


def test_other_containers_hold_the_same(tmp_path):
    text = "y_true,p_a,p_b\na,0.75,0.25\nb,0.5,0.5\n"
    expected = read_predictions(stored(tmp_path, text))
    packed = tmp_path / "p.csv.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    frame = pl.DataFrame({"y_true": ["a", "b"], "p_a": [0.75, 0.5], "p_b": [0.25, 0.5]})
    frame.write_parquet(tmp_path / "p.parquet")
    arrays = {"y_true": np.array(["a", "b"]), "probabilities": frame.select("p_a", "p_b").to_numpy()}
    np.savez(tmp_path / "p.npz", classes=np.array(["a", "b"]), **arrays)
    for name in ("p.csv.gz", "p.parquet", "p.npz"):
        made = read_predictions(tmp_path / name)
        assert made.classes == expected.classes
        assert made.truth.tolist() == expected.truth.tolist()
        assert np.array_equal(made.probabilities, expected.probabilities)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2\n", "no column is known as the true label"),
        ("y_true,other\n1,2\n", "no column is known as what was predicted"),
        ("y_true,p\n1,abc\n", "'abc' is not a number"),
        ("y_true,p\n1,0.5\n0\n", r":3"),
        ("y_true,p\n1,1.5\n0,0.2\n", r"row 1 holds 1\.5"),
        ("y_true,p_0,p_1\n1,0.5,0.4\n", "adds up to 0.9"),
        ("y_true,p_0,p_1\n2,0.5,0.5\n", "not among the classes"),
        ("y_true,p_0,logit_1\n1,0.5,0.5\n", "one kind"),
        ("y_true,y_pred\n1,\n", "no label in row 1"),
        ("y_true,y_true,p\n1,1,0.5\n", "two columns are called"),
        ("y_true,score\na,0.5\nb,0.1\n", "which label is positive"),
        ("y_true,p\n", "no data"),
        ("", "empty"),
    ],
)
def test_what_is_wrong_is_said_with_the_name_of_the_file(tmp_path, text, words):
    path = stored(tmp_path, text)
    with pytest.raises(InputError, match=words) as caught:
        read_predictions(path)
    assert "predictions.csv" in str(caught.value)


def test_damaged_and_missing_files_are_told_in_words(tmp_path):
    for name, content in (("p.parquet", b"PAR1nonsense"), ("p.npz", b"PK\x03\x04nonsense")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match="damaged"):
            read_predictions(tmp_path / name)
    with pytest.raises(InputError, match="no such file"):
        read_predictions(tmp_path / "absent.csv")
    with pytest.raises(InputError, match="is unknown"):
        read_predictions(stored(tmp_path, LAYOUTS["p"]), columns={"truths": "y_true"})
    with pytest.raises(InputError, match="is unknown"):
        read_predictions(stored(tmp_path, LAYOUTS["p"]), columns={"truth": "y"})


def test_a_failed_prediction_in_a_file_is_counted(tmp_path):
    made = read_predictions(stored(tmp_path, "y_true,p\n1,0.5\n0,nan\n1,\n"))
    assert (made.size, made.failed) == (1, 2)
