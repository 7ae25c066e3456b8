"""Error curves without scores: what they answer, by hand, and what they cannot."""

from __future__ import annotations

import math

import numpy as np
import pytest
from measures.others import CrossingGap, ErrorsAt, LargestMean

import bertillon as bt
from bertillon.io import read, sniff

COURSE = [  # threshold, FAR, FRR
    (0.1, 0.25, 0.001),
    (0.2, 0.1, 0.005),
    (0.3, 0.05, 0.015),
    (0.4, 0.02, 0.035),
    (0.5, 0.01, 0.07),
    (0.6, 0.005, 0.15),
]


def put(tmp_path, rows, header="threshold,FMR,FNMR", name="curve.csv"):
    path = tmp_path / name
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def test_the_equal_error_rate_of_a_table_by_hand(tmp_path):
    found = bt.evaluate(
        bt.counting.read_curve(put(tmp_path, COURSE)), ["EER", "EER[nearest]", "EER[fvc-low]", "EER[fvc-high]"]
    )
    assert found["EER"].value == pytest.approx(0.029, abs=1e-12)
    assert found["EER"].threshold == pytest.approx(0.37, abs=1e-12)
    assert (found["EER[nearest]"].value, found["EER[nearest]"].threshold) == (pytest.approx(0.0275), 0.4)
    assert (found["EER[fvc-low]"].value, found["EER[fvc-high]"].value) == (0.02, 0.035)


def test_a_point_at_which_both_rates_are_equal_by_hand(tmp_path):
    rows = [(1, 0.5, 0.1), (2, 0.2, 0.2), (3, 0.2, 0.2), (4, 0.1, 0.3)]
    found = bt.evaluate(bt.counting.read_curve(put(tmp_path, rows)), "EER")["EER"]
    assert (found.value, found.threshold) == (0.2, 3.0)


@pytest.mark.parametrize("rows", [COURSE[:3], COURSE[3:]])
def test_rates_that_do_not_meet_have_no_equal_error_rate(tmp_path, rows):
    for measure in ("EER", "EER[nearest]"):
        result = bt.evaluate(bt.counting.read_curve(put(tmp_path, rows)), measure)[measure]
        assert math.isnan(result.value)
        assert str(result.reason) == "FMR and FNMR do not meet between the listed points"


@pytest.mark.parametrize(
    ("far", "frr", "area"),
    [
        ((0, 0.01, 0.03, 0.08, 0.15, 0.3, 1), (1, 0.4, 0.2, 0.1, 0.05, 0.02, 0), 0.962),
        ((0, 0.02, 0.05, 0.1, 0.2, 0.4, 1), (1, 0.5, 0.3, 0.15, 0.08, 0.03, 0), 0.93025),
    ],
)
def test_the_area_of_listed_points_by_hand(tmp_path, far, frr, area):
    curve = bt.counting.read_curve(put(tmp_path, zip(far, frr, strict=True), "FAR,FRR"))
    found = bt.evaluate(curve, ["AUC", "Gini", "pAUC@FMR=0.3"])
    assert found["AUC"].value == pytest.approx(area, abs=1e-12)
    assert found["Gini"].value == pytest.approx(2 * area - 1, abs=1e-12)
    assert 0 < found["pAUC@FMR=0.3"].value < 0.3
    assert found["AUC"].threshold is None


def test_operating_points_are_read_at_listed_points_by_hand(tmp_path):
    at_rates = (
        "FNMR@FMR=0.03",
        "FMR@FNMR=0.05",
        "TMR@FMR=0.03",
        "FNMR[nearest]@FMR=0.04",
        "FNMR[interpolated]@FMR=0.035",
    )
    others = ("FMR@t=0.2", "HTER@t=0.2", "minHTER", "minDCF(p=0.5,cmiss=1,cfa=1)", "FMR100")
    found = bt.evaluate(bt.counting.read_curve(put(tmp_path, COURSE)), [*at_rates, *others])
    assert (found["FNMR@FMR=0.03"].value, found["FNMR@FMR=0.03"].threshold) == (0.035, 0.4)
    assert (found["FMR@FNMR=0.05"].value, found["FMR@FNMR=0.05"].threshold) == (0.02, 0.4)
    assert found["TMR@FMR=0.03"].value == 0.965
    assert found["FNMR[nearest]@FMR=0.04"].value == 0.015
    assert found["FNMR[interpolated]@FMR=0.035"].value == pytest.approx(0.025)
    assert found["FMR@t=0.2"].value == 0.1
    assert found["HTER@t=0.2"].value == pytest.approx(0.0525)
    assert found["minHTER"].value == pytest.approx(0.0275)
    assert found["minDCF(p=0.5,cmiss=1,cfa=1)"].value == pytest.approx(0.055)
    assert found["FMR100"].value == 0.07
    assert all(one.errors is None and one.trials is None for one in found.results.values())


@pytest.mark.parametrize(
    ("measure", "reason"),
    [
        ("dprime", "the file holds a curve, not scores"),
        ("Cllr", "the file holds a curve, not scores"),
        ("FNM@t=0.2", "the file holds a curve, not scores"),
        ("EER[hull]", "the file holds a curve, not scores"),
        ("FMR@t=0.25", "threshold 0.25 is not listed"),
        ("actDCF(p=0.1,cmiss=1,cfa=1)", "is not listed"),
        ("ZeroFMR", "no listed point reaches FMR = 0"),
        ("ZeroFNMR", "no listed point reaches FNMR = 0"),
        ("FNMR@FMR=0.001", "no listed point reaches FMR = 0.001"),
        ("AUC", "does not reach from FMR = 0 to FMR = 1"),
        ("pAUC@FMR=0.1", "does not reach FMR = 0"),
    ],
)
def test_what_a_curve_cannot_answer_is_undefined_with_the_reason(tmp_path, measure, reason):
    result = bt.evaluate(bt.counting.read_curve(put(tmp_path, COURSE)), measure)[measure]
    assert math.isnan(result.value)
    assert reason in str(result.reason)
    assert result.threshold is None


def test_a_measure_of_another_package_is_read_of_a_curve_if_it_reads_rates_alone_by_hand(tmp_path):
    found = bt.evaluate(bt.counting.read_curve(put(tmp_path, COURSE)), [LargestMean(), CrossingGap(), ErrorsAt(0.25)])
    assert found[LargestMean()].value == pytest.approx(math.sqrt(0.98 * 0.965), abs=1e-12)
    assert str(found[CrossingGap()].reason) == "the file holds a curve, not scores"
    assert "threshold 0.25 is not listed" in str(found[ErrorsAt(0.25)].reason)


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("thr;FAR (%);FRR (%)", [(t, 100 * f, 100 * r) for t, f, r in COURSE]),
        ("fpr;tpr;thresholds", [(f, 1 - r, t) for t, f, r in COURSE[::-1]]),
        ("Threshold;False Match Rate;GAR;n", [(t, f, 1 - r, 7) for t, f, r in COURSE]),
    ],
)
def test_names_percent_and_order_do_not_matter(tmp_path, header, rows):
    path = put(tmp_path, rows, header.replace(";", ","))
    assert sniff(path) == "curve"
    curve = bt.counting.read_curve(path)
    assert curve.threshold.tolist() == [t for t, _, _ in COURSE]
    np.testing.assert_allclose(curve.fmr, [f for _, f, _ in COURSE])
    np.testing.assert_allclose(curve.fnmr, [r for _, _, r in COURSE], atol=1e-15)
    assert curve.rule is bt.AcceptRule.SIMILARITY


def test_thresholds_that_grow_with_fmr_are_distances(tmp_path):
    curve = bt.counting.read_curve(put(tmp_path, [(-t, f, r) for t, f, r in COURSE]))
    assert curve.rule is bt.AcceptRule.DISTANCE
    found = bt.evaluate(curve, "EER")["EER"]
    assert found.value == pytest.approx(0.029)
    assert found.threshold == pytest.approx(-0.37)


def test_the_whole_curve_of_scores_answers_as_the_scores_do_against_scores(tmp_path):
    """Where every distinct score is listed, both are the same."""
    rng = np.random.default_rng(0)
    scores = bt.ScoreSet(rng.normal(2, 1, 50).round(2), rng.normal(0, 1, 70).round(2))
    whole = bt.counting.error_curve(scores)
    curve = bt.counting.read_curve(put(tmp_path, zip(whole.threshold, whole.fmr, whole.fnmr, strict=True)))
    asked = [
        "EER",
        "EER[nearest]",
        "FNMR@FMR=0.05",
        "FMR@FNMR=0.1",
        "ZeroFMR",
        "ZeroFNMR",
        "AUC",
        "minHTER",
        "pAUC@FMR=0.2",
    ]
    found, expected = bt.evaluate(curve, asked), bt.evaluate(scores, asked)
    for name in asked:
        assert found[name].value == pytest.approx(expected[name].value, abs=1e-12), name
        assert found[name].threshold == pytest.approx(expected[name].threshold), name


def test_rates_exported_by_pyeer_against_pyeer(tmp_path):
    pytest.importorskip("pyeer")
    from pyeer.eer_info import get_eer_stats
    from pyeer.report import export_error_rates

    rng = np.random.default_rng(1)
    stats = get_eer_stats(rng.normal(2, 1, 200).tolist(), rng.normal(0, 1, 300).tolist())
    export_error_rates(stats.fmr, stats.fnmr, str(tmp_path / "rates.csv"))
    found = bt.evaluate(bt.counting.read_curve(tmp_path / "rates.csv"), ["EER[nearest]", "FNMR@FMR=0.01", "ZeroFMR"])
    assert found["EER[nearest]"].value == pytest.approx(stats.eer, abs=1e-12)
    assert found["FNMR@FMR=0.01"].value == pytest.approx(stats.fmr100)
    assert found["ZeroFMR"].value == pytest.approx(stats.fmr0)


@pytest.mark.parametrize(
    ("header", "rows", "message"),
    [
        ("threshold,FMR,FNMR", [(1, 25, 0.1)], r"point 1: FMR is 25\.0; a rate goes from 0 to 1, or write % behind"),
        ("threshold,FMR,FNMR", [(1, 0.2, "")], "point 1: FNMR is nan"),
        ("threshold,FMR,FNMR", [("", 0.2, 0.1)], "point 1: threshold is nan"),
        (
            "threshold,FMR,FNMR",
            [(1, 0.5, 0.1), (2, 0.6, 0.2), (3, 0.1, 0.3)],
            "FMR goes from 0.5 to 0.6 between thresholds 1",
        ),
        ("threshold,FMR,FNMR", [(1, 0.5, 0.3), (2, 0.2, 0.2), (3, 0.1, 0.4)], "FNMR goes from 0.3 to 0.2"),
        ("threshold,FMR,FNMR", [(1, 0.5, 0.3), (2, 0.5, 0.3)], "so this is not a curve"),
        ("FMR,FNMR", [(0.5, 0.3), (0.2, 0.1)], "between its points"),
        ("threshold,FMR,FAR,FNMR", [(1, 0.5, 0.5, 0.3)], "each once; found"),
        ("threshold,FMR", [(1, 0.5)], "each once; found"),
        ("threshold,FMR,FNMR", [(1, "x", 0.3)], ":2: score 'x' is not a number"),
    ],
)
def test_what_is_no_curve_says_why(tmp_path, header, rows, message):
    with pytest.raises(bt.InputError, match=message):
        bt.counting.read_curve(put(tmp_path, rows, header))


def test_a_curve_has_no_intervals_and_no_bands(tmp_path):
    found = bt.evaluate(bt.counting.read_curve(put(tmp_path, COURSE)))
    with pytest.raises(bt.InputError, match="so there are no intervals; give the scores"):
        found.with_intervals()
    with pytest.raises(bt.InputError, match="so roc has no band"):
        found.band("roc")


def test_scores_with_rates_beside_them_are_scores(tmp_path):
    assert sniff(put(tmp_path, [(0.5, 1, 0.1, 0.2), (0.25, 0, 0.2, 0.1)], "score,label,FMR,FNMR")) == "csv"


def test_readers_of_scores_say_who_reads_it(tmp_path):
    with pytest.raises(bt.InputError, match="holds an error curve, not scores; bertillon verify and"):
        read(put(tmp_path, COURSE))
