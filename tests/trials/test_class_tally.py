"""What is counted about predictions is counted once, whoever asks, and each thing by itself."""

from __future__ import annotations

import numpy as np
import pytest

from bertillon.core import text_of
from bertillon.counting import LIMITS, BinaryTrials, ProbabilityBins, equal_mass, equal_width, sweep
from bertillon.trials import ClassTally, Predictions

TRUTH = np.array([0, 1, 2, 1, 0, 2])
CHANCES = np.array(
    [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.5, 0.25], [0.0, 1.0, 0.0], [0.25, 0.25, 0.5], [0.25, 0.0, 0.75]]
)


def bins_by_hand(*, mass: bool = False, code: int | None = None) -> ProbabilityBins:
    if code is not None:
        return equal_width(BinaryTrials(CHANCES[code == TRUTH, code], CHANCES[code != TRUTH, code]), 4)
    judged = BinaryTrials(np.array([0.5, 0.5, 1.0, 0.75]), np.array([0.5, 0.5]))  # the favourite class, right or wrong
    return equal_mass(sweep(judged), 4) if mass else equal_width(judged, 4)


@pytest.mark.parametrize("asked", [{}, {"mass": True}, {"code": 0}, {"code": 2}])
def test_k7_bins_are_counted_once_by_hand(asked):
    """A second asking is answered from memory, whatever was asked in between."""
    tally = ClassTally(Predictions.from_probabilities(TRUTH, CHANCES))
    first = tally.bins(4, **asked)
    assert tally.bins(5, **asked).count.size == 5
    assert tally.bins(4, code=1) is not first
    assert tally.bins(4, **asked) is first
    by_hand = bins_by_hand(**asked)
    for column in ("low", "high", "count", "positives", "probability_sum"):
        assert np.array_equal(getattr(first, column), getattr(by_hand, column), equal_nan=True), column


@pytest.mark.parametrize("weighted", [False, True])
def test_k5_a_curve_to_draw_spans_all_scores_whatever_was_sought_against_counting(weighted, monkeypatch):
    """Of many scores only the points sought are exact scores; what is drawn goes from end to end all the same."""
    monkeypatch.setattr(LIMITS.memory, "sort_up_to", 0)
    monkeypatch.setattr(LIMITS.memory, "bin_bits", 10)
    rng = np.random.default_rng(3)
    truth, p = rng.integers(0, 2, 400), rng.random(400)
    weights = rng.integers(1, 4, 400).astype(float) if weighted else np.ones(400)
    given = Predictions.from_probabilities(truth, p, positive=1, weights=weights if weighted else None)
    drawn = ClassTally(given).outline
    assert drawn.tp[0] == weights[truth == 1].sum()
    assert len(drawn) > 20
    assert np.diff(drawn.threshold[:-1]).max() < 0.1
    for threshold, tp, fp in zip(drawn.threshold, drawn.tp, drawn.fp, strict=True):
        accepted = weights * (p >= threshold)
        assert (tp, fp) == (accepted[truth == 1].sum(), accepted[truth == 0].sum())


@pytest.mark.parametrize("weights", [None, [1.0, 2.0, 0.0, 1.0, 1.0, 3.0]])
def test_k11_all_columns_pooled_against_brute_force(weights):
    """Twice the weight of the (own column, other column) pairs in the right order, and once that of ties."""
    tally = ClassTally(Predictions.from_probabilities(TRUTH, CHANCES, weights=weights))
    own = [(CHANCES[i, TRUTH[i]], 1.0 if weights is None else weights[i]) for i in range(6)]
    others = [
        (CHANCES[i, c], 1.0 if weights is None else weights[i]) for i in range(6) for c in range(3) if c != TRUTH[i]
    ]
    doubled = sum(v * w * (2 * (a > b) + (a == b)) for a, v in own for b, w in others)
    areas = tally.pooled_areas
    assert areas.doubled_wins == doubled
    assert (areas.positives, areas.negatives) == (sum(v for _, v in own), sum(w for _, w in others))
    assert tally.pooled_areas is areas


def test_why_there_is_no_positive_class_by_hand():
    several = ClassTally(Predictions.from_probabilities(TRUTH, CHANCES))
    assert str(several.why_not_binary) == "there are 3 classes, not two"
    two = Predictions.from_probabilities([0, 1], [0.2, 0.8], positive=1)
    assert ClassTally(two).why_not_binary is None
    labels = ClassTally(Predictions.from_labels([0, 1], [1, 1], positive=1))  # positive without a score
    assert labels.why_not_binary is None
    assert str(labels.why_not_scored) == "there are only labels, no scores"


@pytest.mark.parametrize(
    ("weights", "why"),
    [
        ([1.0, 1.0, 1.0], None),
        ([1.0, 0.0, 0.0], "no positives"),
        ([0.0, 1.0, 0.0], "no negatives"),
        ([0.0, 0.0, 0.0], "no positives and no negatives"),
    ],
)
def test_why_positives_cannot_be_set_against_negatives_by_hand(weights, why):
    given = Predictions.from_probabilities([0, 1, 1], [0.2, 0.8, 0.4], positive=1, weights=weights)
    assert text_of(ClassTally(given).why_not_ranked) == why


def test_how_it_was_decided_is_told_by_hand():
    """What an evaluation says of its decisions: of several classes the most probable, of two where it is likely."""
    several = ClassTally(Predictions.from_probabilities(TRUTH, CHANCES)).confusion
    assert str(several.how) == "the most probable class"
    two = ClassTally(Predictions.from_probabilities([0, 1], [0.2, 0.8], positive=1)).confusion
    assert str(two.how) == "1 where its probability is at least 0.5"
    assert str(ClassTally(Predictions.from_labels([0, 1], [1, 1])).confusion.how) == "the predicted labels"


def test_k7_how_sure_decisions_were_by_hand():
    """Right decisions at .9 (said yes) and .6 (said no), a wrong one at .8, each with its weight."""
    weights = np.array([2.0, 3.0, 0.5])
    given = Predictions.from_probabilities([1, 0, 0], [0.9, 0.4, 0.8], positive=1, weights=weights)
    sure = ClassTally(given).confident
    assert (sure.mated.tolist(), sure.nonmated.tolist()) == ([0.9, 0.6], [0.8])
    assert (sure.mated_weights.tolist(), sure.nonmated_weights.tolist()) == ([2.0, 3.0], [0.5])
