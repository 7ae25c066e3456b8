"""Comparisons counted between mated scores: every measure of the language is right or says why it is undefined."""

from __future__ import annotations

import math

import numpy as np
import pytest
from evaluation.streaming import Case, cases
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from measures.table import ANSWERS

import bertillon as bt
from bertillon.counts.tiles import cells
from bertillon.counts.tiles.cells import CellCounter, Grid
from bertillon.counts.tiles.counted_scores import CountedScores


def counted(case: Case, steps: int) -> CountedScores:
    """The non-mated scores of a case as one block of comparisons, counted in cells between few steps."""
    own, rule = case.question.scores.mated, bt.AcceptRule.of(case.rule)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells, "STEPS", steps)
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
