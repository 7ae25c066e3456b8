"""Bounds of one side (D6): from theory, by hand, and how often they hold the truth."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats as oracle

import bertillon as bt
from bertillon.core import InputError
from bertillon.stats import annex_b, proportion, rate_by_subject
from bertillon.trials import simulate

MEASURES = ["EER", "AUC", "dprime", "FNMR@t=1", "FNMR@FMR=0.01", "FMR@t=1"]
EXAMPLES = Path(__file__).parents[2] / "examples"


def test_d6_clopper_pearson_and_annex_b_of_one_side_by_hand() -> None:
    """D6; STANDARDS 1 and 10: no error in 30,102 trials is below 9.951e-5; an end of 80 % is a bound of 90 %."""
    assert proportion(0, 30_102, side="upper").high == pytest.approx(9.951e-5, abs=5e-9)
    assert proportion(0, 1000, side="upper").high == pytest.approx(1 - 0.05 ** (1 / 1000))
    five, six = (annex_b([1] * k + [0] * (174 - k), [1] * 174) for k in (5, 6))
    assert five.interval(0.9, "upper").high == five.interval(0.8).high == pytest.approx(0.04501, abs=5e-6)
    assert six.interval(0.9, "upper").high == pytest.approx(0.05226, abs=5e-6)
    assert proportion(5, 174, level=0.9, side="upper").high == pytest.approx(0.05265, abs=5e-6)
    assert proportion(5, 174, level=0.9, side="upper").low == 0.0


@pytest.mark.parametrize(("errors", "trials"), [(0, 20), (1, 20), (7, 20), (19, 20), (20, 20)])
def test_d6_a_bound_against_theory(errors: int, trials: int) -> None:
    """At the upper bound so few errors, or fewer, have a probability of 5 %; at the lower so many or more."""
    high, low = (proportion(errors, trials, side=side) for side in ("upper", "lower"))
    if errors < trials:
        assert oracle.binom.cdf(errors, trials, high.high) == pytest.approx(0.05)
    if errors:
        assert oracle.binom.sf(errors - 1, trials, low.low) == pytest.approx(0.05)
    assert (high.low, low.high, high.side, low.side) == (0.0, 1.0, "upper", "lower")


@pytest.mark.parametrize("sides", ["upper", "lower"])
def test_d6_every_measure_has_the_end_of_an_interval_with_equal_tails(sides: str) -> None:
    """A bound of 95 % is an end of an interval of 90 %, and the other end is that of what the measure can be."""
    scores = simulate("subjects", subjects=40, mated=400, nonmated=3000, rng=2).scores
    evaluation = bt.evaluate(scores, MEASURES)
    both = evaluation.with_intervals(level=0.9, resamples=200).intervals
    bounds = evaluation.with_intervals(level=0.95, resamples=200, sides=sides).intervals
    free = {"dprime": (-math.inf, math.inf)}
    for name, bound in bounds.items():
        lowest, highest = free.get(name, (0.0, 1.0))
        assert (bound.side, bound.level, bound.threshold) == (sides, 0.95, None), name
        if sides == "upper":
            assert (bound.low, bound.high) == (lowest, both[name].high), name
            assert bound.high > evaluation[name].value
        else:
            assert (bound.low, bound.high) == (both[name].low, highest), name
            assert bound.low < evaluation[name].value
        assert str(bound.method).endswith(f"{sides} bound"), name


def test_d6_bounds_of_resampled_people_hold_the_truth_as_often_as_they_say() -> None:
    """Of 120 simulated tests the upper bound of 90 % holds the true FNMR at FMR = 1 % in about nine of ten."""
    held = 0
    for seed in range(120):
        scores, truth = simulate("subjects", subjects=40, mated=200, nonmated=2000, rng=seed)
        evaluation = bt.evaluate(scores, "FNMR@FMR=0.1")
        bound = evaluation.with_intervals(level=0.9, resamples=100, sides="upper").intervals["FNMR@FMR=0.1"]
        held += bound.holds(truth.fnmr_at_fmr(0.1))
    assert held >= oracle.binom.ppf(0.001, 120, 0.9)


def test_one_error_among_the_trials_of_people_has_the_exact_lower_bound_at_most() -> None:
    """One error in n trials: the lower bound is at most -ln(1 - tail) / n, whose chance of an error is the tail."""
    rate = rate_by_subject(np.arange(100), np.arange(100) == 3)
    for interval, tail in ((rate.interval(), 0.025), (rate.interval(side="lower"), 0.05)):
        assert interval.low <= -math.log(1 - tail) / 100
    assert rate.interval(0.9).low == pytest.approx(rate.interval(0.95, "lower").low)


@pytest.mark.parametrize(
    ("settings", "fault"),
    [({"sides": "top"}, "sides is 'top'"), ({"sides": "upper", "level": 0.6}, "for a bound of one side")],
)
def test_what_is_no_side_is_refused(settings: dict[str, object], fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        bt.Settings(**settings)


def test_differences_have_two_sides() -> None:
    scores = bt.ScoreSet([3, 4, 5, 6], [0, 1, 2, 4])
    with pytest.raises(InputError, match="give a margin"):
        bt.compare({"a": scores, "b": scores}, "EER", settings=bt.Settings(sides="upper"))


def test_d6_the_command_line_gives_bounds(tmp_path: Path, capsys, monkeypatch) -> None:
    from bertillon.cli import main

    lists = [str(EXAMPLES / "genuine.txt"), str(EXAMPLES / "impostor.txt")]
    how = ["-m", "FNMR@t=0.5", "--sides", "upper", "--json", str(tmp_path / "out.json")]
    monkeypatch.setattr("sys.argv", ["bertillon", "verify", *lists, *how])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert not stopped.value.code
    (row,) = json.loads((tmp_path / "out.json").read_text())["measures"]
    assert (row["side"], row["interval"][0], row["level"]) == ("upper", 0.0, 0.95)
    assert row["interval"][1] == proportion(row["errors"], row["trials"], side="upper").high
    assert "at most" in capsys.readouterr().out
