"""The default interval of every measure: formulas, resamples, bounds, and reasons where there is none (U1)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertillon.core import AcceptRule
from bertillon.counting import CountedScores, Failures, Need, take_tally
from bertillon.evaluation import DEFAULT_MEASURES, evaluate
from bertillon.measures import LIMITS, MEASURES, VERIFICATION, parse
from bertillon.stats import (
    Interval,
    Settings,
    compatible_errors,
    intervals_of,
    proportions,
    range_of,
    rate_by_pair,
    rate_by_subject,
    rates_at,
    units_of,
    worst_curve,
)
from bertillon.trials import ScoreSet, TrialIds, simulate

FAST = Settings(resamples=60)
EVERY = [definition.example for definition in MEASURES.values()]


def found_for(scores: ScoreSet | CountedScores, measures: list[str], settings: Settings = FAST) -> dict[str, Interval]:
    evaluation = evaluate(scores, measures)
    return intervals_of(scores, evaluation.measure_set.parse_all(evaluation), evaluation.results, settings)


def people(mated: list[float], nonmated: list[float], **more: object) -> ScoreSet:
    """As many people as mated scores; non-mated ones between neighbours."""
    own, first = np.arange(len(mated)), np.arange(len(nonmated)) % max(len(mated), 1)
    return ScoreSet(
        mated,
        nonmated,
        mated_ids=TrialIds(own, own),
        nonmated_ids=TrialIds(first, (first + 1) % max(len(mated), 2)),
        **more,
    )


@pytest.mark.parametrize("rule", ["similarity", "distance"])
def test_every_measure_has_an_interval_that_holds_its_value(rule: str) -> None:
    scores = simulate("subjects", subjects=30, mated=300, nonmated=2000, dprime=1.5, rng=1, rule=rule).scores
    scores = replace(scores, failures=Failures(mated=3, nonmated=9)).with_enrolments(1, 30)
    evaluation = evaluate(scores, EVERY)
    found = intervals_of(scores, evaluation.measure_set.parse_all(evaluation), evaluation.results, FAST)
    assert list(found) == list(evaluation)
    for name, interval in found.items():
        value = evaluation[name].value
        if math.isnan(value):
            assert interval.reason == evaluation[name].reason
            continue
        if name.startswith("Overlap"):
            assert "by chance" in str(interval.reason)
            continue
        allowed = range_of(parse(name), VERIFICATION)
        assert interval.low <= value <= interval.high, name
        assert interval.low < interval.high, name
        assert allowed.low <= interval.low, name
        assert interval.high <= allowed.high, name
        assert interval.method, name


def test_a_rate_at_a_threshold_has_a_formula() -> None:
    """By subject, and by the two people of each comparison; the same as of a threshold fixed beforehand."""
    scores = simulate("subjects", subjects=30, mated=300, nonmated=2000, rng=2).scores
    own, others = scores.mated_ids, scores.nonmated_ids
    assert own is not None
    assert others is not None
    fnmr = rate_by_subject(own.probe_subject, scores.mated < 1.0).interval()
    fmr = rate_by_pair(others.probe_subject, others.reference_subject, scores.nonmated >= 1.0).interval()
    found = found_for(scores, ["FNMR@t=1", "FMR@t=1", "TMR@t=1", "FNM@t=1", "TNMR@t=1"])
    assert (found["FNMR@t=1"], found["FMR@t=1"]) == (fnmr, fmr)
    assert (found["TMR@t=1"].low, found["TMR@t=1"].high) == (1 - fnmr.high, 1 - fnmr.low)
    assert found["FNM@t=1"].high == pytest.approx(300 * fnmr.high)
    assert found["TNMR@t=1"].low == 1 - fmr.high
    fixed = rates_at(scores, 1.0)
    assert (fixed.fnmr.interval, fixed.fmr.interval) == (fnmr, fmr)


def test_without_ids_intervals_are_naive_and_exact() -> None:
    found = found_for(ScoreSet([0.9, 0.8, 0.4], [0.1, 0.5, 0.2, 0.3]), ["FNMR@t=0.5", "EER"])
    assert found["FNMR@t=0.5"].naive
    assert str(found["FNMR@t=0.5"].method) == "clopper-pearson"
    assert (found["FNMR@t=0.5"].low, found["FNMR@t=0.5"].high) == pytest.approx((0.0084038, 0.9057007), abs=1e-7)
    assert found["EER"].naive


def test_the_threshold_has_an_interval_too() -> None:
    scores, truth = simulate("subjects", subjects=80, mated=800, nonmated=6000, rng=5)
    found = found_for(scores, ["EER", "FNMR@FMR=0.01", "FNMR@t=1", "AUC"], Settings(resamples=300))
    for name, true in (("EER", truth.eer().threshold), ("FNMR@FMR=0.01", truth.threshold_at_fmr(0.01))):
        low, high = found[name].threshold or (math.nan, math.nan)
        assert low < true < high
        assert high - low < 0.8
    assert found["FNMR@t=1"].threshold is None
    assert found["AUC"].threshold is None


@pytest.mark.parametrize("rule", ["similarity", "distance"])
def test_no_error_gives_bounds(rule: str) -> None:
    """Mated and non-mated scores do not overlap: one end is the value, the other a bound."""
    sign = 1 if rule == "similarity" else -1
    scores = people((sign * np.arange(50.0, 90.0)).tolist(), (sign * np.arange(-20.0, 20.0)).tolist(), rule=rule)
    evaluation = evaluate(scores, ["EER", "AUC", "KS", "minDCF(p=0.5,cmiss=1,cfa=1)", "minHTER", "Gini"])
    found = intervals_of(scores, evaluation.measure_set.parse_all(evaluation), evaluation.results, FAST)
    rates = rates_at(scores, sign * 30.0)
    fmr, fnmr = rates.fmr.interval.high, rates.fnmr.interval.high
    assert 0.05 < fnmr < 0.2
    assert (found["EER"].low, found["EER"].high) == (0.0, pytest.approx(max(fmr, fnmr), abs=2e-6))
    assert (found["AUC"].low, found["AUC"].high) == (pytest.approx((1 - fmr) * (1 - fnmr), abs=3e-6), 1.0)
    assert found["KS"].low == pytest.approx(1 - math.hypot(fmr, fnmr))
    assert found["minHTER"].high == pytest.approx(math.hypot(fmr, fnmr) / 2)
    assert found["Gini"].low == pytest.approx(2 * found["AUC"].low - 1)
    for interval in found.values():
        assert str(interval.reason) == "mated and non-mated scores do not overlap: one end is a bound"


def test_the_worst_curve_passes_through_its_two_rates() -> None:
    errors = worst_curve(0.02, 0.1, AcceptRule.SIMILARITY).errors
    assert (0.02, 0.1) in set(zip(errors.fmr.tolist(), errors.fnmr.tolist(), strict=True))
    assert (errors.fmr[0], errors.fnmr[-1]) == (1.0, 1.0)


def test_compatible_errors_against_clopper_pearson() -> None:
    """STANDARDS 1: 30 of 10,000 fit a rate of 0.003 and the ends of its 90 % interval."""
    assert compatible_errors(0.0, 1000, 1.0, 0.95) == (0, 0)
    least, most = compatible_errors(0.002161, 10_000, 1.0, 0.9)
    assert most == 30
    least, most = compatible_errors(0.004066, 10_000, 1.0, 0.9)
    assert least == 30
    assert compatible_errors(0.01, 1000, 0.25, 0.95) == (0, 25)  # as 250 trials would


@given(st.floats(0, 1), st.integers(0, 3000), st.floats(0.02, 1), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_compatible_errors_against_looking_at_every_number(target, trials, share, level) -> None:
    errors = np.arange(min(trials, int(4.0 * target * trials + 60.0 / share)) + 1)
    low, high = proportions(share * errors, share * trials, level=level)
    fitting = np.flatnonzero((low <= target) & (high >= target)).tolist() or [0]
    assert compatible_errors(target, trials, share, level) == (fitting[0], fitting[-1])


def test_a_target_below_what_the_trials_show_has_no_upper_end() -> None:
    """DESIGN 10: FMR = 1e-4 from 2,000 comparisons; ZeroFMR can only get worse with more comparisons."""
    scores = simulate("subjects", subjects=30, mated=300, nonmated=2000, rng=3).scores
    found = found_for(scores, ["FNMR@FMR=0.0001", "ZeroFMR", "TMR@FMR=0.0001", "FNMR@FMR=0.01"])
    assert found["FNMR@FMR=0.0001"].high == 1.0
    assert found["ZeroFMR"].high == 1.0
    assert found["TMR@FMR=0.0001"].low == 0.0
    assert "too few errors at FMR = 0.0001 (0.2 expected)" in str(found["FNMR@FMR=0.0001"].reason)
    assert found["FNMR@FMR=0.01"].high < 1.0
    assert found["FNMR@FMR=0.01"].reason is None


def test_few_errors_at_a_target_bound_its_threshold() -> None:
    """Four expected: between the most permissive and the strictest threshold that fit, and a little more."""
    scores = ScoreSet(np.linspace(0, 10, 201), np.linspace(-5, 5, 400))
    evaluation = evaluate(scores, ["FNMR@FMR=0.01"])
    found = intervals_of(scores, [parse("FNMR@FMR=0.01")], evaluation.results, FAST)["FNMR@FMR=0.01"]
    least, most = compatible_errors(0.01, 400, 1.0, 0.95)
    assert (least, most) == (1, 8)
    own = rates_at(scores, float(evaluation["FNMR@FMR=0.01"].threshold or 0)).fnmr
    assert found.low < own.interval.low
    assert found.high > own.interval.high
    assert found.high < 0.7


def test_all_errors_and_a_reversed_system() -> None:
    scores = people(np.arange(-40.0, -10.0).tolist(), np.arange(20.0, 50.0).tolist())
    found = found_for(scores, ["FNMR@t=0", "FMR@t=0", "EER", "AUC"])
    for name in ("FNMR@t=0", "FMR@t=0"):
        assert found[name].high == 1.0
        assert found[name].low < 0.95
        assert found[name].reason is not None
    for name in ("EER", "AUC"):
        assert math.isnan(found[name].low)
        assert str(found[name].reason) == "every resample gives the same value"


def test_degenerate_cases_say_why_there_is_no_interval() -> None:
    """One class, one subject, constant scores."""
    one_class = found_for(ScoreSet([0.5, 0.7], []), ["EER", "FNMR@t=0.6", "FMR@t=0.6"])
    assert str(one_class["EER"].reason) == "no non-mated scores"
    assert math.isnan(one_class["EER"].low)
    assert one_class["FNMR@t=0.6"].holds(0.5)
    assert str(one_class["FMR@t=0.6"].reason) == "no non-mated scores"

    alone = ScoreSet([1.0, 3.0], [2.0, 0.0], mated_ids=TrialIds(["a", "a"]), nonmated_ids=TrialIds(["a", "a"]))
    only = found_for(alone, ["EER", "FNMR@t=2", "FMR@t=2"])
    expected = (
        "there is one unit to resample (subjects (for non-mated comparisons only that of the probe)); at least two are "
        "needed"
    )
    assert str(only["EER"].reason) == expected
    assert "one subject" in str(only["FNMR@t=2"].reason)
    assert math.isnan(only["FMR@t=2"].low)

    constant = found_for(people([2.0] * 9, [2.0] * 9), ["EER", "AUC", "dprime", "FNMR@t=2"])
    assert str(constant["EER"].reason) == "every resample gives the same value"
    assert str(constant["AUC"].reason) == "every resample gives the same value"
    assert str(constant["dprime"].reason) == "all scores are equal"
    assert constant["FNMR@t=2"].high < 0.5
    assert constant["FNMR@t=2"].low == 0.0


def test_failures_have_exact_intervals() -> None:
    scores = ScoreSet([0.9] * 9 + [math.nan], [0.1] * 10).with_enrolments(0, 10)
    found = found_for(scores, ["FTA", "FTE"])
    assert (found["FTA"].low, found["FTA"].high) == pytest.approx((0.0012651, 0.2487328), abs=1e-6)
    assert (found["FTE"].low, found["FTE"].high) == pytest.approx((0.0, 0.3084971), abs=1e-7)


def test_counted_comparisons_have_naive_intervals() -> None:
    scores = simulate("binormal", dprime=2, mated=200, nonmated=3000, rng=1).scores
    counted = CountedScores(take_tally(scores, (), list(Need)), scores.mated, scores.nonmated[:50], (1.0,), "some", ())
    found = found_for(counted, [*DEFAULT_MEASURES, "FNMR@t=1", "Cllr"])
    kept = found_for(ScoreSet(scores.mated, scores.nonmated), ["FNMR@t=1"])
    assert (found["FNMR@t=1"].low, found["FNMR@t=1"].high) == (kept["FNMR@t=1"].low, kept["FNMR@t=1"].high)
    assert str(found["Cllr"].reason) == "it needs every score, but scores were counted and not kept"
    for name, interval in found.items():
        assert interval.naive or name == "Cllr"
    assert str(found["EER"].method) == (
        "comparisons treated as independent (counted, not kept) resampled 60 times, Student's t"
    )


def test_subjects_make_intervals_wider_than_rows() -> None:
    """STANDARDS 1, Fogliato's figure: three errors of one person count for less than three of three."""
    rate = rate_by_subject(np.repeat([0, 1, 2], 3), np.repeat([True, False, False], 3))
    ids = TrialIds(np.repeat(["a", "b", "c"], 3))
    scores = ScoreSet([0.0] * 3 + [1.0] * 6, [0.1], mated_ids=ids)
    found = found_for(scores, ["FNMR@t=0.5"])["FNMR@t=0.5"]
    assert (found.low, found.high) == (rate.interval().low, rate.interval().high)
    naive = found_for(ScoreSet(scores.mated, scores.nonmated), ["FNMR@t=0.5"])["FNMR@t=0.5"]
    assert found.high - found.low > naive.high - naive.low


def test_no_false_nonmatch_at_a_target_with_enough_errors() -> None:
    """FNMR = 0 at FMR = 0.1: the upper end is a bound, and the reason speaks of that."""
    scores = people(np.arange(50.0, 90.0).tolist(), np.arange(0.0, 52.0, 0.5).tolist())
    found = found_for(scores, ["FNMR@FMR=0.1"])["FNMR@FMR=0.1"]
    assert found.low == 0.0
    assert 0.05 < found.high < 0.5
    assert "no error was observed" in str(found.reason)


def test_what_a_peer_adds_up_is_not_added_up_a_thousand_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LIMITS, "bob_scores", 100)
    found = found_for(simulate("binormal", mated=60, nonmated=60, rng=1).scores, ["EER[bob]", "EER[pyeer]"])
    assert (
        str(found["EER[bob]"].reason)
        == "bob adds up rates score by score, which takes too long for more than 100 scores"
    )
    assert found["EER[pyeer]"].low < found["EER[pyeer]"].high


def test_who_was_compared_is_found_out_once_for_formulas_and_resamples(monkeypatch) -> None:
    asked = []

    def watched(scores: ScoreSet, scheme: str = "multinomial") -> object:
        asked.append(scheme)
        return units_of(scores, scheme)

    monkeypatch.setattr("bertillon.stats.of_scores.units_of", watched)
    scores = simulate("subjects", subjects=20, mated=100, nonmated=500, rng=1).scores
    evaluate(scores, ["EER", "FNMR@t=1", "FNMR@FMR=0.01"]).with_intervals(resamples=20)
    assert asked == ["multinomial"]
