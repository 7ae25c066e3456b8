"""What is said of a number agrees with its interval: bounds of zero, verdicts, presets and warnings.

Evaluations are small and random, of scores that are small whole numbers, with and without people who recur. What the
terminal and the page say is held against the numbers that JSON has.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

import bertillon as bt
from bertillon.advice import PRESETS
from bertillon.evaluation import Evaluation
from bertillon.render import markdown_text, terminal_text
from bertillon.trials import TrialIds
from bertillon.views import ReportContent, page_of

PRESET = PRESETS["consumer"]
ASKED = {
    "verification": ("EER", *PRESET.measures, "FMR@t=3", "FNMR@t=3", "HTER@FMR=0.1", "FMR@FNMR=0.25"),
    "identification": ("EERopen", "RR", "DIR@FPIR=0.1,k=1", "FNIR@FPIR=0.1,k=1", "FPIR@t=3"),
    "classification": ("AUC", "Kappa", "Accuracy", "FNR", "FPR", "FNR@FPR=0.1", "Brier", "F1"),
}
UP_TO = {  # the bands as they are documented
    "EER": {
        0.01: "excellent",
        0.05: "good",
        0.1: "acceptable where errors are not critical",
        0.2: "weak",
        1.0: "poor, not usable as it is",
    },
    "Kappa": {
        -math.ulp(0.0): "worse than chance",
        0.2: "slight",
        0.4: "fair",
        0.6: "moderate",
        0.8: "substantial",
        1.0: "almost perfect",
    },
    "AUC": {
        math.nextafter(0.5, 0): "reversed, worse than chance",
        0.5: "no better than chance",
        math.nextafter(0.7, 0): "weak",
        math.nextafter(0.8, 0): "acceptable",
        math.nextafter(0.9, 0): "good",
        math.nextafter(1.0, 0): "excellent",
        1.0: "perfect",
    },
}
BOUND = re.compile(r"\b0 \(< ([\d.]+) %\)")
INTERVAL = re.compile(r"(-?[\d.]+) to (-?[\d.]+)( %)?")
VERDICT = re.compile(r"(EER|AUC|Kappa) (-?[\d.e-]+)(?: %)?: ([^(]*) \((?:our rule of thumb|agreement)")
ANSWER = re.compile(r"consumer: (met|not met|cannot be decided)(, but no interval)?")
ONE_SIDED = re.compile(r"Treat (.*?) as a bound\.")
SCORE = st.integers(0, 6)


@pytest.fixture(autouse=True, scope="module")
def tiny_data_are_judged() -> Iterator[None]:
    """Numbers of so few trials are never called good or poor; what is said of more is checked on these."""
    with pytest.MonkeyPatch.context() as patch:
        for view in ("verification", "classification"):
            patch.setattr(f"bertillon.views.{view}.FEWEST_JUDGED", 0)
        yield


@st.composite
def comparisons(draw: st.DrawFn) -> bt.ScoreSet:
    mated = draw(st.lists(SCORE, min_size=1, max_size=8))
    nonmated = draw(st.lists(SCORE, min_size=1, max_size=12))
    if draw(st.booleans()):
        return bt.ScoreSet(mated, nonmated)
    person = st.integers(0, 3)
    owners = draw(st.lists(person, min_size=len(mated), max_size=len(mated)))
    pairs = draw(st.lists(st.tuples(person, st.integers(1, 3)), min_size=len(nonmated), max_size=len(nonmated)))
    probes, references = ([who for who, _ in pairs], [(who + further) % 4 for who, further in pairs])
    return bt.ScoreSet(mated, nonmated, mated_ids=TrialIds(owners, owners), nonmated_ids=TrialIds(probes, references))


@st.composite
def searches(draw: st.DrawFn) -> bt.SearchSet:
    rows = draw(st.lists(st.tuples(st.booleans(), SCORE, SCORE, st.integers(0, 3)), min_size=2, max_size=12))
    enrolled, mate, other, who = (np.array(column) for column in zip(*rows, strict=True))
    top = np.where(enrolled, np.maximum(mate, other), other)
    better, equal = (other > mate).astype(int), (other == mate).astype(int)
    people = who if draw(st.booleans()) else None
    return bt.SearchSet(enrolled, mate, better, equal, top, other, gallery_size=5, probe_subject=people)


@st.composite
def predictions(draw: st.DrawFn) -> bt.Predictions:
    rows = draw(st.lists(st.tuples(st.integers(0, 1), SCORE, st.integers(0, 3)), min_size=2, max_size=12))
    truth, scores, groups = (np.array(column) for column in zip(*rows, strict=True))
    truth[:2] = 0, 1
    return bt.Predictions.from_probabilities(truth, scores / 6, groups=groups if draw(st.booleans()) else None)


@st.composite
def evaluations(draw: st.DrawFn) -> Evaluation[Any, Any]:
    trials = draw(st.one_of(comparisons(), searches(), predictions()))
    evaluation = bt.evaluate(trials, ASKED[trials.kind])
    if draw(st.integers(0, 4)) == 0:
        return evaluation
    by_group = getattr(trials, "groups", None) is not None
    return evaluation.with_intervals(resamples=20, by_group=by_group)


def on_terminal(evaluation: Evaluation[Any, Any]) -> str:
    preset = PRESET if evaluation.kind == "verification" else None
    content = ReportContent(**{evaluation.kind: [evaluation]}, preset=preset)
    output = io.StringIO()
    Console(file=output, width=1000, color_system=None).print(terminal_text(content, explain=True))
    return output.getvalue()


def on_page(evaluation: Evaluation[Any, Any]) -> str:
    preset = PRESET if evaluation.kind == "verification" else None
    text = markdown_text(page_of(ReportContent(**{evaluation.kind: [evaluation]}, preset=preset)))
    return text.replace("\u00a0", " ").replace("\\", "")


def ends_of(row: Mapping[str, Any]) -> tuple[float, float] | None:
    """The interval as JSON has it."""
    return tuple(row["interval"]) if row.get("interval") else None


def agree(shown: str, number: float) -> bool:
    """Is it the number, to the digits that are shown?"""
    decimals = len(shown.partition(".")[2])
    return abs(float(shown) - number) <= 0.500001 * 10.0**-decimals


def check_bounds(text: str, rows: Mapping[str, Mapping[str, Any]]) -> None:
    """A bound of zero is the end of the interval beside it, which is the one that JSON has."""
    for line in text.splitlines():
        cells = re.split(r"\s{2,}|\s*\|\s*", line.strip(" |"))
        row = rows.get(cells[0])
        ends, interval, bound = row and ends_of(row), INTERVAL.search(line), BOUND.search(line)
        if bound:
            assert interval, line
            assert bound[1] == interval[2], line
            assert 0.0 < float(bound[1]) < 100.0, line
        if row and interval:
            assert ends, line
            factor = 100.0 if interval[3] else 1.0
            assert all(agree(interval[side + 1], factor * ends[side]) for side in (0, 1)), (line, ends)


def check_verdicts(text: str, rows: Mapping[str, Mapping[str, Any]]) -> None:
    """A verdict names the bands of both ends, one where they are the same."""
    said = {name: words for name, _, words in VERDICT.findall(text)}
    assert set(said) == {name for name in UP_TO if name in rows and rows[name]["value"] is not None}
    for name, words in said.items():
        value, ends = rows[name]["value"], ends_of(rows[name])
        if ends is None:
            assert words == f"{band(name, value)}, but no interval"
        else:
            low, high = band(name, min(ends[0], value)), band(name, max(ends[1], value))
            assert words == (low if low == high else f"between {low} and {high}")


def band(name: str, value: float) -> str:
    return next(word for limit, word in UP_TO[name].items() if value <= limit)


def check_preset(text: str, rows: Mapping[str, Mapping[str, Any]]) -> None:
    """A limit is met or not met by every value that the interval holds."""
    known = [row for name, row in rows.items() if name in PRESET.measures and row["value"] is not None]
    least = min(row["value"] for row in known)
    answers = set(ANSWER.findall(text))
    assert len(answers) == 1
    answer, unsure = next(iter(answers))
    ends = [ends for row in known if row["value"] == least and (ends := ends_of(row))]
    assert bool(unsure) == (not ends)
    if ends and answer == "met":
        assert min(high for _, high in ends) <= PRESET.tolerable
    elif ends and answer == "not met":
        assert min(low for low, _ in ends) > PRESET.tolerable
    elif not ends:
        assert (answer == "met") == (least <= PRESET.tolerable)


def check_warnings(text: str, rows: Mapping[str, Mapping[str, Any]]) -> None:
    """A value is called a bound where its interval is open at one end."""
    for names in ONE_SIDED.findall(text):
        for name in re.findall(r"[\w\[\]]+@\w+=[\d.]+(?:,k=1)?", names):
            ends, value = ends_of(rows[name]), rows[name]["value"]
            assert ends, name
            assert ends[0] <= 0.0 or ends[1] >= 1.0 or not ends[0] < value < ends[1], name


def check(evaluation: Evaluation[Any, Any]) -> None:
    rows = {row["name"]: row for row in evaluation.to_dict()["measures"]}
    for text in (on_terminal(evaluation), on_page(evaluation)):
        check_bounds(text, rows)
        check_verdicts(text, rows)
        check_warnings(text, rows)
        if evaluation.kind == "verification":
            check_preset(text, rows)
        if not evaluation.intervals:
            assert "(<" not in text


@settings(max_examples=50)
@given(evaluations())
def test_what_is_said_agrees_with_the_intervals(evaluation: Evaluation[Any, Any]) -> None:
    check(evaluation)


@pytest.mark.slow
@settings(max_examples=1000)
@given(evaluations())
def test_what_is_said_agrees_with_the_intervals_of_a_thousand_evaluations(evaluation: Evaluation[Any, Any]) -> None:
    check(evaluation)


SAME: dict[str, Sequence[tuple[str, ...]]] = {  # of each the first, and others that are the same number or 1 less it
    "verification": [
        ("FNMR@FMR=0.25", "FRR@FAR=0.25", "-TMR@FMR=0.25", "-GAR@FAR=0.25", "FNMR@TNMR=0.75"),
        ("FNMR@FMR=0.1", "FMR10", "FRR@FMR=0.1"),
        ("FNMR@FMR=0", "ZeroFMR"),
        ("FMR@t=3", "FAR@t=3", "-TNMR@t=3", "-GRR@t=3"),
    ],
    "identification": [("FNIR@FPIR=0.25,k=1", "-DIR@FPIR=0.25,k=1"), ("FNIR@t=3,k=1", "-DIR@t=3,k=1")],
    "classification": [("FNR@FPR=0.25", "-Recall@FPR=0.25", "FNR@Specificity=0.75"), ("FPR", "-Specificity")],
}
WHOLE_SYSTEM = [("FRR@FAR=0.25", "GFRR(fte=0)@FAR=0.25"), ("FAR@t=3", "GFAR(fte=0)@t=3")]


def check_spellings(trials: Any, alike: Sequence[tuple[str, ...]]) -> None:
    names = [name.removeprefix("-") for group in alike for name in group]
    evaluation = bt.evaluate(trials, names).with_intervals(resamples=20)
    for first, *others in alike:
        expected = evaluation.intervals[str(evaluation.measure_set.parse(first))]
        for other in others:
            found = evaluation.intervals[str(evaluation.measure_set.parse(other.removeprefix("-")))]
            found = found.complement if other.startswith("-") else found
            ends = (found.low, found.high), (expected.low, expected.high)
            np.testing.assert_allclose(*ends, atol=1e-12, err_msg=f"{first} and {other}")


@settings(max_examples=50)
@given(st.one_of(comparisons(), searches(), predictions()))
def test_two_spellings_of_a_number_have_one_interval(trials: Any) -> None:
    check_spellings(trials, SAME[trials.kind])


@pytest.mark.slow
@settings(max_examples=1000)
@given(st.one_of(comparisons(), searches(), predictions()))
def test_two_spellings_of_a_number_have_one_interval_in_a_thousand_evaluations(trials: Any) -> None:
    check_spellings(trials, SAME[trials.kind])


@settings(max_examples=50)
@given(comparisons())
def test_rates_of_a_whole_system_in_which_nothing_fails_have_the_interval_of_the_rate(scores: bt.ScoreSet) -> None:
    check_spellings(scores, WHOLE_SYSTEM)
