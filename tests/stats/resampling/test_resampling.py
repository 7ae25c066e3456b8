"""Resampled counts: the same numbers as rows repeated one by one, for every measure, on any number of threads (U1)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stats.brute_force import copied, resampled_values

from bertillon import counting, stats
from bertillon.core import InputError
from bertillon.counting import CountedScores, Failures, take_tally
from bertillon.evaluation import evaluate
from bertillon.measures import MEASURES, parse, parse_all
from bertillon.stats import Draw, Settings, left_out, resampled, resampling, statistics_of, subject_weights, units_of
from bertillon.trials import ScoreSet, TrialIds, simulate

MORE = ("EER[nearest]", "EER[hull]", "EER[fvc]", "EER[bob]", "TMR@TNMR=0.8", "FMR@FNMR=0.2", "FMR@TMR=0.7")
EVERY = parse_all([*(definition.example for definition in MEASURES.values()), *MORE])
USUAL = parse_all(["EER", "FNMR@FMR=0.1", "ZeroFMR", "ZeroFNMR", "AUC", "dprime"])


def whole_scores(
    rng: np.random.Generator, people: int, mated: int, nonmated: int, rule: str = "similarity"
) -> ScoreSet:
    """Small whole numbers, so that ties are common."""
    names = np.array([f"p{i}" for i in range(people)])
    own, probe = rng.integers(people, size=mated), rng.integers(people, size=nonmated)
    other = (probe + rng.integers(1, people, size=nonmated)) % people
    return ScoreSet(
        rng.integers(2, 8, size=mated).astype(float),
        rng.integers(0, 6, size=nonmated).astype(float),
        rule=rule,
        mated_ids=TrialIds(names[own], names[own]),
        nonmated_ids=TrialIds(names[probe], names[other]),
    )


@pytest.mark.parametrize("rule", ["similarity", "distance"])
@pytest.mark.parametrize("method", ["percentile", "double-or-nothing"])
def test_every_measure_against_brute_force(rule: str, method: str) -> None:
    scores = whole_scores(np.random.default_rng(5), 7, 40, 90, rule)
    asked = Settings(resamples=40, seed=11, method=method)
    found = resampled(scores, EVERY, asked)
    values, thresholds = resampled_values(scores, EVERY, 40, 11, asked.scheme)
    np.testing.assert_allclose(found.values, values, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(found.thresholds, thresholds)
    evaluation = evaluate(scores, EVERY)
    np.testing.assert_allclose(found.estimate, [evaluation[name].value for name in evaluation], rtol=1e-12)


@given(
    people=st.integers(2, 4),
    mated=st.integers(1, 12),
    nonmated=st.integers(1, 12),
    seed=st.integers(0, 10**6),
    rule=st.sampled_from(["similarity", "distance"]),
)
@settings(max_examples=25)
def test_any_small_set_against_brute_force(people: int, mated: int, nonmated: int, seed: int, rule: str) -> None:
    scores = whole_scores(np.random.default_rng(seed), people, mated, nonmated, rule)
    found = resampled(scores, USUAL, Settings(resamples=20, seed=seed, method="percentile"))
    values, thresholds = resampled_values(scores, USUAL, 20, seed)
    np.testing.assert_allclose(found.values, values, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(found.thresholds, thresholds)


def test_weights_of_pairs_by_hand() -> None:
    """Three people, one comparison a pair: a pair counts twice where its two signs are equal, else not at all."""
    scores = ScoreSet(
        [9.0, 9.0, 9.0],
        [1.0, 2.0, 3.0],
        mated_ids=TrialIds(["a", "b", "c"]),
        nonmated_ids=TrialIds(["a", "a", "b"], ["b", "c", "c"]),
    )
    found = resampled(scores, [parse("FM@t=0"), parse("FM@t=3")], Settings(resamples=20, seed=8))
    signs = subject_weights(3, 20, seed=8, scheme="signs").astype(int)
    product = np.stack([signs[:, 0] * signs[:, 1], signs[:, 0] * signs[:, 2], signs[:, 1] * signs[:, 2]])
    assert found.pair_values is not None
    assert found.pair_values[:, 0].tolist() == (3 + product.sum(axis=0)).tolist()
    assert found.pair_values[:, 1].tolist() == (1 + product[2]).tolist()


def test_spread_of_pairs_alone_against_theory() -> None:
    """Independent scores: products of weights make pairs count three times, signs show once (Owen 2007)."""
    scores = simulate("subjects", subjects=150, mated=150, nonmated=4000, goat=0, lamb=0, wolf=0, rng=4).scores
    found = resampled(scores, [parse("FMR@t=0.5")], Settings(resamples=1000))
    assert found.pair_values is not None
    rate = found.estimate[0]
    theory = rate * (1 - rate) / scores.nonmated.size
    assert found.pair_values.var() == pytest.approx(theory, rel=0.25)
    assert found.values.var() == pytest.approx(3 * theory, rel=0.25)


@pytest.mark.parametrize("method", ["auto", "two-stage"])
def test_the_seed_says_it_all_on_any_number_of_threads(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = simulate("subjects", subjects=30, mated=300, nonmated=3000, rng=1).scores
    scores = with_samples(scores)
    monkeypatch.setattr(counting.LIMITS.weights, "weigh_in_numpy_up_to", 0)  # so that threads are used
    asked = Settings(resamples=150, seed=5, method=method)
    one = resampled(scores, USUAL, asked)
    again = resampled(scores, USUAL, asked)
    monkeypatch.setattr(resampling, "on_threads", lambda work, parts: [work(part) for part in parts])
    monkeypatch.setattr(stats.LIMITS, "resamples_together", 37)
    alone = resampled(scores, USUAL, asked)
    for other in (again, alone):
        np.testing.assert_array_equal(one.values, other.values)
        np.testing.assert_array_equal(one.thresholds, other.thresholds)
    assert (resampled(scores, USUAL, replace(asked, seed=6)).values != one.values).any()


def test_two_systems_over_the_same_people_get_the_same_resamples() -> None:
    """The order of the rows, and which comparisons there are, do not matter: weights go by sorted ids."""
    scores = whole_scores(np.random.default_rng(3), 6, 30, 60)
    assert scores.mated_ids is not None
    back = np.arange(30)[::-1]
    turned = ScoreSet(
        scores.mated[back],
        scores.nonmated,
        mated_ids=scores.mated_ids[back],
        nonmated_ids=scores.nonmated_ids,
    )
    first, second = (resampled(one, USUAL, Settings(resamples=30)) for one in (scores, turned))
    np.testing.assert_array_equal(first.values, second.values)


def test_compiled_and_plain_counts_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = simulate("subjects", subjects=25, mated=500, nonmated=4000, rng=9).scores
    plain = resampled(scores, USUAL, Settings(resamples=40))
    monkeypatch.setattr(counting.LIMITS.weights, "weigh_in_numpy_up_to", 0)
    np.testing.assert_array_equal(resampled(scores, USUAL, Settings(resamples=40)).values, plain.values)


def test_error_from_cells_is_small_beside_the_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against resamples in which every score is a cut."""
    scores = simulate(
        "subjects", subjects=40, mated=4000, nonmated=12_000, goat=0.1, lamb=0.02, wolf=0.02, rng=2
    ).scores
    asked = parse_all(["EER", "FNMR@FMR=0.01", "FNMR@FMR=0.002", "AUC", "dprime", "Cllr", "minCllr"])
    binned = resampled(scores, asked, Settings(resamples=40))
    monkeypatch.setattr(counting.LIMITS.weights, "exact_cuts", 10**6)
    exact = resampled(scores, asked, Settings(resamples=40))
    assert binned.estimate[2] == exact.estimate[2]  # where errors are few every one of them is a cut
    spread = exact.values.std(axis=0)
    apart = (binned.values - binned.estimate) - (exact.values - exact.estimate)
    assert (apart.std(axis=0) < 0.1 * spread).all()
    assert (abs(binned.values.std(axis=0) / spread - 1) < 0.03).all()


def with_samples(scores: ScoreSet, per_person: int = 3) -> ScoreSet:
    """The same with samples named within each person."""

    def named(ids: TrialIds | None, seed: int) -> TrialIds:
        assert ids is not None
        drawn = np.random.default_rng(seed).integers(per_person, size=(2, len(ids.probe_subject)))
        return replace(ids, probe=drawn[0], reference=drawn[1])

    return replace(scores, mated_ids=named(scores.mated_ids, 1), nonmated_ids=named(scores.nonmated_ids, 2))


def test_two_stages_against_brute_force() -> None:
    """Subjects are taken, then as many samples of each as it has; a subject counts once in its own comparisons."""
    scores = with_samples(whole_scores(np.random.default_rng(6), 4, 30, 50))
    found = resampled(scores, USUAL, Settings(resamples=25, seed=2, method="two-stage"))
    units = units_of(scores, "two-stage")
    assert units.samples is not None
    assert str(units.name) == "subjects, then their samples"
    table = units.table(Draw(range(25), 2, "two-stage")).astype(np.int64)
    of_subjects = subject_weights(4, 25, seed=2).astype(np.int64)
    n = units.samples.subject.size
    own, others = scores.mated_ids, scores.nonmated_ids
    assert own is not None
    assert others is not None
    keys = sorted(
        {
            (who, sample)
            for ids in (own, others)
            for column, samples in ((ids.probe_subject, ids.probe), (ids.reference_subject, ids.reference))
            for who, sample in zip(column.tolist(), samples.tolist(), strict=True)
        }
    )
    assert len(keys) == n
    place = {key: i for i, key in enumerate(keys)}
    for b in range(25):
        alone = table[n : 2 * n, b]
        for person in range(4):  # as many samples as before
            chosen = units.samples.subject == person
            assert alone[chosen].sum() == chosen.sum()
            assert (table[:n, b][chosen] == of_subjects[b, person] * alone[chosen]).all()

        def times(ids: Any, b: int = b, alone: Any = alone) -> list[int]:
            rows = zip(ids.probe_subject, ids.probe, ids.reference_subject, ids.reference, strict=True)
            people = {f"p{i}": int(of_subjects[b, i]) for i in range(4)}
            return [
                int(people[p] * alone[place[p, s]] * alone[place[q, t]] * (people[q] if p != q else 1))
                for p, s, q, t in rows
            ]

        taken = ScoreSet(np.repeat(scores.mated, times(own)), np.repeat(scores.nonmated, times(others)))
        evaluation = evaluate(taken, USUAL)
        expected = [evaluation[measure].value for measure in USUAL]
        np.testing.assert_allclose(found.values[b], expected, rtol=1e-12)


def test_two_stages_need_samples() -> None:
    with pytest.raises(InputError, match="two-stage resampling needs to know the subject and the sample"):
        resampled(whole_scores(np.random.default_rng(0), 4, 9, 9), USUAL, Settings(method="two-stage"))


def test_rows_resampled_one_by_one_against_theory() -> None:
    """Without ids: the spread of shares of independent trials."""
    scores = simulate("binormal", dprime=2, mated=400, nonmated=900, rng=3).scores
    found = resampled(scores, parse_all(["FNMR@t=1", "FMR@t=1"]), Settings(resamples=2000))
    assert found.naive
    assert str(found.unit) == "comparisons treated as independent (no subject IDs)"
    assert found.pair_values is None
    for column, n in enumerate((400, 900)):
        rate = found.estimate[column]
        assert found.values[:, column].mean() == pytest.approx(rate, abs=4 * np.sqrt(rate * (1 - rate) / n / 2000))
        assert found.values[:, column].var() == pytest.approx(rate * (1 - rate) / n, rel=0.15)


@pytest.mark.parametrize(
    ("mated", "nonmated", "words", "naive"),
    [
        ((1, 1), (1, 1), "subjects", False),
        ((0, 1), (1, 1), "subjects", False),
        ((1, 0), (1, 0), "subjects (for non-mated comparisons only that of the probe)", False),
        ((1, 0), (0, 1), "subjects (for non-mated comparisons only that of the reference)", False),
        ((1, 1), (0, 0), "subjects of mated comparisons; non-mated comparisons treated as independent", True),
        ((0, 0), (1, 1), "subjects of non-mated comparisons; mated comparisons treated as independent", True),
        ((0, 0), (0, 0), "comparisons treated as independent (no subject IDs)", True),
    ],
)
def test_units_use_what_is_known(mated: tuple[int, int], nonmated: tuple[int, int], words: str, naive: bool) -> None:
    scores = whole_scores(np.random.default_rng(1), 5, 30, 40)

    def some(ids: TrialIds | None, known: tuple[int, int]) -> TrialIds:
        assert ids is not None
        columns = (ids.probe_subject, ids.reference_subject)
        return TrialIds(*(column if there else None for column, there in zip(columns, known, strict=True)))

    given = replace(scores, mated_ids=some(scores.mated_ids, mated), nonmated_ids=some(scores.nonmated_ids, nonmated))
    found = resampled(given, USUAL, Settings(resamples=30))
    assert (str(found.unit), found.naive) == (words, naive)
    assert (found.pair_values is None) == (nonmated != (1, 1))
    assert np.isfinite(found.values).mean() > 0.9


def test_samples_stand_in_for_unknown_subjects_and_gaps_make_rows() -> None:
    ids = TrialIds(probe=np.array([1, 2, 3]), reference=np.array([4, 5, 6]))
    units = units_of(ScoreSet([3, 4, 5], [1, 2, 0], mated_ids=ids, nonmated_ids=ids))
    assert (str(units.name), units.naive, units.n) == ("samples (no subject IDs)", True, 6)
    gaps = TrialIds(np.array(["a", None, "b"], dtype=object))
    units = units_of(ScoreSet([3, 4, 5], [1, 2, 0], mated_ids=gaps))
    assert str(units.name) == "comparisons treated as independent (some subject IDs are missing)"
    assert units.mated is None


def test_a_pair_of_one_person_counts_once() -> None:
    """Two fingers of one person as a non-mated comparison: as often as the person is taken."""
    scores = ScoreSet([9.0, 9.0], [1.0], mated_ids=TrialIds(["a", "b"]), nonmated_ids=TrialIds(["a"], ["a"]))
    found = resampled(scores, [parse("TNM@t=5")], Settings(resamples=30, seed=1))
    weights = subject_weights(2, 30, seed=1)[:, 0].astype(float)
    assert np.nan_to_num(found.values[:, 0]).tolist() == weights.tolist()


def test_failed_comparisons_vary_by_chance() -> None:
    scores = replace(whole_scores(np.random.default_rng(1), 9, 50, 50), failures=Failures(mated=10, nonmated=4))
    found = resampled(scores, parse_all(["FTA", "FRR@t=4", "FNMR@t=4"]), Settings(resamples=200))
    assert found.values[:, 0].std() > 0
    assert found.estimate[0] == 14 / 114
    assert (found.values[:, 1] != found.values[:, 2]).mean() > 0.9


def test_counted_comparisons_are_taken_one_by_one() -> None:
    scores = simulate("binormal", dprime=3, mated=300, nonmated=2000, rng=1).scores
    tally = take_tally(scores)
    counted = CountedScores(tally, scores.mated, scores.nonmated[:100], (), "some", ())
    kept = resampled(ScoreSet(scores.mated, scores.nonmated), USUAL, Settings(resamples=200))
    found = resampled(counted, USUAL, Settings(resamples=200))
    assert str(found.unit) == "comparisons treated as independent (counted, not kept)"
    assert found.values.std(axis=0) == pytest.approx(kept.values.std(axis=0), rel=0.1)


def test_left_out_by_hand() -> None:
    scores = whole_scores(np.random.default_rng(2), 5, 30, 40)
    (found,) = left_out(statistics_of(scores, Settings()).resampler(USUAL), USUAL)
    people = [f"p{i}" for i in range(5)]
    for person in range(5):
        kept = copied(scores, people, np.arange(5) != person)
        evaluation = evaluate(kept, USUAL)
        np.testing.assert_allclose(found.values[person], [evaluation[m].value for m in USUAL], rtol=1e-12)


def test_rows_left_out_by_hand() -> None:
    scores = ScoreSet([2.0, 3.0, 3.0], [1.0, 2.0])
    mated, nonmated = left_out(statistics_of(scores, Settings()).resampler([parse("AUC")]), [parse("AUC")])
    # 5.5 of 6 pairs are won: without the mated 2 all of 4, without a 3 3.5 of 4; without the 1 2.5 of 3, then all
    assert (mated.values[:, 0].tolist(), mated.times.tolist()) == ([1.0, 0.875], [1.0, 2.0])
    assert nonmated.values[:, 0].tolist() == pytest.approx([2.5 / 3, 1.0])


def test_settings_are_checked() -> None:
    for wrong, message in (
        ({"level": 95}, "level is 95; expected a share from 0.5"),
        ({"level": float("nan")}, "level is nan"),
        ({"resamples": 5}, "resamples is 5; expected 20 to 1,000,000"),
        ({"resamples": 99.5}, "resamples is 99.5; expected a whole number"),
        ({"seed": -1}, "seed is -1; expected a whole number from 0"),
        ({"method": "bootstrap"}, "method is 'bootstrap'; expected one of auto, percentile, bca"),
    ):
        with pytest.raises(InputError, match=message):
            Settings(**wrong)


def test_a_curve_that_begins_in_the_middle_keeps_all_its_scores() -> None:
    scores = simulate("binormal", dprime=3, mated=300, nonmated=2000, rng=1).scores
    tally = take_tally(scores)
    part = slice(900, None)
    errors = replace(
        tally.errors,
        threshold=tally.errors.threshold[part],
        false_match=tally.errors.false_match[part],
        false_nonmatch=tally.errors.false_nonmatch[part],
        complete=False,
    )
    counted = CountedScores(replace(tally, errors=errors), scores.mated, scores.nonmated[:100], (), "some", ())
    asked = parse_all(["EER", "FNMR@FMR=0.01"])
    found = resampled(counted, asked, Settings(resamples=50))
    assert found.estimate.tolist() == [evaluate(scores, asked)[name].value for name in ("EER", "FNMR@FMR=0.01")]


def test_the_curve_of_the_data_is_counted_once():
    """A band asks for it at every place."""
    resampler = statistics_of(whole_scores(np.random.default_rng(1), 5, 20, 60), Settings()).resampler(USUAL)
    assert resampler.curve is resampler.curve
