"""`bertillon calibrate fit` and `apply` (SPEC K8): learnt on one file, used on another, kept as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import bertillon as bt
from bertillon.analysis import CALIBRATORS, calibrated, cross_calibrated, fit_calibrator


def over_confident(seed: int, n: int = 600) -> dict[str, np.ndarray]:
    """Outcomes whose true log-odds are half of what is said."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(0, 3, n)
    truth = (rng.random(n) < 1 / (1 + np.exp(-logits / 2))).astype(int)
    return {"y_true": truth, "p": 1 / (1 + np.exp(-logits))}


def over_confident_animals(seed: int, n: int = 600, order=("cat", "dog", "owl")) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    names = np.array(["cat", "dog", "owl"])
    truth = rng.integers(0, 3, n)
    logits = rng.normal(0, 1, (n, 3))
    logits[np.arange(n), truth] += 1
    p = np.exp(3 * logits)
    p /= p.sum(axis=1, keepdims=True)
    return {"y_true": names[truth], **{f"p_{name}": p[:, list(names).index(name)] for name in order}}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, columns in (
        ("dev.csv", over_confident(1)),
        ("eval.csv", over_confident(2)),
        ("animals-dev.csv", over_confident_animals(3)),
        ("animals-eval.csv", over_confident_animals(4, order=("owl", "cat", "dog"))),
    ):
        pl.DataFrame(columns).write_csv(tmp_path / name)
    return tmp_path


def table(out: str) -> dict[str, tuple[str, str]]:
    """Before and after by measure."""
    lines = (line.split() for line in out.splitlines())
    return {line[0]: (line[1], line[2]) for line in lines if len(line) == 3 and line[0] in ("LogLoss", "Brier", "ECE")}


@pytest.mark.parametrize("method", CALIBRATORS)
@pytest.mark.parametrize("data", ["", "animals-"])
def test_k8_fit_on_one_file_and_apply_to_another(bertillon, files, method, data) -> None:
    """SPEC K8: what apply writes is what the library says, and it is better than before."""
    fitted = bertillon("calibrate", "fit", f"{data}dev.csv", "--method", method, "-o", "cal.json")
    assert fitted.code == 0, fitted.err
    assert "was fitted on these samples. Judge it on others" in " ".join(fitted.out.split())
    assert f"{method} written to cal.json" in fitted.out
    ran = bertillon("calibrate", "apply", "cal.json", f"{data}eval.csv", "-o", "out.csv")
    assert ran.code == 0, ran.err
    assert "fitted on these samples" not in ran.out
    assert f"fitted on {data}dev.csv (600 samples)" in ran.out
    before, after = table(ran.out)["Brier"]
    assert float(after) < float(before)
    made = bt.read_predictions("out.csv")
    expected = calibrated(
        bt.read_predictions(f"{data}eval.csv"),
        _reordered(fit_calibrator(method, bt.read_predictions(f"{data}dev.csv"))),
    )
    assert made.classes == expected.classes
    assert np.allclose(made.probabilities, expected.probabilities, atol=1e-14)


def _reordered(calibrator):
    """The parts of a calibrator in the order of the columns of animals-eval.csv."""
    from bertillon.analysis import OneVersusRest

    if not isinstance(calibrator, OneVersusRest):
        return calibrator
    cat, dog, owl = calibrator.parts
    return OneVersusRest(calibrator.kind, (owl, cat, dog))


def test_k8_judged_on_its_own_data_it_is_said(bertillon, files) -> None:
    bertillon("calibrate", "fit", "dev.csv", "-o", "cal.json")
    (files / "copy.csv").write_text("\n".join([*reversed((files / "dev.csv").read_text().split()[1:]), ""]))
    text = (files / "copy.csv").read_text()
    (files / "copy.csv").write_text("y_true,p\n" + text)
    for name in ("dev.csv", "copy.csv"):  # the same samples in another order are the same samples
        ran = bertillon("calibrate", "apply", "cal.json", name, "-o", "out.csv")
        assert "! platt was fitted on these samples: calibration looks better than it is." in ran.out
    whole = json.loads(bertillon("classify", "dev.csv", "--calibrate", "cal.json", "--json", "-").out)
    assert any("the same samples it is judged on" in str(warning) for warning in whole["warnings"])
    other = json.loads(bertillon("classify", "eval.csv", "--calibrate", "cal.json", "--json", "-").out)
    assert not any("the same samples it is judged on" in str(warning) for warning in other["warnings"])
    assert {row["name"] for row in other["calibration"]} >= {"LogLoss", "Brier", "ECE", "MCE"}


def test_the_file_says_what_it_is_for(bertillon, files) -> None:
    bertillon("calibrate", "fit", "dev.csv", "--method", "isotonic", "-o", "cal.json")
    held = json.loads(Path("cal.json").read_text(), parse_constant=lambda word: pytest.fail(word))
    assert held["calibrator"] == "isotonic"
    assert held["classes"] == [0, 1]
    assert held["positive"] == 1
    assert held["reads"] == "probability"
    assert held["fitted_on"] == "dev.csv"
    for name, words in (("animals-eval.csv", "fitted for the classes 0, 1"),):
        ran = bertillon("calibrate", "apply", "cal.json", name, "-o", "out.csv")
        assert ran.code == 2
        assert words in ran.err
    ran = bertillon("calibrate", "apply", "cal.json", "eval.csv", "--positive", "0", "-o", "out.csv")
    assert ran.code == 2
    assert "with 0 as the positive one" in ran.err
    assert not Path("out.csv").exists()


def test_a_bare_calibrator_is_read_too(bertillon, files) -> None:
    (files / "bare.json").write_text('{"calibrator": "temperature", "temperature": 2.0}')
    ran = bertillon("calibrate", "apply", "bare.json", "eval.csv", "-o", "out.csv")
    assert ran.code == 0
    before = bt.read_predictions("eval.csv").probabilities
    logits = np.log(before) - np.log1p(-before)
    assert np.allclose(bt.read_predictions("out.csv").probabilities, 1 / (1 + np.exp(-logits / 2)))


@pytest.mark.parametrize("column", ["logit", "p"])
def test_platt_reads_the_same_of_logits_and_of_their_probabilities(bertillon, files, column) -> None:
    """Fitted to log-odds, it is given the log-odds of probabilities where there are no logits."""
    held = over_confident(1)
    logit = np.log(held["p"]) - np.log1p(-held["p"])
    pl.DataFrame({"y_true": held["y_true"], "logit": logit}).write_csv("l.csv")
    pl.DataFrame({"y_true": held["y_true"], column: logit if column == "logit" else held["p"]}).write_csv("other.csv")
    bertillon("calibrate", "fit", "l.csv", "-o", "cal.json")
    assert json.loads(Path("cal.json").read_text())["reads"] == "logit"
    assert bertillon("calibrate", "apply", "cal.json", "other.csv", "-o", "out.csv").code == 0
    platt = fit_calibrator("platt", bt.read_predictions("l.csv"))
    assert np.allclose(bt.read_predictions("out.csv").probabilities, platt.calibrate(logit))


def test_scores_are_not_probabilities(bertillon, files) -> None:
    held = over_confident(1)
    pl.DataFrame({"y_true": held["y_true"], "score": held["p"]}).write_csv("s.csv")
    ran = bertillon("calibrate", "fit", "s.csv", "-o", "cal.json")
    assert ran.code == 0
    assert table(ran.out)["LogLoss"][0] == "undefined"  # scores had none before
    refused = bertillon("calibrate", "apply", "cal.json", "eval.csv", "-o", "out.csv")
    assert refused.code == 2
    assert "fitted to scores" in refused.err


@pytest.mark.parametrize(
    ("labels", "positive"), [(("no", "yes"), "yes"), (("0", "1"), "0"), (("False", "True"), "true"), (("a", "b"), "a")]
)
def test_what_is_written_is_understood_when_read_again(bertillon, files, labels, positive) -> None:
    held = over_confident(1)
    names = np.array(labels)[held["y_true"]]
    frame = pl.DataFrame({"y_true": names, "p": held["p"], "weight": np.ones(600), "group": ["g", "h"] * 300})
    frame.write_csv("in.csv")
    assert bertillon("calibrate", "fit", "in.csv", "--positive", positive, "-o", "c.json").code == 0
    for target in ("out.csv", "out.parquet"):
        assert bertillon("calibrate", "apply", "c.json", "in.csv", "--positive", positive, "-o", target).code == 0
    made = bt.read_predictions("out.csv")
    assert str(made.positive).lower() == positive
    assert made.weights is not None
    assert made.groups is not None
    again = json.loads(bertillon("classify", "out.csv", "--json", "-").out)
    assert again["signature"]["positive"] == made.positive


def test_failed_predictions_are_said_and_left_out(bertillon, files) -> None:
    (files / "gaps.csv").write_text((files / "eval.csv").read_text() + "1,nan\n0,\n")
    bertillon("calibrate", "fit", "dev.csv", "-o", "cal.json")
    ran = bertillon("calibrate", "apply", "cal.json", "gaps.csv", "-o", "out.csv")
    assert "2 failed" in ran.out
    assert bt.read_predictions("out.csv").size == 600


def test_an_impossible_that_came_true_is_said(bertillon, tmp_path) -> None:
    (tmp_path / "dev.csv").write_text("y_true,p\n0,0.1\n0,0.2\n1,0.8\n1,0.9\n")
    (tmp_path / "eval.csv").write_text("y_true,p\n1,0.1\n0,0.9\n")
    bertillon("calibrate", "fit", "dev.csv", "--method", "isotonic", "-o", "cal.json")
    ran = bertillon("calibrate", "apply", "cal.json", "eval.csv", "-o", "out.csv")
    assert "LogLoss is infinite" in ran.out


def test_the_diagram_is_drawn_where_it_is_asked_for(bertillon, files, monkeypatch) -> None:
    drawn = {}

    def draw(before, after, *, folder):
        drawn.update(before=before["ECE"].value, after=after["ECE"].value, folder=folder)
        return [Path("calibration.png")]

    monkeypatch.setattr("bertillon.render.save_calibration_figure", draw)
    bertillon("calibrate", "fit", "dev.csv", "--method", "temperature", "-o", "cal.json")
    ran = bertillon("calibrate", "apply", "cal.json", "eval.csv", "-o", "out.csv", "--figures", "figures")
    assert "1 figure written to figures" in ran.out
    assert drawn["after"] < drawn["before"]
    assert drawn["folder"] == Path("figures")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not JSON"),
        ("[1]", "no calibrator"),
        ('{"calibrator": "plat"}', "did you mean 'platt'"),
        ('{"calibrator": "platt", "a": 1}', "expected a finite number"),
        ('{"calibrator": "platt", "a": 1, "b": NaN}', "expected a finite number"),
        ('{"calibrator": "platt", "a": 1, "b": 0, "classes": {"a": 1}}', "stored classes"),
        ('{"calibrator": "platt", "a": 1, "b": 0, "reads": "minds"}', "'minds'"),
        ('{"calibrator": "one-vs-rest", "kind": "magic", "parts": []}', "lacks its kind"),
        ('{"calibrator": "one-vs-rest", "kind": "platt", "parts": [1, 2]}', "no object"),
        ('{"calibrator": "one-vs-rest", "kind": "platt", "parts": [{"a": 1}, {"a": 2}]}', "finite number"),
        (b"\xff\xfe", "not UTF-8"),
        (b"\x80\x04\x95", "not UTF-8"),
    ],
)
def test_damaged_calibrators_are_refused_in_words(bertillon, files, text, words) -> None:
    (files / "cal.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    ran = bertillon("calibrate", "apply", "cal.json", "eval.csv", "-o", "out.csv")
    assert ran.code == 2
    assert words in ran.err
    assert "cal.json" in ran.err
    assert not Path("out.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("fit", "dev.csv", "--method", "plat", "-o", "c.json"), "did you mean 'platt'"),
        (("fit", "one.csv", "-o", "c.json"), "both positives and negatives"),
        (("fit", "labels.csv", "-o", "c.json"), "labels only"),
        (("fit", "missing.csv", "-o", "c.json"), "column 3 is the true class of 0"),
        (("fit", "dev.csv", "-o", "absent/c.json"), "absent/c.json"),
        (("apply", "absent.json", "dev.csv", "-o", "o.csv"), "absent.json"),
    ],
)
def test_what_cannot_be_done_is_said(bertillon, files, arguments, words) -> None:
    (files / "one.csv").write_text("y_true,p\n1,0.5\n1,0.6\n")
    (files / "labels.csv").write_text("y_true,y_pred\n1,1\n0,1\n")
    (files / "missing.csv").write_text("y_true,p_a,p_b,p_c\na,0.5,0.3,0.2\nb,0.2,0.6,0.2\n")
    ran = bertillon("calibrate", *arguments)
    assert ran.code == 2
    assert words in ran.err
    assert not Path("c.json").exists()
    assert not Path("o.csv").exists()


def test_predictions_are_not_written_under_a_name_that_says_otherwise(bertillon, files):
    assert bertillon("calibrate", "fit", "dev.csv", "-o", "cal.json").code == 0
    ran = bertillon("calibrate", "apply", "cal.json", "eval.csv", "-o", "out.xlsx")
    assert (ran.code, Path("out.xlsx").exists()) == (2, False)
    assert "predictions are written as .csv or .parquet" in ran.err
    assert bertillon("calibrate", "apply", "cal.json", "eval.csv", "-o", "OUT.PARQUET").code == 0
    assert pl.read_parquet("OUT.PARQUET").height == 600


SAID = ["0.9,a1", "0.25,b2", ",c3", "0.5,d4"]


def test_data_without_labels_get_calibrated_columns(bertillon, files) -> None:
    """In use nobody knows the truth: rows keep their columns and their order, those without a score are left empty."""
    assert bertillon("calibrate", "fit", "dev.csv", "-o", "cal.json").code == 0
    (files / "use.csv").write_text("\n".join(["p,id", *SAID, ""]))
    ran = bertillon("calibrate", "apply", "cal.json", "use.csv", "-o", "out.csv")
    assert (ran.code, ran.err) == (0, "")
    assert "4 rows have no true labels, so nothing can be judged; calibrated, 1 without a score" in ran.out
    out = pl.read_csv("out.csv")
    assert out.columns == ["p", "id", "calibrated", "llr"]
    assert out["id"].to_list() == ["a1", "b2", "c3", "d4"]
    assert out["calibrated"].is_null().to_list() == out["llr"].is_null().to_list() == [False, False, True, False]
    dev = bt.read_predictions("dev.csv")
    expected = fit_calibrator("platt", dev).calibrate(np.array([0.9, 0.25, 0.5]))
    found = out.drop_nulls()
    assert np.allclose(found["calibrated"], expected, rtol=1e-12)
    share = dev.truth.mean()
    by_hand = np.log(expected / (1 - expected)) - np.log(share / (1 - share))  # posterior odds over prior odds
    assert np.allclose(found["llr"], by_hand, rtol=1e-10)


def test_classes_without_labels_in_any_order(bertillon, files) -> None:
    assert bertillon("calibrate", "fit", "animals-dev.csv", "--method", "temperature", "-o", "cal.json").code == 0
    labelled = pl.read_csv("animals-eval.csv")
    labelled.drop("y_true").write_parquet("use.parquet")
    assert bertillon("calibrate", "apply", "cal.json", "use.parquet", "-o", "out.parquet").code == 0
    assert bertillon("calibrate", "apply", "cal.json", "animals-eval.csv", "-o", "judged.csv").code == 0
    out, judged = pl.read_parquet("out.parquet"), pl.read_csv("judged.csv")
    for name in ("cat", "dog", "owl"):
        assert np.allclose(out[f"calibrated_{name}"], judged[f"p_{name}"], atol=1e-14)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("id\na\n", "no column is known as what was predicted"),
        ("p,calibrated\n0.5,1\n", "has a column 'calibrated' already"),
        ("p\nnan\n\n", "holds no number to calibrate"),
        ("p\n1.5\n", "1.5"),
        ("p\nhigh\n", "is not a number"),
        ("score\n0.5\n", "there are scores only"),
        ("p_a,p_b\n0.5,0.5\n", "the calibrator is for '0', '1'"),
        ("p_7\n0.5\n", "the calibrator is for 1 as the positive one"),
    ],
)
def test_data_without_labels_that_cannot_be_calibrated(bertillon, files, text, words) -> None:
    assert bertillon("calibrate", "fit", "dev.csv", "--method", "beta", "-o", "cal.json").code == 0
    (files / "use.csv").write_text(text)
    ran = bertillon("calibrate", "apply", "cal.json", "use.csv", "-o", "out.csv")
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err
    assert "use.csv" in ran.err
    assert not Path("out.csv").exists()


def test_an_older_calibrator_gives_no_ratio_and_says_why(bertillon, files) -> None:
    (files / "bare.json").write_text('{"calibrator": "temperature", "temperature": 2.0}')
    (files / "use.csv").write_text("p\n0.9\n")
    ran = bertillon("calibrate", "apply", "bare.json", "use.csv", "-o", "out.csv")
    assert (ran.code, pl.read_csv("out.csv").columns) == (0, ["p", "calibrated"])
    assert "No llr: the calibrator file does not state the share of positives" in ran.out
    assert pl.read_csv("out.csv")["calibrated"].item() == pytest.approx(0.75)  # odds 9 to 1, their root 3 to 1


def test_figures_need_a_truth(bertillon, files) -> None:
    bertillon("calibrate", "fit", "dev.csv", "-o", "cal.json")
    (files / "use.csv").write_text("p\n0.9\n")
    ran = bertillon("calibrate", "apply", "cal.json", "use.csv", "-o", "out.csv", "--figures", "f")
    assert (ran.code, Path("out.csv").exists()) == (2, False)


@pytest.mark.parametrize("grouped", [True, False])
def test_held_out_folds_against_a_loop_by_hand(monkeypatch, grouped) -> None:
    """Each sample is calibrated once, by what was fitted to none of its fold; groups are never divided."""
    held = over_confident(5, 90)
    people = np.repeat(np.arange(30), 3) if grouped else None
    predictions = bt.Predictions.from_probabilities(held["y_true"], held["p"], groups=people)
    learnt: list[bt.Predictions] = []

    def fit(kind: str, part: bt.Predictions):
        learnt.append(part)
        return fit_calibrator(kind, part)

    monkeypatch.setattr("bertillon.analysis.calibration.fit_calibrator", fit)
    made = cross_calibrated("platt", predictions, folds=6, seed=3)
    assert len(learnt) == 6
    seen = np.zeros(90, dtype=int)
    for part in learnt:
        out = ~np.isin(predictions.probabilities, part.probabilities)
        seen += out
        assert grouped or abs(predictions.truth[out].mean() - predictions.truth.mean()) <= 1 / 15  # folds are alike
        assert not grouped or not set(people[out]) & set(people[~out])
        expected = fit_calibrator("platt", part).calibrate(predictions.probabilities[out])
        assert np.array_equal(made.probabilities[out], expected)
    assert (seen == 1).all()
    assert made.size == 90


def test_folds_of_several_classes_and_too_few_of_them() -> None:
    held = over_confident_animals(6, 90)
    columns = np.column_stack([held[f"p_{name}"] for name in ("cat", "dog", "owl")])
    several = bt.Predictions.from_probabilities(held["y_true"], columns, classes=["cat", "dog", "owl"])
    made = cross_calibrated("isotonic", several, folds=3)
    assert made.probabilities.shape == (90, 3)
    assert np.allclose(made.probabilities.sum(axis=1), 1)
    lonely = bt.Predictions.from_probabilities([0, 1, 0, 1], [0.1, 0.9, 0.2, 0.8], groups=["a"] * 4)
    with pytest.raises(bt.InputError, match="two groups or more"):
        cross_calibrated("platt", lonely)
    single = bt.Predictions.from_probabilities([0, 0, 0, 1], [0.1, 0.9, 0.2, 0.8])
    with pytest.raises(bt.InputError, match=r"fold \d of 4: .*both positives and negatives.*; use fewer folds"):
        cross_calibrated("platt", single, folds=4)
