"""Laws that hold for every measure of the language; a measure that is not in the table fails the first test.

The table of spellings stands in measures/table.py, each with its brute-force answer.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from brute_force import Twin
from hypothesis import given, settings
from hypothesis import strategies as st
from measures.table import (
    ANSWERS,
    COUNTS,
    NEEDS_LLR,
    Question,
    agrees,
    as_tuple,
    close,
    name_of,
    questions,
    rates,
    tame,
)

import bertillon as bt
from bertillon.counting import CellClass, CurveBlock, cells_of, cuts_of
from bertillon.measures import MEASURES, PEERS, better

SUMS = ("dprime", "FRatio", "Cllr", "calLoss")  # sums of floats: the order of adding shows in the last bits
FREE_OF_SCALE = [template for template in ANSWERS if name_of(template) not in NEEDS_LLR]


def test_every_registered_measure_stands_in_the_table():
    assert {name_of(template) for template in ANSWERS} == set(MEASURES)


@given(questions())
def test_every_measure_against_brute_force(question):
    """V1, V3, V4, V5, V6, V8, V10, V11: each number as its definition says, counted by loops over fractions."""
    results, answers = question.results(), question.answers()
    wrong = {question.spelled(t): (results[t], answers[t]) for t in ANSWERS if not agrees(results[t], answers[t])}
    assert not wrong


@given(questions())
def test_negating_scores_and_rule_changes_nothing_but_the_sign_of_thresholds(question):
    turned = turn(question)
    first, second = question.results(FREE_OF_SCALE), turned.results(FREE_OF_SCALE)
    assert {t: as_tuple(negated(result)) for t, result in first.items()} == {t: as_tuple(r) for t, r in second.items()}


@given(questions())
def test_log_likelihood_ratios_are_never_read_from_distances(question):
    distance = question if question.scores.rule is bt.AcceptRule.DISTANCE else turn(question)
    results = distance.results(template for template in ANSWERS if name_of(template) in NEEDS_LLR)
    assert results
    assert all(math.isnan(result.value) and result.reason for result in results.values())


@given(questions(), st.randoms(use_true_random=False))
def test_the_order_of_scores_does_not_matter(question, random):
    shuffled = [random.sample(scores.tolist(), scores.size) for scores in both(question.scores)]
    first, second = question.results(), rebuilt(question, *shuffled).results()
    exact = [template for template in ANSWERS if name_of(template) not in SUMS]
    assert {t: as_tuple(first[t]) for t in exact} == {t: as_tuple(second[t]) for t in exact}
    assert_alike(first, second)


@given(questions())
def test_counting_everything_twice_leaves_all_rates_and_doubles_all_counts(question):
    """Exempt as values: FM, FNM, TM, TNM are counts, and double."""
    scores, given_failures = question.scores, question.scores.failures
    doubled = bt.ScoreSet(
        np.tile(scores.mated, 2),
        np.tile(scores.nonmated, 2),
        rule=scores.rule,
        failures=bt.Failures(
            2 * given_failures.mated,
            2 * given_failures.nonmated,
            2 * given_failures.enrolments,
            2 * given_failures.enrolment_attempts,
        ),
    )
    first, second = question.results(), replace(question, scores=doubled).results()
    for template, result in first.items():
        expected = result
        if result.errors is not None:
            expected = replace(result, errors=2 * result.errors, trials=2 * result.trials)
        if name_of(template) in COUNTS:
            expected = replace(expected, value=2 * result.value)
        assert_same(question.spelled(template), expected, second[template])


@given(questions(), st.integers(-40, 40), st.sampled_from([0.25, 0.5, 2.0, 4.0]))
def test_shifting_and_stretching_scores_moves_thresholds_and_nothing_else(question, shift, scale):
    """Exempt: what reads scores as log-likelihood ratios. Whole numbers and powers of two keep the arithmetic exact."""
    moved = [scale * (scores + shift) for scores in both(question.scores)]
    there = replace(rebuilt(question, *moved), t=scale * (question.t + shift))
    first, second = question.results(FREE_OF_SCALE), there.results(FREE_OF_SCALE)
    for template, result in first.items():
        if result.threshold is not None:
            result = replace(result, threshold=scale * (result.threshold + shift))
        assert_same(question.spelled(template), result, second[template])


@given(questions())
def test_rates_are_monotone_and_complete_each_other(question):
    """V1, V2, E1: FMR falls and FNMR rises as thresholds get stricter; GAR + FRR = GRR + FAR = 1."""
    curve = bt.counting.error_curve(question.scores)
    oriented = curve.threshold if question.scores.rule is bt.AcceptRule.SIMILARITY else -curve.threshold
    assert np.all(oriented[1:-1] > oriented[:-2])
    assert oriented[-1] == math.inf
    assert np.all(np.diff(curve.counts.false_match) <= 0)
    assert np.all(np.diff(curve.counts.false_nonmatch) >= 0)
    for right, wrong in (("GAR", "FRR"), ("GRR", "FAR"), ("TMR", "FNMR"), ("TNMR", "FMR")):
        pair = question.results([f"{right}@t={{t}}", f"{wrong}@t={{t}}"]).values()
        total = sum(result.value for result in pair)
        assert close(total, 1.0) or math.isnan(total)
        if not math.isnan(total):
            assert len({(result.errors, result.trials) for result in pair}) == 1


@given(questions())
def test_the_whole_curve_against_brute_force(question):
    """V2: every distinct score is a threshold once, the last rejects all, and the counts are those of the loops."""
    twin, curve = Twin(question.scores), bt.counting.error_curve(question.scores)
    assert curve.threshold.tolist() == [twin.shown(threshold) for threshold in twin.candidates]
    assert curve.counts.false_match.tolist() == [twin.count("FMR", threshold)[0] for threshold in twin.candidates]
    assert curve.counts.false_nonmatch.tolist() == [twin.count("FNMR", threshold)[0] for threshold in twin.candidates]
    if twin.nonmated:
        assert curve.counts.far.tolist() == [float(twin.rate("FAR", threshold)) for threshold in twin.candidates]
    if twin.mated:
        assert curve.counts.frr.tolist() == [float(twin.rate("FRR", threshold)) for threshold in twin.candidates]


@given(questions())
def test_outcomes_against_brute_force(question):
    """V1, E8: the four outcomes at a threshold; a score equal to it is accepted."""
    twin, found = Twin(question.scores), bt.counting.outcomes(question.scores, question.t)
    assert (found.false_match, found.false_nonmatch) == (
        twin.count("FMR", question.t)[0],
        twin.count("FNMR", question.t)[0],
    )
    assert found.true_match + found.false_nonmatch == len(twin.mated)
    assert found.true_nonmatch + found.false_match == len(twin.nonmated)


@settings(max_examples=12)
@given(questions(elements=st.floats(-5, 5, width=32)))
def test_lists_arrays_and_columns_give_the_same(question):
    expected = {t: as_tuple(result) for t, result in question.results().items()}
    for make in (np.ndarray.tolist, tuple, pl.Series, pd.Series, np.float32, reversed_view, read_only):
        made = rebuilt(question, *map(make, both(question.scores)))
        assert {t: as_tuple(result) for t, result in made.results().items()} == expected, make


@given(questions(elements=tame), st.data())
def test_a_monotone_measure_is_never_better_on_a_worse_curve(question, data):
    """Mated scores that are less alike and non-mated ones that are more so: no fewer errors at any threshold."""
    scores, step = question.scores, 1 if question.scores.rule is bt.AcceptRule.SIMILARITY else -1
    moved = [
        kind + sign * step * np.array(data.draw(st.lists(st.integers(0, 3), min_size=kind.size, max_size=kind.size)))
        for kind, sign in zip(both(scores), (-1, 1), strict=True)
    ]
    asked = [template for template in ANSWERS if bt.parse(question.spelled(template)).monotone]
    found, worse = question.results(asked), rebuilt(question, *moved).results(asked)
    assert {"EER", "AUC", "FNMR@FMR={x}", "minCllr"} <= set(asked)
    for template in asked:
        gain = better(question.spelled(template)) * (worse[template].value - found[template].value)
        assert not gain > 1e-9, (template, found[template], worse[template])


@settings(max_examples=60)
@given(questions(elements=tame), st.data())
def test_a_block_of_resamples_says_what_each_of_them_says(question, data):
    """U1: every score counts as often as its weight, in several resamples at once and in a set that repeats it."""
    kinds = both(question.scores)
    sizes = [kind.size for kind in kinds]
    times = st.tuples(*(st.lists(st.integers(0, 3), min_size=size, max_size=size) for size in sizes))
    weights = data.draw(st.lists(times, min_size=1, max_size=4))
    block = block_of(question.scores, question.t, weights)
    asked = [*ANSWERS, *(f"EER[{peer}]" for peer in PEERS)]
    apart = [rebuilt(question, *map(np.repeat, kinds, own)).results(asked) for own in weights]
    for template in asked:
        values, thresholds = bt.parse(question.spelled(template)).of_block(block)
        for resample, results in enumerate(apart):
            threshold = thresholds[resample]
            found = values[resample], None if math.isnan(threshold) else block.rule.restore(threshold)
            expected = results[template].value, results[template].threshold
            assert all(map(close, found, expected)), (template, resample, found, expected)


def block_of(scores: bt.ScoreSet, t: float, weights: list[tuple[list[int], list[int]]]) -> CurveBlock:
    """The curves of the scores under weights, one pair of them (mated, non-mated) a resample."""
    cuts = cuts_of(scores, [t])
    cells = [cells_of(kind, scores.rule, cuts) for kind in both(scores)]
    counts = [
        np.array([np.bincount(cells[side], own[side], minlength=cuts.size) for own in weights], dtype=np.int64).T
        for side in (0, 1)
    ]
    classes = [CellClass.of(kind, own, cuts, scores.rule) for kind, own in zip(both(scores), cells, strict=True)]
    return CurveBlock(cuts, *counts, tuple(classes), scores.rule, [scores.failures] * len(weights))


@pytest.mark.parametrize("template", ANSWERS)
def test_each_measure_reads_back_by_hand(template):
    assert_reads_back(template, 0.001, -2.5)


@settings(max_examples=400)
@given(st.sampled_from(list(ANSWERS)), rates, st.floats(allow_nan=False))
def test_each_measure_reads_back_with_any_number(template, x, t):
    assert_reads_back(template, x, t)


def assert_reads_back(template: str, x: float, t: float) -> None:
    """DESIGN 4: parse(str(m)) == m, and a measure passes through parse untouched."""
    measure = bt.parse(template.format(x=x, above=x or 0.5, t=t))
    assert bt.parse(str(measure)) == measure
    assert hash(bt.parse(str(measure))) == hash(measure)
    assert str(bt.parse(str(measure))) == str(measure)
    assert bt.parse(measure) is measure


def turn(question: Question) -> Question:
    """The same comparisons with the scale upside down."""
    scores = question.scores
    rule = "distance" if scores.rule is bt.AcceptRule.SIMILARITY else "similarity"
    turned = bt.ScoreSet(-scores.mated, -scores.nonmated, rule=rule, failures=scores.failures)
    return Question(turned, question.x, -question.t)


def negated(result: bt.measures.Result) -> bt.measures.Result:
    return result if result.threshold is None else replace(result, threshold=0.0 - result.threshold)


def rebuilt(question: Question, mated, nonmated) -> Question:
    scores = bt.ScoreSet(mated, nonmated, rule=question.scores.rule, failures=question.scores.failures)
    return replace(question, scores=scores)


def both(scores: bt.ScoreSet):
    return scores.mated, scores.nonmated


def reversed_view(scores: np.ndarray) -> np.ndarray:
    """The same scores as a view with negative strides."""
    return scores[::-1].copy()[::-1]


def read_only(scores: np.ndarray) -> np.ndarray:
    frozen = scores.copy()
    frozen.flags.writeable = False
    return frozen


def assert_same(spelled: str, one: bt.measures.Result, other: bt.measures.Result) -> None:
    assert close(one.value, other.value), (spelled, one, other)
    assert close(one.threshold, other.threshold), (spelled, one, other)
    assert replace(one, value=0, threshold=0) == replace(other, value=0, threshold=0), spelled


def assert_alike(first: dict[str, bt.measures.Result], second: dict[str, bt.measures.Result]) -> None:
    for template, result in first.items():
        assert_same(template, result, second[template])
