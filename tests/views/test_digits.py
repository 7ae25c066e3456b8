"""A number has the same digits wherever it stands in a document."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from views.page.cases import verified

from bertillon.core import Message, say
from bertillon.measures import Result
from bertillon.render import html_text, markdown_text
from bertillon.stats import Interval, compare_systems
from bertillon.views import Estimate, ReportContent, Unit, page_of, quoted, shown


def sure(name: str, shift: float, seed: int, width: float):
    evaluation = verified(name, shift, seed=seed)
    ends = {
        measure: Interval(max(result.value - width, 0.0), result.value + width, method="by hand")
        for measure, result in evaluation.results.items()
    }
    return replace(evaluation, intervals=ends)


@pytest.mark.parametrize("width", [0.02, 0.002])
def test_the_equal_error_rate_of_each_system_has_the_digits_of_its_interval(width: float) -> None:
    systems = [sure("old", 2.0, 1, width), sure("new", 3.0, 5, width)]
    versus = compare_systems([one.trials for one in systems], ["EER", "FNMR@FMR=0.01"], by=["row"], paired=False)
    page = page_of(ReportContent.of(systems, versus))
    text = re.sub(r"<script.*?</script>", "", html_text(page), flags=re.DOTALL) + markdown_text(page)
    for system in systems:
        for measure in ("EER", "FNMR@FMR=0.01"):
            value = 100 * system[measure].value
            written = set(re.findall(rf"(?<![\d.\-+]){int(value)}\.\d+(?=[\s\u00a0]%)", text))
            decimals = 1 if width == 0.02 else 2
            near = {number for number in written if abs(float(number) - value) < 0.06}
            assert near == {f"{value:.{decimals}f}"}, (system.name, measure)


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (0.167, 0.12, 0.23, "16.7\u00a0%"),  # two digits of the width alone would be 17 %
        (0.043, 0.031, 0.059, "4.3\u00a0%"),
        (0.0435, 0.0411, 0.0459, "4.35\u00a0%"),
        (1.0, 0.69, 1.0, "100\u00a0%"),
        (0.98333, 0.89, 1.0, "98.3\u00a0%"),
    ],
)
def test_rates_below_each_other_have_a_decimal_by_hand(value: float, low: float, high: float, text: str) -> None:
    assert str(shown(Estimate(Result(value), Interval(low, high)), Unit.RATE)) == text
    assert str(shown(Estimate(Result(value), Interval(low, high)), Unit.NUMBER)) != text


def test_a_value_that_only_looks_like_one_is_left_alone() -> None:
    one = sure("old", 2.0, 1, 0.02)
    value = one["EER"].value
    same = say("verdict.at_fpir", fpir=value, split=say("verdict.rate", name="EER", value=value, band="b"))
    said = quoted(same, [one])
    assert isinstance(said, Message)
    assert said.values["fpir"] == value  # no rate in percent
    assert said.values["split"].values["value"] == f"{100 * value:.1f}"


def test_without_an_interval_a_number_has_four_digits_everywhere() -> None:
    one = verified("old", 2.0)
    text = markdown_text(page_of(ReportContent([one]))).replace("\u00a0", " ")
    value = 100 * one["EER"].value
    assert f"EER {value:.4g} %: " in text  # the verdict
    assert f"| {value:.4g} % |" in text  # the table
    assert f"{value:.3g} %" == f"{value:.4g} %" or f"{value:.3g} %" not in text
