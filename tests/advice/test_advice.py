"""Words for numbers. SPEC V15, DESIGN 10."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bertillon as bt
from bertillon.advice import PRESETS, direction, eer_band, eer_verdict, failed, few_errors, resolution, warnings_of
from bertillon.measures import Result


@pytest.mark.parametrize(
    ("eer", "word"), [(0.0, "excellent"), (0.01, "excellent"), (0.05, "good"), (0.10, "acceptable"), (0.20, "weak")]
)
def test_v15_eer_bands_hold_their_upper_border(eer: float, word: str) -> None:
    """SPEC V15: 1 % excellent, 5 % good, 10 % acceptable, 20 % poor."""
    assert str(eer_band(eer)).startswith(word)
    assert not str(eer_band(math.nextafter(eer, 1.0))).startswith(word) or eer == 0.0


def test_v15_a_high_eer_is_poor_and_an_unknown_one_unknown() -> None:
    assert str(eer_band(0.3)).startswith("poor")
    assert str(eer_verdict(math.nan)) == "EER unknown."
    assert str(eer_verdict(0.012345)) == "EER 1.23 %: good."


def test_v15_presets_judge_by_their_limit() -> None:
    consumer = PRESETS["consumer"]
    met = {"FNMR@FMR=0.001": Result(0.20, 0.9), "FNMR@FMR=0.01": Result(0.05, 0.8)}
    missed = {"FNMR@FMR=0.001": Result(0.20, 0.9), "FNMR@FMR=0.01": Result(0.051, 0.8)}
    assert str(consumer.verdict(met)).startswith("consumer: met. FNMR@FMR=0.01 is 5 % at threshold 0.8;")
    assert str(consumer.verdict(missed)).startswith("consumer: not met.")
    unknown = {name: Result.undefined("no mated scores") for name in consumer.measures}
    assert str(consumer.verdict(unknown)) == "consumer: cannot be judged (no mated scores)."


def evaluated(mated: object, nonmated: object, *measures: str, **more: object) -> bt.Evaluation:
    return bt.evaluate(bt.ScoreSet(mated, nonmated, **more), measures or ["EER"])


def test_direction_names_the_switch_and_the_even_case_is_silent() -> None:
    assert "--distance" in str(direction(evaluated([1, 2], [3, 4])))
    assert "or genuine and impostor scores are swapped" in str(direction(evaluated([1, 2], [3, 4])))
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


def test_rule_of_30_by_hand() -> None:
    low, high = np.zeros(29), np.ones(71)
    sentence = few_errors(evaluated(np.r_[low, high], [0.5], "FNMR@t=0.5"))
    assert sentence is not None
    assert "FNMR@t=0.5 (29)" in str(sentence)
    assert few_errors(evaluated(np.r_[np.zeros(30), high], [0.5], "FNMR@t=0.5")) is None


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
