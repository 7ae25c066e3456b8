"""Streams against sets in memory: to the last bit where an answer is exact, within the stated bounds elsewhere.

Limits are set so low that a few scores overflow them; see `streaming`. DESIGN 7: exact order statistics in a few
passes, mergeable over files. Sums of floats are added block by block as those of large sets in memory are, so these are
what small streams are held against; small streams themselves are kept and evaluated in memory.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from evaluation.streaming import (
    ELEMENTS,
    NEAR,
    SUMS,
    Case,
    assert_exact_or_within,
    batches_of,
    cases,
    cuts,
    large,
    limits,
    rests_on_sums,
    tight,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from measures.others import LargestMean, MeanErrors, ShareAboveOne, others
from measures.table import ANSWERS, Question, as_tuple, name_of

import bertillon as bt
from bertillon import counting, evaluation
from bertillon.counting import Need
from bertillon.evaluation import count_scores, merge_counts
from bertillon.measures import MEASURES, PEERS
from bertillon.trials import ScoreStream

SOUGHT = [t for t in ANSWERS if not bt.parse(t.format(x=0.5, above=0.5, t=0.0)).needs & {Need.EVERY_THRESHOLD}]
OF_PEERS = [f"EER[{peer}]" for peer in PEERS]


def streamed(question: Question, ends: list[int], *, once: bool = False) -> ScoreStream:
    batches = batches_of(question.scores, ends)
    about = {"rule": question.scores.rule, "failures": question.scores.failures}
    return ScoreStream(batches() if once else batches, **about)


def walked(case: Case, way: str, ends: list[int], names: list[str]) -> bt.Evaluation:
    if way != "merged counts":
        return bt.evaluate(case.stream(ends, once=way == "one pass"), names)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluation.LIMITS, "keys_in_file", 4)
        parts = [count_scores(part) for part in case.parts(ends)]
        return bt.evaluate(merge_counts(parts, names, repeats=True), names)


@pytest.mark.parametrize("elements", ELEMENTS)
@pytest.mark.parametrize("way", ["several passes", "one pass", "merged counts"])
@settings(max_examples=12)
@given(data=st.data(), ends=cuts, room=limits)
def test_every_registered_measure_is_as_in_memory_within_its_bounds_or_undefined_against_memory(
    way, elements, data, ends, room
):
    """K and V rows of the language: whatever little room there is, no number is wrong.

    Which of the three it is, the evaluation says itself. Walked again, a stream leaves no answer open that is sought at
    a threshold. Where parts are merged, means and spreads are those of the whole within the rounding of their sums.
    """
    case = data.draw(cases(elements))
    names = {template: case.question.spelled(template) for template in [*ANSWERS, *OF_PEERS]}
    with large(room["block"]):
        truth = case.question.results(names)
        with tight(**room):
            found = walked(case, way, ends, list(names.values()))
    for template, name in names.items():
        if way == "several passes" and template in SOUGHT and Need.WINS not in bt.parse(name).needs:
            assert str(bt.parse(name)) not in getattr(found, "bounds", {}), name
        if way != "merged counts" or not rests_on_sums(name):
            undefined = way != "several passes" or template in OF_PEERS
            assert_exact_or_within(found, name, truth[template], undefined=undefined)
    if way == "merged counts":
        assert_sums_of_parts_are_those_of_the_whole(found, case, len(ends) + 1)
    assert found.signature["data"] == bt.evaluate(case.question.scores, []).signature["data"]


@pytest.mark.parametrize("way", ["several passes", "one pass", "merged counts"])
@settings(max_examples=25)
@given(case=cases("one bin"), ends=cuts, room=limits)
def test_a_measure_of_another_package_is_as_in_memory_within_its_bounds_or_undefined_against_memory(
    way, case, ends, room
):
    measures = others(case.t)
    truth = bt.evaluate(case.question.scores, measures)
    with tight(**room):
        found = walked(case, way, ends, measures)
    for measure in measures:
        always = measure == LargestMean() or (way != "merged counts" and measure == ShareAboveOne())
        assert_exact_or_within(found, measure, truth[measure], undefined=not always)


def test_a_measure_of_another_package_is_enclosed_if_it_is_monotone_and_sees_what_it_visits_by_hand():
    """One bin hides all six scores."""
    scores = bt.ScoreSet(NEAR[2:5], NEAR[1:4])
    with tight(keys=1, pending=0):
        found = bt.evaluate(ScoreStream(batches_of(scores, [1])()), [LargestMean(), MeanErrors(), ShareAboveOne()])
    assert found.bounds == {"LargestMean": (0.0, 1.0)}
    assert str(found[MeanErrors()].reason) == "its value lies between scores that were counted together"
    assert found[ShareAboveOne()].value == 1.0


@pytest.mark.parametrize("gather", [1, 1000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_keep_all_their_digits_against_memory(dtype, gather):
    """Few bins, so that answers are gathered or cut finer from scores whose last bits all differ."""
    rng = np.random.default_rng(6)
    scores = bt.ScoreSet(rng.normal(1.0, 1.0, 300).astype(dtype), rng.normal(size=400).astype(dtype))
    question = Question(scores, 0.01, float(scores.mated[7]))
    names = [name for name in map(question.spelled, SOUGHT) if Need.WINS not in bt.parse(name).needs]
    with large(100):
        truth = bt.evaluate(scores, names)
        with tight(bits=6, block=100, gather=gather):
            found = bt.evaluate(streamed(question, [50, 200]), names)
    for name in names:
        assert as_tuple(found[name]) == as_tuple(truth[name]), name


def assert_sums_of_parts_are_those_of_the_whole(found: bt.Evaluation, case: Case, parts: int) -> None:
    for kind in ("mated", "nonmated"):
        scores = getattr(case.question.scores, kind).astype(float)
        moments = getattr(found.trials.tally, f"{kind}_moments")
        assert moments.n == scores.size
        if scores.size and np.isfinite(scores).all() and case.largest < 1e150:  # squares of larger ones overflow
            near = (parts + 1) * SUMS * case.largest
            assert math.isclose(moments.mean, scores.mean(), abs_tol=near)
            assert math.isclose(math.sqrt(moments.variance), scores.std(), abs_tol=near)


def test_mean_and_spread_of_merged_counts_keep_the_stated_bound_against_fsum():
    """The page of scale: within 1e-13 of the largest score for each part merged, here of scores far from 0."""
    rng = np.random.default_rng(4)
    parts = [(rng.normal(1e6, 1, 100_000), rng.normal(1e6 - 1, 1, 1000)) for _ in range(3)]
    counts = [count_scores(ScoreStream([part], name=f"part {k}")) for k, part in enumerate(parts)]
    moments = bt.evaluate(merge_counts(counts), ["dprime"]).trials.tally.mated_moments
    scores = np.concatenate([mated for mated, _ in parts]).tolist()
    mean = math.fsum(scores) / len(scores)
    spread = math.sqrt(math.fsum((s - mean) ** 2 for s in scores) / len(scores))
    near = 1e-13 * max(scores) * len(parts)
    assert math.isclose(moments.mean, mean, rel_tol=0, abs_tol=near)
    assert math.isclose(math.sqrt(moments.variance), spread, rel_tol=0, abs_tol=near)


def test_the_language_has_no_measure_that_is_not_asked_of_streams():
    assert {name_of(template) for template in ANSWERS} == set(MEASURES)


def test_every_measure_says_something_of_unresolved_counts():
    """No measure of the language is forgotten: of one bin that hides all, each is bounded, exact or has a reason."""
    scores = bt.ScoreSet(NEAR[2:5], NEAR[1:4])
    question = Question(scores, 0.25, NEAR[2])
    with tight(keys=1, pending=0):
        found = bt.evaluate(streamed(question, [1], once=True), [question.spelled(one) for one in ANSWERS])
    for name, result in found.results.items():
        assert result.reason or name in found.bounds or name_of(name) in ("dprime", "FRatio", "FTA", "Cllr"), name
    assert {"EER", "AUC", "FNMR@FMR=0.25", "minCllr", "KS", "calLoss"} <= set(found.bounds)


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32 - 1), ends=st.lists(st.integers(0, 900), max_size=5), block=st.sampled_from([64, 500]))
def test_sums_of_floats_are_those_of_large_sets_to_the_last_bit_against_memory(seed, ends, block):
    """Blocks are cut after as many scores as in memory, wherever batches end, so means and bits are added alike."""
    rng = np.random.default_rng(seed)
    question = Question(bt.ScoreSet(rng.normal(2, 1, 400), rng.normal(0, 1, 900).round(2)), 0.01, 1.0)
    names = ["dprime", "dprime[sum]", "FRatio", "Cllr"]
    with large(block):
        truth = question.results(names)
    for once in (False, True):
        with tight(block=block, gather=1 << 20, finer=1 << 18):
            found = bt.evaluate(streamed(question, ends, once=once), names)
        assert [as_tuple(found[name]) for name in names] == [as_tuple(truth[name]) for name in names]


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
    assert not found.trials.tally.errors.complete
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
        patch.setattr(counting.LIMITS.streams, "kept_scores", 1_500_000)
        found = bt.evaluate(streamed(question, [100_000, 1_000_000]), list(names.values()))
    assert found.trials.passes == 2
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
    assert any(
        str(note).startswith("known within bounds, of which the worse is shown: EER") for note in once.trials.notes
    )
    assert again.to_dict()["counted"]["how"].endswith("passes")
    assert again.to_dict()["counted"]["bounds"] == {}
    assert once["AUC"].value == once.bounds["AUC"][0]  # the worse end
    assert once["EER"].value == once.bounds["EER"][1]


def test_few_scores_are_evaluated_in_memory():
    found = bt.evaluate(ScoreStream([([1.0, 2.0], [0.0])]), ["EER[bob]", "AUC"])
    assert isinstance(found.trials, bt.ScoreSet)
    assert any("in memory" in str(note) for note in found.trials.notes)


def test_intervals_are_there_for_what_is_exact_only():
    rng = np.random.default_rng(1)
    scores = bt.ScoreSet(rng.normal(2, 1, 300), rng.normal(0, 1, 900))
    with tight(bits=13, block=100, keys=200, pending=10):
        found = bt.evaluate(ScoreStream(batches_of(scores, [50])()), ["AUC", "dprime", "FMR@t=1"]).with_intervals()
    assert found.bounds["AUC"][0] < found.bounds["AUC"][1]
    low, high = (float(end) for end in str(found.intervals["AUC"].reason).partition("within bounds, ")[2].split(" to "))
    assert low <= found.bounds["AUC"][0] < found.bounds["AUC"][1] <= high  # rounded outwards
    assert found.intervals["dprime"].holds(found["dprime"].value)


def test_further_questions_about_what_is_left_of_a_stream_are_exact_or_bounded_against_memory():
    """What was not sought when the stream was walked may lie inside a bin."""
    scores = bt.ScoreSet([*NEAR[2:5], 2.0, 3.0], [*NEAR[1:4], 0.0])
    with tight(bits=22):
        left = bt.evaluate(ScoreStream(batches_of(scores, [1])), ["FNMR@FMR=0"]).trials
    truth = bt.evaluate(scores, ["EER", "AUC", "FNMR@FMR=0"])
    found = bt.evaluate(left, ["EER", "AUC", "FNMR@FMR=0"])
    for name in found:
        assert_exact_or_within(found, name, truth[name])


def test_products_of_counts_beyond_64_bits_do_not_wrap_round_against_memory():
    """Rates are compared as products of counts; every score 2**33 times over leaves all rates as they are."""
    scores = bt.ScoreSet([1.0, 2.0, 2.0, 4.0, 5.0], [0.0, 0.0, 1.0, 2.0, 3.0, 3.5, 4.5])
    names = ["EER", "EER[nearest]", "EER[fvc]", "EER[hull]", "AUC", "KS", "minDCF", "minHTER", "FNMR@FMR=0.2"]
    counts = count_scores(ScoreStream([(scores.mated, scores.nonmated)], name="many"))
    mated, nonmated = (
        replace(one, keys=replace(one.keys, times=one.keys.times << 33)) for one in (counts.mated, counts.nonmated)
    )
    found, truth = bt.evaluate(replace(counts, mated=mated, nonmated=nonmated), names), bt.evaluate(scores, names)
    for name in found:
        assert found[name].value == pytest.approx(truth[name].value, rel=1e-15), name
        assert found[name].threshold == truth[name].threshold, name
    assert not found.tally.looks_reversed
    for name, interval in found.with_intervals(resamples=100).intervals.items():
        assert interval.low == pytest.approx(truth[name].value, abs=1e-3), name  # so many scores leave no doubt
        assert interval.high == pytest.approx(truth[name].value, abs=1e-3), name


def test_a_class_of_fewer_scores_than_a_block_helps_to_choose_what_is_kept_against_memory():
    """Its only block is full when the stream ends; until then nobody knew where the EER lies, and it was let go."""
    rng = np.random.default_rng(5)
    scores = bt.ScoreSet(rng.normal(2, 1, 900), rng.normal(0, 1, 30_000))
    names = ["EER", "FMR@FNMR=0.05"]

    def batches():
        for start in range(0, 900, 30):
            yield scores.mated[start : start + 30], scores.nonmated[start * 100 // 3 :][:1000]

    with tight(bits=22, block=1000, keys=8000, pending=1000):
        found = bt.evaluate(ScoreStream(batches()), names)
    truth = bt.evaluate(scores, names)
    assert not found.bounds
    assert [as_tuple(found[name]) for name in names] == [as_tuple(truth[name]) for name in names]


def test_every_fmr_up_to_a_thousandth_is_exact_from_counts_against_memory():
    """What the page of scale promises of counts: all thresholds of a small FMR, with the mated scores there."""
    rng = np.random.default_rng(2)
    scores = bt.ScoreSet(rng.normal(3, 1, 5_000), rng.normal(0, 1, 95_000))
    names = [f"FNMR@FMR={x}" for x in (0.001, 0.00077, 0.0005, 0.0002, 0.0001, 0.00003, 0.0)]
    found = bt.evaluate(count_scores(ScoreStream([(scores.mated, scores.nonmated)])), [*names, "AUC"])
    truth = bt.evaluate(scores, names)
    assert found.bounds["AUC"][0] < found.bounds["AUC"][1]  # the rest is in bins
    assert [as_tuple(found[name]) for name in names] == [as_tuple(truth[name]) for name in names]
