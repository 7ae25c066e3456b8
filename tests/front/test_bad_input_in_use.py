"""What rates in use are asked with: whatever cannot be is refused in words that say what to pass instead."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bertillon as bt
from bertillon import analysis

FACES = bt.TemplateTable(np.eye(12), np.repeat(["a", "b", "c", "d"], 3))
PLAN = bt.Comparing.plan(FACES, "cosine")
EXAMPLES = Path(__file__).parents[2] / "examples"
SCORES = bt.ScoreSet([0.9, 0.8, 0.4], [0.1, 0.2, 0.5])
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "a matrix without subjects": (
        lambda: bt.fpir_by_gallery(np.eye(3), [2]),
        "expected a ScoreMatrix, or templates",
    ),
    "text as a size": (lambda: bt.fpir_by_gallery(PLAN, ["a"]), r"such as \[10, 100, 1000\]"),
    "one size": (
        lambda: bt.fpir_by_gallery(PLAN, 5),
        r"gallery sizes are the single number 5; expected whole",
    ),
    "no sizes": (lambda: bt.fpir_by_gallery(PLAN, None), "gallery sizes are None; expected whole"),
    "a size with a fraction": (
        lambda: bt.fpir_by_gallery(PLAN, [2.5]),
        "gallery size 2.5: expected a whole number",
    ),
    "a larger gallery": (lambda: bt.fpir_by_gallery(PLAN, [40]), "at most 3.*can only be extrapolated"),
    "text as a target": (
        lambda: bt.fpir_by_gallery(PLAN, [2], targets=["x"]),
        "expected rates of false alarms",
    ),
    "one target": (lambda: bt.fpir_by_gallery(PLAN, [2], targets=0.1), "targets are the single number 0.1"),
    "one threshold": (lambda: bt.fpir_by_gallery(PLAN, [2], thresholds=0.5), "expected scores, such as"),
    "text as draws": (
        lambda: bt.fpir_by_gallery(PLAN, [2], draws="x"),
        "draws is the text 'x'; expected a whole",
    ),
    "text as a seed": (
        lambda: bt.fpir_by_gallery(PLAN, [2], seed="x"),
        "seed is the text 'x'; expected a whole",
    ),
    "a list as trials of a scheme": (lambda: bt.analysis.check_scheme([0.1], "fido"), "the trials are a list of 1"),
    "text as a threshold": (
        lambda: bt.analysis.check_scheme(SCORES, "fido", threshold="x"),
        "threshold is the text 'x'",
    ),
    "a list as trials of conditions": (
        lambda: bt.analysis.by_condition([1], {"a": [1]}),
        "expected trials, such as a ScoreSet",
    ),
    "the name of a column": (
        lambda: bt.analysis.by_condition(SCORES, "light"),
        "expected a column of values for each condition",
    ),
    "a path as transactions": (lambda: bt.analysis.transactions("gate.csv"), "expected a table of comparisons"),
    "scores as transactions": (lambda: bt.analysis.transactions(SCORES), "what holds the attempts is a ScoreSet"),
    "no budget": (lambda: analysis.budgets_of(bt.evaluate(SCORES), None), "budget is None; expected a Budget"),
    "text in a budget": (lambda: analysis.Budget(passers=10, alarms="x"), "alarms is the text 'x'; expected a number"),
    "an array as templates": (lambda: analysis.compare_enrolment(np.eye(3), 2), "expected a TemplateTable"),
    "a rate less": (lambda: analysis.fairness_indices([0.1, 0.2], [0.1]), "2 groups have an FMR and 1 an FNMR"),
    "comparisons as searches": (lambda: analysis.search_groups(bt.evaluate(SCORES), {}), "expected a SearchSet"),
    "a plot without a name": (lambda: bt.evaluate(SCORES).plot(), r"name the figure to draw: .*\.plot\.det\(\)"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_is_refused_in_words(what: str) -> None:
    asked, said = REFUSED[what]
    with pytest.raises(bt.InputError, match=said):
        asked()


def test_a_frame_goes_with_the_names_of_its_columns_in_either_spelling() -> None:
    import polars as pl

    frame = pl.DataFrame({"y": [1, 1, 0, 0], "s": [0.9, 0.4, 0.5, 0.1]})
    assert bt.evaluate(frame, y_true="y", y_score="s")["EER"] == bt.evaluate(frame, label="y", score="s")["EER"]
    with pytest.raises(bt.InputError, match="the table has no columns"):
        bt.evaluate(pl.DataFrame())
    for contradicting in ("score", "label", "y_prob", "y_pred"):
        with pytest.raises(bt.InputError, match=f"and {contradicting}=; leave {contradicting}= out"):
            bt.evaluate(frame, y_true="y", y_score="s", **{contradicting: "s"})


def test_missing_labels_are_known_in_every_type() -> None:
    """A NaN of another type of number is as missing as None."""
    from decimal import Decimal

    for missing in (None, float("nan"), np.float32("nan"), Decimal("NaN")):
        labels = np.array([1, 0, missing, 1], dtype=object)
        with pytest.raises(bt.InputError, match="1 label is missing"):
            bt.evaluate(y_true=labels, y_score=[0.9, 0.2, 0.3, 0.8])


def test_a_finding_without_a_view_still_has_a_repr() -> None:
    from bertillon.core import Finding

    class Weather(Finding):
        name = "noon"

    assert repr(Weather()) == "<Weather of noon>"


def test_findings_say_what_they_found_and_never_their_arrays() -> None:
    found = bt.fpir_by_gallery(bt.Comparing.plan(bt.read_templates(EXAMPLES / "faces.npz"), "cosine"), [10], draws=1)
    assert repr(found).startswith("<GallerySizes of faces.npz\n  FPIR at most 10")
    checked = bt.analysis.check_scheme(bt.read_scores(EXAMPLES / "border.csv"), "fido")
    assert repr(checked).startswith("<SchemeCheck of border.csv\n  FIDO biometric component: not passed.")
    for finding in (found, checked):
        assert "array(" not in repr(finding)
        assert "Interval(" not in repr(finding)
