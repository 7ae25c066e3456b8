"""The path of large sets equals the path of small ones to the last bit, on data small enough to be awkward.

`sort_up_to` set to 0 sends every set through the compiled kernels, and so does a way of seeking that costs nothing,
without an outline then; few bin bits and a low limit of what is collected make windows nest, and slices of one score
make partial results merge. Exempt from the last bit: dprime and FRatio, whose sums are added in another order in sets
that are larger than `sort_up_to`.
"""

from __future__ import annotations

import math
import pickle
from contextlib import contextmanager, nullcontext
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measures.table import ANSWERS, Question, as_tuple, close, name_of, questions, rates

import bertillon as bt
from bertillon.counting import (
    ARRAYS,
    LIMITS,
    BinaryCounts,
    DeferredCounts,
    Need,
    count_errors,
    refining,
    slices,
    tally,
)

FLOAT_SUMS = ("dprime", "FRatio")
SOUGHT = [t for t in ANSWERS if Need.EVERY_THRESHOLD not in bt.parse(t.format(x=0.5, above=0.5, t=0.0)).needs]
EXTREMES = (0.0, -0.0, 5e-324, -5e-324, 1e-300, -1e-300, 1.0, np.nextafter(1, 2), -2.0, 2.0, 1e300, -1e300)
extremes = st.sampled_from([*EXTREMES, math.inf, -math.inf])


@contextmanager
def large_path(bits: int = 18, collect: int = 1 << 16, slice_: int = 1 << 17, up_to: int = 0):
    """Every set counts as large, or as one in which seeking pays; bins, collections and slices are as asked for."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LIMITS.memory, "sort_up_to", up_to)
        for cost in ("start_seeking_ns", "ask_ns", "load_ns"):
            patch.setattr(LIMITS.times, cost, 0)
        patch.setattr(LIMITS.memory, "bin_bits", bits)
        patch.setattr(LIMITS.memory, "collect_at_most", collect)
        patch.setattr(slices, "available_cores", lambda: 3)
        patch.setattr(LIMITS.memory, "smallest_slice", slice_)
        patch.setattr(LIMITS.memory, "seeking_slice", slice_)
        yield


ways = st.builds(
    dict,
    bits=st.sampled_from([2, 3, 4, 5, 6, 18]),
    collect=st.sampled_from([1, 1, 2, 1 << 16]),
    slice_=st.sampled_from([1, 1 << 17]),
    up_to=st.sampled_from([0, 10**6]),
)


def assert_paths_agree(question: Question, way: dict[str, int], chosen: list[str]) -> None:
    """All measures together, and each of the chosen alone: then only its own seek finds its rows."""
    small = question.results()
    with large_path(**way):
        batches = [question.results(SOUGHT), question.results(set(ANSWERS) - set(SOUGHT))]
        batches += [question.results([template]) for template in chosen]
    for batch in batches:
        for template, result in batch.items():
            assert_equal(question.spelled(template), small[template], result, to_the_bit=way.get("up_to", 0) > 0)


def assert_equal(
    spelled: str, small: bt.measures.Result, large: bt.measures.Result, *, to_the_bit: bool = False
) -> None:
    if name_of(spelled) in FLOAT_SUMS and not to_the_bit and not math.isnan(small.value):
        assert close(small.value, large.value, rel=1e-12), (spelled, small, large)
    else:
        assert as_tuple(small) == as_tuple(large), spelled


some = st.lists(st.sampled_from(SOUGHT), min_size=8, max_size=8)


@given(questions(largest=14), ways, some)
def test_every_measure_with_many_ties_against_the_small_path(question, way, chosen):
    assert_paths_agree(question, way, chosen)


@given(questions(largest=14, elements=extremes), ways, some)
def test_every_measure_at_the_ends_of_the_number_line_against_the_small_path(question, way, chosen):
    """Denormals, both zeros, infinities and ranges wider than 2**63 keys."""
    infinite = np.isinf([*question.scores.mated, *question.scores.nonmated]).any()
    chosen = [template for template in chosen if infinite or name_of(template) not in FLOAT_SUMS]
    assert_paths_agree(question, way, chosen)


@given(questions(largest=14, elements=st.floats(-4, 4, width=32)), ways, some)
def test_every_measure_of_float32_against_the_small_path(question, way, chosen):
    scores = question.scores
    single = bt.ScoreSet(
        scores.mated.astype(np.float32),
        scores.nonmated.astype(np.float32),
        rule=scores.rule,
        failures=scores.failures,
    )
    assert single.mated.dtype == single.nonmated.dtype == np.float32
    assert_paths_agree(Question(single, question.x, question.t), way, chosen)


@settings(max_examples=8)
@given(seed=st.integers(0, 2**32 - 1), x=rates, way=ways, rule=st.sampled_from(["similarity", "distance"]))
def test_every_measure_of_a_thousand_normals_against_the_small_path(seed, x, way, rule):
    rng = np.random.default_rng(seed)
    mated, nonmated = rng.normal(1, 1, 300), rng.normal(-1, 1, 700).round(1)
    question = Question(bt.ScoreSet(mated, nonmated, rule=rule), x, 0.25)
    assert_paths_agree(question, way, list(rng.choice(SOUGHT, 10, replace=False)))


@pytest.mark.parametrize("measure", ["EER", "EER[fvc]", "AUC", "KS", "FNMR@FMR=0.01", "FMR@t=0"])
def test_bins_too_full_to_collect_do_not_upset_other_measures_by_hand(measure):
    """Most scores share one bin far from the equal error rate, and two measures look into it."""
    scores = bt.ScoreSet([2.0] * 4 + [5, 6, 7, 8], [1.0] * 4 + [1.1, 1.2, 3, 4, 9])
    asked = [measure, "ZeroFNMR", "FMR@t=1.1"]
    expected = bt.evaluate(scores, asked)
    with large_path(bits=2, collect=1):
        found = bt.evaluate(scores, asked)
    assert not found.tally.curve.counts.complete
    assert {name: as_tuple(found[name]) for name in asked} == {name: as_tuple(expected[name]) for name in asked}


@pytest.mark.parametrize(("rule", "far"), [("similarity", math.inf), ("distance", -math.inf)])
def test_a_threshold_at_infinity_still_accepts_what_is_there_by_hand(rule, far):
    with large_path(bits=3):
        found = bt.evaluate(bt.ScoreSet([far, 1.0], [far, far, 0.0], rule=rule), [f"FM@t={far}", f"TM@t={far}"])
        assert [result.value for result in found.results.values()] == [2, 1]
        assert bt.evaluate(found.trials, [f"FM@t={-far}"])[f"FM@t={-far}"].value == 3


@given(questions(largest=14, elements=extremes))
def test_the_whole_curve_by_merging_against_the_small_path(question):
    small = count_errors(question.scores)
    with large_path():
        large = count_errors(question.scores)
    for part in ("threshold", "false_match", "false_nonmatch"):
        assert getattr(small, part).tolist() == getattr(large, part).tolist()
        assert getattr(small, part).dtype == getattr(large, part).dtype
    for curve in (small, large):
        assert not np.signbit(curve.threshold[curve.threshold == 0]).any()  # one spelling of zero


@pytest.mark.parametrize("path", [nullcontext, large_path])
def test_what_nobody_asked_for_is_none_by_hand(path):
    scores = bt.ScoreSet([2.0, 3.0], [1.0, 2.0], failures=bt.Failures(4, 5))
    with path():
        plain, asked = tally.take_tally(scores), tally.take_tally(scores, needs=list(Need))
    assert (plain.mated_moments, plain.nonmated_moments, plain.wins, plain.scores) == (None, None, None, None)
    assert (asked.mated_moments.mean, asked.nonmated_moments.mean) == (2.5, 1.5)
    assert (asked.wins, asked.scores) == (tally.Wins(3, 1, 4), scores)
    assert asked.errors.complete
    assert asked.errors.threshold.tolist() == [1.0, 2.0, 3.0, math.inf]
    for counts in (plain, asked):
        for curve in (counts.errors, counts.outline):
            assert (curve.failed_mated, curve.failed_nonmated) == (4, 5)


def test_zero_has_one_spelling_by_hand():
    scores = bt.ScoreSet([-0.0, 1.0], [-0.0, -1.0])
    assert [str(threshold) for threshold in count_errors(scores).threshold] == ["-1.0", "0.0", "1.0", "inf"]


@given(questions(largest=14), ways)
def test_each_point_of_an_outline_is_on_the_curve_by_hand(question, way):
    """The outline of a large set is counted exactly at thresholds that need not be scores."""
    with large_path(**way):
        outline = bt.evaluate(question.scores, []).tally.curve
        assert outline.counts.complete == (question.scores.size <= way["up_to"])
    signed = 1 if question.scores.rule is bt.AcceptRule.SIMILARITY else -1
    for threshold, false_match, false_nonmatch in zip(
        outline.threshold[:-1], outline.counts.false_match, outline.counts.false_nonmatch, strict=False
    ):
        assert false_match == np.count_nonzero(signed * question.scores.nonmated >= signed * threshold)
        assert false_nonmatch == np.count_nonzero(signed * question.scores.mated < signed * threshold)
    assert outline.counts.false_match[-1] == 0
    assert outline.counts.false_nonmatch[-1] == question.scores.mated.size


@given(questions(largest=14, elements=extremes))
def test_the_curve_of_a_set_in_which_seeking_pays_against_the_small_path(question):
    """It has every threshold, though the answers were found without it, and can be copied and changed as any other."""
    small = bt.evaluate(question.scores, "EER").tally.curve.counts
    with large_path(up_to=10**6):
        found = bt.evaluate(question.scores, "EER").tally.curve.counts
        assert isinstance(found, DeferredCounts) == (question.scores.size > 0)
        assert (found.n_mated, found.n_nonmated, found.complete) == (small.n_mated, small.n_nonmated, True)
        assert is_filled(found) == (question.scores.size == 0)
        copies = [replace(found), pickle.loads(pickle.dumps(found))]
    assert is_filled(found)
    for counts in (found, *copies):
        assert [getattr(counts, part).tolist() for part in ARRAYS] == [getattr(small, part).tolist() for part in ARRAYS]
        assert (counts.failed_mated, counts.failed_nonmated) == (small.failed_mated, small.failed_nonmated)
        assert counts.tp.tolist() == small.tp.tolist()
        assert counts.at(np.array([0])).threshold.tolist() == small.threshold[:1].tolist()
    with pytest.raises(AttributeError, match="colour"):
        _ = found.colour


def is_filled(counts: BinaryCounts) -> bool:
    """Have the arrays been counted?"""
    try:
        object.__getattribute__(counts, "threshold")
    except AttributeError:
        return False
    return True


def pays(size: int, questions: int, *, wins: bool, loaded: bool) -> bool:
    """Is a set of this size counted around its answers?"""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tally, "LOADED_FOR", {np.dtype(np.float64)} if loaded else set())
        needs = [Need.WINS] if wins else []
        scores = bt.ScoreSet(np.arange(size // 10.0), np.arange(0.0, size - size // 10))
        return not tally.take_tally(scores, [bt.parse("EER").seek] * questions, needs).errors.complete


def test_the_way_of_counting_is_chosen_by_what_it_costs_by_hand():
    """One question: 158 us to start with, then 2 ns a score against 6 ns; pairs cost 4.5 ns a score against 2.5 ns."""
    assert not pays(39_000, 1, wins=False, loaded=True)
    assert pays(40_000, 1, wins=False, loaded=True)
    assert not pays(78_000, 1, wins=True, loaded=True)
    assert pays(80_000, 1, wins=True, loaded=True)
    assert not pays(25_000, 10, wins=False, loaded=True)
    assert pays(28_000, 10, wins=False, loaded=True)
    assert not pays(1_000_000, 10, wins=False, loaded=False)  # not worth loading the kernels for


@pytest.mark.slow
def test_a_million_and_a_half_scores_against_the_small_path():
    """The real sizes, bins and slices once; `test_every_measure_of_a_thousand_normals...` is the fast twin."""
    rng = np.random.default_rng(7)
    question = Question(bt.ScoreSet(rng.normal(2, 1, 500_000), rng.normal(0, 1, 1_000_001).round(3)), 0.001, 1.0)
    with pytest.MonkeyPatch.context() as patch:
        large = question.results(SOUGHT)
        patch.setattr(LIMITS.memory, "sort_up_to", 10**9)
        patch.setattr(LIMITS.times, "start_seeking_ns", math.inf)
        small = question.results(SOUGHT)
    for template in SOUGHT:
        assert_equal(question.spelled(template), small[template], large[template])


@pytest.mark.parametrize(("first", "apart"), [(1.0, 2.0**-52), (-20 * 5e-324, 5e-324), (0.0, 5e-324)])
@pytest.mark.parametrize("rule", ["similarity", "distance"])
def test_scores_as_close_as_numbers_can_be_against_the_small_path(rule, first, apart):
    """So few keys from the first to the last that each is a bin of its own, those on both sides of zero too."""
    close_by = first + np.arange(40) * apart
    question = Question(bt.ScoreSet(close_by[10::3], close_by[:30:2], rule=rule), 0.25, close_by[17])
    assert_paths_agree(question, {"bits": 18}, SOUGHT)
    everywhere = [lambda outline: np.arange(len(outline))]
    sign = question.scores.rule.factor
    found = refining.count_sought(question.scores.mated, question.scores.nonmated, everywhere, sign=sign).exact
    whole = count_errors(question.scores)
    for part in ("threshold", "false_match", "false_nonmatch"):
        assert getattr(found, part).tolist() == getattr(whole, part).tolist()
