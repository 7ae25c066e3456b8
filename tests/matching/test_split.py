"""P1: train and test share no sample and, split by subject, no person."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matching.builders import table, two_or_more_people

from bertillon.core import InputError
from bertillon.matching import split_train_test

shares = st.floats(0.01, 0.99)
seeds = st.integers(0, 2**32)


def test_P1_split_by_subject_by_hand():
    """10 people, 70 % train: 7 people with all they have, and the words say so."""
    people = table("aabcdefghij")
    split = split_train_test(people, rng=3)
    train, test = set(people.subject[split.rows("train")]), set(people.subject[split.rows("test")])
    assert (len(train), len(test)) == (7, 3)
    assert not train & test
    assert str(split.words[0]) == "Split by subject: 7 of 10 subjects (70.0 %) are used for training."
    assert str(split.words[1]) == "Random seed: 3."
    assert str(split.words[-1]) == "Nobody is on both sides."
    assert split.warnings == ()


def test_P1_split_by_sample_takes_the_same_share_of_everyone_by_hand():
    """000: of 100 images a person 70 train and 30 test."""
    people = table("a" * 100 + "b" * 100 + "c" * 100)
    split = split_train_test(people, by="sample", train=0.7, rng=1)
    for person in "abc":
        assert (people.subject[split.rows("train")] == person).sum() == 70
        assert (people.subject[split.rows("test")] == person).sum() == 30
    assert "On both sides: 3 people." in map(str, split.words)


@given(two_or_more_people, shares, st.sampled_from(["subject", "sample"]), seeds)
def test_P1_every_template_is_on_one_side_and_neither_side_is_empty(subjects, train, by, seed):
    people = table(subjects)
    split = split_train_test(people, by=by, train=train, rng=seed)
    assert sorted([*split.rows("train"), *split.rows("test")]) == list(range(len(people)))
    assert split.rows("train").size
    assert split.rows("test").size
    if by == "subject":
        assert not set(people.subject[split.rows("train")]) & set(people.subject[split.rows("test")])


@given(two_or_more_people, shares, seeds)
def test_P1_by_sample_each_person_is_within_one_template_of_the_share(subjects, train, seed):
    people = table(subjects)
    split = split_train_test(people, by="sample", train=train, rng=seed)
    share = split.rows("train").size / len(people)
    for person in set(subjects):
        owned = people.subject == person
        assert abs(owned[split.rows("train")].sum() - share * owned.sum()) < 1 + 1e-9


@given(two_or_more_people, st.sampled_from(["subject", "sample"]), seeds)
def test_the_same_seed_gives_the_same_split(subjects, by, seed):
    people = table(subjects)
    first, second, third = (
        split_train_test(people, by=by, rng=rng) for rng in (seed, seed, np.random.default_rng(seed))
    )
    assert first.role.tolist() == second.role.tolist() == third.role.tolist()


def test_another_seed_gives_another_split():
    people = table("abcdefghijklmnopqrstuvwxyz")
    assert len({tuple(split_train_test(people, rng=seed).role) for seed in range(20)}) == 20


def test_without_a_seed_one_is_drawn_and_said():
    people = table("abcdefghijklmnopqrstuvwxyz")
    split = split_train_test(people)
    seed = int(str(split.words[1]).removeprefix("Random seed: ").removesuffix("."))
    assert split_train_test(people, rng=seed).role.tolist() == split.role.tolist()


@pytest.mark.parametrize(("train", "warned"), [(0.5, True), (0.6, False), (0.8, False), (0.9, True)])
def test_P1_a_share_outside_60_to_80_percent_gets_a_warning(train, warned):
    split = split_train_test(table("aabbccddeeffgghhiijj"), train=train, rng=1)
    assert any("60 to 80 %" in str(text) for text in split.warnings) == warned


def test_a_test_side_of_one_person_gets_a_warning():
    assert "The test side holds only one person, so there are no impostors." in map(
        str, split_train_test(table("aabbcc")).warnings
    )


@pytest.mark.parametrize("train", [0, 1, -0.1, 1.5, float("nan"), True, "0.7", None])
def test_a_share_out_of_range_is_refused(train):
    with pytest.raises(InputError, match=r"train is .*expected a share from 0 to 1"):
        split_train_test(table("ab"), train=train)


def test_a_percentage_is_recognised():
    with pytest.raises(InputError, match=r"for 70 % give 0\.7"):
        split_train_test(table("ab"), train=70)


def test_an_unknown_way_to_split_is_refused():
    with pytest.raises(InputError, match="by is 'session'; expected one of subject, sample"):
        split_train_test(table("ab"), by="session")


@pytest.mark.parametrize("rng", [-1, 1.5, "seed"])
def test_a_bad_seed_is_refused(rng):
    with pytest.raises(InputError, match=r"rng is .*expected a seed of 0 or more"):
        split_train_test(table("ab"), rng=rng)


@pytest.mark.parametrize("by", ["subject", "sample"])
def test_one_subject_only_is_refused(by):
    with pytest.raises(
        InputError, match=r"faces.csv: all 3 templates are of subject 'a'; expected at least two people"
    ):
        split_train_test(table("aaa"), by=by)


def test_an_empty_table_is_refused():
    with pytest.raises(InputError, match=r"faces.csv: holds no templates; expected at least one"):
        split_train_test(table(""))
