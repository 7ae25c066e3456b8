"""Measures asked of an evaluation later: answered from what is at hand, and nothing is evaluated twice."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bertillon as bt
from bertillon.counting import LIMITS, CellCounter, CountedScores, Grid
from bertillon.evaluation import LIMITS as EVALUATION_LIMITS
from bertillon.measures import MeasureSet
from bertillon.views import ReportContent, WatchListUse, page_of

RNG = np.random.default_rng(8)
SCORES = bt.ScoreSet(RNG.normal(2, 1, 300), RNG.normal(0, 1, 900), name="A")
SEARCHES = bt.SearchSet(
    enrolled=[1, 1, 1, 0, 0],
    mate_score=[0.9, 0.6, 0.3, 0, 0],
    n_better=[0, 0, 1, 0, 0],
    n_equal=[0, 0, 0, 0, 0],
    top_score=[0.9, 0.6, 0.5, 0.7, 0.2],
    top_other=[0.4, 0.5, 0.5, 0.7, 0.2],
    gallery_size=20,
    name="S",
)
TRUTH = RNG.integers(0, 2, 400)
PREDICTIONS = bt.Predictions.from_probabilities(TRUTH, np.clip(0.3 * TRUTH + RNG.uniform(0, 0.7, 400), 0, 1), name="P")

LATER = {
    "scores": (SCORES, "FNMR@t=1", ("EER", "FRR@FAR=1e-2", "KS", "AUC", "dprime", "Cllr", "minHTER", "EER[bob]")),
    "searches": (SEARCHES, "RR", ("CMS@5", "DIR@FPIR=0.5,k=1", "EERopen", "MeanRank", "FPIR@t=0.5")),
    "predictions": (PREDICTIONS, "Accuracy", ("AUC", "Recall@FPR=0.1", "Youden", "F1", "LogLoss", "ECE", "AP", "MCC")),
}


@pytest.mark.parametrize("small", [10**6, 0], ids=["small path", "large path"])
@pytest.mark.parametrize("kind", LATER)
def test_a_measure_asked_later_is_as_if_asked_at_first(kind, small, monkeypatch) -> None:
    monkeypatch.setattr(LIMITS.memory, "sort_up_to", small)
    trials, first, later = LATER[kind]
    evaluation = bt.evaluate(trials, first)
    written = evaluation.to_json()
    for name in later:
        assert evaluation[name] == bt.evaluate(trials, name)[name], name
    assert list(evaluation) == list(evaluation.results) == [str(evaluation.measures[0])]
    assert evaluation.to_json() == written


def test_what_is_no_measure_of_these_trials_is_refused() -> None:
    with pytest.raises(bt.InputError, match="unknown measure 'KSS'"):
        bt.evaluate(SCORES, "EER")["KSS"]
    with pytest.raises(bt.InputError, match="unknown measure 'F1'"):
        bt.evaluate(SEARCHES, "RR")["F1"]


def test_counted_comparisons_say_which_thresholds_had_to_be_named() -> None:
    counter = CellCounter(Grid.around(SCORES.mated, SCORES.rule, thresholds=[1.0]))
    counter.add(SCORES.nonmated[None, :], np.zeros(1, dtype=np.int64), np.ones(SCORES.nonmated.size, dtype=np.int64))
    tally = counter.tally(SCORES.mated, 0)
    evaluation = bt.evaluate(CountedScores(tally, SCORES.mated, SCORES.nonmated[:9], (1.0,), "counted", ()), "EER")
    assert evaluation["FMR@t=1"].value == bt.evaluate(SCORES, "FMR@t=1")["FMR@t=1"].value
    assert math.isnan(evaluation["FMR@t=1.5"].value)
    assert "threshold" in str(evaluation["FMR@t=1.5"].reason)
    assert "scores were counted and not kept" in str(evaluation["Cllr"].reason)


def test_counts_asked_later_say_what_is_known_within_bounds_only(monkeypatch) -> None:
    monkeypatch.setattr(EVALUATION_LIMITS, "keys_in_file", 4)
    counts = bt.evaluation.count_scores(
        bt.trials.ScoreStream([(np.repeat(SCORES.mated, 9), np.repeat(SCORES.nonmated, 9))])
    )
    evaluation, asked = bt.evaluate(counts, "EER"), bt.evaluate(counts, ["FNMR@FMR=0.01", "AUC"])
    assert asked.bounds["AUC"][0] < asked.bounds["AUC"][1]
    assert evaluation["AUC"].value == asked["AUC"].value
    assert str(evaluation["AUC"].reason).startswith("known only within bounds, 0.")
    assert evaluation["FNMR@FMR=0.01"] == asked["FNMR@FMR=0.01"]
    assert "AUC" not in evaluation.bounds


@pytest.fixture
def counted(monkeypatch) -> list[str]:
    """The kinds of trials that were counted, each time they were."""
    calls: list[str] = []
    for cls in (bt.ScoreSet, bt.SearchSet, bt.Predictions):
        plain = cls.count

        def count(self, needs, plain=plain):
            calls.append(self.kind)
            return plain(self, needs)

        monkeypatch.setattr(cls, "count", count)
    return calls


@pytest.mark.parametrize("kind", LATER)
def test_the_counts_at_hand_are_not_counted_again(kind, counted) -> None:
    trials, first, later = LATER[kind]
    lacking = {"AUC", "dprime", "Cllr"} if kind == "scores" else set()  # wins, moments, every score
    evaluation = bt.evaluate(trials, first)
    for name in (*later, *later):
        _ = evaluation[name]
    assert len(counted) == 1 + len(lacking)


@pytest.mark.parametrize("kind", LATER)
def test_a_page_reads_the_evaluation_it_is_given(kind, counted) -> None:
    trials, first, _ = LATER[kind]
    page_of(ReportContent.of([bt.evaluate(trials, first)]))
    assert counted == [trials.kind]


def test_a_page_reads_the_operating_regions_it_is_given(monkeypatch) -> None:
    evaluation = bt.evaluate(SEARCHES)
    regions = bt.analysis.operating_regions(evaluation.tally.watch_list_curve, passers=1000)
    monkeypatch.setattr("bertillon.views.identification.operating_regions", None)
    use = WatchListUse(passers=1000)
    assert page_of(ReportContent(identification=[evaluation], regions=[regions], search_use=use))


def test_intervals_read_no_name_of_a_measure_again(monkeypatch) -> None:
    evaluation = bt.evaluate(SCORES, ["EER", "FNMR@FMR=0.01"])
    monkeypatch.setattr(MeasureSet, "parse_all", None)
    monkeypatch.setattr(MeasureSet, "parse", None)
    assert list(evaluation.with_intervals(resamples=20).intervals) == list(evaluation)
