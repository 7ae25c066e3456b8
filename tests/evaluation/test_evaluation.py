"""An evaluation: answers by name, edges of the data, and what leaves it as JSON and as a table."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from measures.table import ANSWERS, NEEDS_LLR, Question, as_tuple, name_of, questions

import bertillon as bt
from bertillon.core import record
from bertillon.counting import LIMITS
from bertillon.evaluation import DEFAULT_MEASURES

SCORES = bt.ScoreSet([0.4, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.5, 0.65], name="A")


def test_answers_by_any_spelling_by_hand():
    evaluation = bt.evaluate(SCORES, ["TPR@FPR=0.2", bt.parse("EER")])
    assert evaluation["TMR@FMR=0.2"] == evaluation["recall@FPR=2e-1"] == evaluation[bt.parse("TMR@FMR=0.2")]
    assert list(evaluation) == ["TMR@FMR=0.2", "EER"]
    assert len(evaluation) == 2
    assert (evaluation.name, evaluation.rule) == ("A", bt.AcceptRule.SIMILARITY)
    assert bt.evaluate(SCORES, "EER")["EER"] == evaluation["EER"]
    assert bt.evaluate(SCORES, bt.parse("EER"))["EER"] == evaluation["EER"]
    assert list(bt.evaluate(SCORES)) == list(DEFAULT_MEASURES)


EMPTY = [([], [0.5, 1.0]), ([0.5, 1.0], []), ([], [])]


@pytest.mark.parametrize("small", [10**6, 0], ids=["small path", "large path"])
@pytest.mark.parametrize(("mated", "nonmated"), EMPTY, ids=["no mated", "no non-mated", "none"])
def test_what_empty_classes_leave_undefined_has_a_reason_by_hand(mated, nonmated, small, monkeypatch):
    """DESIGN 9: never 0. Only what needs the other class alone, and failure rates, can still be said."""
    monkeypatch.setattr(LIMITS.memory, "sort_up_to", small)
    missing = [why for why, given in (("no mated scores", mated), ("no non-mated scores", nonmated)) if not given]
    results = Question(bt.ScoreSet(mated, nonmated), 0.25, 0.75).results()
    for template, result in results.items():
        of_one_class = "@t=" in template and name_of(template) not in ("HTER", "Cost")
        if name_of(template) in ("FTA", "FTE"):
            assert math.isnan(result.value) == (name_of(template) == "FTE" or not (mated or nonmated)), template
        elif math.isnan(result.value):
            assert result.reason, template
            assert (result.errors, result.trials, result.threshold) == (None, None, None), template
            if name_of(template) not in ("GFAR", "GFRR"):
                assert str(result.reason) in (*missing, " and ".join(missing)), template
        else:
            assert of_one_class, template
            assert len(missing) == 1, template


def test_the_class_that_is_there_answers_for_itself_by_hand():
    found = bt.evaluate(bt.ScoreSet([], [0.5, 1.0]), ["FMR@t=0.75", "TNM@t=0.75", "FNMR@t=0.75"])
    assert (found["FMR@t=0.75"].value, found["TNM@t=0.75"].value) == (0.5, 1)
    assert str(found["FNMR@t=0.75"].reason) == "no mated scores"


def test_a_promise_no_threshold_keeps_is_undefined_by_hand():
    """Half of the genuine attempts failed, so FRR cannot go below one half."""
    scores = bt.ScoreSet([1.0, 2.0], [0.0], failures=bt.Failures(mated=2))
    result = bt.evaluate(scores, ["FAR@FRR=0.25"])["FAR@FRR=0.25"]
    assert math.isnan(result.value)
    assert str(result.reason) == "no threshold reaches FRR = 0.25"
    assert bt.evaluate(scores, ["FAR[nearest]@FRR=0.25"])["FAR[nearest]@FRR=0.25"].value == 0.0


def test_one_score_each_by_hand():
    """Separable: no error, at the mated score; the wrong way round: nothing but error."""
    right, wrong = (bt.evaluate(bt.ScoreSet(*pair), ["EER", "AUC", "KS"]) for pair in (([2], [1]), ([1], [2])))
    assert [(right[name].value, right[name].threshold) for name in right] == [(0, 2), (1, None), (1, 2)]
    assert [(wrong[name].value, wrong[name].threshold) for name in wrong] == [(1, 2), (0, None), (0, 1)]
    assert (right.tally.looks_reversed, wrong.tally.looks_reversed) == (False, True)


def test_all_scores_tied_by_hand():
    """Two candidates only, accept all and reject all: EER one half on the line between them, AUC one half."""
    found = bt.evaluate(
        bt.ScoreSet([7] * 3, [7] * 5), ["EER", "EER[hull]", "AUC", "KS", "ZeroFMR", "Overlap", "minHTER"]
    )
    assert {name: found[name].value for name in found} == {
        "EER": 0.5,
        "EER[hull]": 0.5,
        "AUC": 0.5,
        "KS": 0.0,
        "ZeroFMR": 1.0,
        "Overlap": 1.0,
        "minHTER": 0.5,
    }
    assert found["EER"].threshold == found["EER[hull]"].threshold == 7
    assert not found.tally.looks_reversed


def test_infinite_scores_are_scores_by_hand():
    """A score of +inf passes any threshold but the one that rejects all; moments of infinities are undefined."""
    scores = bt.ScoreSet([math.inf, 1, -math.inf], [-math.inf, 0, math.inf])
    asked = ["AUC", "FM@t=inf", "FM@t=-inf", "ZeroFMR", "EER", "dprime", "Overlap", "FMR[interpolated]@FNMR=0.2"]
    found = bt.evaluate(scores, asked)
    assert found["AUC"].value == pytest.approx((2 + 0.5 + 2 + 0.5) / 9)
    assert (found["FM@t=inf"].value, found["FM@t=-inf"].value) == (1, 3)
    assert (found["ZeroFMR"].value, found["ZeroFMR"].threshold) == (1.0, math.inf)
    assert (found["EER"].value, found["EER"].threshold) == (1 / 3, 1.0)
    assert str(found["dprime"].reason) == "infinite scores have no mean"
    assert str(found["Overlap"].reason) == "infinite scores have no histogram"
    assert found["FMR[interpolated]@FNMR=0.2"].threshold == 0.0  # between -inf and 0, the one that is finite


@pytest.mark.parametrize("small", [0, 1_000_000])
def test_scores_that_cannot_be_squared_have_no_dprime_by_hand(small, monkeypatch):
    """Squares of 1e200 overflow and those of 1e-200 vanish, which made d' infinite; kept small or large in memory."""
    monkeypatch.setattr(LIMITS.memory, "sort_up_to", small)
    for name in ("dprime", "dprime[sum]", "FRatio"):
        for most in (3e200, 1.7e308):
            large = bt.evaluate(bt.ScoreSet([1e200, most, most], [1e200, -most, -most]), [name])[name]
            assert (math.isnan(large.value), str(large.reason)) == (True, "the scores are too large to be squared")
        tiny = bt.evaluate(bt.ScoreSet([1e-200, 3e-200], [1e-200, 2e-200]), [name])[name]
        assert (math.isnan(tiny.value), str(tiny.reason)) == (True, "the scores are too close together to be squared")
        assert bt.evaluate(bt.ScoreSet([3e-200, 3e-200], [1e-200, 1e-200]), [name])[name].value == math.inf
        assert bt.evaluate(bt.ScoreSet([3e-200, 3e-200], [1.0, 2.0]), [name])[name].value < 0


def test_thresholds_between_scores_that_cannot_be_subtracted_are_finite_by_hand():
    """From -1.5e308 to 1e308 is more than the largest float; the rates meet two thirds of the way."""
    found = bt.evaluate(bt.ScoreSet([-1.5e308], [-1.5e308, 1e308]), ["EER"])
    assert found["EER"].value == pytest.approx(2 / 3)
    assert found["EER"].threshold == pytest.approx(-1.5e308 / 3 + 1e308 / 3 * 2)


def test_scores_too_close_for_a_histogram_are_undefined_by_hand():
    found = bt.evaluate(bt.ScoreSet([1.0], [np.nextafter(1.0, 2.0)]), ["Overlap", "Overlap(bins=1)"])
    assert str(found["Overlap"].reason) == "the scores are too close together for 100 bins"
    assert found["Overlap(bins=1)"].value == 1.0


@given(questions())
def test_a_dictionary_is_strict_json_with_every_reason(question):
    """No NaN, no infinity: an undefined number is null with its reason, an infinite one is text."""
    spelled = [question.spelled(template) for template in ANSWERS]
    evaluation = bt.evaluate(question.scores, spelled)
    told = json.loads(json.dumps(evaluation.to_dict(), allow_nan=False))
    assert told == json.loads(evaluation.to_json())
    assert [row["name"] for row in told["measures"]] == list(evaluation)
    for row in told["measures"]:
        result = evaluation[row["name"]]
        assert (row["value"] is None) == math.isnan(result.value)
        assert (row["value"] is None) == bool(row["reason"])
        for key in ("value", "threshold"):
            told_value, value = row[key], getattr(result, key)
            assert told_value is None or float(told_value) == value
        assert (row["errors"], row["trials"]) == (result.errors, result.trials)
    assert told["counts"] == {
        "mated": question.scores.mated.size,
        "nonmated": question.scores.nonmated.size,
        "failed": question.scores.failures.comparisons,
    }


def test_a_dictionary_by_hand():
    told = bt.evaluate(bt.ScoreSet([1, 2], [3], name="Ω"), ["ZeroFMR", "FTE"]).to_dict()
    signature = told.pop("signature")
    assert told == {
        "bertillon": bt.__version__,
        "schema": 1,
        "mode": "verification",
        "name": "Ω",
        "rule": "similarity",
        "counts": {"mated": 2, "nonmated": 1, "failed": 0},
        "measures": [
            {"name": "ZeroFMR", "value": 1.0, "threshold": "inf", "errors": 2, "trials": 2, "reason": None},
            {
                "name": "FTE",
                "value": None,
                "threshold": None,
                "errors": None,
                "trials": None,
                "reason": "no enrolments were reported",
            },
        ],
    }
    assert signature["rule"] == "accept when score >= threshold"
    assert signature["version"] == bt.__version__


def test_a_signature_tells_data_and_rule_apart_and_not_their_order_by_hand():
    def signature(mated, nonmated, rule="similarity"):
        return bt.evaluate(bt.ScoreSet(mated, nonmated, rule=rule), []).signature

    assert signature([1, 2], [0]) == signature([2, 1], [0])
    assert signature([1, 2], [0])["data"] != signature([1, 2], [0, 0])["data"]
    assert signature([1, 2], [0])["data"] != signature([0], [1, 2])["data"]
    assert signature([1, 2], [0])["rule"] != signature([1, 2], [0], "distance")["rule"]


def test_a_table_by_hand():
    frame = bt.evaluate(SCORES, ["EER", "FM@t=0.5", "AUC", "FTE", "FNMR@FMR=0.2"]).to_frame()
    assert dict(frame.schema) == {
        "name": pl.String,
        "value": pl.Float64,
        "threshold": pl.Float64,
        "errors": pl.Int64,
        "trials": pl.Int64,
        "reason": pl.String,
    }
    assert frame["name"].to_list() == ["EER", "FM@t=0.5", "AUC", "FTE", "FNMR@FMR=0.2"]
    assert frame.row(1) == ("FM@t=0.5", 2.0, 0.5, None, None, None)
    assert frame.row(4) == ("FNMR@FMR=0.2", 0.25, 0.6, 1, 4, None)
    assert math.isnan(frame["value"][3])
    assert bt.evaluate(SCORES, []).to_frame().columns == frame.columns


def test_thresholds_leave_in_the_users_units_by_hand():
    """A distance of .3 accepts what a similarity of -.3 would; the threshold that rejects all is -inf."""
    scores = bt.ScoreSet([0.1, 0.3], [0.2, 0.4], rule="distance")
    found = bt.evaluate(scores, ["ZeroFMR", "ZeroFNMR", "FMR@t=0.3", "FNMR@FMR=0", "EER"])
    assert (found["ZeroFMR"].threshold, found["ZeroFMR"].value) == (0.1, 0.5)
    assert (found["ZeroFNMR"].threshold, found["ZeroFNMR"].value) == (0.3, 0.5)
    assert (found["FMR@t=0.3"].threshold, found["FMR@t=0.3"].value) == (0.3, 0.5)
    assert found["EER"].threshold == 0.2
    assert bt.evaluate(bt.ScoreSet([2], [1], rule="distance"), ["ZeroFMR"])["ZeroFMR"].threshold == -math.inf


@pytest.mark.parametrize(
    "measure", ["FMR@t=0.45", "FAR(fta=0.1)@t=0.45", "GFAR(fta=0,fte=0)@t=0.45", "HTER@t=0.45", "Cost@t=0.45"]
)
def test_a_threshold_asked_for_is_the_one_shown_by_hand(measure):
    assert bt.evaluate(SCORES, [measure])[measure].threshold == 0.45


@given(questions())
def test_asking_together_or_alone_gives_the_same(question):
    together = question.results()
    for template in list(ANSWERS)[:: len(ANSWERS) // 12]:
        assert as_tuple(question.results([template])[template]) == as_tuple(together[template])


def test_every_llr_measure_is_in_the_list_of_those():
    """The list the laws exempt from distances names only what says so itself."""
    distance = bt.ScoreSet([1.0, 2.0], [2.0, 3.0], rule="distance")
    results = Question(distance, 0.25, 0.0).results()
    refused = {
        name_of(t) for t, result in results.items() if str(result.reason) == "distances are not log-likelihood ratios"
    }
    assert refused == set(NEEDS_LLR)


def test_results_are_plain_values_by_hand():
    """No numpy scalars, so that results compare, print and serialise as numbers do."""
    for result in Question(SCORES, 0.25, 0.5).results().values():
        for item in record(result).values():
            assert type(item) in (float, int, str, type(None)), result


def test_comparisons_do_not_wait_for_what_other_trials_need():
    """What a kind of trials needs is imported when the first of them is met."""
    code = (
        "import sys, bertillon as bt; bt.evaluate(bt.ScoreSet([1, 2], [0, 1]), 'EER'); "
        "print(*(name for name in sys.modules if name.startswith(('bertillon', 'scipy', 'polars', 'numba'))))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "bertillon.evaluation.evaluation" in loaded
    strange = (
        "bertillon.matching",
        "bertillon.io",
        "bertillon.measures.classification",
        "scipy",
        "polars",
        "numba",
    )
    assert [name for name in loaded if name.startswith(strange)] == []
    assert {f"bertillon.evaluation.{name}" for name in ("classification", "streams", "templates")}.isdisjoint(loaded)


def test_an_evaluation_shows_its_answers_and_not_its_trials():
    shown = repr(bt.evaluate(bt.ScoreSet([0.4, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.5, 0.65], name="old"), ["EER", "AUC"]))
    assert shown == "<Evaluation of old: 4 mated, 5 nonmated\n  EER 25 % (threshold 0.575)\n  AUC 0.85>"
    of_labels = repr(bt.evaluate(bt.Predictions.from_scores([0, 1], [0.1, 0.9]), "AUC"))
    assert of_labels.startswith("<Evaluation: ")
    assert of_labels.endswith("\n  AUC 1>")


@pytest.mark.parametrize("trials", [[0.1, 0.9], ([0.9], [0.1]), np.ones(3), None], ids=lambda one: type(one).__name__)
def test_what_is_no_trials_is_refused_in_words(trials):
    with pytest.raises(bt.InputError, match=r"evaluate\(genuine, impostor\).*trials such as a ScoreSet"):
        bt.evaluate(trials, "EER")
