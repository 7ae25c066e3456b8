"""Numbers as people read them, and exports for programs."""

from __future__ import annotations

import json
import math

import pytest

import bertillon as bt
from bertillon.analysis import forecasts
from bertillon.measures import VERIFICATION, Result
from bertillon.render import report_json, safe_name
from bertillon.stats import Interval
from bertillon.views import Cell, Estimate, ReportContent, Unit, errors_text, shown, threshold_text


def written(value: Estimate | Interval | None, unit: Unit) -> str:
    return Cell(value, unit).text.replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("name", "result", "text"),
    [
        ("EER", Result(0.0234567), "2.346 %"),
        ("FNMR@FMR=0.01", Result(0.0, 0.5, 0, 600), "0 %"),
        ("TMR@FMR=0.01", Result(1.0, 0.5, 0, 600), "100 %"),
        ("FNMR@FMR=0.01", Result(0.25, 0.5, 1, 4), "25 %"),
        ("AUC", Result(0.98765), "0.9877"),
        ("FM@t=0.5", Result(1234), "1,234"),
        ("dprime", Result(math.inf), "inf"),
        ("minCost", Result(123456.7), "123457"),
        ("EER", Result.undefined("no mated scores"), "undefined"),
    ],
)
def test_values_by_hand(name: str, result: Result, text: str) -> None:
    assert written(Estimate(result), Unit(VERIFICATION.unit_of(name))) == text


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        (Interval(0.0, 0.1234), "0 (< 12 %)"),
        (Interval(0.0, 0.00613), "0 (< 0.61 %)"),
        (Interval(0.0, 0.9999), "0 %"),
        (Interval(0.0, 1.0), "0 %"),
        (Interval.undefined("one subject alone says nothing about others"), "0 %"),
        (None, "0 %"),
    ],
)
def test_a_zero_is_bounded_by_the_end_of_its_interval_and_by_nothing_else(interval: Interval | None, text: str) -> None:
    """Two trials do not show a rate below 150 %, and people who recur show less than 3 / trials."""
    result = Result(0.0, 0.5, 0, 2)
    assert written(Estimate(result, interval), Unit.RATE) == text
    if "<" in text:
        assert written(interval, Unit.RATE).endswith(text.removeprefix("0 (< ").replace(")", ""))


def test_an_interval_without_width_has_the_digits_of_a_value_by_hand() -> None:
    """The losses of two samples may be equal up to rounding, which are no twelve digits known."""
    for low, high in ((0.1, 0.1), (0.1, math.nextafter(0.1, 1.0))):
        assert written(Interval(low, high), Unit.NUMBER) == "0.1000 to 0.1000"
        assert written(Estimate(Result(0.1), Interval(low, high)), Unit.NUMBER) == "0.1000"
    assert written(Interval(-1e-18, -1e-18), Unit.NUMBER) == "0.0000 to 0.0000"
    assert written(Estimate(Result(-1e-18)), Unit.NUMBER) == "0.0000"
    assert written(Interval(1e-9, 3e-9), Unit.RATE) == "0.00000010 to 0.00000030 %"


def test_percent_and_thresholds_by_hand() -> None:
    assert shown(0.0, Unit.RATE) == "0\u00a0%"
    assert shown(1e-7, Unit.RATE) == "1e-05\u00a0%"
    assert str(threshold_text(math.inf)) == "rejects all"
    assert threshold_text(-12345.678) == "-12345.7"
    assert str(threshold_text(-math.inf)) == "accepts all"
    assert str(errors_text(Result(0.5, None, 1000, 2000))) == "1,000 of 2,000"
    assert errors_text(Result(0.5)) == ""


def test_json_is_strict_for_infinite_thresholds_and_undefined_values() -> None:
    scores = bt.ScoreSet([0.2], [0.9, 0.1], name="<b>")
    evaluation = bt.evaluate(scores, ["ZeroFMR", "GFAR@t=0.5"])
    answer = json.loads(report_json(ReportContent([evaluation])), parse_constant=pytest.fail)
    assert answer["measures"][0]["threshold"] == "inf"
    assert answer["measures"][1]["value"] is None
    assert "enrol" in answer["measures"][1]["reason"]
    assert answer["name"] == "<b>"
    assert answer["warnings"]


def test_forecasts_count_failures_in_by_hand() -> None:
    """SPEC V12 with failures: one of four genuine attempts fails, one of three is rejected: FRR = 2/4."""
    scores = bt.ScoreSet([0.9, 0.8, 0.3, math.nan], [0.5, 0.1, math.nan, 0.2])
    (row,) = forecasts(bt.evaluate(scores, ["FMR@t=0.5", "AUC"]), genuine=100, impostor=40)
    assert (row.far, row.frr) == (0.25, 0.5)
    assert (row.false_accepts, row.false_rejects) == (10.0, 50.0)


def test_file_names_of_systems_are_safe() -> None:
    assert safe_name("../../etc/passwd") == "etc_passwd"
    assert safe_name("") == "system"
    assert len(safe_name("x" * 500)) == 60
