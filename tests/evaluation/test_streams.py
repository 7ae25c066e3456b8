"""Streams against sets in memory: to the last bit where an answer is exact, within the stated bounds elsewhere.

Limits are set so low that a few scores overflow them; see `streaming`. DESIGN 7: exact order statistics in a few
passes, mergeable over files. Exempt from the last bit are dprime, FRatio, Cllr and calLoss of small sets, whose sums
are added in another order than a small set's in memory; those of large sets are not.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from evaluation.streaming import NEAR, assert_exact_or_within, batches_of, cuts, limits, tight
from hypothesis import given, settings
from hypothesis import strategies as st
from measures.table import ANSWERS, Question, as_tuple, name_of, questions

import bertillon as bt
from bertillon.counts import slices, tally
from bertillon.counts.tally import Need
from bertillon.evaluation.streams import count_scores, merge_counts
from bertillon.measures import MEASURES, llr
from bertillon.trials.score_stream import ScoreStream

SOUGHT = [t for t in ANSWERS if not bt.parse(t.format(x=0.5, above=0.5, t=0.0)).needs & {Need.EVERY_THRESHOLD}]
extremes = st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 1e-300, 1.0, *NEAR, -2.0, 1e300, -1e300, math.inf, -math.inf])
SPREADS = ("dprime", "FRatio")  # of scores that differ in the twelfth digit, next to nothing is left of the sums
close_by = st.sampled_from([*NEAR, 0.0, 1.0, 2.0, -1.0])


def streamed(question: Question, ends: list[int], *, once: bool = False) -> ScoreStream:
    batches = batches_of(question.scores, ends)
    about = {"rule": question.scores.rule, "failures": question.scores.failures}
    return ScoreStream(batches() if once else batches, **about)


def assert_walked_again_is_exact(question: Question, ends: list[int], way: dict[str, int], but: tuple = ()) -> None:
    """All measures but some: those that look for their answers must find them exactly."""
    names = {template: question.spelled(template) for template in ANSWERS if name_of(template) not in but}
    truth = question.results()
    with tight(**way):
        found = bt.evaluate(streamed(question, ends), list(names.values()))
    for template, name in names.items():
        if template in SOUGHT and "AUC" not in template and "Gini" not in template:
            assert str(bt.parse(name)) not in getattr(found, "bounds", {}), name
        assert_exact_or_within(found, name, truth[template])


@settings(max_examples=25)
@given(questions(largest=14), cuts, limits)
def test_every_measure_of_a_stream_with_many_ties_against_memory(question, ends, way):
    assert_walked_again_is_exact(question, ends, way)


@settings(max_examples=25)
@given(questions(largest=14, elements=extremes), cuts, limits)
def test_every_measure_at_the_ends_of_the_number_line_against_memory(question, ends, way):
    assert_walked_again_is_exact(question, ends, way)


@settings(max_examples=25)
@given(questions(largest=14, elements=close_by), cuts, limits)
def test_every_measure_of_scores_that_share_a_bin_against_memory(question, ends, way):
    assert_walked_again_is_exact(question, ends, way, but=SPREADS)


@settings(max_examples=25)
@given(questions(largest=14, elements=st.floats(-4, 4, width=32)), cuts, limits)
def test_every_measure_of_float32_against_memory(question, ends, way):
    scores = question.scores
    single = bt.ScoreSet(
        scores.mated.astype(np.float32), scores.nonmated.astype(np.float32), rule=scores.rule, failures=scores.failures
    )
    assert single.mated.dtype == np.float32
    assert_walked_again_is_exact(Question(single, question.x, question.t), ends, way)


@pytest.mark.parametrize("elements", [None, close_by, extremes], ids=["ties", "one bin", "extremes"])
@settings(max_examples=20)
@given(data=st.data(), ends=cuts, way=limits)
def test_one_pass_is_exact_or_within_its_bounds_against_memory(elements, data, ends, way):
    """Whatever little room there is, no number is wrong: bit-identical, enclosed by its bounds, or undefined."""
    question = data.draw(questions(largest=14, elements=elements))
    names = [question.spelled(template) for template in ANSWERS]
    truth = question.results()
    with tight(**way):
        found = bt.evaluate(streamed(question, ends, once=True), names)
    for template, name in zip(ANSWERS, names, strict=True):
        if elements is None or name_of(template) not in SPREADS:
            assert_exact_or_within(found, name, truth[template], undefined=True)


@settings(max_examples=20)
@given(questions(largest=14, elements=close_by), cuts, limits, st.integers(1, 6))
def test_counts_of_parts_added_up_are_exact_or_within_their_bounds_against_memory(question, ends, way, room):
    scores = question.scores
    names = [question.spelled(template) for template in ANSWERS]
    truth = Question(bt.ScoreSet(scores.mated, scores.nonmated, rule=scores.rule), question.x, question.t).results()
    with tight(**way), pytest.MonkeyPatch.context() as patch:
        patch.setattr("bertillon.evaluation.streams.KEYS_IN_FILE", room)
        parts = [
            count_scores(ScoreStream([batch], rule=scores.rule, name=f"part {place}"))
            for place, batch in enumerate(batches_of(scores, ends)())
        ]
        found = bt.evaluate(merge_counts(parts, names, repeats=True), names)
    for template, name in zip(ANSWERS, names, strict=True):
        if name_of(template) not in SPREADS:
            assert_exact_or_within(found, name, truth[template], undefined=True)
    assert found.signature["data"] == bt.evaluate(scores, []).signature["data"]


def test_every_measure_says_something_of_unresolved_counts():
    """No measure of the language is forgotten: of one bin that hides all, each is bounded, exact or has a reason."""
    scores = bt.ScoreSet(NEAR[2:5], NEAR[1:4])
    question = Question(scores, 0.25, NEAR[2])
    with tight(keys=1, pending=0):
        found = bt.evaluate(streamed(question, [1], once=True), [question.spelled(one) for one in ANSWERS])
    assert {name_of(template) for template in ANSWERS} == set(MEASURES)
    for name, result in found.results.items():
        assert result.reason or name in found.bounds or name_of(name) in ("dprime", "FRatio", "FTA", "Cllr"), name
    assert {"EER", "AUC", "FNMR@FMR=0.25", "minCllr", "KS", "calLoss"} <= set(found.bounds)


def large_question(seed: int, **how: int) -> tuple[Question, dict[str, bt.Result]]:
    """A thousand normals, and what the path of large sets gives for them, with blocks of so many scores."""
    rng = np.random.default_rng(seed)
    question = Question(bt.ScoreSet(rng.normal(2, 1, 400), rng.normal(0, 1, 900).round(2)), 0.01, 1.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tally, "SMALL", 0)
        patch.setattr(slices, "BLOCK", how["block"])
        patch.setattr(llr, "_CHUNK", how["block"])
        return question, question.results()


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32 - 1), ends=st.lists(st.integers(0, 900), max_size=5), block=st.sampled_from([64, 500]))
def test_sums_of_floats_are_those_of_large_sets_to_the_last_bit_against_memory(seed, ends, block):
    """Blocks are cut after as many scores as in memory, wherever batches end, so means and bits are added alike."""
    question, truth = large_question(seed, block=block)
    with tight(block=block, gather=1 << 20, finer=1 << 18):
        found = bt.evaluate(streamed(question, ends), [question.spelled(template) for template in ANSWERS])
    for name in ("dprime", "dprime[sum]", "FRatio", "Cllr"):
        assert as_tuple(found[name]) == as_tuple(truth[name]), name


@pytest.mark.parametrize("rule", ["similarity", "distance"])
@pytest.mark.parametrize("larger", ["mated", "nonmated"])
def test_pairs_are_counted_exactly_where_the_smaller_class_is_kept_against_memory(rule, larger):
    """AUC asked for alone: the curve stays unknown inside its bins, and the pairs are counted one block at a time."""
    rng = np.random.default_rng(11)
    few, many = rng.normal(1, 1, 40).round(2), rng.normal(0, 1, 300).round(2)
    scores = bt.ScoreSet(*((many, few) if larger == "mated" else (few, many)), rule=rule)
    batches = batches_of(scores, [7, 100])
    with tight(bits=14, block=32, keep=50):
        found = bt.evaluate(ScoreStream(batches, rule=rule), ["AUC"])
    assert not found.streamed.tally.errors.complete
    assert not found.bounds
    assert as_tuple(found["AUC"]) == as_tuple(bt.evaluate(scores, ["AUC"])["AUC"])


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["similarity", "distance"])
def test_three_million_scores_against_memory(rule):
    """The real sizes and limits once; the tests above are its fast twins."""
    rng = np.random.default_rng(7)
    mated, nonmated = rng.normal(2, 1, 1_200_000), rng.normal(0, 1, 2_000_001).round(5)
    question = Question(bt.ScoreSet(mated, nonmated, rule=rule), 0.001, 1.0)
    names = {template: question.spelled(template) for template in SOUGHT}
    truth = question.results(SOUGHT)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bertillon.counts.stream_first.KEPT_AT_MOST", 1_500_000)
        found = bt.evaluate(streamed(question, [100_000, 1_000_000]), list(names.values()))
    assert found.streamed.passes == 2
    assert not found.bounds
    for template, name in names.items():
        assert as_tuple(found[name]) == as_tuple(truth[template]), name
    assert found.signature["data"] == bt.evaluate(question.scores, []).signature["data"]


def test_the_signature_names_the_data_as_that_of_a_set_in_memory_does():
    scores = bt.ScoreSet([0.3, 0.9, -0.0], [0.1, 0.3])
    with tight():
        found = bt.evaluate(ScoreStream(batches_of(scores, [1, 2])))
    assert found.signature["data"] == bt.evaluate(scores).signature["data"]


def test_a_stream_says_how_it_was_counted_and_what_is_not_exact():
    scores = bt.ScoreSet(NEAR[2:5], NEAR[1:4])
    with tight(keys=1, pending=0):
        once = bt.evaluate(ScoreStream(batches_of(scores, [1])(), name="now"), ["EER", "AUC"])
        again = bt.evaluate(ScoreStream(batches_of(scores, [1])), ["EER"])
    told = once.to_dict()["counted"]
    assert (told["how"], told["passes"]) == ("counted in one pass", 1)
    assert set(told["bounds"]) == {"EER", "AUC"}
    assert any(note.startswith("known within bounds, of which the worse is shown: EER") for note in once.scores.notes)
    assert again.to_dict()["counted"]["how"].endswith("passes")
    assert again.to_dict()["counted"]["bounds"] == {}
    assert once["AUC"].value == once.bounds["AUC"][0]  # the worse end
    assert once["EER"].value == once.bounds["EER"][1]


def test_few_scores_are_evaluated_in_memory():
    found = bt.evaluate(ScoreStream([([1.0, 2.0], [0.0])]), ["EER[bob]", "AUC"])
    assert isinstance(found.scores, bt.ScoreSet)
    assert any("in memory" in note for note in found.scores.notes)


def test_intervals_are_there_for_what_is_exact_only():
    rng = np.random.default_rng(1)
    scores = bt.ScoreSet(rng.normal(2, 1, 300), rng.normal(0, 1, 900))
    with tight(bits=13, block=100, keys=200, pending=10):
        found = bt.evaluate(ScoreStream(batches_of(scores, [50])()), ["AUC", "dprime", "FMR@t=1"]).with_intervals()
    assert found.bounds["AUC"][0] < found.bounds["AUC"][1]
    assert "bounds" in found.intervals["AUC"].reason
    assert found.intervals["dprime"].holds(found["dprime"].value)


def test_further_questions_about_what_is_left_of_a_stream_are_exact_or_bounded_against_memory():
    """What was not sought when the stream was walked may lie inside a bin."""
    scores = bt.ScoreSet([*NEAR[2:5], 2.0, 3.0], [*NEAR[1:4], 0.0])
    with tight(bits=22):
        left = bt.evaluate(ScoreStream(batches_of(scores, [1])), ["FNMR@FMR=0"]).scores
    truth = bt.evaluate(scores, ["EER", "AUC", "FNMR@FMR=0"])
    found = bt.evaluate(left, ["EER", "AUC", "FNMR@FMR=0"])
    for name in found:
        assert_exact_or_within(found, name, truth[name])


def test_products_of_counts_that_do_not_fit_are_refused():
    """Rates are compared as products of whole numbers; beyond 2**63 they would wrap round."""
    counts = count_scores(ScoreStream([([1.0], [0.0])], name="many"))
    mated, nonmated = (
        replace(one, keys=replace(one.keys, times=np.array([2**32]))) for one in (counts.mated, counts.nonmated)
    )
    with pytest.raises(bt.InputError, match="is too many"):
        bt.evaluate(replace(counts, mated=mated, nonmated=nonmated))


def test_every_fmr_up_to_a_thousandth_is_exact_from_counts_against_memory():
    """What the page of scale promises of counts: all thresholds of a small FMR, with the mated scores there."""
    rng = np.random.default_rng(2)
    scores = bt.ScoreSet(rng.normal(3, 1, 5_000), rng.normal(0, 1, 95_000))
    names = [f"FNMR@FMR={x}" for x in (0.001, 0.00077, 0.0005, 0.0002, 0.0001, 0.00003, 0.0)]
    found = bt.evaluate(count_scores(ScoreStream([(scores.mated, scores.nonmated)])), [*names, "AUC"])
    truth = bt.evaluate(scores, names)
    assert found.bounds["AUC"][0] < found.bounds["AUC"][1]  # the rest is in bins
    assert [as_tuple(found[name]) for name in names] == [as_tuple(truth[name]) for name in names]
