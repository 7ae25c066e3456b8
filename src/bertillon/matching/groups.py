"""Which group of people everybody belongs to: women and men, age bands, places of birth.

Conventions: a group belongs to a person, not to a sample; everybody who is compared has exactly one. People and groups
are known by their texts, so that 7 in a file and "7" in another are the same. Groups are numbered in ascending order.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core import InputError, TemplateTable
from bertillon.core.errors import listed, unknown
from bertillon.io.convert import texts
from bertillon.io.templates.owners import read_labels

IntArray = NDArray[np.int64]
_YES, _NO = ("yes", "true", "1"), ("no", "false", "0")


@dataclass(frozen=True, slots=True, eq=False)
class PeopleGroups:
    """The group of each of some people."""

    subject: NDArray[np.str_]  # ascending, each once
    group: NDArray[np.str_]
    source: str = "groups"
    enrolled: NDArray[np.bool_] | None = None  # which of them could be enrolled, where that is known

    @classmethod
    def of_rows(
        cls, subjects: ArrayLike, groups: ArrayLike, source: str = "groups", enrolled: ArrayLike | None = None
    ) -> PeopleGroups:
        """From one subject and one group a row; a person may stand in several, always with the same group.

        >>> PeopleGroups.of_rows(["bob", "ann", "bob"], ["m", "f", "m"]).of(["ann", "bob"]).tolist()
        ['f', 'm']
        """
        people, kinds = texts(subjects), texts(groups)
        if people.size != kinds.size:
            raise InputError(f"{source}: {people.size:,} subjects and {kinds.size:,} groups; expected one group each")
        for what, column in (("subject", people), ("group", kinds)):
            if (empty := np.flatnonzero(column == "")).size:
                whose = f", that of {str(people[empty[0]])!r}" if what == "group" else ""
                problem = f"{source}: row {int(empty[0]) + 1:,} has no {what}{whose}; expected one in every row"
                raise InputError(f"{problem}: write 'unknown' to make a group of those who have none")
        ids, first, number = np.unique(people, return_index=True, return_inverse=True)
        differing = np.flatnonzero(kinds != kinds[first][number])
        if differing.size:
            row = int(differing[0])
            raise InputError(
                f"{source}: {str(people[row])!r} is in two groups, {str(kinds[first[number[row]]])!r} and "
                f"{str(kinds[row])!r}; expected one group per person: correct it, or name the two together as a third"
            )
        return cls(ids, kinds[first], source, None if enrolled is None else _enrolled(enrolled, source)[first])

    def of(self, subjects: ArrayLike) -> NDArray[np.str_]:
        people = texts(subjects)
        if not self.subject.size:
            raise InputError(f"{self.source}: has no rows; expected a group for everybody who is compared")
        row = np.minimum(np.searchsorted(self.subject, people), self.subject.size - 1)
        strange = np.unique(people[self.subject[row] != people])
        if strange.size:
            raise InputError(
                f"{self.source}: {strange.size:,} of the people compared have no group: "
                f"{listed(strange.tolist(), 5)}; expected one for everybody, such as 'unknown'; it lists "
                f"{listed(self.subject[:5].tolist())}, ..."
            )
        return self.group[row]


def _enrolled(values: ArrayLike, source: str) -> NDArray[np.bool_]:
    """Which people could be enrolled, from yes and no and the like."""
    written = np.char.lower(texts(values))
    strange = np.flatnonzero(~np.isin(written, [*_YES, *_NO]))
    if strange.size:
        row = int(strange[0])
        problem = f"{source}: row {row + 1:,} has enrolled {str(written[row])!r}"
        raise InputError(f"{problem}; expected {listed(_YES)} or {listed(_NO)}")
    return np.isin(written, _YES)


def read_groups(path: str | os.PathLike[str]) -> PeopleGroups:
    """A table of people, CSV or Parquet, with columns subject, group and perhaps enrolled (yes or no)."""
    labels = read_labels(path, {})
    if "group" not in labels.metadata:
        columns = listed(labels.metadata) or "none"
        problem = f"{labels.source}: no column is called 'group'; expected columns subject and group"
        raise InputError(f"{problem}; besides the subject found {columns}")
    enrolled = labels.metadata.get("enrolled")
    return PeopleGroups.of_rows(labels.subject, labels.metadata["group"], labels.source, enrolled)


def groups_of_templates(templates: TemplateTable, column: str) -> PeopleGroups:
    """The group that a column of the templates' metadata gives to everybody."""
    if templates.metadata is None or not templates.metadata.width:
        raise InputError(
            f"{templates.source}: has no metadata, so no groups in a column {column!r}; name a table with columns "
            "subject and group (--groups people.csv), or add the column with --labels FILE"
        )
    if column not in templates.metadata.columns:
        raise InputError(unknown(f"{templates.source}: column of groups", column, templates.metadata.columns))
    source = f"{templates.source}, column {column!r}"
    return PeopleGroups.of_rows(templates.subject, templates.metadata[column], source)


GroupsLike = PeopleGroups | Mapping[Any, Any] | ArrayLike


def groups_from(groups: GroupsLike, templates: TemplateTable | None = None) -> PeopleGroups:
    """Groups as a mapping from people to groups, or one a template in their order.

    >>> groups_from({1: "f", 2: "m"}).of([2, 1]).tolist()
    ['m', 'f']
    """
    if isinstance(groups, PeopleGroups):
        return groups
    if isinstance(groups, Mapping):
        return PeopleGroups.of_rows(list(groups.keys()), list(groups.values()))
    if templates is None:
        raise InputError("groups are an array, and scores have no order of people; expected a mapping, person to group")
    values = texts(groups)
    if np.shape(groups) != templates.subject.shape:
        raise InputError(f"groups: {values.size:,} for {len(templates):,} templates; expected one per template")
    return PeopleGroups.of_rows(templates.subject, values)
