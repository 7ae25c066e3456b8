"""Probes and gallery from two files, read like one table without a copy of either."""

from __future__ import annotations

import numpy as np
import pytest

from bertillon.core import InputError
from bertillon.io import make_templates
from bertillon.matching import match, probes_then_gallery, sides

TOP, BOTTOM = np.arange(6.0).reshape(3, 2), np.arange(10.0, 14.0).reshape(2, 2)


def both(top=TOP, bottom=BOTTOM):
    return probes_then_gallery(make_templates(top, ["a", "b", "c"]), make_templates(bottom, ["a", "z"]))


def test_both_sides_are_read_as_one_table_against_concatenating() -> None:
    table, whole = both(), np.concatenate([TOP, BOTTOM])
    assert len(table) == 5
    np.testing.assert_array_equal(np.asarray(table.templates), whole)
    assert (table.templates.shape, table.templates.dtype) == (whole.shape, whole.dtype)
    for rows in ([0, 1, 2], [3, 4], [2, 3], [4, 0], [1], [4]):
        np.testing.assert_array_equal(table.take(np.array(rows)).templates, whole[rows])
    assert sides(table).role.tolist() == ["probe"] * 3 + ["gallery"] * 2


def test_the_rows_of_one_side_are_not_copied() -> None:
    table = both()
    assert np.shares_memory(table.take(np.array([0, 1, 2])).templates, TOP)
    assert np.shares_memory(table.take(np.array([3, 4])).templates, BOTTOM)


def test_sides_of_two_types_are_brought_to_one() -> None:
    table = both(bottom=BOTTOM.astype(np.float32))
    assert table.take(np.array([3, 4])).templates.dtype == np.float64


def test_sides_of_two_lengths_are_refused() -> None:
    with pytest.raises(InputError, match="templates of 3 numbers"):
        both(bottom=np.ones((2, 3)))


def test_masks_of_one_side_count_by_hand() -> None:
    """Only the first four bits of the gallery template are valid, and of these one differs."""
    code = np.array([[0b10110000]], dtype=np.uint8)
    probes = make_templates(code, ["ann"], kind="bits")
    gallery = make_templates(code ^ 0b00011111, ["ann"], kind="bits", masks=np.array([[0b11110000]], dtype=np.uint8))
    table = probes_then_gallery(probes, gallery)
    assert match(table.take(np.array([0])), table.take(np.array([1])), "hamming").scores.tolist() == [[0.25]]
    assert table.masks.tolist() == [[255], [0b11110000]]


def test_sides_of_two_numbers_of_bits_are_refused() -> None:
    twelve, sixteen = (make_templates(np.ones((1, size), bool), ["ann"]) for size in (12, 16))
    with pytest.raises(InputError, match="templates of 16 bits, and those of memory have 12"):
        probes_then_gallery(twelve, sixteen)
