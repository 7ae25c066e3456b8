"""Small systems of every mode, with ties, failures and awkward names."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import bertillon as bt
from bertillon.analysis import AttackRates, PadRates, discarded, group_rates_of, menagerie_of
from bertillon.evaluation import ClassEvaluation, Evaluation, SearchEvaluation
from bertillon.io import read
from bertillon.matching import groups_from
from bertillon.trials import quality_of_pairs
from bertillon.views import DailyUse, ReportContent, WatchListUse

ROOT = Path(__file__).resolve().parents[3]
EVIL = "<img src=x onerror=alert(1)>"
SPECIES = {"print": [0.1] * 40 + [0.3] * 10, "mask": [0.2] * 45 + [0.8] * 5, EVIL: [0.1] * 20}


def verified(name: str = "old", shift: float = 3.0, *, rule: str = "similarity", seed: int = 1) -> Evaluation:
    """Scores on a grid of hundredths, so that many are tied; two mated and three other comparisons failed."""
    rng = np.random.default_rng(seed)
    mated, nonmated = rng.normal(shift, 1.0, 300).round(2), rng.normal(0.0, 1.0, 3000).round(2)
    if rule == "distance":
        mated, nonmated = 10.0 - mated, 10.0 - nonmated
    mated, nonmated = np.append(mated, [math.nan] * 2), np.append(nonmated, [math.nan] * 3)
    return bt.evaluate(bt.ScoreSet(mated, nonmated, rule=rule, name=name))


def searched(name: str = "old", seed: int = 2, *, open_set: bool = True, n: int = 150) -> SearchEvaluation:
    """Searches of enrolled people and of others in a gallery of forty."""
    rng = np.random.default_rng(seed)
    mates, others = rng.normal(3.0, 1.0, n), rng.normal(0.0, 1.0, (n, 39)).max(axis=1)
    better = (others > mates).astype(int)
    if not open_set:
        return bt.evaluate(bt.SearchSet.from_ranks(1 + better, gallery_size=40))
    tops = rng.normal(0.0, 1.0, (n, 40)).max(axis=1)
    nothing = np.full(n, math.nan)
    return bt.evaluate(
        bt.SearchSet(
            np.repeat([True, False], n),
            np.append(mates, nothing),
            np.append(better, np.zeros(n, int)),
            np.zeros(2 * n, int),
            np.append(np.maximum(mates, others), tops),
            np.append(others, tops),
            gallery_size=40,
            name=name,
        )
    )


def classified(name: str = "old", seed: int = 3, *, classes: int = 2) -> ClassEvaluation:
    """Probabilities of two or more classes."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(classes, size=400)
    logits = rng.normal(0.0, 1.0, (400, classes))
    logits[np.arange(400), truth] += 2.0
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    given = shares[:, 1] if classes == 2 else shares
    return bt.evaluate(replace(bt.Predictions.from_probabilities(truth, given), name=name))


def everything() -> ReportContent:
    """All modes at once, several systems of each, one with a name that would be markup."""
    return ReportContent(
        [verified("old", 2.0), verified("new", 3.0, seed=5), verified(EVIL, 1.5, seed=6)],
        [searched("old"), searched(EVIL, seed=7)],
        [classified("old"), classified(EVIL, seed=8)],
        use=DailyUse(),
        search_use=WatchListUse(100_000, 15, 0.001),
        protocol=["Every probe is compared with every gallery template."],
    )


def border(*, systems: int = 1, evil: bool = False, **more: Any) -> ReportContent:
    """The travellers of the example: by quality, one by one, and in three groups."""
    path = ROOT / "examples" / "border.csv"
    scores = bt.read_scores(path)
    one = bt.evaluate(scores, ["EER", "FNMR@FMR=0.01"])
    several = [replace(one, trials=replace(scores, name=name)) for name in ("border.csv", "again")[:systems]]
    columns = ("quality_probe", "quality_reference")
    quality = quality_of_pairs(read(path), columns)
    names = ("north", EVIL if evil else "south", "west")
    groups = groups_from({f"t{place:02d}": names[place % 3] for place in range(60)})
    return ReportContent(
        several,
        discards=[discarded(each, quality, columns) for each in several],
        people=[menagerie_of(each) for each in several],
        groups=[group_rates_of(each, groups) for each in several],
        **more,
    )


def attacked(**more: Any) -> AttackRates:
    """Attacks on a system, some of them with a name that would be markup; at 0.5 unless told."""
    rng = np.random.default_rng(1)
    scores = bt.ScoreSet(rng.normal(0.8, 0.1, 200), rng.normal(0.2, 0.1, 500), name="door")
    return bt.analysis.attack_rates(scores, SPECIES, **(more or {"threshold": 0.5}))


def detected(**more: Any) -> PadRates:
    """The same on a detector; one attack and one bona fide presentation got no response."""
    silent = [*SPECIES["mask"], float("nan")]
    bona_fide = [0.9] * 95 + [0.2] * 4 + [float("nan")]
    return bt.analysis.pad_rates(bona_fide, SPECIES | {"mask": silent}, **(more or {"threshold": 0.5}))
