"""P2, P3 and E5: gallery and probes share no sample, and P is P_G and P_N together."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from matching.builders import some_mates, table

from bertillon.core import InputError
from bertillon.matching import STRATEGIES, split_gallery_probe

seeds = st.integers(0, 2**32)


def roles(partition) -> str:
    """g, p or u for each template."""
    return "".join(role[0] for role in partition.role)


def split_if_possible(people, **asked):
    """None where nobody would be enrolled and probed."""
    try:
        return split_gallery_probe(people, **asked)
    except InputError as error:
        if "no probe has a mate" in str(error) or "the gallery is empty" in str(error):
            return None
        raise


def test_P2_best_quality_enrols_by_hand():
    people = table("aaabb", quality=[0.2, 0.9, 0.5, 7, 3])
    assert roles(split_gallery_probe(people, strategy="best-quality")) == "pgpgp"
    assert roles(split_gallery_probe(people, strategy="best-quality", per_subject=2)) == "pgggg"


def test_P2_a_template_without_quality_enrols_last_by_hand():
    people = table("aaabb", sharpness=[None, float("nan"), -5, None, 1])
    split = split_gallery_probe(people, strategy="best-quality", quality="sharpness")
    assert roles(split) == "ppgpg"
    assert "of the highest sharpness (3 templates without a value come last)" in str(split.words[0])


def test_P2_quality_written_as_text_is_read_as_numbers_by_hand():
    assert roles(split_gallery_probe(table("aabb", quality=["9", "10", "2", "1"]), strategy="best-quality")) == "pggp"


def test_P2_first_session_enrols_and_the_rest_of_that_session_is_unused_by_hand():
    """Of a's first session one template is enrolled and two are left over; b began with session 2."""
    people = table("aaaabb", session=[1, 1, 1, 2, 2, 3])
    split = split_gallery_probe(people, strategy="first-session", rng=1)
    assert sorted(roles(split)[:3]) == ["g", "u", "u"]
    assert roles(split)[3:] == "pgp"
    assert "Unused: 2 templates of 1 person." in map(str, split.words)
    assert roles(split_gallery_probe(people, strategy="first-session", per_subject=9)) == "gggpgp"


@pytest.mark.parametrize(
    ("sessions", "order"),
    [
        (["10", "9"], "by number"),
        ([10, 9], "by number"),
        (["s2", "s1"], "by name"),
        ([date(2026, 1, 2), date(2025, 12, 31)], "by time"),
    ],
)
def test_P2_the_order_of_sessions_is_said_by_hand(sessions, order):
    split = split_gallery_probe(table("aabb", session=sessions * 2), strategy="first-session")
    assert roles(split) == "pgpg"
    assert f"first session ({order})" in str(split.words[0])


def test_P2_one_template_of_each_condition_enrols_by_hand():
    people = table("aaaabb", condition=["indoor", "outdoor", "indoor", "outdoor", "indoor", "indoor"])
    split = split_gallery_probe(people, strategy="conditions", rng=5)
    enrolled = people.metadata["condition"].gather(split.rows("gallery")).to_list()
    assert sorted(zip(people.subject[split.rows("gallery")], enrolled, strict=True)) == [
        ("a", "indoor"),
        ("a", "outdoor"),
        ("b", "indoor"),
    ]
    assert split.rows("probe").size == 3


def test_P2_random_enrols_each_template_as_often_as_another_against_theory():
    """600 draws of one of three: 200 each, standard deviation 11.5."""
    people = table("aaab")
    draws = [split_gallery_probe(people, rng=seed).rows("gallery")[0] for seed in range(600)]
    assert np.abs(np.bincount(draws) - 200).max() < 4 * 11.5


def test_P3_E5_a_list_of_people_left_out_by_hand():
    """P_N are all templates of c; P = P_G + P_N is everything that is not gallery."""
    split = split_gallery_probe(table("aabbcc"), leave_out=["c"], rng=2)
    assert split.enrolled[split.rows("probe")].tolist() == [True, True, False, False]
    assert str(split.words[1]) == "1 of 3 people are left out of the gallery: all their templates are P_N probes."
    assert "Probes of enrolled people (P_G): 2 templates of 2 people." in map(str, split.words)
    assert "Probes of people who are not enrolled (P_N): 2 templates of 1 person." in map(str, split.words)


def test_P3_subjects_that_are_numbers_may_be_named_as_numbers():
    assert roles(split_gallery_probe(table(["1", "1", "2"]), leave_out=[2], strategy="random"))[2] == "p"


def test_P3_a_share_of_people_is_left_out_by_hand():
    people = table("aabbccddeeffgghhiijj")
    split = split_gallery_probe(people, leave_out=0.3, rng=4)
    unknown = split.rows("probe")[~split.enrolled[split.rows("probe")]]
    assert np.unique(people.subject[unknown]).size == 3
    assert np.unique(people.subject[split.rows("gallery")]).size == 7


def test_P3_a_share_that_rounds_to_nobody_gets_a_warning():
    assert "less than one person" in str(split_gallery_probe(table("aabb"), leave_out=0.1).warnings[0])


def test_P3_people_with_one_template_by_hand():
    """Left out, c is a P_N probe; d is enrolled and has no probe, and is counted."""
    split = split_gallery_probe(table("aacd"), leave_out=["c"], rng=1)
    assert roles(split)[2:] == "pg"
    assert split.enrolled[2] == np.False_
    assert "Enrolled, with no template left as a probe: 1 person." in map(str, split.words)


@given(
    some_mates,
    st.sampled_from(STRATEGIES),
    st.integers(1, 3),
    st.floats(0, 0.99),
    seeds,
    st.randoms(use_true_random=False),
)
def test_P2_P3_E5_laws_of_a_split(subjects, strategy, per_subject, leave_out, seed, random):
    """Disjoint by sample; P = P_G + P_N; the left out are not enrolled; no more enrolled than asked; repeatable."""
    size = len(subjects)
    people = table(
        subjects,
        quality=[random.randint(0, 3) for _ in range(size)],
        session=[random.randint(1, 2) for _ in range(size)],
        condition=[random.choice("xy") for _ in range(size)],
    )
    asked = {"strategy": strategy, "per_subject": per_subject, "leave_out": leave_out, "rng": seed}
    split = split_if_possible(people, **asked)
    assume(split is not None)
    gallery, probes = set(split.rows("gallery")), set(split.rows("probe"))
    assert not gallery & probes
    enrolled_people = set(people.subject[split.rows("gallery")])
    known = {row for row in probes if people.subject[row] in enrolled_people}
    assert known == set(np.flatnonzero(split.enrolled))
    assert known
    assert len(enrolled_people) == len(set(subjects)) - round(leave_out * len(set(subjects)))
    most = per_subject * (2 if strategy == "conditions" else 1)
    assert max((people.subject[split.rows("gallery")] == person).sum() for person in enrolled_people) <= most
    if strategy != "first-session":
        assert len(gallery) + len(probes) == size
    assert split_gallery_probe(people, **asked).role.tolist() == split.role.tolist()


@given(some_mates, seeds, st.randoms(use_true_random=False))
def test_P2_no_probe_of_an_enrolled_person_is_better_or_earlier(subjects, seed, random):
    """Best quality: gallery >= probes of that person. First session: gallery before probes."""
    numbers = [random.randint(0, 3) for _ in subjects]
    people = table(subjects, quality=numbers, session=numbers)
    value = np.array(numbers)
    best = split_gallery_probe(people, strategy="best-quality", rng=seed)
    for row in best.rows("gallery"):
        assert (
            value[best.rows("probe")][people.subject[best.rows("probe")] == people.subject[row]] <= value[row]
        ).all()
    first = split_if_possible(people, strategy="first-session", rng=seed)
    assume(first is not None)  # somebody came twice
    for row in first.rows("gallery"):
        assert (
            value[first.rows("probe")][people.subject[first.rows("probe")] == people.subject[row]] > value[row]
        ).all()


@pytest.mark.parametrize("leave_out", [-0.1, 1.5, float("nan"), True])
def test_a_share_out_of_range_is_refused(leave_out):
    with pytest.raises(InputError, match=r"leave_out is .*expected a share"):
        split_gallery_probe(table("aabb"), leave_out=leave_out)


@pytest.mark.parametrize("leave_out", [None, {"a"}, np.zeros((2, 2))])
def test_neither_share_nor_list_is_refused(leave_out):
    with pytest.raises(InputError, match="expected a share of people or a list of their ids"):
        split_gallery_probe(table("aabb"), leave_out=leave_out)


def test_one_name_instead_of_a_list_is_refused():
    with pytest.raises(InputError, match="leave_out is 'ab'; expected a share of people or a list of them"):
        split_gallery_probe(table("aabb"), leave_out="ab")


@pytest.mark.parametrize("leave_out", [1, 1.0, 0.9, ["a", "b"]])
def test_everybody_left_out_is_refused(leave_out):
    with pytest.raises(InputError, match="left out and the gallery is empty"):
        split_gallery_probe(table("aabb"), leave_out=leave_out)


def test_an_unknown_person_left_out_is_refused():
    with pytest.raises(InputError, match=r"faces.csv holds no subject 'z' \(2 people unknown\); .* such as 'a'"):
        split_gallery_probe(table("aabb"), leave_out=["a", "z", "zz"])


def test_an_unknown_strategy_is_refused():
    with pytest.raises(InputError, match="strategy is 'best'; expected one of random, best-quality, first-session"):
        split_gallery_probe(table("aabb"), strategy="best")


@pytest.mark.parametrize("per_subject", [0, -1, 1.5, "2", True])
def test_a_bad_number_of_templates_is_refused(per_subject):
    with pytest.raises(InputError, match=r"per_subject is .*expected a whole number, 1 or more"):
        split_gallery_probe(table("aabb"), per_subject=per_subject)


@pytest.mark.parametrize(
    ("strategy", "column"), [("best-quality", "quality"), ("first-session", "session"), ("conditions", "condition")]
)
def test_a_missing_column_is_refused(strategy, column):
    with pytest.raises(
        InputError, match=rf"faces.csv: has no column '{column}' \(its metadata: none\); name the column"
    ):
        split_gallery_probe(table("aabb"), strategy=strategy)
    with pytest.raises(InputError, match=rf"has no column '{column}' \(its metadata: light, pose\)"):
        split_gallery_probe(table("aabb", light=[1] * 4, pose=[1] * 4), strategy=strategy)


@pytest.mark.parametrize("quality", [["good", "bad", "1", "2"], [True, False, True, False]])
def test_a_quality_that_is_no_number_is_refused(quality):
    with pytest.raises(
        InputError, match=r"faces.csv: quality of sample 's0' is .*; expected a number \(higher is better\)"
    ):
        split_gallery_probe(table("aabb", quality=quality), strategy="best-quality")


@pytest.mark.parametrize("value", [None, ""])
@pytest.mark.parametrize(("strategy", "column"), [("first-session", "session"), ("conditions", "condition")])
def test_a_template_without_session_or_condition_is_refused(strategy, column, value):
    with pytest.raises(InputError, match=f"faces.csv: sample 's2' has no {column}; expected one for every template"):
        split_gallery_probe(table("aabb", **{column: ["x", "y", value, "x"]}), strategy=strategy)


@pytest.mark.parametrize(
    ("subjects", "per_subject", "leave_out"), [("abc", 1, 0.0), ("aabb", 2, 0.0), ("aab", 1, ["a"])]
)
def test_a_gallery_with_no_mate_for_any_probe_is_refused(subjects, per_subject, leave_out):
    with pytest.raises(InputError, match=r"faces.csv: no probe has a mate in the gallery: .* enrol fewer templates"):
        split_gallery_probe(table(subjects), per_subject=per_subject, leave_out=leave_out)


def test_one_subject_only_and_an_empty_table_are_refused():
    with pytest.raises(InputError, match="one alone has no impostors"):
        split_gallery_probe(table("aaa"))
    with pytest.raises(InputError, match=r"faces.csv: holds no templates"):
        split_gallery_probe(table(""))


def test_a_sample_that_stands_twice_is_refused():
    people = table("aab")
    people.sample[1] = "s0"
    with pytest.raises(InputError, match=r"sample 's0' occurs 2 times; expected each sample once"):
        split_gallery_probe(people)
