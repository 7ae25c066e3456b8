"""ReportContent of every mode, small and with names that try to be more than text."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import bertillon as bt
from bertillon.stats import Interval, Settings, compare_systems
from bertillon.views import ReportContent

NASTY = r"50% of A&B_1 | #2 {x} \end{table} $\alpha$ ~^ <img src=x onerror=alert(1)> [a](b) *bold* `c`"


def scored(name: str = "plain", *, seed: int = 1, sure: bool = True) -> bt.Evaluation:
    rng = np.random.default_rng(seed)
    scores = bt.ScoreSet(rng.normal(2.0, 1.0, 50), rng.normal(0.0, 1.0, 200), name=name)
    evaluation = bt.evaluate(scores, ["EER", "FNMR@FMR=0.01", "ZeroFMR", "GFAR@t=0.5", "dprime[sum]"])
    if not sure:
        return evaluation
    intervals = {name: Interval(0.12345, 0.23456, method="by hand") for name in evaluation}
    return replace(evaluation, intervals=intervals, settings=Settings())


def searched(name: str = "searches") -> bt.Evaluation:
    rng = np.random.default_rng(1)
    blocks = [(np.arange(30), np.arange(20), rng.normal(size=(30, 20)) + 2.0 * np.eye(30, 20))]
    return bt.evaluate(bt.trials.searches_from_blocks(blocks, np.arange(30), np.arange(20), name=name))


def classified(name: str = "classes") -> bt.Evaluation:
    rng = np.random.default_rng(1)
    truth = (rng.random(200) < 0.4).astype(int)
    return bt.evaluate(bt.Predictions.from_probabilities(truth, (0.3 * truth + rng.random(200)) / 1.3, name=name))


def tested() -> ReportContent:
    """Two systems on the same trials, set against each other."""
    rng = np.random.default_rng(5)
    first = bt.ScoreSet(rng.normal(2.0, 1.0, 60), rng.normal(0.0, 1.0, 90), name="first")
    second = bt.ScoreSet(first.mated + 0.3, first.nonmated, name="second")
    versus = compare_systems([first, second], ["EER"], settings=Settings(resamples=50))
    return ReportContent(verification=[bt.evaluate(one, ["EER"]) for one in (first, second)], versus=versus)


FINDINGS = {
    "one system": ReportContent(verification=[scored()]),
    "one system without intervals": ReportContent(verification=[scored(sure=False)]),
    "several systems": ReportContent(verification=[scored(NASTY), scored("other", seed=2)]),
    "nasty name": ReportContent(verification=[scored(NASTY)]),
    "searches": ReportContent(identification=[searched()]),
    "classes": ReportContent(classification=[classified(NASTY)]),
    "several classifiers": ReportContent(classification=[classified(), classified("again")]),
    "modes": ReportContent(verification=[scored()], identification=[searched()], same_scores=True),
    "tested": tested(),
}
