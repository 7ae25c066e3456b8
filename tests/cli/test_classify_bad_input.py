"""Predictions as they come: a clear message and exit code 2, or an answer with what is wrong said. No traceback."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

GOOD = "y_true,p\n1,0.9\n0,0.2\n1,0.4\n0,0.1\n"

WRONG = {
    "probability above 1": ("y_true,p\n1,1.5\n0,0.2\n", "row 1 holds 1.5, outside [0, 1]", "--column score=NAME"),
    "probability below 0": ("y_true,p\n1,-0.5\n0,0.2\n", "outside [0, 1]", "--column"),
    "sums other than 1": ("y_true,p_0,p_1\n1,0.5,0.5\n0,0.5,0.4\n", "row 2 adds up to 0.9", "logit_LABEL"),
    "label unseen in the columns": ("y_true,p_a,p_b\na,0.5,0.5\nc,0.5,0.5\n", "'c'", "not among the classes"),
    "every prediction NaN": ("y_true,p\n1,nan\n0,\n", "all 2 predictions are NaN", "nothing to judge"),
    "all weights 0": ("y_true,p,weight\n1,0.3,0\n0,0.4,0\n", "all weights are 0", "above 0"),
    "a negative weight": ("y_true,p,weight\n1,0.3,1\n0,0.4,-1\n", "row 2 is -1", "0 or more"),
    "text and numbers mixed": ("y_true,p\n1,0.3\nx,0.4\n0,0.2\n", "3 labels", "'x'"),
    "no label": ("y_true,y_pred\n1,1\n,1\n", "no label in row 2", "leave the row out"),
    "empty": ("", "empty", "file"),
    "a header alone": ("y_true,p\n", "no data", "header"),
    "other columns": ("a,b\n1,2\n", "no column is known as the true label", "--column truth=NAME"),
    "truth alone": ("y_true,other\n1,2\n", "no column is known as what was predicted", "y_pred"),
    "text among numbers": ("y_true,p\n1,high\n", "'high' is not a number", "input"),
    "positive not known": ("y_true,score\nyes,2\nno,1\n", "which label is positive", "--positive"),
    "two columns of one name": ("y_true,p,p\n1,0.5,0.5\n", "two columns are called 'p'", "input"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_files_are_refused_in_words(bertillon, tmp_path: Path, case: str) -> None:
    text, *expected = WRONG[case]
    (tmp_path / "input.csv").write_text(text)
    ran = bertillon("classify", "input.csv", "--json", "out.json", "--csv", "out", "--figures", "out")
    assert ran.code == 2
    assert ran.out == ""
    for words in ("input.csv", *expected):
        assert words in ran.err
    assert "Traceback" not in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["input.csv"]


def test_labels_of_two_kinds_in_an_archive(bertillon) -> None:
    np.savez("mixed.npz", y_true=np.array([1, 2]), y_pred=np.array(["a", "b"]))
    ran = bertillon("classify", "mixed.npz")
    assert ran.code == 2
    assert "mix text and numbers" in ran.err


@pytest.mark.parametrize("command", [("classify",), ("calibrate", "fit", "-o", "c.json")])
def test_a_missing_file_and_a_folder(bertillon, tmp_path: Path, command) -> None:
    (tmp_path / "folder").mkdir()
    for name, word in (("absent.csv", "no such file"), ("folder", "folder")):
        ran = bertillon(*command, name)
        assert ran.code == 2
        assert word in ran.err
    assert not Path("c.json").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--threshold", "nan"), "no threshold"),
        (("--threshold", "high"), "threshold"),
        (("--constraint", "recall=0.9"), "cannot read the constraint"),
        (("--constraint", "recall<=0.9"), "cannot read the constraint"),
        (("--constraint", "recall>=90"), "not a share from 0 to 1"),
        (("--cost", "fn=1,fx=2"), "cannot read 'fx=2'"),
        (("--cost", "fn=-1,fp=2"), "expected a finite number"),
        (("--cost", "fn=0,fp=0"), "both costs are 0"),
        (("--cost", "absent.csv"), "cannot be read"),
        (("--prior", "used=0.1"), "trained=0.5,used=0.01"),
        (("--prior", "trained=0.5,used=1"), "between 0 and 1"),
        (("--column", "truth"), "expected ROLE=NAME"),
        (("--column", "thruth=y"), "did you mean 'truth'"),
        (("--positive", "2"), "positive=2"),
        (("--calibrate", "none"), "it is no file"),
        (("--vocabulary", "greek"), "vocabulary"),
    ],
)
def test_wrong_options_are_refused_in_words(bertillon, tmp_path: Path, options, words) -> None:
    (tmp_path / "input.csv").write_text(GOOD)
    ran = bertillon("classify", "input.csv", *options)
    assert ran.code == 2
    assert words in ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("y_true,y_pred\n1,1\n0,1\n", ("--threshold", "0.5"), "only labels"),
        ("y_true,y_pred\n1,1\n0,1\n", ("--constraint", "recall>=0.5"), "only labels"),
        ("y_true,p\n1,0.5\n1,0.6\n", ("--constraint", "fpr<=0.5"), "no negatives"),
        ("y_true,p\n0,0.9\n1,0.6\n", ("--constraint", "precision>=0.9"), "no threshold reaches"),
        ("y_true,y_pred\na,b\nb,c\nc,c\n", ("--cost", "fn=1,fp=2"), "need a positive class"),
        ("y_true,y_pred\na,b\nb,c\nc,c\n", ("--threshold", "1"), "3 classes, not two"),
        ("y_true,score\n0,0.9\n1,0.6\n", ("--prior", "trained=0.5,used=0.1"), "no probabilities"),
        ("y_true,p_a,p_b\na,1,0\nb,0,1\n", ("--prior", "trained=0.5,used=0.1"), "no positive class"),
        ("y_true,y_pred\n1,1\n0,1\n", ("--calibrate", "platt"), "labels only"),
        ("y_true,score\n0,0.9\n1,0.6\n", ("--calibrate", "beta"), "scores only"),
        ("y_true,score\n0,0.9\n1,0.6\n", ("--calibrate", "temperature"), "scores only"),
    ],
)
def test_what_the_data_cannot_answer_is_said_with_their_name(bertillon, tmp_path: Path, text, options, words) -> None:
    (tmp_path / "input.csv").write_text(text)
    ran = bertillon("classify", "input.csv", *options)
    assert ran.code == 2
    assert words in ran.err
    assert ran.err.startswith("error: input.csv: ")


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("", "square"),
        ("true,a\na,0\n", "differ in class"),
        ("true,a,b\nb,0,1\na,1,0\n", "square"),
        ("true,a,b\na,0\nb,1,0\n", "square"),
        ("true,a,b\na,0,x\nb,1,0\n", "'x'"),
        ("true,a,b\na,0,inf\nb,1,0\n", "finite"),
        ("true,a,a\na,0,1\na,1,0\n", "twice"),
    ],
)
def test_wrong_matrices_of_costs(bertillon, tmp_path: Path, table, words) -> None:
    (tmp_path / "input.csv").write_text("y_true,p_a,p_b\na,0.5,0.5\nb,0.5,0.5\n")
    (tmp_path / "costs.csv").write_text(table)
    ran = bertillon("classify", "input.csv", "--cost", "costs.csv")
    assert ran.code == 2
    assert words in ran.err


def shown(bertillon, tmp_path: Path, text: str) -> tuple[str, dict]:
    """The output, and the measures of the same."""
    (tmp_path / "input.csv").write_text(text)
    ran, as_json = bertillon("classify", "input.csv"), bertillon("classify", "input.csv", "--json", "-")
    assert (ran.code, as_json.code) == (0, 0), ran.err
    return ran.out, {row["name"]: row for row in json.loads(as_json.out)["measures"]}


@pytest.mark.parametrize(
    "text", ["y_true,p\n1,0.5\n1,0.2\n", "label,score\n1,0.5\n1,0.2\n", "y_true,y_pred\na,a\na,a\n"]
)
def test_one_class_only_is_answered_as_far_as_it_goes(bertillon, tmp_path: Path, text) -> None:
    out, found = shown(bertillon, tmp_path, text)
    assert "All samples have the same true class" in out
    undefined = [row for row in found.values() if row["value"] is None]
    assert undefined
    assert all(row["reason"] for row in undefined)


def test_a_class_never_predicted_is_undefined_not_0(bertillon, tmp_path: Path) -> None:
    out, found = shown(bertillon, tmp_path, "y_true,y_pred\na,b\nb,b\nc,c\nc,c\n")
    assert found["Precision[macro]"]["value"] is None
    assert "'a'" in found["Precision[macro]"]["reason"]
    assert ["a", "1", "0", "undefined", "0", "%", "0", "%"] in [line.split() for line in out.splitlines()]
    assert "class 'a': nothing was predicted positive" in out


def test_failed_predictions_are_counted_and_left_out(bertillon, tmp_path: Path) -> None:
    out, found = shown(bertillon, tmp_path, "y_true,p\n1,nan\n0,\n1,0.7\n0,0.2\n")
    assert "2 failed" in out
    assert "! 2 predictions are NaN" in out
    assert found["Accuracy"]["trials"] == 2


def test_a_weight_of_0_leaves_its_sample_out(bertillon, tmp_path: Path) -> None:
    _, found = shown(bertillon, tmp_path, "y_true,p,weight\n1,0.9,1\n0,0.1,2\n0,0.8,0\n")
    assert found["AUC"]["value"] == 1.0
    assert found["Accuracy"]["value"] == 1.0


def test_10000_classes_are_summed_up(bertillon, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    truth = np.concatenate([np.arange(10_000), rng.integers(0, 10_000, 5_000)])
    predicted = np.where(rng.random(truth.size) < 0.5, truth, rng.integers(0, 10_000, truth.size))
    lines = "".join(f"{a},{b}\n" for a, b in zip(truth, predicted, strict=True))
    (tmp_path / "many.csv").write_text("y_true,y_pred\n" + lines)
    ran = bertillon("classify", "many.csv")
    assert ran.code == 0
    assert "the 10 largest of" in ran.out
    assert "20 of 10,000 classes with the lowest F1" in ran.out
    assert len(ran.out.splitlines()) < 80
    whole = json.loads(bertillon("classify", "many.csv", "--json", "-").out)
    assert whole["confusion"]["matrix"] is None
    assert sum(cell["count"] for cell in whole["confusion"]["cells"]) == truth.size


def test_names_of_classes_and_groups_are_text_not_markup(bertillon, tmp_path: Path) -> None:
    text = "y_true,y_pred,group\n[red]a[/red],[red]a[/red],[bold]\nb,[red]a[/red],[bold]\nb,b,x\n"
    (tmp_path / "input.csv").write_text(text)
    ran = bertillon("classify", "input.csv", "--name", "[blue]")
    assert ran.code == 0
    assert "[red]a[/red]" in ran.out
    assert "[bold]" in ran.out
    assert "[blue]" in ran.out


def test_long_names_are_neither_broken_nor_cut(bertillon, tmp_path: Path) -> None:
    name = "a" * 200
    (tmp_path / "input.csv").write_text(f"y_true,y_pred\n{name},b\nb,b\n")
    ran = bertillon("classify", "input.csv")
    assert "…" not in ran.out
    cells = [word.strip(",") for word in ran.out.split() if word.startswith("aaa")]
    assert set(cells) == {name}
    assert json.loads(bertillon("classify", "input.csv", "--json", "-").out)["confusion"]["classes"] == [name, "b"]


def test_a_target_that_cannot_be_written_is_said(bertillon, tmp_path: Path) -> None:
    (tmp_path / "input.csv").write_text(GOOD)
    (tmp_path / "file").write_text("")
    for option, target in (("--json", "absent/out.json"), ("--csv", "file"), ("--figures", "file")):
        ran = bertillon("classify", "input.csv", option, target)
        assert ran.code == 2
        assert target in ran.err


@pytest.mark.parametrize("positive", ["1", "1.0", "1."])
def test_the_positive_class_may_be_written_as_the_file_has_it(bertillon, tmp_path: Path, positive: str) -> None:
    (tmp_path / "input.csv").write_text("y_true,p\n1.0,0.9\n0.0,0.2\n1.0,0.7\n0.0,0.4\n")
    ran = bertillon("classify", "input.csv", "--positive", positive, "--no-intervals")
    assert ran.code == 0, ran.err
    assert "positive = 1" in ran.out.splitlines()[0]
