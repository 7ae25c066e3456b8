"""Hamming distance between packed bits with masks and rotations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matching.making import scores, table
from scipy.spatial import distance

from bertillon.core import AcceptRule, InputError
from bertillon.io import make_templates
from bertillon.matching import match, matcher

RNG = np.random.default_rng(7)
CODES, OTHERS = RNG.integers(0, 256, (6, 40), dtype=np.uint8), RNG.integers(0, 256, (5, 40), dtype=np.uint8)
MASKS, OTHER_MASKS = RNG.integers(0, 256, (6, 40), dtype=np.uint8), RNG.integers(0, 256, (5, 40), dtype=np.uint8)


def code(bits: str) -> list[int]:
    return np.packbits([int(bit) for bit in bits]).tolist()


def packed(*codes: str, masks=None):
    every = np.array([code(one) for one in codes], dtype=np.uint8)
    return table(every, kind="bits", masks=None if masks is None else np.array(list(map(code, masks)), dtype=np.uint8))


def brute_force(codes, others, masks, other_masks, shifts=0, rows=1, step=1):
    """Bit by bit, rotation by rotation, from the definition."""
    x, y, mx, my = (
        np.unpackbits(one, axis=1).reshape(len(one), rows, -1) for one in (codes, others, masks, other_masks)
    )
    found = np.full((len(x), len(y)), np.nan)
    for turn in range(-shifts, shifts + 1):
        turned, valid = np.roll(x, turn * step, axis=2), np.roll(mx, turn * step, axis=2)
        for i, j in np.ndindex(found.shape):
            both = valid[i] & my[j]
            if both.any():
                found[i, j] = np.fmin(found[i, j], ((turned[i] ^ y[j]) & both).sum() / both.sum())
    return found


def test_share_of_differing_bits_by_hand():
    found = match(packed("10110000"), packed("10110000", "00110001", "01001111"), "hamming")
    assert found.scores.tolist() == [[0.0, 0.25, 1.0]]
    assert found.rule is AcceptRule.DISTANCE


def test_only_bits_valid_in_both_count_by_hand():
    """Five bits are valid in both, and of these two differ; without a common valid bit the comparison has failed."""
    probes = packed("11110000", masks=["11111000"])
    gallery = packed("10100000", "10100000", masks=["11111111", "00000111"])
    found = match(probes, gallery, "hamming")
    assert found.scores[0, 0] == 0.4
    assert np.isnan(found.scores[0, 1])
    assert "1 of 2 comparisons failed" in map(str, found.notes)


def test_a_mask_on_one_side_only_by_hand():
    found = match(packed("11110000"), packed("10100000", masks=["11000000"]), "hamming")
    assert found.scores.tolist() == [[0.5]]


def test_rotations_by_hand():
    """Rolled by two bits it is the same code; one bit is not enough. In two rows each row rolls by itself."""
    assert match(packed("11000000"), packed("00110000"), matcher("hamming", shifts=2)).scores.tolist() == [[0.0]]
    assert match(packed("11000000"), packed("00110000"), matcher("hamming", shifts=1)).scores.tolist() == [[0.25]]
    assert match(packed("10001000"), packed("00010001"), matcher("hamming", shifts=1, rows=2)).scores.tolist() == [
        [0.0]
    ]
    assert match(packed("11000000"), packed("00110000"), matcher("hamming", shifts=1, step=2)).scores.tolist() == [
        [0.0]
    ]


def test_plain_codes_against_scipy():
    bits = [np.unpackbits(one, axis=1) for one in (CODES, OTHERS)]
    np.testing.assert_allclose(
        scores("hamming", CODES, OTHERS, kind="bits"), distance.cdist(*bits, "hamming"), rtol=1e-15
    )


@pytest.mark.parametrize("options", [{}, {"shifts": 3}, {"shifts": 2, "rows": 5}, {"shifts": 2, "rows": 4, "step": 3}])
def test_masks_and_rotations_against_brute_force(options):
    expected = brute_force(CODES, OTHERS, MASKS, OTHER_MASKS, **options)
    probes, gallery = table(CODES, kind="bits", masks=MASKS), table(OTHERS, kind="bits", masks=OTHER_MASKS)
    np.testing.assert_array_equal(match(probes, gallery, matcher("hamming", **options)).scores, expected)
    full = [np.full_like(one, 255) for one in (CODES, OTHERS)]
    plain = scores("hamming", CODES, OTHERS, kind="bits", **options)
    np.testing.assert_array_equal(plain, brute_force(CODES, OTHERS, *full, **options))


@given(st.binary(min_size=3, max_size=3), st.integers(-4, 4))
def test_turning_a_code_within_the_shifts_changes_nothing(data, turn):
    bits = np.unpackbits(np.frombuffer(data, np.uint8))
    other = np.packbits(np.roll(bits, turn))[None]
    assert scores("hamming", np.frombuffer(data, np.uint8)[None], other, kind="bits", shifts=4).tolist() == [[0.0]]


@pytest.mark.parametrize("options", [{"shifts": -1}, {"rows": 0}, {"step": 0}])
def test_impossible_rotations_are_refused(options):
    with pytest.raises(InputError, match="shifts must be 0 or more"):
        matcher("hamming", **options)


def test_rotations_that_do_not_fit_the_codes_are_refused():
    with pytest.raises(InputError, match="320 bits do not make 7 rows"):
        scores("hamming", CODES, OTHERS, kind="bits", rows=7)
    with pytest.raises(InputError, match="state fewer shifts"):
        scores("hamming", CODES, OTHERS, kind="bits", shifts=40, rows=5)
    with pytest.raises(InputError, match="a probe has 40 and a gallery template 39 bytes"):
        scores("hamming", CODES, OTHERS[:, 1:], kind="bits")


@pytest.mark.parametrize(("rows", "columns", "shifts"), [(1, 5, 2), (3, 6, 2), (3, 5, 0), (2, 9, 3)])
@pytest.mark.parametrize("masked", [True, False])
def test_bits_that_do_not_fill_bytes_are_rotated_by_themselves_against_loops(rows, columns, shifts, masked):
    """What fills up the last byte is no part of a row: neither rolled through it, nor counted among its bits."""
    rng = np.random.default_rng(rows * columns)
    codes, others, masks, valid = (rng.random((4, rows * columns)) < 0.6 for _ in range(4))
    if not masked:
        masks, valid = np.ones_like(masks), np.ones_like(valid)
    sides = [(codes, masks), (others, valid)]
    both = [make_templates(bits, list("abcd"), kind="bits", masks=mask if masked else None) for bits, mask in sides]
    found = match(*both, matcher("hamming", rows=rows, shifts=shifts)).scores
    for i, j in np.ndindex(found.shape):
        shares = []
        for turn in range(-shifts, shifts + 1):
            cells = [(r * columns + (c - turn) % columns, r * columns + c) for r in range(rows) for c in range(columns)]
            seen = [(codes[i, a], others[j, b]) for a, b in cells if masks[i, a] and valid[j, b]]
            shares += [sum(a != b for a, b in seen) / len(seen)] if seen else []
        assert found[i, j] == pytest.approx(min(shares))


def test_two_numbers_of_bits_in_as_many_bytes_are_refused():
    twelve, sixteen = (make_templates(np.ones((1, size), bool), ["ann"]) for size in (12, 16))
    with pytest.raises(InputError, match="a probe has 12 and a gallery template 16 bits"):
        match(twelve, sixteen, "hamming")
