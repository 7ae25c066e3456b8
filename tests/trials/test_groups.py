"""The group of each person: from a mapping, an array, a column or a table; what is missing or said twice is refused."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from bertillon.core import InputError
from bertillon.io import make_templates
from bertillon.matching import PeopleGroups, groups_from, groups_of_templates, read_groups


def test_people_and_groups_are_known_by_their_texts() -> None:
    groups = groups_from({1: 20, "2": 30.0, 3: "old"})
    assert groups.of(np.array([3, 1, 2, 1])).tolist() == ["old", "20", "30.0", "20"]
    assert groups.of(["1"]).tolist() == ["20"]
    assert PeopleGroups.of_rows(np.array([1.0, 2.5]), [True, False]).of(["1", "2.5"]).tolist() == ["True", "False"]


def test_groups_that_are_groups_stay_as_they_are() -> None:
    groups = PeopleGroups.of_rows(["a"], ["x"])
    assert groups_from(groups) is groups


def test_one_group_a_template_is_one_a_person() -> None:
    table = make_templates(np.eye(4), ["ann", "bob", "ann", "eve"])
    assert groups_from(["f", "m", "f", "f"], table).of(["bob", "eve", "ann"]).tolist() == ["m", "f", "f"]


def test_a_column_of_the_templates() -> None:
    table = make_templates(np.eye(4), ["ann", "bob", "ann", "eve"], metadata={"sex": ["f", "m", "f", "f"]})
    assert groups_of_templates(table, "sex").of(["bob", "ann"]).tolist() == ["m", "f"]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_table_of_people(tmp_path, suffix) -> None:
    frame, path = pl.DataFrame({"person": ["007", "b"], "age": [30, 40], "group": [1, 2]}), tmp_path / f"p.{suffix}"
    frame.write_csv(path) if suffix == "csv" else frame.write_parquet(path)
    assert read_groups(path).of(["b", "007"]).tolist() == ["2", "1"]


@pytest.mark.parametrize(
    ("subjects", "groups", "said"),
    [
        (["ann", "bob", "ann"], ["f", "m", "m"], "'ann' is in two groups, 'f' and 'm'; expected one group per person"),
        (["ann", "bob"], ["f", None], "row 2 has no group, that of 'bob'; expected one in every row"),
        (["ann", "bob"], [1.0, math.nan], "row 2 has no group, that of 'bob'"),
        (["ann", ""], ["f", "m"], "row 2 has no subject; expected one in every row"),
        (["ann", "bob"], ["f"], "2 subjects and 1 groups; expected one group each"),
    ],
)
def test_what_is_wrong_with_the_rows_is_said(subjects, groups, said) -> None:
    with pytest.raises(InputError, match=said):
        PeopleGroups.of_rows(subjects, groups)


def test_people_without_a_group_are_named() -> None:
    groups = groups_from({"ann": "f", "bob": "m"})
    with pytest.raises(InputError, match=r"2 of the people compared have no group: 'eve', 'zoe'; expected"):
        groups.of(["ann", "zoe", "eve", "zoe"])
    with pytest.raises(InputError, match="has no rows"):
        groups_from({}).of(["ann"])


def test_columns_that_are_not_there_are_said(tmp_path) -> None:
    table = make_templates(np.eye(2), ["a", "b"])
    with pytest.raises(InputError, match="has no metadata, so no groups in a column 'sex'"):
        groups_of_templates(table, "sex")
    table = make_templates(np.eye(2), ["a", "b"], metadata={"sex": ["f", "m"]})
    with pytest.raises(InputError, match="column of groups 'sexx' is unknown; did you mean 'sex'"):
        groups_of_templates(table, "sexx")
    path = tmp_path / "people.csv"
    path.write_text("subject,sex\na,f\n")
    with pytest.raises(InputError, match=r"no column is called 'group'; expected columns subject and group; .*'sex'"):
        read_groups(path)


def test_an_array_needs_the_order_of_templates() -> None:
    with pytest.raises(InputError, match="expected a mapping, person to group"):
        groups_from(["f", "m"])
