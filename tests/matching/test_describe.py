"""A protocol says in words what it will do before it does it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from matching.builders import some_mates, table

from bertillon.core import InputError, Message, TemplateTable
from bertillon.matching import (
    AllAgainstAll,
    Pairing,
    PairList,
    Partition,
    ProbeVersusGallery,
    check_templates,
    describe_pairs,
    pairs_of,
    split_gallery_probe,
    split_train_test,
)


def describe(templates: TemplateTable, pairing: Pairing, *, partition: Partition | None = None) -> list[Message]:
    check_templates(templates)
    return describe_pairs(templates, pairs_of(templates, pairing, partition=partition)[2], partition=partition)


def said(*protocol, **options):
    return [str(sentence) for sentence in describe(*protocol, **options)]


def test_P3_P4_probes_and_gallery_by_hand():
    """a and b enrol one each; 3 probes of a, b and 2 of c, left out: 3 x 2 + 2 x 2 cells, 3 of them mated."""
    people = table("aaabbcc", quality=[3, 2, 1, 2, 1, 1, 1])
    split = split_gallery_probe(people, strategy="best-quality", leave_out=["c"], rng=7)
    assert said(people, ProbeVersusGallery(), partition=split) == [
        "faces.csv: 7 templates of 3 people.",
        "Strategy best-quality: each person enrols up to 1 template of the highest quality.",
        "1 of 3 people are left out of the gallery: all their templates are P_N probes.",
        "Random seed: 7.",
        "Gallery: 2 templates of 2 people.",
        "Probes of enrolled people (P_G): 3 templates of 2 people.",
        "Probes of people who are not enrolled (P_N): 2 templates of 1 person.",
        "Every probe is compared with every gallery template.",
        "This makes 3 mated (genuine) and 7 non-mated (impostor) comparisons.",
        "Excluded: none.",
    ]


def test_P1_P5_all_against_all_is_over_the_test_side_by_hand():
    people = table("aabbccddee")
    split = split_train_test(people, train=0.6, rng=1)
    sentences = said(people, AllAgainstAll(unique=True), partition=split)
    assert "This makes 2 mated (genuine) and 4 non-mated (impostor) comparisons." in sentences
    assert "Excluded: 10 (a template with itself, and each pair the other way round)." in sentences
    rows, columns, _ = pairs_of(people, AllAgainstAll(), partition=split)
    assert rows.tolist() == columns.tolist() == split.rows("test").tolist()


def test_warnings_are_said():
    people = table("aabbccdd")
    sentences = said(people, AllAgainstAll(), partition=split_train_test(people, train=0.5, rng=1))
    assert any(text.startswith("Warning: 50.0 % of the subjects are used for training") for text in sentences)


def test_P5_multiple_templates_by_hand():
    sentences = said(table("aabbc"), AllAgainstAll(multiple=True))
    assert sentences[-2:] == [
        "This makes 4 mated (genuine) and 10 non-mated (impostor) comparisons.",
        "Excluded: 1 (searches for a person who has no other template).",
    ]


def test_P6_a_pair_list_by_hand():
    sentences = said(table("aab"), PairList([0, 0, 0], [1, 2, 2]))
    assert sentences[1:] == [
        "The 3 listed pairs are compared.",
        "This makes 1 mated (genuine) and 1 non-mated (impostor) comparisons.",
        "Excluded: 1 (a template with itself, or a pair listed before).",
    ]


@given(some_mates)
def test_what_is_said_is_what_the_masks_hold(subjects):
    people = table(subjects)
    split = split_gallery_probe(people, rng=1)
    rows, columns, pairs = pairs_of(people, ProbeVersusGallery(), partition=split)
    assert (rows.tolist(), columns.tolist()) == (split.rows("probe").tolist(), split.rows("gallery").tolist())
    mated, ignored = pairs.mask_block(slice(None), slice(None))
    assert mated.tolist() == [[people.subject[i] == people.subject[j] for j in columns] for i in rows]
    made = f"This makes {mated.sum()} mated (genuine) and {(~mated & ~ignored).sum()} non-mated (impostor) comparisons."
    if (~mated).any():
        assert made in said(people, ProbeVersusGallery(), partition=split)


def test_one_subject_only_has_no_impostors():
    with pytest.raises(
        InputError, match=r"faces.csv: no comparison is non-mated, since all templates are of one person"
    ):
        describe(table("aa"), AllAgainstAll())


def test_a_gallery_with_no_mate_for_any_probe_is_refused():
    people = table("aabb")
    parted = Partition(people.sample, people.subject, np.array(["gallery", "gallery", "probe", "probe"]))
    with pytest.raises(InputError, match=r"faces.csv: no comparison is mated: no probe has a mate"):
        describe(people, ProbeVersusGallery(), partition=parted)


@pytest.mark.parametrize(
    ("roles", "lacking"), [(["train", "test"], "gallery"), (["gallery", "train"], "probes"), (None, "partition")]
)
def test_probes_versus_gallery_without_either_is_refused(roles, lacking):
    people = table("ab")
    parted = roles and Partition(people.sample, people.subject, np.array(roles))
    with pytest.raises(InputError, match=f"there is no {lacking}; expected templates of both roles; split"):
        describe(people, ProbeVersusGallery(), partition=parted)


def test_an_empty_table_and_another_table_are_refused():
    with pytest.raises(InputError, match="holds no templates"):
        describe(table(""), AllAgainstAll())
    with pytest.raises(InputError, match="give the table that was split"):
        describe(table("aabbcc"), AllAgainstAll(), partition=split_train_test(table("aabb")))
