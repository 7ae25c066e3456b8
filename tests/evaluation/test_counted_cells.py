"""Comparisons counted between mated scores: every measure of the language is right or says why it is undefined."""

from __future__ import annotations

import math

import numpy as np
import pytest
from evaluation.streaming import Case, cases
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from measures.others import CrossingGap, ErrorsAt, LargestMean, MeanErrors, ShareAboveOne, others
from measures.table import ANSWERS

import bertillon as bt
from bertillon.counting import LIMITS, CellCounter, CountedScores, Grid


def counted(case: Case, steps: int) -> CountedScores:
    """The non-mated scores of a case as one block of comparisons, counted in cells between few steps."""
    own, rule = case.question.scores.mated, bt.AcceptRule.of(case.rule)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LIMITS.tiles, "cell_steps", steps)
        counter = CellCounter(Grid.around(own, rule, thresholds=[case.t]))
        block = case.nonmated[None, :].astype(own.dtype)
        counter.add(block, np.zeros(1, dtype=np.int64), np.ones(block.size, dtype=np.int64))
    tally = counter.tally(own, case.mated.size - own.size)
    made = CountedScores(tally, own, case.question.scores.nonmated, (case.t,), "counted", ())
    return made.with_enrolments(case.failures.enrolments, case.failures.enrolment_attempts)


@pytest.mark.parametrize("elements", ["ties", "anything"])
@settings(max_examples=40, deadline=None)
@given(data=st.data(), steps=st.sampled_from([2, 5, 64]))
def test_every_registered_measure_is_as_in_memory_or_undefined_against_memory(elements, data, steps) -> None:
    case = data.draw(cases(elements))
    case = Case(case.mated, case.nonmated, case.rule, bt.Failures(0, 0, 1, 4), case.x, case.t)
    assume(case.question.scores.mated.size and case.question.scores.nonmated.size)
    names = {template: case.question.spelled(template) for template in ANSWERS}
    truth, found = case.question.results(names), bt.evaluate(counted(case, steps), list(names.values()))
    for template, name in names.items():
        result = found[str(bt.parse(name))]
        if math.isnan(result.value):
            assert result.reason, name
        else:
            assert result.value == pytest.approx(truth[template].value, rel=1e-9, abs=1e-9), name


@settings(max_examples=100, deadline=None)
@given(case=cases("ties"), steps=st.sampled_from([2, 5, 64]))
def test_a_measure_of_another_package_is_as_in_memory_or_undefined_against_memory(case, steps) -> None:
    case = Case(case.mated, case.nonmated, case.rule, bt.Failures(), case.x, case.t)
    assume(case.question.scores.mated.size and case.question.scores.nonmated.size)
    truth = bt.evaluate(case.question.scores, others(case.t))
    found = bt.evaluate(counted(case, steps), others(case.t))
    for measure in (LargestMean(), ErrorsAt(case.t)):
        assert not found[measure].reason, measure
    for measure in others(case.t):
        if math.isnan(found[measure].value):
            assert found[measure].reason, measure
        else:
            assert found[measure].value == pytest.approx(truth[measure].value, rel=1e-12), measure


def test_a_measure_of_another_package_is_exact_where_the_rows_it_reads_are_known_by_hand() -> None:
    """The rates cross at a mated score, or between two of them; where all scores are mated ones nothing is hidden."""

    def found(
        mated: list[float], nonmated: list[float], measures: list[bt.measures.Measure]
    ) -> list[bt.measures.Result]:
        case = Case(np.array(mated), np.array(nonmated), "similarity", bt.Failures(), 0.5, 1.0)
        evaluation = bt.evaluate(counted(case, 2), measures)
        return [evaluation[measure] for measure in measures]

    [at_a_mated_score] = found([1.0, 2.0], [0.0, 1.0, 1.0], [CrossingGap()])
    assert (at_a_mated_score.value, at_a_mated_score.threshold) == (pytest.approx(2 / 3), 1.0)
    hidden = found([0.0, 1.0, 2.0], [0.2, 0.4, 0.6], [CrossingGap(), MeanErrors(), ErrorsAt(0.5), ShareAboveOne()])
    assert [str(result.reason) for result in hidden] == [
        "its value may lie between non-mated scores that were counted together",
        "its value may lie between non-mated scores that were counted together",
        "this threshold was not named before the comparisons were counted",
        "it needs every score, but scores were counted and not kept",
    ]
    [whole, named] = found([0.0, 1.0, 2.0], [0.0, 0.0, 1.0], [MeanErrors(), ErrorsAt(1.0)])
    assert (whole.value, named.value) == (pytest.approx(1 / 3), pytest.approx(1 / 9))


def test_what_depends_on_scores_counted_together_is_undefined_by_hand() -> None:
    """Between the mated scores 0 and 1 lie three others: EER[nearest] would need to know where."""
    case = Case(np.array([0.0, 1.0, 2.0]), np.array([0.2, 0.4, 0.6]), "similarity", bt.Failures(), 0.5, 1.0)
    found = bt.evaluate(
        counted(case, 2), ["EER", "EER[nearest]", "EER[fvc]", "HTER@FMR=0.5", "FNMR@FMR=0.5", "HTER@t=1"]
    )
    assert found["EER"].value == pytest.approx(1 / 3)
    assert found["FNMR@FMR=0.5"].value == pytest.approx(1 / 3)
    assert found["HTER@t=1"].value == pytest.approx(1 / 6)
    for name in ("EER[nearest]", "EER[fvc]", "HTER@FMR=0.5"):
        assert math.isnan(found[name].value)
        assert "counted together" in str(found[name].reason)


def test_more_comparisons_than_products_of_64_bits_hold_against_memory() -> None:
    """The page of scale predicts 1e14 comparisons: mated times non-mated ones are then far above 2**63."""
    own, others = np.repeat([0.0, 2.0, 3.0, 3.0], 1 << 10), np.array([-1.0, 0.0, 1.0, 2.0, 2.5])
    names = ["EER", "AUC", "KS", "minDCF", "FNMR@FMR=0.2"]
    counter = CellCounter(Grid.around(own, bt.AcceptRule.SIMILARITY))
    counter.add(others[None, :], np.zeros(1, dtype=np.int64), np.ones(others.size, dtype=np.int64))
    counter.cells = counter.cells << 55
    found = bt.evaluate(CountedScores(counter.tally(own, 0), own, others, (), "many", ()), names)
    truth = bt.evaluate(bt.ScoreSet(own, others), names)
    assert {name: found[name].value for name in found} == {name: truth[name].value for name in truth}
