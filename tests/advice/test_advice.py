"""Words for numbers. SPEC V15, DESIGN 10."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import bertillon as bt
from bertillon.advice import (
    PRESETS,
    band_of,
    direction,
    failed,
    fewer_than_30,
    resolution,
    verdict_of,
    warnings_of,
    warnings_of_searches,
)
from bertillon.measures import Result
from bertillon.stats import Interval


@pytest.mark.parametrize(
    ("eer", "word"), [(0.0, "excellent"), (0.01, "excellent"), (0.05, "good"), (0.10, "acceptable"), (0.20, "weak")]
)
def test_v15_eer_bands_hold_their_upper_border(eer: float, word: str) -> None:
    """SPEC V15: 1 % excellent, 5 % good, 10 % acceptable, 20 % poor."""
    assert str(band_of("EER", eer)).startswith(word)
    assert not str(band_of("EER", math.nextafter(eer, 1.0))).startswith(word) or eer == 0.0


def test_v15_a_high_eer_is_poor_and_an_unknown_one_unknown() -> None:
    assert str(band_of("EER", 0.3)).startswith("poor")
    assert str(verdict_of("EER", math.nan)) == "EER unknown."
    assert str(verdict_of("EER", 0.012345)) == "EER 1.23 %: good, but no interval (our rule of thumb)."


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ((0.0, 0.84), "between excellent and poor, not usable as it is"),
        ((0.011, 0.05), "good"),
        ((0.0099, 0.05), "between excellent and good"),
        ((0.011, 0.0501), "between good and acceptable where errors are not critical"),
        ((0.03, 0.04), "good"),  # a value below its interval counts too
        ((math.nan, math.nan), "good, but no interval"),
    ],
)
def test_a_band_is_named_where_the_whole_interval_lies_in_it(ends: tuple[float, float], words: str) -> None:
    """Two genuine and two impostor scores show no excellent system."""
    assert str(verdict_of("EER", 0.012345, Interval(*ends))) == f"EER 1.23 %: {words} (our rule of thumb)."


def test_areas_and_agreement_are_judged_by_their_intervals() -> None:
    assert str(verdict_of("AUC[ovr]", 1.0, Interval(0.65, 1.0))).startswith("AUC[ovr] 1.000: between weak and perfect")
    assert str(verdict_of("AUC", 0.93, Interval(0.9, 0.96))).startswith("AUC 0.930: excellent (")
    assert str(verdict_of("AUC", math.nan)) == "AUC unknown."
    assert str(verdict_of("Kappa", 0.5, Interval(0.41, 0.6))).startswith("Kappa 0.500: moderate (")
    assert "between worse than chance and moderate" in str(verdict_of("Kappa", 0.5, Interval(-0.1, 0.6)))
    assert "bands of Landis and Koch" in str(verdict_of("Kappa", 0.5))
    assert "excellent and poor (" in str(verdict_of("EERopen", 0.0, Interval(0.0, 0.5)))


def test_v15_presets_judge_by_their_limit() -> None:
    consumer = PRESETS["consumer"]
    met = {"FNMR@FMR=0.001": Result(0.20, 0.9), "FNMR@FMR=0.01": Result(0.05, 0.8)}
    missed = {"FNMR@FMR=0.001": Result(0.20, 0.9), "FNMR@FMR=0.01": Result(0.051, 0.8)}
    sure = {"FNMR@FMR=0.001": Interval(0.1, 0.3), "FNMR@FMR=0.01": Interval(0.04, 0.05)}
    assert str(consumer.verdict(met, sure)).startswith("consumer: met. FNMR@FMR=0.01 is 5 % at threshold 0.8;")
    over = sure | {"FNMR@FMR=0.01": Interval(0.0501, 0.06)}
    assert str(consumer.verdict(missed, over)).startswith("consumer: not met.")
    for results, answer in ((met, "met"), (missed, "not met")):
        assert str(consumer.verdict(results)).startswith(f"consumer: {answer}, but no interval. ")
    unknown = {name: Result.undefined("no mated scores") for name in consumer.measures}
    assert str(consumer.verdict(unknown)) == "consumer: cannot be judged (no mated scores)."


@pytest.mark.parametrize(("value", "ends"), [(0.05, (0.04, 0.051)), (0.051, (0.05, 0.06)), (0.0, (0.0, 0.84))])
def test_a_preset_cannot_be_said_where_the_interval_crosses_its_limit(value: float, ends: tuple[float, float]) -> None:
    results = dict.fromkeys(PRESETS["consumer"].measures, Result(value, 0.8))
    said = str(PRESETS["consumer"].verdict(results, dict.fromkeys(results, Interval(*ends))))
    low, high = (f"{100 * end:.3g}" for end in ends)
    assert said.startswith(f"consumer: cannot be decided: the interval is {low} to {high} %. ")


def test_of_measures_with_equal_values_a_preset_is_judged_by_the_surer() -> None:
    results = dict.fromkeys(PRESETS["consumer"].measures, Result(0.0, 0.8))
    intervals = {"FNMR@FMR=0.001": Interval(0.0, 1.0), "FNMR@FMR=0.01": Interval(0.0, 0.04)}
    assert str(PRESETS["consumer"].verdict(results, intervals)).startswith("consumer: met. FNMR@FMR=0.01 is 0 %")
    results = dict.fromkeys(results, Result(0.5, 0.8))
    intervals = {"FNMR@FMR=0.001": Interval(0.06, 1.0), "FNMR@FMR=0.01": Interval(0.02, 1.0)}
    assert "cannot be decided: the interval is 2 to 100 %" in str(PRESETS["consumer"].verdict(results, intervals))


def evaluated(mated: object, nonmated: object, *measures: str, **more: object) -> bt.Evaluation:
    return bt.evaluate(bt.ScoreSet(mated, nonmated, **more), measures or ["EER"])


def test_direction_names_the_switch_and_the_even_case_is_silent() -> None:
    assert "--distance" in str(direction(evaluated([1, 2], [3, 4])))
    swapped = "genuine and impostor scores are swapped (swap the two files, or --values mated=0,nonmated=1)"
    assert swapped in str(direction(evaluated([1, 2], [3, 4])))
    assert "--similarity" in str(direction(evaluated([3, 4], [1, 2], rule="distance")))
    assert direction(evaluated([3, 4], [1, 2])) is None
    assert direction(evaluated([1, 1], [1, 1])) is None


def test_direction_is_seen_on_large_sets_without_asking_for_the_auc() -> None:
    rng = np.random.default_rng(0)
    assert direction(evaluated(rng.normal(0, 1, 100_000), rng.normal(1, 1, 1_000_000))) is not None


def test_resolution_guard_by_hand() -> None:
    """DESIGN 10: FMR 1e-6 needs at least 3,000,000 non-mated comparisons."""
    mated, nonmated = np.ones(10), np.zeros(120_000)
    sentence = resolution(evaluated(mated, nonmated, "FNMR@FMR=1e-6", "FNMR@FMR=1e-3"))
    assert sentence is not None
    assert str(sentence).startswith("FMR 1e-6 needs at least 3,000,000 independent non-mated comparisons (rule of 3); ")
    assert "you have 120,000" in str(sentence)
    assert resolution(evaluated(mated, nonmated, "FNMR@FMR=0.000025")) is None
    assert resolution(evaluated(mated, nonmated, "FNMR@FMR=0.000024")) is not None
    assert "mated comparisons" in str(resolution(evaluated(mated, nonmated, "FMR@FNMR=0.1")))
    assert resolution(evaluated(mated, nonmated, "FNMR@FMR=0")) is None
    assert str(resolution(evaluated(mated, mated, "FNMR@FMR=1e-3", "FNMR@FMR=1e-5"))).startswith("FMR 1e-5 needs")
    assert resolution(evaluated(mated, [], "FNMR@FMR=1e-3")) is None


@pytest.mark.parametrize(
    "measure",
    [
        "TAR@FAR=1e-3",
        "FMR1000",
        "HTER@FMR=0.001",
        "FNM@FMR=0.001",
        "Cost(cfa=10,cfr=1,impostor=0.5)@FMR=0.001",
        "pAUC@FMR=0.001",
        "FNMR@TNMR=0.999",
        "GFRR(fte=0)@FAR=0.001",
        "FNMR[bob]@FMR=0.001",
        "FNMR[interpolated]@FMR=0.001",
    ],
)
def test_every_spelling_at_a_target_is_warned_of(measure: str) -> None:
    few, enough = evaluated([1.0], np.zeros(2999), measure), evaluated([1.0], np.zeros(3000), measure)
    said = str(resolution(few))
    assert "needs at least 3,000 independent non-mated comparisons (rule of 3); you have 2,999." in said
    assert resolution(enough) is None


def test_a_value_is_called_a_bound_where_its_interval_is_one() -> None:
    few = evaluated([0.9, 0.8], [0.1, 0.2], "FNMR@FMR=0.001", "EER")
    assert "as a bound" not in str(resolution(few))  # nothing is known without an interval
    assert str(resolution(few.with_intervals())).endswith("you have 2. Treat FNMR@FMR=0.001 as a bound.")
    within = replace(few, intervals={"FNMR@FMR=0.001": Interval(0.1, 0.3), "EER": Interval(0.1, 0.3)})
    within = replace(within, results=dict.fromkeys(few.results, Result(0.2)))
    assert str(resolution(within)).endswith("you have 2.")


def searched(ranks: list[float], gallery: int, *measures: str) -> bt.Evaluation:
    return bt.evaluate(bt.SearchSet.from_ranks(ranks, gallery_size=gallery), measures or ["RR"])


def test_searches_whose_mates_stand_at_the_end_look_reversed() -> None:
    said = [str(warning) for warning in warnings_of_searches(searched([10, 9, 8, 1], 10))]
    assert said[0].startswith("Most mates rank in the lower half of the gallery. Either the scores are distances")
    for ranks in ([1, 2, 9], [10, 1], [math.inf, math.inf, 1]):  # who is not on a list may stand just behind it
        assert "lower half" not in " ".join(map(str, warnings_of_searches(searched(ranks, 10))))


def test_rule_of_30_by_hand() -> None:
    low, high = np.zeros(29), np.ones(71)
    sentence = fewer_than_30(evaluated(np.r_[low, high], [0.5], "FNMR@t=0.5"))
    assert sentence is not None
    assert "FNMR@t=0.5 (29)" in str(sentence)
    assert fewer_than_30(evaluated(np.r_[np.zeros(30), high], [0.5], "FNMR@t=0.5")) is None


def test_failed_comparisons_are_mentioned() -> None:
    assert failed(evaluated([1, 2], [0])) is None
    assert str(failed(evaluated([1, math.nan], [0, math.nan, math.nan]))).startswith(
        "3 failed comparisons (1 mated, 2 non-mated)"
    )


def test_warnings_come_most_important_first() -> None:
    found = warnings_of(evaluated([1, math.nan, 2], [3, 4], "FNMR@FMR=0.001"))
    assert [str(message).split()[0] for message in found] == ["AUC", "1", "FMR", "FNMR@FMR=0.001"]


def test_o6_every_operating_region_has_its_advice() -> None:
    """SPEC O6: where each of the five regions of 000 §3.7 is preferred."""
    from bertillon.advice import region_advice
    from bertillon.analysis import AIMS, NO_THRESHOLD

    assert all(str(region_advice(region)) for region in (*(aim.id for aim in AIMS), NO_THRESHOLD))
    assert "second check" in str(region_advice("high_detection"))
