"""U1: bands around curves, against the intervals of tables, rows repeated one by one, and formulas."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, norm
from stats.brute_force import resampled_values
from stats.resampling.test_resampling import whole_scores

import bertillon as bt
from bertillon.core import InputError
from bertillon.counting import Band
from bertillon.stats import Settings, percentile, rates_grid, whole_level
from bertillon.trials import simulate, simulate_searches

KINDS = ("pointwise", "simultaneous")
SCORES = simulate("subjects", subjects=40, mated=400, nonmated=4000, rng=3).scores
SEARCHES = simulate_searches(subjects=40, strangers=40, probes=3, gallery=60, dprime=2.5, rng=3).searches
RNG = np.random.default_rng(5)
TRUTH = RNG.random(300) < 0.3
PROBABILITIES = np.clip(0.35 * TRUTH + 0.6 * RNG.random(300), 0.0, 1.0)
PREDICTIONS = bt.Predictions.from_probabilities(TRUTH.astype(int), PROBABILITIES)
FEW = Settings(resamples=100, seed=4)


def clustered(groups: int = 30) -> bt.Predictions:
    """Groups of ten samples that go together."""
    return bt.Predictions.from_probabilities(TRUTH.astype(int), PROBABILITIES, groups=np.arange(300) % groups)


@pytest.mark.parametrize("method", ["auto", "percentile", "bca", "double-or-nothing"])
def test_U1_a_det_band_is_made_of_the_intervals_of_its_measures(method):
    rates = [0.0002, 0.001, 0.01, 0.1, 0.5]
    settings = Settings(resamples=100, seed=4, method=method)
    band = bt.stats.det_band(SCORES, rates, settings=settings)
    names = [f"FNMR@FMR={rate}" for rate in rates]
    table = bt.evaluate(SCORES, names).with_intervals(resamples=100, seed=4, method=method).intervals
    np.testing.assert_array_equal(band.low, [table[name].low for name in names])
    np.testing.assert_array_equal(band.high, [table[name].high for name in names])


@pytest.mark.parametrize("method", ["auto", "percentile"])
def test_U1_bands_of_searches_are_made_of_the_intervals_of_their_measures(method):
    settings = Settings(resamples=100, seed=4, method=method)
    ranks, rates = [1, 2, 5, 20, 60], [0.01, 0.05, 0.2, 1.0]
    for band, names in (
        (bt.stats.cmc_band(SEARCHES, ranks, settings=settings), [f"CMS@{rank}" for rank in ranks]),
        (bt.stats.watch_list_band(SEARCHES, rates, settings=settings), [f"DIR@FPIR={rate:g},k=1" for rate in rates]),
    ):
        table = bt.evaluate(SEARCHES, names).with_intervals(resamples=100, seed=4, method=method).intervals
        np.testing.assert_allclose(band.low, [table[name].low for name in names], rtol=1e-12)
        np.testing.assert_allclose(band.high, [table[name].high for name in names], rtol=1e-12)


@pytest.mark.parametrize("weights", [None, 1.0 + np.arange(300) % 3])
def test_U1_a_band_of_precision_is_made_of_the_intervals_of_its_measures(weights):
    given_ = bt.Predictions.from_probabilities(TRUTH.astype(int), PROBABILITIES, weights=weights)
    recalls = [0.7, 0.8, 0.9]  # where there are errors
    band = bt.stats.pr_band(given_, recalls, settings=FEW)
    names = [f"Precision@Recall={recall}" for recall in recalls]
    table = bt.evaluate(given_, names).with_intervals(resamples=100, seed=4).intervals
    np.testing.assert_allclose(band.low, [table[name].low for name in names], rtol=1e-9)
    np.testing.assert_allclose(band.high, [table[name].high for name in names], rtol=1e-9)


@pytest.mark.parametrize("weights", [None, 1.0 + np.arange(300) % 3])
def test_the_roc_band_of_a_classifier_agrees_with_its_intervals(weights):
    """Positives and negatives are resampled each for themselves, which is another method: nearly the same ends."""
    given_ = bt.Predictions.from_probabilities(TRUTH.astype(int), PROBABILITIES, weights=weights)
    band = bt.stats.roc_band(given_, [0.1, 0.3], settings=Settings(resamples=1000))
    names = ["Recall@FPR=0.1", "Recall@FPR=0.3"]
    table = bt.evaluate(given_, names).with_intervals().intervals
    np.testing.assert_allclose(band.low, [table[name].low for name in names], atol=0.03)
    np.testing.assert_allclose(band.high, [table[name].high for name in names], atol=0.03)


@pytest.mark.parametrize("rule", ["similarity", "distance"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_band_against_brute_force(rule, kind):
    """Rows repeated as often as their people were taken, the same weights, the same percentiles."""
    rng, sign = np.random.default_rng(8), -1.0 if rule == "distance" else 1.0
    tied = whole_scores(rng, 12, 90, 300, "similarity")
    mated, nonmated = (sign * (each + rng.uniform(0.0, 0.9, each.size)) for each in (tied.mated, tied.nonmated))
    scores = bt.ScoreSet(mated, nonmated, rule=rule, mated_ids=tied.mated_ids, nonmated_ids=tied.nonmated_ids)
    rates = [0.2, 0.35, 0.5, 0.52]  # with errors enough and ties too few for anything but resamples
    measures = [bt.parse(f"FNMR@FMR={rate}") for rate in rates]
    settings = Settings(resamples=60, seed=2, method="percentile")
    values, _ = resampled_values(scores, measures, 60, 2)
    estimate = np.array([bt.evaluate(scores, [measure])[measure].value for measure in measures])
    level = 0.95
    if kind == "simultaneous":
        straight, middle = np.arcsin(np.sqrt(values)), np.arcsin(np.sqrt(estimate))
        farthest = (np.abs(straight - middle) / straight.std(axis=0)).max(axis=1)
        level = 2.0 * norm.cdf(np.quantile(farthest, 0.95)) - 1.0
    ends = np.array([percentile(column, ((1 - level) / 2, (1 + level) / 2)) for column in values.T])
    band = bt.stats.det_band(scores, rates, settings=settings, kind=kind)
    if kind == "simultaneous":  # a DET only falls
        ends[:, 0] = np.maximum.accumulate(ends[::-1, 0])[::-1]
        ends[:, 1] = np.minimum.accumulate(ends[:, 1])
    np.testing.assert_allclose(np.column_stack([band.low, band.high]), ends, atol=1e-9)


def test_a_cmc_band_against_brute_force():
    """Searches repeated as often as their people were taken."""
    from bertillon.stats import subject_weights

    people, code = np.unique(SEARCHES.probe_subject, return_inverse=True)
    ranks = SEARCHES.ranks()
    values = []
    for own in subject_weights(people.size, 50, seed=2):
        times = own[code][SEARCHES.enrolled]
        values.append([np.repeat(ranks <= k, times).mean() for k in (1, 3, 10)])
    low, high = np.quantile(np.array(values), [0.025, 0.975], axis=0)
    band = bt.stats.cmc_band(SEARCHES, [1, 3, 10], settings=Settings(resamples=50, seed=2, method="percentile"))
    np.testing.assert_allclose(band.low, low, rtol=1e-12)
    np.testing.assert_allclose(band.high, high, rtol=1e-12)


def tmr_at(rates: np.ndarray) -> np.ndarray:
    curve = bt.counting.error_curve(SCORES)
    return curve.tmr[np.searchsorted(-curve.fmr, -rates)]


def every_band(kind: str) -> dict[str, tuple[Band, np.ndarray]]:
    """Each band with the curve it belongs to, at the same places."""
    found = {}
    det = bt.stats.det_band(SCORES, settings=FEW, kind=kind)
    found["det"] = det, 1.0 - tmr_at(det.x)
    cmc = bt.stats.cmc_band(SEARCHES, settings=FEW, kind=kind)
    found["cmc"] = cmc, bt.evaluate(SEARCHES).tally.cmc.rates[cmc.x.astype(int) - 1]
    listed = bt.stats.watch_list_band(SEARCHES, settings=FEW, kind=kind)
    curve = bt.evaluate(SEARCHES).tally.watch_list_curve
    found["watch list"] = listed, curve.dir[np.searchsorted(-curve.fpir, -listed.x)]
    pr = bt.stats.pr_band(PREDICTIONS, settings=FEW, kind=kind)
    sweep = bt.evaluate(PREDICTIONS).tally.precision_recall
    found["pr"] = pr, sweep.precision[np.searchsorted(-sweep.recall, -pr.x, side="right") - 1]
    diagram = bt.evaluate(PREDICTIONS).tally.reliability()
    found["reliability"] = bt.stats.reliability_band(PREDICTIONS, settings=FEW, kind=kind), diagram.observed
    return found


def test_bands_hold_their_curves_and_simultaneous_ones_hold_pointwise_ones():
    pointwise, simultaneous = (every_band(kind) for kind in KINDS)
    for name, (band, curve) in pointwise.items():
        whole = simultaneous[name][0]
        assert np.all((band.low <= curve + 1e-12) & (curve <= band.high + 1e-12)), name
        assert np.all((whole.low <= curve + 1e-12) & (curve <= whole.high + 1e-12)), name
        assert np.all(band.high > band.low), name
        assert np.mean(whole.high - whole.low) > 1.1 * np.mean(band.high - band.low), name
        assert (band.kind, whole.kind) == KINDS, name
    assert np.all(np.diff(simultaneous["det"][0].high) <= 0)
    assert np.all(np.diff(simultaneous["cmc"][0].low) >= 0)


def test_the_usual_grid_begins_at_one_false_match():
    assert bt.stats.det_band(SCORES, settings=FEW).x[0] == 1 / 4000
    np.testing.assert_array_equal(rates_grid([0.5, 0.1, 0.1], 10, "rates"), [0.1, 0.5])


def test_without_errors_ends_are_bounds_by_hand():
    """Clopper-Pearson of no error in 50: 1 - 0.025^(1/50)."""
    apart = bt.ScoreSet(np.linspace(5, 6, 50), np.linspace(0, 1, 2000))
    bound = 1.0 - 0.025 ** (1 / 50)
    for kind in KINDS:
        band = bt.stats.det_band(apart, [0.01, 0.1, 0.5], settings=FEW, kind=kind)
        np.testing.assert_array_equal(band.low, 0.0)
        np.testing.assert_allclose(band.high, bound)
    cmc = bt.stats.cmc_band(bt.SearchSet.from_ranks([1] * 50, gallery_size=5), settings=FEW)
    np.testing.assert_allclose(cmc.low, 1.0 - bound)
    perfect = bt.Predictions.from_scores([1] * 50 + [0] * 50, [*range(50, 100), *range(50)])
    band = bt.stats.pr_band(perfect, [0.5], settings=FEW)
    assert band.high.tolist() == [1.0]
    np.testing.assert_allclose(band.low, 0.025 ** (1 / 25), rtol=1e-6)  # 25 accepted, all rightly


def test_below_three_false_matches_the_fnmr_has_no_upper_end():
    assert bt.stats.det_band(SCORES, [2 / 4000], settings=FEW).high.tolist() == [1.0]
    assert bt.stats.roc_band(SCORES, [2 / 4000], settings=FEW).low.tolist() == [0.0]


def test_precision_at_a_recall_that_no_positive_says_anything_of():
    """Fewer than three of them, caught or missed, fix no threshold."""
    band = bt.stats.pr_band(PREDICTIONS, [2 / np.count_nonzero(TRUTH), 1.0], settings=FEW)
    assert (band.low[0], band.high[0]) == (0.0, 1.0)
    assert band.low[1] < TRUTH.mean() < band.high[1]


@pytest.mark.parametrize("kind", KINDS)
def test_reliability_against_clopper_pearson(kind):
    """Sidak's level over ten bins where all of them must hold at once."""
    band = bt.stats.reliability_band(PREDICTIONS, settings=Settings(level=0.9), kind=kind)
    diagram = bt.evaluate(PREDICTIONS).tally.reliability()
    tail = (1 - (0.9 ** (1 / diagram.count.size) if kind == "simultaneous" else 0.9)) / 2
    right, n = diagram.observed * diagram.count, diagram.count
    low = np.nan_to_num(beta.ppf(tail, right, n - right + 1))
    high = np.nan_to_num(beta.isf(tail, right + 1, n - right), nan=1.0)
    np.testing.assert_allclose(band.low, low, rtol=1e-9)
    np.testing.assert_allclose(band.high, high, rtol=1e-9)
    np.testing.assert_allclose(band.x, diagram.mean)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 10)), min_size=1, max_size=30))
def test_bins_of_a_reliability_band_are_those_of_the_diagram(rows):
    """Probabilities on the edges of bins are common."""
    truth, p = [label for label, _ in rows], [tenths / 10 for _, tenths in rows]
    predictions = bt.Predictions.from_probabilities(truth, p, classes=(0, 1), positive=1)
    band, diagram = bt.stats.reliability_band(predictions), bt.evaluate(predictions, "ECE").tally.reliability()
    np.testing.assert_allclose(band.x, diagram.mean, atol=1e-12)
    assert np.all((band.low <= diagram.observed + 1e-12) & (diagram.observed <= band.high + 1e-12))


def test_equal_weights_are_no_weights():
    doubled = bt.Predictions.from_probabilities(TRUTH.astype(int), PROBABILITIES, weights=np.full(300, 2.0))
    plain, weighted = bt.stats.reliability_band(PREDICTIONS), bt.stats.reliability_band(doubled)
    np.testing.assert_allclose(plain.low, weighted.low)
    unequal = bt.Predictions.from_probabilities(TRUTH.astype(int), PROBABILITIES, weights=1.0 + np.arange(300) % 9)
    wider = bt.stats.reliability_band(unequal)
    assert np.mean(wider.high - wider.low) > np.mean(plain.high - plain.low)


def test_groups_that_go_together_make_bands_wider():
    """The same samples ten times over are worth no more than once."""
    copies = [np.repeat(values[:60], 10) for values in (TRUTH.astype(int), PROBABILITIES)]
    given_ = bt.Predictions.from_probabilities(*copies, groups=np.repeat(np.arange(60), 10))
    for band, grid in ((bt.stats.roc_band, [0.2, 0.3]), (bt.stats.pr_band, [0.7, 0.8])):
        alone = band(given_, grid, settings=Settings(resamples=200))
        together = band(given_, grid, settings=Settings(resamples=200, by_group=True))
        assert np.all(together.high - together.low > 1.8 * (alone.high - alone.low)), band.__name__
    alone, together = (bt.stats.reliability_band(given_, settings=Settings(by_group=by)) for by in (False, True))
    known = ~np.isnan(together.low)  # a bin of one group says nothing of others
    assert np.count_nonzero(known) == 8
    assert np.mean((together.high - together.low)[known]) > 1.5 * np.mean((alone.high - alone.low)[known])
    assert bt.stats.roc_band(clustered(), [0.5], settings=Settings(resamples=50, by_group=True)).x.size == 1


def test_the_level_of_a_whole_curve_against_theory():
    """Independent places: level^(1/m) each; one place said ten times over: the level itself."""
    rng = np.random.default_rng(2)
    values = rng.normal(0.4, 0.01, (20_000, 8))
    assert whole_level(values, np.full(8, 0.4), 0.95) == pytest.approx(0.95 ** (1 / 8), abs=0.002)
    same = np.repeat(values[:, :1], 10, axis=1)
    assert whole_level(same, np.full(10, 0.4), 0.95) == pytest.approx(0.95, abs=0.006)
    assert whole_level(np.zeros((50, 3)), np.zeros(3), 0.95) == 0.95
    holes = np.where(rng.random(values.shape) < 0.1, np.nan, values)
    assert whole_level(holes, np.full(8, 0.4), 0.95) == pytest.approx(0.95 ** (1 / 8), abs=0.003)


def test_the_same_seed_gives_the_same_band():
    one, two = (bt.stats.det_band(SCORES, [0.01, 0.1], settings=FEW, kind="simultaneous") for _ in range(2))
    np.testing.assert_array_equal(one.low, two.low)
    other = bt.stats.det_band(SCORES, [0.01, 0.1], settings=Settings(resamples=100, seed=5), kind="simultaneous")
    assert not np.array_equal(one.low, other.low)


def test_an_evaluation_gives_bands_with_the_settings_of_its_intervals():
    small = simulate("subjects", subjects=20, mated=100, nonmated=300, rng=3).scores
    evaluation = bt.evaluate(small, "EER").with_intervals(level=0.8, resamples=50, seed=4)
    band = evaluation.band("roc")
    expected = bt.stats.roc_band(small, settings=Settings(level=0.8, resamples=50, seed=4))
    assert band.level == 0.8
    np.testing.assert_array_equal(band.low, expected.low)


def test_one_subject_says_nothing_of_others():
    lonely = bt.ScoreSet([1.0, 2.0, 0.1], [0.0, 1.5], mated_ids=bt.TrialIds(["a"] * 3, ["a"] * 3))
    assert np.isnan(bt.stats.det_band(lonely, [0.5], settings=FEW).low).all()


def test_scores_that_were_counted_and_not_kept_have_a_naive_band():
    """The same ends as scores without ids, up to the chance of resamples."""
    from bertillon.counting import CountedScores, take_tally

    bare = bt.ScoreSet(SCORES.mated, SCORES.nonmated)
    counted = CountedScores(take_tally(bare), bare.mated, bare.nonmated[:100], (), "counted", ())
    one, other = (bt.stats.det_band(scores, [0.01, 0.1], settings=FEW) for scores in (bare, counted))
    np.testing.assert_allclose(one.high, other.high, atol=0.02)
    by_subject = bt.stats.det_band(SCORES, [0.01, 0.1], settings=FEW)
    assert np.all(by_subject.high - by_subject.low > 1.2 * (other.high - other.low))


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: bt.stats.det_band(SCORES, [1.5]), "not a rate"),
        (lambda: bt.stats.det_band(SCORES, []), "or nothing"),
        (lambda: bt.stats.det_band(SCORES, ["x"]), "expected a list of rates"),
        (lambda: bt.stats.det_band(SCORES, [0.1], kind="wide"), "kind of band is 'wide'"),
        (lambda: bt.stats.reliability_band(PREDICTIONS, kind="wide"), "kind of band is 'wide'"),
        (lambda: bt.stats.roc_band(bt.ScoreSet([1.0], [])), "no non-mated scores"),
        (lambda: bt.stats.roc_band(bt.ScoreSet([], [1.0])), "no mated scores"),
        (lambda: bt.stats.cmc_band(SEARCHES, [0]), "whole numbers, 1 or more"),
        (lambda: bt.stats.cmc_band(SEARCHES, [1.5]), "whole numbers, 1 or more"),
        (lambda: bt.stats.watch_list_band(bt.SearchSet.from_ranks([1, 2], gallery_size=5)), "no non-enrolled searches"),
        (lambda: bt.stats.pr_band(bt.Predictions.from_labels([0, 1], [0, 1])), "only labels"),
        (lambda: bt.stats.reliability_band(bt.Predictions.from_scores([0, 1], [1, 2])), "no probabilities"),
        (lambda: bt.stats.pr_band(PREDICTIONS, settings=Settings(by_group=True)), "give groups="),
        (lambda: bt.stats.roc_band(PREDICTIONS, settings=Settings(by_group=True)), "give groups="),
        (lambda: bt.stats.cmc_band(SEARCHES, settings=Settings(method="two-stage")), "1:1 comparisons only"),
        (lambda: bt.evaluate(SCORES, "EER").band("cmc"), "expected one of roc, det"),
    ],
)
def test_what_has_no_band_is_said(made, said):
    with pytest.raises(InputError, match=said):
        made()
