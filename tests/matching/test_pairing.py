"""P4, P5 and P6: how many comparisons a pairing makes, and which cells of the matrix they are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matching.builders import owners, table, trials

from bertillon.core import InputError
from bertillon.matching import AllAgainstAll, PairCounts, PairList, ProbeVersusGallery

index_pairs = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=20)


def looped(subjects, *, unique=False) -> PairCounts:
    """001: for each cell with i != j."""
    mated = nonmated = excluded = 0
    for i, first in enumerate(subjects):
        for j, second in enumerate(subjects):
            if i == j or (unique and j < i):
                excluded += 1
            elif first == second:
                mated += 1
            else:
                nonmated += 1
    return PairCounts(mated, nonmated, excluded)


def looped_by_person(rows, columns, *, same_table: bool) -> PairCounts:
    """001: for each row, for each group of cells of one label, the cell (i, i) left out."""
    mated = nonmated = excluded = 0
    for i, probe in enumerate(rows):
        for label in set(columns):
            group = [j for j, owner in enumerate(columns) if owner == label and not (same_table and i == j)]
            if not group:
                excluded += 1
            elif label == probe:
                mated += 1
            else:
                nonmated += 1
    return PairCounts(mated, nonmated, excluded)


def from_masks(pairs, step: int) -> tuple[int, int, int]:
    """Mated, non-mated and ignored cells, block by block."""
    totals = np.zeros(3, dtype=int)
    for top in range(0, pairs.rows.size, step):
        for left in range(0, pairs.columns.size, step + 1):
            mated, ignored = pairs.mask_block(slice(top, top + step), slice(left, left + step + 1))
            assert not (mated & ignored).any()
            totals += [mated.sum(), (~mated & ~ignored).sum(), ignored.sum()]
    return tuple(totals.tolist())


@pytest.mark.parametrize(("people", "each"), [(10, 10), (3, 4), (7, 1), (2, 2)])
def test_P5_V1_all_against_all_by_formula(people, each):
    """TG = |G|(S-1), TI = |G|(N-1)S; multiple: TG = |G|, TI = |G|(N-1). 10 people x 10 photos: 900 and 9000."""
    subject, total = np.repeat(np.arange(people), each), people * each
    single = AllAgainstAll().counts(subject)
    assert (single.mated, single.nonmated) == (total * (each - 1), total * (people - 1) * each)
    half = AllAgainstAll(unique=True).counts(subject)
    assert (2 * half.mated, 2 * half.nonmated) == (single.mated, single.nonmated)
    multiple = AllAgainstAll(multiple=True).counts(subject)
    assert (multiple.mated, multiple.nonmated) == (total if each > 1 else 0, total * (people - 1))


@given(owners, st.booleans())
def test_P5_unequal_numbers_of_templates_against_brute_force(subjects, unique):
    assert AllAgainstAll(unique=unique).counts(subjects) == looped(subjects, unique=unique)
    assert AllAgainstAll(multiple=True).counts(subjects) == looped_by_person(subjects, subjects, same_table=True)


@given(owners, owners)
def test_P4_probes_versus_gallery_against_brute_force(probes, gallery):
    mated = sum(probe == template for probe in probes for template in gallery)
    expected = PairCounts(mated, len(probes) * len(gallery) - mated, 0)
    assert ProbeVersusGallery().counts(probes, gallery) == expected
    by_person = ProbeVersusGallery(multiple=True).counts(probes, gallery)
    assert by_person == looped_by_person(probes, gallery, same_table=False)


@given(owners, st.booleans(), st.integers(1, 5))
def test_P5_blocks_of_masks_make_up_the_counts_against_brute_force(subjects, unique, step):
    pairs = AllAgainstAll(unique=unique).over(subjects)
    counts = pairs.counts()
    assert from_masks(pairs, step) == (counts.mated, counts.nonmated, counts.excluded)


@given(owners, owners, st.integers(1, 5))
def test_P4_blocks_of_masks_make_up_the_counts_against_brute_force(probes, gallery, step):
    pairs = ProbeVersusGallery().over(probes, gallery)
    counts = pairs.counts()
    assert from_masks(pairs, step) == (counts.mated, counts.nonmated, counts.excluded)


def test_P5_a_block_of_masks_by_hand():
    """Rows 1 and 2, columns 0 to 2 of a, a, b: never a template against itself."""
    mated, ignored = AllAgainstAll().over(["a", "a", "b"]).mask_block(slice(1, 3), slice(0, 3))
    assert mated.tolist() == [[True, False, False], [False, False, False]]
    assert ignored.tolist() == [[False, True, False], [False, False, True]]
    mated, ignored = AllAgainstAll(unique=True).over(["a", "a", "b"]).mask_block(slice(0, 2), slice(0, 3))
    assert mated.tolist() == [[False, True, False], [False, False, False]]
    assert ignored.tolist() == [[True, False, False], [True, True, False]]


@given(owners, index_pairs, st.booleans(), st.integers(1, 5))
def test_P6_listed_pairs_against_brute_force(subjects, listed, unique, step):
    listed = [(i % len(subjects), j % len(subjects)) for i, j in listed]
    kept = {tuple(sorted(pair)) if unique else pair for pair in listed if pair[0] != pair[1]}
    mated = sum(subjects[i] == subjects[j] for i, j in kept)
    pairs = PairList([i for i, _ in listed], [j for _, j in listed], unique=unique).over(subjects)
    assert pairs.counts() == PairCounts(mated, len(kept) - mated, len(listed) - len(kept))
    assert from_masks(pairs, step)[:2] == (mated, len(kept) - mated)


@given(owners, st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=8))
def test_P6_claims_against_brute_force(subjects, claims):
    """A claim of person p by probe i: one comparison with all templates of p but i; none left, it is excluded."""
    claims = [(i % len(subjects), subjects[j % len(subjects)]) for i, j in claims]
    table_of_claims = trials(probe=[f"s{i}" for i, _ in claims], reference_subject=[person for _, person in claims])
    if not claims:
        return
    pairing = PairList.from_claims(table_of_claims, table(subjects))
    mated = nonmated = excluded = 0
    for i, person in set(claims):
        others = [j for j, owner in enumerate(subjects) if owner == person and j != i]
        mated += bool(others) and person == subjects[i]
        nonmated += bool(others) and person != subjects[i]
        excluded += not others
    assert pairing.counts(subjects) == PairCounts(mated, nonmated, excluded)


def test_P6_a_list_of_trials_by_hand():
    pairs = PairList.from_trials(trials(probe=["s0", "s3"], reference=["s1", "s0"]), table("aabb"))
    assert (pairs.probe.tolist(), pairs.reference.tolist()) == ([0, 3], [1, 0])
    assert pairs.counts(list("aabb")) == PairCounts(1, 1, 0)
    assert str(pairs.words()) == "The 2 listed pairs are compared."


def test_P6_claims_on_a_gallery_by_hand():
    """Probe s0 claims b, whose gallery templates are s3 and s4; s2 claims a, enrolled as s1."""
    claims = trials(probe=["s0", "s2"], reference_subject=["b", "a"])
    pairs = PairList.from_claims(claims, table("aabbb"), gallery_rows=[1, 3, 4])
    assert (pairs.probe.tolist(), pairs.reference.tolist()) == ([0, 0, 2], [3, 4, 1])
    assert pairs.counts(list("aabbb")) == PairCounts(0, 2, 0)


def test_a_matrix_that_is_not_square_is_refused():
    with pytest.raises(InputError, match=r"the matrix is 3 x 2; expected as many columns as rows.*with a gallery"):
        AllAgainstAll().counts(["a", "a", "b"], ["a", "b"])
    with pytest.raises(InputError, match="row 1 is of 'b', column 1 of 'c'; expected the same templates"):
        AllAgainstAll().counts(["a", "b"], ["a", "c"])


def test_multiple_and_unique_together_are_refused():
    with pytest.raises(InputError, match="multiple and unique are both asked for; expected one of them"):
        AllAgainstAll(multiple=True, unique=True)
    with pytest.raises(InputError, match="multiple and unique"):
        PairList([0], [1], multiple=True, unique=True)


def test_a_gallery_without_subjects_is_refused():
    with pytest.raises(InputError, match="no subjects of the gallery; expected those of both sides"):
        ProbeVersusGallery().counts(["a"])
    with pytest.raises(InputError, match=r"subjects have shape \(1, 1\); expected one dimension"):
        ProbeVersusGallery().counts([["a"]], ["a"])


@pytest.mark.parametrize(
    ("probe", "reference", "message"),
    [
        ([0, 1], [1], "2 probes for 1 references; expected one for each"),
        (["s0"], ["s1"], r"probe is not a list of rows .*from_trials"),
        ([0], [-1], "reference holds row -1; expected rows from 0"),
        ([0], [2], r"reference is row 2 of 2 templates \(counted from 0\); give the templates it was made for"),
    ],
)
def test_a_bad_pair_list_is_refused(probe, reference, message):
    with pytest.raises(InputError, match=message):
        PairList(probe, reference).counts(["a", "b"])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"probe": ["s0"]}, r"trials.csv: has no column 'reference' \(its columns: probe\)"),
        ({"probe": ["s0"], "reference": [None]}, r"trials.csv: row 1 has no reference"),
        ({"probe": ["s0"], "reference": ["x"]}, r"reference 'x' is not a sample of faces.csv \(1 of 1 are not\)"),
        (
            {"probe": ["s0"], "reference": ["s1"], "mated": [False]},
            "row 1 is labelled non-mated, but its templates are of one person",
        ),
    ],
)
def test_a_bad_list_of_trials_is_refused(columns, message):
    with pytest.raises(InputError, match=message):
        PairList.from_trials(trials(**columns), table("aab"))


def test_a_claim_to_be_somebody_who_is_not_enrolled_is_refused():
    with pytest.raises(InputError, match=r"'b' is claimed but not in the gallery \(1 of 1 claims are such"):
        PairList.from_claims(trials(probe=["s0"], reference_subject=["b"]), table("aab"), gallery_rows=[1])
