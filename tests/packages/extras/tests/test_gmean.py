"""A measure of an installed package works wherever ours do; nobody imports it, its name is enough."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

import bertillon as bt
from bertillon.core import catalogue
from bertillon.evaluation import verification_trials
from bertillon.io import make_templates
from bertillon.measures import VERIFICATION
from bertillon.render import write_csv

ASKED = ["GMean", "GMean(weight=0.8)"]
SCORES = bt.simulate.scores("subjects", subjects=30, mated=150, nonmated=600, rng=5).scores
FEW = bt.Settings(resamples=60)


def by_hand(scores: bt.ScoreSet, weight: float) -> tuple[float, float]:
    """The best of all thresholds."""
    means = [
        ((scores.mated >= t).mean() ** weight * (scores.nonmated < t).mean() ** (1 - weight), t)
        for t in np.unique(np.concatenate([scores.mated, scores.nonmated]))
    ]
    return max(means, key=lambda found: found[0])


@pytest.fixture(scope="module")
def sure() -> bt.Evaluation:
    return bt.evaluate(SCORES, ASKED).with_intervals(resamples=60)


@pytest.fixture(scope="module")
def plan() -> bt.Comparing:
    """Templates of 30 people, four each, all against all."""
    rng = np.random.default_rng(2)
    person = np.repeat(np.arange(30), 4)
    vectors = rng.normal(size=(30, 6))[person] + rng.normal(size=(120, 6))
    templates = make_templates(vectors.astype(np.float32), subject=[f"p{one:02}" for one in person])
    return bt.Comparing.plan(templates, bt.matcher("cosine"))


def test_it_is_found_by_its_name_alone():
    assert "extras.gmean" not in sys.modules
    assert [str(bt.parse(name)) for name in ("gmean", "GMean(weight=0.50)", "GMean(weight=.8)")] == [
        "GMean",
        "GMean",
        "GMean(weight=0.8)",
    ]
    assert "extras.gmean" in sys.modules
    with pytest.raises(bt.InputError, match=r"weight is 1\.0; expected a number between 0 and 1"):
        bt.parse("GMean(weight=1)")


@pytest.mark.parametrize("rule", ["similarity", "distance"])
def test_in_memory_by_hand(rule):
    scores = SCORES if rule == "similarity" else bt.ScoreSet(-SCORES.mated, -SCORES.nonmated, rule=rule)
    for name, weight in zip(ASKED, (0.5, 0.8), strict=True):
        result, (value, threshold) = bt.evaluate(scores, ASKED)[name], by_hand(SCORES, weight)
        assert result.value == pytest.approx(value, rel=1e-12)
        assert result.threshold == (threshold if rule == "similarity" else -threshold)


def test_with_intervals_by_subject(sure):
    for name in ASKED:
        interval = sure.intervals[name]
        assert interval.low < sure[name].value < interval.high <= 1.0
        assert str(interval.method) == "subjects resampled 60 times, Student's t"
        assert interval.threshold[0] <= sure[name].threshold <= interval.threshold[1]


def test_where_no_error_is_made_the_interval_is_a_bound():
    apart = bt.evaluate(bt.ScoreSet(np.arange(50.0) + 100, np.arange(80.0)), "GMean").with_intervals()
    interval = apart.intervals["GMean"]
    assert apart["GMean"].value == interval.high == 1.0
    assert 0.9 < interval.low < 1.0
    assert interval.reason


@pytest.mark.parametrize("kind", ["pointwise", "simultaneous"])
def test_a_band_along_its_weights(sure, kind):
    band = sure.band("gmean", kind=kind)
    values = [sure[f"GMean(weight={weight:g})"].value for weight in band.x]
    assert ((band.low < values) & (values < band.high)).all()
    if kind == "pointwise":
        assert (band.low[2], band.high[2]) == (sure.intervals["GMean"].low, sure.intervals["GMean"].high)


def test_two_systems_are_tested_paired_and_unpaired():
    rng = np.random.default_rng(3)
    noisy = replace(
        SCORES,
        mated=SCORES.mated + rng.normal(0, 1, SCORES.mated.size),
        nonmated=SCORES.nonmated + rng.normal(0, 1, SCORES.nonmated.size),
        name="noisy",
    )
    for paired in (True, False):
        [versus] = bt.stats.compare_systems([SCORES, noisy], ASKED, settings=FEW, paired=paired)
        difference = versus.differences[0]
        assert difference.difference == bt.evaluate(noisy, "GMean")["GMean"].value - difference.first_value
        assert (difference.better, versus.paired) == (1, paired)
        assert difference.interval.high < 0
        assert difference.significant


def test_groups_are_judged_at_its_threshold_and_evaluated_by_themselves(sure):
    people = np.unique(SCORES.mated_ids.probe_subject)
    groups = {person: "ab"[index % 2] for index, person in enumerate(people)}
    rates = bt.analysis.group_rates(SCORES, groups, thresholds={"GMean": sure["GMean"].threshold})
    assert sum(row.errors for row in rates.points[0].fnmr) == sum(SCORES.mated < sure["GMean"].threshold)
    own = np.array([groups[person] == "a" for person in SCORES.mated_ids.probe_subject])
    part = SCORES.select(np.concatenate([own, np.ones(SCORES.nonmated.size, dtype=bool)]))
    assert bt.evaluate(part, "GMean")["GMean"].value == pytest.approx(by_hand(part, 0.5)[0])


def test_of_a_stream_and_of_counts():
    few = bt.evaluate(SCORES, ASKED)
    counts = bt.evaluate(bt.evaluation.count_scores(bt.trials.ScoreStream([SCORES])), ASKED)
    assert bt.evaluate(bt.trials.ScoreStream([SCORES]), ASKED).results == counts.results == few.results
    many = bt.simulate.scores(mated=200_000, nonmated=200_000, rng=1).scores
    loose = bt.evaluate(bt.evaluation.count_scores(bt.trials.ScoreStream([many])), ["GMean"])
    low, high = loose.bounds["GMean"]
    assert low == loose["GMean"].value <= bt.evaluate(many, ["GMean"])["GMean"].value <= high < low + 0.01


def test_of_templates_in_tiles(plan, tmp_path):
    kept = bt.evaluate(verification_trials(plan), ASKED)
    tiles = bt.evaluate(verification_trials(plan, ASKED, checkpoint=tmp_path), ASKED)
    assert (kept.trials.form, tiles.trials.form) == ("whole", "counted")
    assert tiles.results == kept.results
    interval = tiles.with_intervals(resamples=60).intervals["GMean"]
    assert interval.low < tiles["GMean"].value < interval.high
    assert not interval.naive


@pytest.mark.filterwarnings("ignore")  # what dask itself warns of is not ours
def test_of_templates_on_dask(plan):
    if find_spec("distributed") is None:
        stop = pytest.fail if "dask" in os.environ.get("BERTILLON_REQUIRE", "").split(",") else pytest.skip
        stop("dask is not installed")
    from bertillon.engine import Dask

    with Dask(workers=1) as engine:
        found = bt.evaluate(verification_trials(plan, ASKED, engine=engine), ASKED)
    assert found.results == bt.evaluate(verification_trials(plan), ASKED).results


def test_json_frame_and_csv(sure, tmp_path):
    rows = json.loads(sure.to_json())["measures"]
    assert [row["name"] for row in rows] == ASKED == sure.to_frame()["name"].to_list()
    assert rows[0]["interval"] == [sure.intervals["GMean"].low, sure.intervals["GMean"].high]
    write_csv([sure], tmp_path)
    assert (tmp_path / "measures.csv").read_text().splitlines()[1].startswith(f"GMean,{sure['GMean'].value!r},")


def test_it_is_named_in_the_languages_of_the_package():
    summary = VERIFICATION.definitions["GMean"].summary
    said = [catalogue(lang).text(summary).split()[0] for lang in ("en", "it", "es")]
    assert said == ["geometric", "media", "media"]
    assert catalogue("zh").text(summary) == "最佳阈值下两种正确率的几何平均"
