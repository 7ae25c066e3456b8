"""Tables and exports about classifiers: what fits is shown, what does not is summed up."""

from __future__ import annotations

import re

import numpy as np
import pytest
from rich.console import Console

from bertillon.analysis import AtYouden, evaluate_decided
from bertillon.evaluation import by_group, complete_sections, evaluate, per_class
from bertillon.render import LIMITS, WRITERS, class_object, predictions_frame, terminal_text, write_csv
from bertillon.trials import Predictions
from bertillon.views import (
    Cell,
    ClassReport,
    Level,
    Matrix,
    Recalibrated,
    ReportContent,
    Table,
    Unit,
    advice_of,
    document_of,
    shown,
)


def printed(finding: object, width: int = 80, level: Level = Level.ANSWER) -> list[list[str]]:
    console = Console(width=width, no_color=True)
    with console.capture() as capture:
        console.print(terminal_text(finding, level))
    return [line.split() for line in capture.get().splitlines() if line.strip()]


def content_of(*reports: ClassReport) -> ReportContent:
    return ReportContent(classification=[report.evaluation for report in reports], class_reports=reports)


def blocks(content: ReportContent, kind: type, level: Level = Level.ANSWER) -> list:
    """Blocks of the answer."""
    return [
        block for section in document_of(content, level).sections for block in section.blocks if type(block) is kind
    ]


def confusions(made: Predictions) -> list[list[Cell]]:
    [matrix] = blocks(ReportContent(classification=[evaluate(made)]), Matrix)
    return [list(row) for row in matrix.cells]


def texts(cells: list[Cell]) -> list[tuple[str, str]]:
    return [(cell.text, str(cell.note[0]).replace("\u00a0", " ")) for cell in cells]


def reported(made: Predictions, rule=None) -> ClassReport:
    sections = complete_sections(made, decided=True)
    evaluation = evaluate_decided(made, [name for names in sections.values() for name in names], rule=rule)
    return ClassReport(evaluation, sections, rule, advice=advice_of(evaluation, rule, costs=None))


def confused(classes: list[str], n: int = 400) -> Predictions:
    rng = np.random.default_rng(2)
    truth = rng.choice(classes, n)
    return Predictions.from_labels(truth, np.where(rng.random(n) < 0.8, truth, rng.choice(classes, n)), classes=classes)


def test_four_outcomes_by_hand():
    """SPEC K1: MCC's example, TP 4 TN 90 FP 5 FN 1, each with its share of the true class."""
    truth, called = [1] * 5 + [0] * 95, [1] * 4 + [0] + [1] * 5 + [0] * 90
    positives, negatives = confusions(Predictions.from_labels(truth, called))
    assert texts(positives) == [("TP 4", "80 %"), ("FN 1", "20 %")]
    assert texts(negatives) == [
        ("FP 5", "5.263 %"),
        ("TN 90", "94.74 %"),
    ]  # four digits without an interval, as everywhere


def test_two_classes_have_their_totals_wherever_the_matrix_is_shown():
    truth, called = [1] * 5 + [0] * 95, [1] * 4 + [0] + [1] * 5 + [0] * 90
    content = ReportContent(classification=[evaluate(Predictions.from_labels(truth, called))])
    rows = printed(content)
    assert ["1", "TP", "4", "80", "%", "FN", "1", "20", "%", "5"] in rows
    assert ["all", "9", "91", "100"] in rows
    markdown = WRITERS[".md"](content, "it")
    assert "| tutti | 9 | 91 | 100 |" in markdown
    assert [cell.text for cell in blocks(content, Matrix)[0].sums[1]] == ["9", "91", "100"]
    assert re.findall(r'scope="row">all</th>\s*<td class="number">(\d+)</td>', WRITERS[".html"](content, "en")) == ["9"]


def test_sums_of_weights_are_no_counts():
    [first, _] = confusions(Predictions.from_labels([1, 0], [1, 0], weights=[0.25, 1.5]))
    assert texts(first[:1]) == [("TP 0.25", "100 %")]
    assert [str(shown(x, Unit.COUNT)) for x in (1234, 1234.5, 0.1 + 0.2)] == ["1,234", "1,234.5", "0.3"]


@pytest.mark.parametrize(("classes", "whole"), [(5, True), (10, True), (20, False), (40, False), (3000, False)])
def test_a_matrix_that_does_not_fit_gives_way_to_its_largest_confusions(classes, whole):
    evaluation = evaluate(confused([f"{place}" for place in range(classes)]))
    rows = printed(ReportContent(classification=[evaluation]))
    first = next(place for place, row in enumerate(rows) if row[0] == "true")
    if whole:
        assert rows[first] == ["true", "\\", "predicted", *(str(place) for place in range(classes))]
    else:
        counts = [int(row[2]) for row in rows[first + 1 : first + 11]]
        assert len(counts) == 10
        assert counts == sorted(counts, reverse=True)
        assert "largest" in rows[first + 11]


def test_long_names_take_the_place_of_the_matrix_and_are_whole():
    names = [letter * 30 for letter in "abcd"]
    text = " ".join(word for row in printed(ReportContent(classification=[evaluate(confused(names))])) for word in row)
    assert "the 10 largest" in text
    assert all(name in text for name in names)


def test_without_confusions_that_is_said():
    labels = [f"{place}" for place in range(50)]
    evaluation = evaluate(Predictions.from_labels(labels, labels))
    assert ["no", "confusions", "among", "50", "classes"] in printed(ReportContent(classification=[evaluation]))


def test_of_many_classes_the_worst_are_shown_in_the_answer_and_all_on_the_page():
    report = reported(confused([f"{place}" for place in range(50)], 2000))
    [table] = [each for each in blocks(content_of(report), Table) if each.id == "classes-0"]
    assert "20 of 50 classes" in table.note
    worst = per_class(report.evaluation.tally).sort("F1")["class"][0]
    assert table.rows[0][0].text == worst
    assert [row[0].text for row in table.rows[-3:]] == ["[macro]", "[micro]", "[weighted]"]
    [whole] = [each for each in blocks(content_of(report), Table, Level.APPENDIX) if each.id == "classes-0"]
    assert len(whole.rows) == 53


def test_of_many_groups_the_largest_are_shown():
    rng = np.random.default_rng(0)
    groups = np.append(rng.integers(0, 40, 499), 7)
    made = Predictions.from_labels(rng.integers(0, 2, 500), rng.integers(0, 2, 500), groups=groups)
    evaluation = evaluate(made)
    content = content_of(ClassReport(evaluation, {}, groups=by_group(evaluation)))
    [table] = [each for each in blocks(content, Table) if each.id == "groups-0"]
    assert "20 of 40 groups" in table.note
    assert [row[1].exact for row in table.rows] == sorted(np.bincount(groups), reverse=True)[:20]


def test_columns_that_say_nothing_are_left_out():
    made = Predictions.from_probabilities([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])
    rows = printed(content_of(reported(made)), level=Level.DETAIL)
    assert ["measure", "value", "threshold", "errors"] in rows  # decisions have both
    assert rows.count(["measure", "value"]) == 2  # ranking and probabilities have neither


def test_what_was_chosen_here_is_warned_of():
    made = Predictions.from_scores([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0])
    chosen = reported(made, AtYouden())
    assert chosen.chosen_here
    assert any("tuned on the same data" in str(warning) for warning in chosen.warnings)
    nothing = reported(Predictions.from_scores([1, 1], [4.0, 3.0]), AtYouden())
    assert not nothing.chosen_here  # without negatives nothing was
    assert class_object(nothing)["decision"] is None


def test_curves_of_a_large_set_are_outlines(tmp_path, monkeypatch):
    monkeypatch.setattr(LIMITS, "exported_points", 50)
    rng = np.random.default_rng(0)
    made = Predictions.from_probabilities(rng.integers(0, 2, 500), rng.random(500))
    written = {path.stem: path for path in write_csv([reported(made)], tmp_path)}
    assert len(written["risk-coverage"].read_text().splitlines()) <= 52
    assert len(written["roc"].read_text().splitlines()) == 502  # every distinct score, none, and the header


def test_predictions_as_a_table_by_hand():
    made = Predictions.from_probabilities(["b", "a"], [0.25, 0.5], positive="b", weights=[1, 2], groups=["x", "y"])
    frame = predictions_frame(made)
    assert frame.columns == ["y_true", "p_b", "weight", "group"]
    assert frame.rows() == [("b", 0.25, 1.0, "x"), ("a", 0.5, 2.0, "y")]
    usual = predictions_frame(Predictions.from_probabilities([1, 0], [0.25, 0.5]))
    assert usual.columns == ["y_true", "p"]


def test_an_undefined_change_is_said():
    from bertillon.analysis import Platt, calibrated, calibration_table

    before = Predictions.from_scores([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0])
    rows = printed(Recalibrated(before, calibration_table(before, calibrated(before, Platt(1.0, -2.5)))))
    loss = next(row for row in rows if row[0] == "LogLoss")
    assert loss[:2] == ["LogLoss", "undefined"]
    assert float(loss[2]) > 0
