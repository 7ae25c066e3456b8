"""`bertillon classify` as a user meets it. SPEC K1, K5, K7, K9, K11, K13, E7."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import bertillon as bt


def answer(ran) -> dict:
    assert ran.code == 0, ran.err
    return json.loads(ran.out, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))


def measures(ran) -> dict[str, dict]:
    return {row["name"]: row for row in answer(ran)["measures"]}


def rows(text: str) -> dict[str, list[str]]:
    """The lines of an output by their first word."""
    return {line.split()[0]: line.split()[1:] for line in text.splitlines() if line.strip()}


def labels_file(path: Path, tp: int, fp: int, fn: int, tn: int) -> Path:
    """Predicted labels with these outcomes."""
    lines = [*["1,1"] * tp, *["0,1"] * fp, *["1,0"] * fn, *["0,0"] * tn]
    path.write_text("y_true,y_pred\n" + "\n".join(lines) + "\n")
    return path


@pytest.fixture
def skewed(tmp_path: Path) -> Path:
    """Twenty samples, five of them positive, with probabilities and two sites."""
    p = [0.9, 0.8, 0.6, 0.4, 0.05, 0.7, 0.55, 0.3, 0.3, 0.2, 0.2, 0.2, 0.1, 0.1, 0.1, 0.1, 0.05, 0.05, 0.02, 0.01]
    truth = [1] * 5 + [0] * 15
    path = tmp_path / "skewed.csv"
    pl.DataFrame({"y_true": truth, "p": p, "site": ["a", "b"] * 10, "importance": [1.0, 2.0] * 10}).write_csv(path)
    return path


@pytest.fixture
def animals(tmp_path: Path) -> Path:
    """Three classes with a column each."""
    path = tmp_path / "animals.csv"
    path.write_text(
        "y_true,p_cat,p_dog,p_owl\ncat,0.7,0.2,0.1\ncat,0.4,0.5,0.1\ndog,0.1,0.8,0.1\n"
        "dog,0.3,0.4,0.3\nowl,0.2,0.2,0.6\nowl,0.5,0.1,0.4\n"
    )
    return path


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ((13, 1, 237, 3177), {"Accuracy": 0.931, "Recall": 0.052, "Precision": 0.929}),
        ((85, 111, 165, 3067), {"Accuracy": 0.919, "Recall": 0.34, "Precision": 0.434}),
    ],
)
def test_k1_the_thyroid_figures_from_a_file(bertillon, tmp_path, outcomes, expected) -> None:
    """SPEC K1: the two classifiers of 003, from predicted labels."""
    ran = bertillon("classify", labels_file(tmp_path / "thyroid.csv", *outcomes), "--json", "-")
    found = measures(ran)
    assert {name: round(found[name]["value"], 3) for name in expected} == expected
    decision = answer(ran)["decision"]
    assert [decision[name] for name in ("tp", "fp", "fn", "tn")] == list(outcomes)
    assert decision["how"] == "the predicted labels"


def test_k13_the_complete_report_in_one_command(bertillon, skewed) -> None:
    """SPEC K13: everything 003 10.4 asks for, without an option."""
    ran = bertillon("classify", skewed, "--all", "--explain")
    assert ran.code == 0
    found = rows(ran.out)
    assert "TP 3" in ran.out
    assert "FN 2" in ran.out
    assert "FP 2" in ran.out
    assert "TN 13" in ran.out
    assert found["Precision"][:2] == ["60.0", "%"]
    assert found["Recall"][:2] == ["60.0", "%"]
    assert found["Prevalence"][:2] == ["25.0", "%"]
    assert {"F1", "MCC", "Kappa", "AUC", "AP", "LogLoss", "Brier", "ECE", "MCE"} <= set(found)
    assert {"Reliability", "Resolution", "Uncertainty", "Remainder"} <= set(found)  # Murphy's parts
    assert "by chance AUC is 0.5 and AP 0.25" in ran.out
    assert "column 'p' is the probability of the positive class" in ran.out
    assert "bands of Landis and Koch" not in ran.out  # 20 samples are too few for a word
    assert "\n! " in ran.out
    assert "Recommended for data like these" in ran.out
    short = rows(bertillon("classify", skewed).out)
    assert {"Precision", "Recall", "F1", "MCC", "AUC", "AP", "LogLoss", "ECE"} <= set(short)
    assert not {"Kappa", "MCE", "Reliability", "Prevalence"} & set(short)


def test_k13_several_classes_by_hand(bertillon, animals) -> None:
    """SPEC K11, K13: per class, macro, micro, weighted, one-vs-rest and one-vs-one, top-k."""
    ran = bertillon("classify", animals, "--no-intervals", "--all")
    found = rows(ran.out)
    lines = [line.split() for line in ran.out.splitlines()]
    assert ["cat", "1", "50", "%", "1", "50", "%", "0"] in lines
    assert ["owl", "1", "50", "%", "0", "1", "50", "%"] in lines
    assert ["dog", "2", "3", "66.67", "%", "100", "%", "80", "%", "0.8750"] in lines  # support, predicted, rates, AUC
    assert found["Accuracy"][:2] == ["66.67", "%"]
    assert found["[macro]"] == ["72.22", "%", "66.67", "%", "65.56", "%"]
    assert found["[micro]"] == ["66.67", "%"] * 3
    assert {"AUC[ovr]", "AUC[ovo]", "Top@2", "LogLoss", "Brier", "ECE"} <= set(found)


def test_columns_of_the_issue_need_no_options(bertillon, tmp_path) -> None:
    texts = {
        "a.csv": "label,score\n1,3.5\n0,0.2\n1,2.5\n0,-4\n",
        "b.csv": "y_true,y_score\n1,3.5\n0,0.2\n1,2.5\n0,-4\n",
        "c.csv": "y_true,p_0,p_1\n1,0.1,0.9\n0,0.8,0.2\n1,0.4,0.6\n0,0.9,0.1\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        assert measures(bertillon("classify", name, "--json", "-"))["AUC"]["value"] == 1.0


def test_a_score_without_a_threshold_is_cut_by_youden_and_that_is_said(bertillon, tmp_path) -> None:
    (tmp_path / "s.csv").write_text("label,score\n1,9\n1,4\n0,6\n0,1\n0,2\n")
    whole = answer(bertillon("classify", "s.csv", "--json", "-"))
    decision = whole["decision"]
    assert decision["threshold"] == 4.0  # TPR 1 less FPR 1/3; at 9 it is 1/2 less 0
    assert decision["chosen_here"] is True
    assert "Youden" in decision["how"]
    assert "optimistic" in decision["how"]
    assert any("tuned on the same data" in warning for warning in whole["warnings"])
    named = bertillon("classify", "s.csv", "-m", "F1")
    assert "undefined" in named.out  # nobody asked for a threshold
    assert "TP" not in named.out


def test_k5_a_threshold_by_hand(bertillon, skewed) -> None:
    whole = answer(bertillon("classify", skewed, "-t", 0.3, "--json", "-"))
    assert [whole["decision"][name] for name in ("tp", "fp", "fn", "tn")] == [4, 4, 1, 11]
    assert whole["decision"]["threshold"] == 0.3
    assert whole["decision"]["chosen_here"] is False
    found = {row["name"]: row for row in whole["measures"]}
    assert found["Recall"]["value"] == 0.8
    assert found["Recall"]["threshold"] == 0.3
    assert whole["signature"]["threshold"] == 0.3
    assert whole["confusion"]["matrix"] == [[11, 4], [1, 4]]
    assert whole["confusion"]["classes"] == [0, 1]


@pytest.mark.parametrize(
    ("promise", "threshold", "outcomes"),
    [
        ("recall>=0.8", 0.4, [4, 2, 1, 13]),
        ("fpr<=0.1", 0.6, [3, 1, 2, 14]),
        ("precision>=1", 0.8, [2, 0, 3, 15]),
        ("FNR<=0.2", 0.4, [4, 2, 1, 13]),
    ],
)
def test_k5_a_threshold_under_a_constraint_by_hand(bertillon, skewed, promise, threshold, outcomes) -> None:
    """SPEC K5: the operating point under a constraint, labelled as chosen on the data it is judged on."""
    whole = answer(bertillon("classify", skewed, "--constraint", promise, "--json", "-"))
    assert whole["decision"]["threshold"] == threshold
    assert [whole["decision"][name] for name in ("tp", "fp", "fn", "tn")] == outcomes
    assert whole["decision"]["chosen_here"] is True
    shown = bertillon("classify", skewed, "--constraint", promise).out
    assert "! The threshold was tuned on these data" in shown
    shown = bertillon("classify", skewed, "--constraint", promise, "--explain").out
    assert f"{promise}; tuned on the same data, so the result is optimistic" in " ".join(shown.split())
    assert "The threshold was tuned on the same data" in " ".join(shown.split())


def test_k9_costs_cut_probabilities_where_bayes_says(bertillon, skewed) -> None:
    """SPEC K9: L_FN 100 and L_FP 1 give 1/101; the threshold needs no truth, so it is not optimistic."""
    whole = answer(bertillon("classify", skewed, "--cost", "fn=100,fp=1", "--json", "-"))
    assert whole["decision"]["threshold"] == pytest.approx(0.0099, abs=1e-4)
    assert whole["decision"]["chosen_here"] is False
    found = {row["name"]: row["value"] for row in whole["measures"]}
    assert found["Cost(fn=100,fp=1)"] == pytest.approx(15 / 20)  # all 15 negatives are called positive
    assert found["minCost(fn=100,fp=1)"] == pytest.approx(13 / 20)
    assert whole["advice"]["metrics"][0] == "Recall"


def test_k9_costs_cut_scores_where_they_cost_least_here(bertillon, tmp_path) -> None:
    (tmp_path / "s.csv").write_text("label,score\n1,9\n1,4\n0,6\n0,1\n0,2\n")
    whole = answer(bertillon("classify", "s.csv", "--cost", "fn=10,fp=1", "--json", "-"))
    assert whole["decision"]["threshold"] == 4.0
    assert whole["decision"]["chosen_here"] is True
    found = {row["name"]: row["value"] for row in whole["measures"]}
    assert found["Cost(fn=10,fp=1)"] == pytest.approx(1 / 5)  # one false alarm among five
    assert found["minCost(fn=10,fp=1)"] == pytest.approx(1 / 5)


def test_k9_labels_are_decisions_and_only_cost(bertillon, tmp_path) -> None:
    path = labels_file(tmp_path / "l.csv", tp=4, fp=5, fn=1, tn=90)
    found = measures(bertillon("classify", path, "--cost", "fn=10,fp=1", "--json", "-"))
    assert found["Cost(fn=10,fp=1)"]["value"] == pytest.approx(0.15)
    assert not any(name.startswith("minCost") for name in found)


def test_k9_a_matrix_of_costs_by_hand(bertillon, animals, tmp_path) -> None:
    """Calling something an owl costs nothing, ever; so every decision is owl, at no cost."""
    (tmp_path / "costs.csv").write_text("true,owl,cat,dog\nowl,0,1,1\ncat,0,2,1\ndog,0,1,2\n")
    whole = answer(bertillon("classify", animals, "--cost", "costs.csv", "--json", "-"))
    assert {cell["predicted"] for cell in whole["confusion"]["cells"]} == {"owl"}
    assert whole["decision"]["mean_cost"] == 0.0
    (tmp_path / "costs.csv").write_text("true,cat,dog,owl\ncat,0,1,1\ndog,1,0,1\nowl,1,1,0\n")
    usual = answer(bertillon("classify", animals, "--cost", "costs.csv", "--json", "-"))
    assert usual["decision"]["mean_cost"] == pytest.approx(2 / 6)  # 0-1 costs: the most probable class


@pytest.mark.parametrize(
    "options",
    [
        ("--threshold", 0.5, "--constraint", "recall>=0.5"),
        ("--threshold", 0.5, "--cost", "fn=1,fp=1"),
        ("--constraint", "recall>=0.5", "--cost", "fn=1,fp=1"),
    ],
)
def test_ways_to_decide_exclude_each_other(bertillon, skewed, options) -> None:
    ran = bertillon("classify", skewed, *options)
    assert ran.code == 2
    assert "exclude each other" in ran.err


def test_e7_a_prior_shift_moves_the_probabilities_once(bertillon, skewed) -> None:
    """SPEC E7: odds are multiplied by (used/unused) / (trained/untrained), and the threshold stays."""
    whole = answer(bertillon("classify", skewed, "--prior", "trained=0.5,used=0.1", "--json", "-"))
    expected = bt.read_predictions(skewed).probabilities
    shifted = expected / 9 / (expected / 9 + 1 - expected)
    truth = np.array([1] * 5 + [0] * 15)
    loss = -np.mean(np.where(truth == 1, np.log(shifted), np.log(1 - shifted)))
    found = {row["name"]: row["value"] for row in whole["measures"]}
    assert found["LogLoss"] == pytest.approx(loss)
    assert whole["decision"]["threshold"] == 0.5
    shown = bertillon("classify", skewed, "--prior", "trained=0.5,used=0.1").out
    assert "shifted from 0.5 of positives in training to 0.1 in use" in " ".join(shown.split())
    assert "With 10 % of positives the precision of these decisions" in shown


def test_k2_precision_among_other_shares_by_hand(bertillon, tmp_path) -> None:
    """SPEC K2: TPR .9 and FPR .1 make a precision of .083 among 1 % of positives."""
    p = ["1,0.95"] * 9 + ["1,0.001"] + ["0,0.999"] + ["0,0.001"] * 9
    (tmp_path / "p.csv").write_text("y_true,p\n" + "\n".join(p) + "\n")
    ran = bertillon("classify", "p.csv", "--prior", "trained=0.5,used=0.01", "-t", 0.1)
    assert "With 1 % of positives the precision of these decisions is 8.333 %" in ran.out


def test_measures_are_asked_by_name(bertillon, skewed) -> None:
    ran = bertillon("classify", skewed, "-m", "F(beta=2)", "-m", "Recall@FPR=0.2", "--json", "-")
    assert list(measures(ran)) == ["F(beta=2)", "Recall@FPR=0.2"]
    wrong = bertillon("classify", "absent.csv", "-m", "Recal", "-m", "F3")
    assert wrong.code == 2
    assert "did you mean Recall" in wrong.err
    assert "F3" in wrong.err  # all that is wrong at once, before a file is read


def test_groups_are_judged_by_the_same_decisions(bertillon, skewed) -> None:
    whole = answer(bertillon("classify", skewed, "--groups", "site", "-t", 0.3, "--json", "-"))
    groups = {row["name"]: {m["name"]: m for m in row["measures"]} for row in whole["groups"]}
    assert groups["a"]["Recall"]["errors"] + groups["b"]["Recall"]["errors"] == whole["decision"]["fn"]
    assert groups["a"]["FPR"]["errors"] + groups["b"]["FPR"]["errors"] == whole["decision"]["fp"]
    shown = bertillon("classify", skewed, "--groups", "site")
    assert any(line.split()[:2] == ["a", "10"] for line in shown.out.splitlines())


def test_weights_count(bertillon, skewed) -> None:
    found = measures(bertillon("classify", skewed, "--weights", "importance", "-t", 0.3, "--json", "-"))
    assert found["Recall"]["value"] == pytest.approx(6 / 7)  # weights 1 2 1 2 1 of positives, the last one missed
    assert bertillon("classify", skewed, "--weights", "absent").code == 2
    twice = bertillon("classify", skewed, "--weights", "importance", "--column", "weight=p")
    assert twice.code == 2
    assert "two columns" in twice.err


def test_the_positive_class_is_named(bertillon, tmp_path) -> None:
    (tmp_path / "d.csv").write_text("diagnosis,risk\nsick,3\nwell,1\nsick,2\nwell,0\n")
    columns = ("--column", "truth=diagnosis", "--column", "score=risk")
    assert (
        measures(bertillon("classify", "d.csv", *columns, "--positive", "sick", "--json", "-"))["AUC"]["value"] == 1.0
    )
    assert (
        measures(bertillon("classify", "d.csv", *columns, "--positive", "well", "--json", "-"))["AUC"]["value"] == 0.0
    )
    ran = bertillon("classify", "d.csv", *columns)
    assert ran.code == 2
    assert "--positive" in ran.err
    assert "did you mean" in bertillon("classify", "d.csv", "--column", "truth=diagnose").err


@pytest.mark.parametrize(
    ("labels", "positive", "auc"),
    [
        (("0", "1"), "0", 0.0),
        (("False", "True"), "true", 1.0),
        (("7", "x"), "7", 0.0),
        (("-1", "1"), "-1", 0.0),
    ],
)
def test_labels_of_any_kind_are_meant_by_their_text(bertillon, tmp_path, labels, positive, auc) -> None:
    low, high = labels
    (tmp_path / "l.csv").write_text(f"y_true,score\n{high},3\n{low},1\n{high},2\n{low},0\n")
    ran = bertillon("classify", "l.csv", "--positive", positive, "--json", "-")
    assert measures(ran)["AUC"]["value"] == auc


def test_several_systems_stand_side_by_side(bertillon, skewed, tmp_path) -> None:
    (tmp_path / "s.csv").write_text("label,score\n1,9\n1,4\n0,6\n0,1\n0,2\n")
    ran = bertillon("classify", skewed, "s.csv", "--name", "new", "--name", "old", "--all")
    assert ran.code == 0
    heads = [line.split()[0] for line in ran.out.splitlines() if line.startswith(("system ", "new ", "old "))]
    assert heads[:3] == ["system", "new", "old"]
    assert "old: AUC" not in ran.out  # five samples are not judged
    whole = answer(bertillon("classify", skewed, "s.csv", "--json", "-"))
    assert whole["mode"] == "classification"
    assert [system["name"] for system in whole["systems"]] == ["skewed.csv", "s.csv"]
    assert bertillon("classify", skewed, "s.csv", "--name", "new").code == 2


def test_vocabularies(bertillon, skewed) -> None:
    both = bertillon("classify", skewed, "--vocabulary", "both", "-m", "FPR", "-m", "Recall").out
    assert "FMR" in both
    assert "FPR" in both
    biometric = bertillon("classify", skewed, "--vocabulary", "biometric", "-m", "FPR", "-m", "Recall").out
    assert "FPR" not in biometric
    assert "FMR" in biometric


def test_json_is_strict_and_written_whole(bertillon, tmp_path) -> None:
    (tmp_path / "p.csv").write_text("y_true,p\n1,0\n0,0.5\n1,0.5\n")
    ran = bertillon("classify", "p.csv", "--json", "out.json")
    assert ran.code == 0
    assert "JSON written to out.json" in ran.out
    whole = json.loads(Path("out.json").read_text(), parse_constant=lambda word: pytest.fail(word))
    found = {row["name"]: row for row in whole["measures"]}
    assert found["LogLoss"]["value"] == "inf"
    assert whole["counts"] == {"samples": 3, "failed": 0, "class 0": 1, "class 1": 2}
    assert set(whole) >= {"bertillon", "mode", "measures", "signature", "decision", "confusion", "warnings", "advice"}


def test_csv_of_every_curve(bertillon, skewed, animals) -> None:
    ran = bertillon("classify", skewed, "--csv", "out", "--groups", "site")
    assert ran.code == 0
    names = {path.stem for path in Path("out").iterdir()}
    assert names == {
        "measures",
        "confusion",
        "classes",
        "groups",
        "roc",
        "roc-band",
        "precision-recall",
        "precision-recall-band",
        "gain",
        "thresholds",
        "reliability",
        "reliability-band",
        "reliability-equal-mass",
        "risk-coverage",
    }
    with Path("out/thresholds.csv").open() as file:
        at = {float(row["threshold"]): row for row in csv.DictReader(file)}
    assert [at[0.3][name] for name in ("tp", "fp", "fn", "tn")] == ["4", "4", "1", "11"]
    bertillon("classify", animals, "--csv", "three")
    assert {path.stem for path in Path("three").iterdir()} == {
        "measures",
        "confusion",
        "classes",
        "reliability",
        "reliability-band",
        "reliability-equal-mass",
        "risk-coverage",
    }


def test_figures_are_drawn_where_they_are_asked_for(bertillon, skewed, monkeypatch) -> None:
    drawn = {}

    def draw(evaluations, folder, *, costs=None, formats=(), bands=()):
        drawn.update(names=[one.name for one in evaluations], folder=folder, costs=costs, formats=formats)
        return [Path("roc.png"), Path("roc.svg")]

    monkeypatch.setattr("bertillon.render.save_figures", draw)
    ran = bertillon("classify", skewed, "--figures", "out", "--cost", "fn=5,fp=1", "--figure-format", "svg")
    assert ran.code == 0
    assert "2 figures written to out" in ran.out
    prices = {"fn": 5.0, "fp": 1.0}
    assert drawn == {"names": ["skewed.csv"], "folder": Path("out"), "costs": prices, "formats": ("svg",)}


def test_figures_are_files(bertillon, tmp_path) -> None:
    assert bertillon("classify", labels_file(tmp_path / "l.csv", 4, 5, 1, 90), "--figures", "out").code == 0
    assert Path("out/confusion.png").stat().st_size > 5_000


def test_calibrating_here_is_cross_validated(bertillon, skewed) -> None:
    """SPEC K8: before and after; each sample by a calibrator that has not seen it."""
    whole = answer(bertillon("classify", skewed, "--calibrate", "beta", "--json", "-"))
    table = {row["name"]: row for row in whole["calibration"]}
    held_out = bt.analysis.cross_calibrated("beta", bt.read_predictions(skewed))
    assert table["LogLoss"]["after"] == bt.evaluate(held_out, "LogLoss")["LogLoss"].value != table["LogLoss"]["before"]
    assert not any("the same samples it is judged on" in warning for warning in whole["warnings"])
    assert "cross-validated in 5 folds (no --groups)" in bertillon("classify", skewed, "--calibrate", "beta").out
    assert bertillon("classify", skewed, "--calibrate", "beta", "--calibrate-folds", "1").code == 2
    assert "Calibration" in bertillon("classify", skewed, "--calibrate", "beta").out
    ran = bertillon("classify", skewed, "--calibrate", "bta")
    assert ran.code == 2
    assert "did you mean 'beta'" in ran.err


def test_a_small_file_needs_neither_compiler_nor_drawing(skewed) -> None:
    import subprocess
    import sys

    code = (
        "import sys\n"
        "from bertillon.cli.app import main\n"
        f"sys.argv = ['bertillon', 'classify', {str(skewed)!r}]\n"
        "try:\n    main()\n"
        "except SystemExit:\n    pass\n"
        "print([name for name in ('numba', 'matplotlib', 'scipy.stats') if name in sys.modules])\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("width", [80, 120])
def test_nothing_is_cut_off(bertillon, skewed, animals, monkeypatch, width) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    for options in ((skewed, "--groups", "site"), (animals,), (skewed, "--cost", "fn=100,fp=1")):
        text = bertillon("classify", *options).out
        assert "…" not in text
        assert max(map(len, text.splitlines())) <= width


def test_k5_a_promise_that_only_calling_nothing_keeps_is_written_as_json_by_hand(bertillon, tmp_path) -> None:
    """The highest score is a negative's: FPR 0 is reached by no threshold but the infinite one."""
    (tmp_path / "p.csv").write_text("y_true,p\n1,0.3\n1,0.9\n0,1\n0,0.5\n")
    whole = answer(bertillon("classify", tmp_path / "p.csv", "--constraint", "fpr<=0.1", "--json", "-"))
    assert (whole["decision"]["threshold"], whole["signature"]["threshold"]) == ("inf", "inf")
    assert whole["decision"]["tp"] == 0
