"""Schemes (D4): figures of the standards, a twin that counts by hand, rules as data, and what is refused."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bertillon as bt
from bertillon.analysis import Requirement, Scheme, read_scheme, scheme_names
from bertillon.core import ComparisonTable, InputError
from bertillon.stats import annex_b, proportion

PEOPLE = [f"s{number:03d}" for number in range(174)]
RULES = {"title": "mine", "source": "me", "read": "2026-11-18"}


def of_174(rejected: int, *, one_order: bool = True, symmetric: bool = False) -> bt.ScoreSet:
    """One attempt of each of 174 people, and every pair of them in both orders, or in one; no false match at 0.5."""
    pairs = list((itertools.combinations if one_order else itertools.permutations)(PEOPLE, 2))
    first, second = zip(*pairs, strict=True)
    rng = np.random.default_rng(1)
    scores = rng.random((174, 174)) * 0.3
    scores = np.maximum(scores, scores.T) if symmetric else scores
    nonmated = [scores[int(a[1:]), int(b[1:])] for a, b in pairs]
    mated = [0.1] * rejected + [0.9] * (174 - rejected)
    return bt.ScoreSet(mated, nonmated, mated_ids=bt.TrialIds(PEOPLE), nonmated_ids=bt.TrialIds(first, second))


@pytest.mark.parametrize(
    ("rejected", "method", "bound", "status"),
    [(5, None, 0.04501, "shown"), (6, None, 0.05226, "seen"), (5, "clopper-pearson", 0.05265, "seen")],
)
def test_d4_rejections_of_174_people_by_hand(rejected, method, bound, status) -> None:
    """D4, STANDARDS 10: Annex B at 80 % shows 5 % with 5 rejections, not with 6; Clopper-Pearson not with 5."""
    found = bt.analysis.check_scheme(of_174(rejected), "cc-bio-pp-2", threshold=0.5, method=method)
    row = next(row for row in found.judged if row.requirement.rate == "FNMR")
    assert (row.result.errors, row.result.trials, row.people) == (rejected, 174, 174)
    assert row.bound == pytest.approx(bound, abs=5e-6)
    assert row.status == status
    assert not found.passed  # no attacks were tried


def test_d4_no_false_match_among_30_102_ordered_pairs() -> None:
    """STANDARDS 10: 0 of 30,102 is 9.951e-5, 95 % on one side; pairs that a symmetric matcher repeats are left out."""
    rules = {"rate": "FMR", "limit": 1e-4, "confidence": 0.95, "sides": "upper"}
    scheme = Scheme.of("mine", RULES | {"requirement": [rules]})
    (row,) = bt.analysis.check_scheme(of_174(0, one_order=False), scheme, threshold=0.5).judged
    assert (row.status, row.result.trials) == ("shown", 30_102)
    assert row.bound == pytest.approx(9.951e-5, abs=5e-9)
    once = Scheme.of("mine", RULES | {"requirement": [rules], "ordered_pairs": False})
    both_ways = bt.analysis.check_scheme(of_174(0, one_order=False, symmetric=True), once, threshold=0.5)
    assert (both_ways.judged[0].result.trials, both_ways.judged[0].status) == (15_051, "seen")
    assert "15,051 comparisons repeat a pair" in str(both_ways.notes[0])
    asymmetric = bt.analysis.check_scheme(of_174(0, one_order=False), once, threshold=0.5)
    assert asymmetric.judged[0].result.trials == 30_102


def test_d4_mated_pairs_that_a_symmetric_matcher_repeats_count_once_too() -> None:
    """Two samples of each of 40 people, both ways round: 40 mated comparisons, not 80; 3,120 others, not 6,240."""
    samples = [f"{person}.{n}" for person in range(40) for n in (0, 1)]
    pairs = [(a, b) for a in samples for b in samples if a != b]
    same = np.array([a.split(".")[0] == b.split(".")[0] for a, b in pairs])
    score = np.array([(7 * samples.index(min(pair)) + 3 * samples.index(max(pair))) % 100 for pair in pairs]) / 100

    def ids(rows):
        kept = [pair for pair, chosen in zip(pairs, rows, strict=True) if chosen]
        (probe, reference), people = zip(*kept, strict=True), [[x.split(".")[0] for x in pair] for pair in kept]
        own = dict(zip(("probe_subject", "reference_subject"), zip(*people, strict=True), strict=True))
        return bt.TrialIds(probe=probe, reference=reference, **own)

    whole = bt.ScoreSet(score[same], score[~same], mated_ids=ids(same), nonmated_ids=ids(~same))
    found = bt.analysis.check_scheme(whole, "cc-bio-pp-2", threshold=0.5, method="clopper-pearson")
    fmr, fnmr = found.judged[:2]
    assert (fnmr.result.trials, fmr.result.trials) == (40, 40 * 39 * 2)
    assert fnmr.result.errors == np.count_nonzero(score[same] < 0.5) // 2
    assert "3,160 comparisons repeat a pair" in str(found.notes[0])


def test_d4_people_share_comparisons_and_the_bound_by_subject_stands_beside() -> None:
    found = bt.analysis.check_scheme(of_174(5, one_order=False), "cc-bio-pp-2", threshold=0.5)
    fmr = found.judged[0]
    assert fmr.status == "shown"
    assert fmr.by_subject is not None
    assert fmr.by_subject.high > fmr.requirement.limit > fmr.bound
    document = found.to_dict()
    assert document["requirements"][0]["bound_by_subject"] == fmr.by_subject.high


@given(
    st.lists(st.integers(0, 6), min_size=2, max_size=25),
    st.lists(st.integers(0, 6), min_size=1, max_size=25),
    st.integers(0, 6),
    st.sampled_from(["clopper-pearson", "wilson", "jeffreys", "annex-b"]),
    st.sampled_from(["both", "upper"]),
    st.sampled_from([0.3, 0.6, 0.9]),
)
def test_d4_against_a_twin_that_counts_by_hand(mated, nonmated, threshold, method, sides, limit) -> None:
    rows = [
        {"rate": "FNMR", "limit": limit, "confidence": 0.8, "method": method, "sides": sides},
        {"rate": "FMR", "limit": limit, "confidence": 0.8, "sides": sides},
    ]
    scheme = Scheme.of("mine", RULES | {"requirement": rows})
    who = np.arange(len(mated)) % 7
    scores = bt.ScoreSet(mated, nonmated, mated_ids=bt.TrialIds(who))
    fnmr, fmr = bt.analysis.check_scheme(scores, scheme, threshold=threshold).judged
    wrong = [score < threshold for score in mated]
    taken = sum(score >= threshold for score in nonmated)
    if method == "annex-b":
        errors = [sum(w for w, p in zip(wrong, who, strict=True) if p == person) for person in range(max(who) + 1)]
        high = annex_b(errors, np.bincount(who)).interval(0.8, sides).high
    else:
        high = proportion(sum(wrong), len(mated), level=0.8, method=method, side=sides).high
    assert (fnmr.result.errors, fmr.result.errors) == (sum(wrong), taken)
    assert fnmr.bound == pytest.approx(high)
    assert fmr.bound == pytest.approx(proportion(taken, len(nonmated), level=0.8, side=sides).high)
    for row, value in ((fnmr, sum(wrong) / len(mated)), (fmr, taken / len(nonmated))):
        expected = "not_met" if value > limit else "shown" if row.bound <= limit else "seen"
        assert row.status == expected


@pytest.mark.parametrize(("errors", "trials", "limit"), [(0, 100, 0.001), (3, 300, 0.02), (10, 10_000, 0.0011)])
def test_d4_the_trials_that_are_needed_show_it_and_one_fewer_does_not(errors, trials, limit) -> None:
    rule = {"rate": "FMR", "limit": limit, "confidence": 0.8}
    scheme = Scheme.of("mine", RULES | {"requirement": [rule]})
    scores = bt.ScoreSet([1.0], [1.0] * errors + [0.0] * (trials - errors))
    (row,) = bt.analysis.check_scheme(scores, scheme, threshold=0.5).judged
    assert row.status == "seen"
    assert row.more_trials is not None
    needed, rate = trials + row.more_trials, errors / trials
    assert proportion(rate * needed, needed, level=0.8).high <= limit
    assert proportion(rate * (needed - 2), needed - 2, level=0.8).high > limit


def test_d4_failed_attempts_are_rejected_attempts() -> None:
    """FAR and FRR count what failed, FMR and FNMR do not."""
    rows = [{"rate": rate, "limit": 0.9, "confidence": 0.8} for rate in ("FMR", "FAR", "FNMR", "FRR")]
    scores = bt.ScoreSet([0.9, 0.2, math.nan, 0.8], [0.1, math.nan, 0.7, 0.3, 0.2])
    found = bt.analysis.check_scheme(scores, Scheme.of("mine", RULES | {"requirement": rows}), threshold=0.5)
    counted = [(row.result.errors, row.result.trials) for row in found.judged]
    assert counted == [(1, 4), (1, 5), (1, 3), (2, 4)]


def test_d4_the_worst_species_and_too_few_people() -> None:
    attacks = {"print": [0.1] * 90 + [0.6] * 2, "mask": [0.1] * 5, "silent": [math.nan] * 60}
    found = bt.analysis.check_scheme(of_174(0), "fido", threshold=0.5, attacks=attacks)
    far, frr, iapar = found.judged
    assert (iapar.species, iapar.status) == ("mask", "seen")
    assert iapar.bound == proportion(0, 5, level=0.8).high
    assert (far.status, frr.status, frr.people, frr.more_people) == ("seen", "seen", 174, 71)
    assert "one transaction" in str(found.notes[-1])


def test_d4_a_threshold_is_chosen_where_none_is_given() -> None:
    """The most permissive at which the FMR is shown; where no threshold shows it, at which it is seen."""
    rule = {"rate": "FMR", "limit": 0.2, "confidence": 0.8}
    scheme = Scheme.of("mine", RULES | {"requirement": [rule]})
    many = bt.ScoreSet([50.5], np.arange(100.0))
    shown = bt.analysis.check_scheme(many, scheme)
    allowed = max(k for k in range(100) if proportion(k, 100, level=0.8).high <= 0.2)
    assert (shown.chosen, shown.threshold) == ("shown", 100.0 - allowed)
    few = bt.analysis.check_scheme(bt.ScoreSet([50.5], np.arange(5.0)), scheme)
    assert (few.chosen, few.threshold, few.judged[0].status) == ("seen", 4.0, "seen")
    far = bt.ScoreSet([-50.5], -np.arange(100.0), rule="distance")
    assert bt.analysis.check_scheme(far, scheme).threshold == allowed - 100.0


def test_d4_a_measure_with_a_place_of_its_own() -> None:
    rng = np.random.default_rng(3)
    scores = bt.ScoreSet(rng.normal(5, 1, 3000), rng.normal(0, 1, 40_000))
    found = bt.analysis.check_scheme(scores, "ees-face")
    expected = bt.evaluate(scores, "FNMR@FMR=0.0005").with_intervals(sides="upper")
    assert found.threshold is None
    assert found.judged[0].result.value == expected["FNMR@FMR=0.0005"].value
    assert found.judged[0].bound == expected.intervals["FNMR@FMR=0.0005"].high
    searches = bt.SearchSet.from_ranks([1, 1, 2], gallery_size=9)
    assert bt.analysis.check_scheme(searches, "ees-face").judged[0].status == "untested"


def test_methods_that_need_subjects_say_so() -> None:
    found = bt.analysis.check_scheme(bt.ScoreSet([0.9] * 100, [0.1] * 100), "cc-bio-pp-1", threshold=0.5)
    assert found.judged[1].status == "untested"
    assert "no subject IDs" in str(found.judged[1].interval.reason)


@pytest.mark.parametrize("name", scheme_names())
def test_every_scheme_says_where_and_when_it_was_read(name) -> None:
    scheme = read_scheme(name)
    assert scheme.title
    assert scheme.source
    assert scheme.read >= "2026"
    assert all(rule.limit < 1 for rule in scheme.requirements)


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"limt": 0.1}, "requirement 1: key 'limt' is unknown; did you mean 'limit'"),
        ({"limit": 5}, "limit is 5; expected a rate between 0 and 1"),
        ({"limit": True}, "limit is True; expected a number, such as 0.05"),
        ({"confidence": 80}, "confidence is 80"),
        ({"rate": "FNR@"}, "'FNR@' is no measure"),
        ({"rate": "EER"}, "expected method = 'auto'"),
        ({"method": "auto"}, "expected method = 'auto' of a measure with a place of its own"),
        ({"sides": "lower"}, "sides is 'lower'"),
        ({"people": -1}, "people is -1"),
        ({"attempts": 5}, "attempts is 5; expected a number from 1 on, with unit = 'transaction'"),
        ({"attempts": -1, "unit": "transaction"}, "attempts is -1"),
        ({"rate": 3}, 'rate is 3; expected text in quotes, such as "FMR"'),
        ({"people": 2.5}, "people is 2.5; expected a whole number"),
        ({"strict": "yes"}, "strict is 'yes'; expected true or false"),
    ],
)
def test_wrong_rules_are_refused(changed, fault) -> None:
    rule = {"rate": "FMR", "limit": 0.1, "confidence": 0.8} | changed
    with pytest.raises(InputError) as error:
        Scheme.of("mine.toml", RULES | {"requirement": [rule]})
    assert fault in str(error.value)


@pytest.mark.parametrize("read", ["today", "18.11.2026", "2026-13-01"])
def test_a_day_that_is_none_is_refused(read) -> None:
    rule = {"rate": "FMR", "limit": 0.1, "confidence": 0.8}
    with pytest.raises(InputError, match=r"read is '.*'; expected the day on which the rules were read"):
        Scheme.of("mine.toml", RULES | {"read": read, "requirement": [rule]})


def test_all_faults_of_a_file_are_in_one_error(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('titel = "x"\nsource = "y"\n[[requirement]]\nrate = "FMR"\n')
    with pytest.raises(InputError) as error:
        read_scheme(file)
    said = str(error.value)
    for fault in ("'titel' is unknown", "has no 'title'", "has no 'read'", "requirement 1: has no 'limit'"):
        assert fault in said
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is no TOML"):
        read_scheme(file)
    with pytest.raises(InputError, match="cannot be read"):
        read_scheme(tmp_path / "none.toml")
    with pytest.raises(InputError, match="did you mean 'fido'"):
        read_scheme("fidos")


def test_a_strict_limit_is_not_met_by_itself() -> None:
    assert Requirement("FMR", 0.05, 0.8).met_by(0.05)
    assert not Requirement("FMR", 0.05, 0.8, strict=True).met_by(0.05)
    assert not Requirement("FMR", 0.05, 0.8).met_by(math.nan)


def tried_in_turn(seed: int = 2) -> tuple[bt.ScoreSet, bt.trials.TransactionSet]:
    """Three attempts of everybody at every claim, and attacks of two species."""
    rng = np.random.default_rng(seed)
    rows = []
    for who, whom, number in itertools.product(range(15), range(15), range(2)):
        for attempt in (1, 2, 3):
            score = rng.normal(2.0 if who == whom else 0.0)
            rows.append((f"p{who}", f"p{whom}", number, attempt, None if rng.random() < 0.1 else score, None))
    for number, attempt in itertools.product(range(40), (1, 2, 3)):
        rows.append(("p1", "p1", 100 + number, attempt, rng.normal(0.5), "print" if number % 2 else "mask"))
    columns = ["probe_subject", "reference_subject", "transaction", "attempt", "score", "attack"]
    frame = pl.DataFrame(rows, schema=columns, orient="row", infer_schema_length=None)
    made = bt.trials.transactions_from(ComparisonTable(frame))
    genuine = frame.filter(frame["attack"].is_null() & (frame["probe_subject"] == frame["reference_subject"]))
    others = frame.filter(frame["attack"].is_null() & (frame["probe_subject"] != frame["reference_subject"]))
    scores = [each["score"].fill_null(math.nan).to_numpy() for each in (genuine, others)]
    return bt.ScoreSet(*scores), made


@pytest.mark.parametrize("attempts", [None, 1, 2])
def test_d2_d4_rules_about_transactions_are_judged_on_transactions(attempts) -> None:
    """D2, D4: FAR and FRR of up to k attempts, as `transactions` counts them; a failed one is not accepted."""
    scores, made = tried_in_turn()
    found = bt.analysis.check_scheme(scores, "fido", threshold=1.5, transactions=made, attempts=attempts)
    k = attempts or 3
    expected = bt.analysis.transactions(made, thresholds=[1.5], attempts=k, level=0.8).points[-1]
    far, frr, iapar = found.judged
    assert (far.result.errors, far.result.trials) == (expected.far.result.errors, 15 * 14 * 2)
    assert (frr.result.errors, frr.result.trials) == (expected.frr.result.errors, 30)
    assert (far.by_subject.high, frr.by_subject.high) == pytest.approx(
        (expected.far.interval.high, expected.frr.interval.high)
    )
    assert iapar.result.errors == expected.iapar[iapar.species].result.errors
    assert iapar.bound == max(
        proportion(rate.result.errors, rate.result.trials, level=0.8).high for rate in expected.iapar.values()
    )
    assert {row.attempts for row in found.judged} == {k}
    assert f"transactions of up to {k} attempts" in str(found.notes[-1])
    assert found.to_dict()["requirements"][0]["attempts"] == k


def test_d4_annex_b_and_by_subject_of_transactions_by_hand() -> None:
    scores, made = tried_in_turn()
    genuine = made.kind == bt.trials.GENUINE
    wrong = ~(np.nan_to_num(made.scores[genuine], nan=-np.inf) >= 2.5).any(axis=1)
    errors = [int(wrong[made.person[genuine] == f"p{person}"].sum()) for person in range(15)]
    found = bt.analysis.check_scheme(scores, "cc-bio-pp-2", threshold=2.5, transactions=made)
    fmr, fnmr, _ = found.judged
    assert (fnmr.result.errors, fnmr.people) == (sum(errors), 15)
    assert fnmr.bound == pytest.approx(annex_b(errors, [2] * 15).interval(0.8, "both").high)
    assert fmr.requirement.unit == "transaction"
    chosen = bt.analysis.check_scheme(scores, "cc-bio-pp-2", transactions=made)
    assert chosen.judged[0].requirement.met_by(chosen.judged[0].result.value)
    alone = bt.analysis.check_scheme(scores, "cc-bio-pp-2", threshold=2.5)
    assert (alone.judged[0].attempts, alone.judged[0].result.trials) == (None, scores.nonmated.size)
    assert "taken as one transaction" in str(alone.notes[-1])


@pytest.mark.parametrize(
    ("scheme", "attempts", "fault"),
    [
        ("fido", 6, "6 attempts; expected 1 to 5, which is what fido allows"),
        ("fido", 0, "expected 1 to 5"),
        ("fido", 4, "no transaction has more than 3"),
        ("nist-800-63", 2, "no rule is about transactions"),
    ],
)
def test_attempts_that_cannot_be_judged_are_refused(scheme, attempts, fault) -> None:
    scores, made = tried_in_turn()
    with pytest.raises(InputError, match=fault):
        bt.analysis.check_scheme(scores, scheme, threshold=1.0, transactions=made, attempts=attempts)
    with pytest.raises(InputError, match="and no transactions"):
        bt.analysis.check_scheme(scores, scheme, threshold=1.0, attempts=2)
