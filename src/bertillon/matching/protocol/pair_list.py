"""Explicit lists of pairs, and claims: this probe says it is that person.

Conventions: a pair is two rows of one table of templates, probe then reference. A pair of a template with itself and
the repetition of a pair are excluded and counted; with `unique`, (a, b) and (b, a) are one pair. A claim is compared
with all templates of the person claimed and makes one comparison.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core import ComparisonTable, InputError, Message, TemplateTable, say
from bertillon.matching.protocol.checks import check_templates, texts_of
from bertillon.matching.protocol.pairing import Codes, Flags, PairCounts, Pairing, Pairs, as_square, refuse_both

COMPARED = "the ids of what is to be compared"


@dataclass(frozen=True, slots=True, eq=False)
class PairList(Pairing):
    """Pairs of rows of a table of templates, in the order given.

    >>> PairList([0, 0, 1], [1, 2, 1]).counts(["ann", "ann", "bob"])
    PairCounts(mated=1, nonmated=1, excluded=1)
    """

    probe: NDArray[np.intp]
    reference: NDArray[np.intp]
    multiple: bool = False
    unique: bool = False
    kept: Flags = field(init=False)  # neither with itself nor a repetition

    def __init__(self, probe: ArrayLike, reference: ArrayLike, *, multiple: bool = False, unique: bool = False) -> None:
        refuse_both(multiple, unique)
        first, second = _row_numbers(probe, "probe"), _row_numbers(reference, "reference")
        if first.size != second.size:
            raise InputError(f"pair list: {first.size:,} probes for {second.size:,} references; expected one for each")
        kept = (first != second) & _first_of_each(first, second, unique)
        values = {"probe": first, "reference": second, "multiple": multiple, "unique": unique, "kept": kept}
        for name, value in values.items():  # the way a frozen dataclass is filled
            object.__setattr__(self, name, value)

    @classmethod
    def from_trials(cls, trials: ComparisonTable, templates: TemplateTable, *, unique: bool = False) -> PairList:
        """The pairs of a list of trials, by the ids of probe and reference."""
        check_templates(templates)
        rows = {name: _rows(trials, name, templates) for name in ("probe", "reference")}
        _check_labels(trials, templates.subject[rows["probe"]] == templates.subject[rows["reference"]])
        return cls(rows["probe"], rows["reference"], unique=unique)

    @classmethod
    def from_claims(
        cls, claims: ComparisonTable, templates: TemplateTable, gallery_rows: ArrayLike | None = None
    ) -> PairList:
        """Each probe with all gallery templates of the person it claims to be (column `reference_subject`)."""
        check_templates(templates)
        probe = _rows(claims, "probe", templates)
        claimed = texts_of(claims.frame, "reference_subject", claims.source, COMPARED)
        gallery = np.arange(len(templates)) if gallery_rows is None else np.asarray(gallery_rows, dtype=np.intp)
        people, owner, size = np.unique(templates.subject[gallery], return_inverse=True, return_counts=True)
        who = _people(claims, claimed, people)
        queue, begins = gallery[np.argsort(owner, kind="stable")], np.cumsum(size) - size
        number = size[who]
        within = np.arange(number.sum()) - np.repeat(np.cumsum(number) - number, number)
        return cls(np.repeat(probe, number), queue[np.repeat(begins[who], number) + within], multiple=True)

    @property
    def why_excluded(self) -> Message:
        return say("protocol.excluded_claims" if self.multiple else "protocol.excluded_listed")

    def words(self) -> Message:
        key = "protocol.claims" if self.multiple else "protocol.listed_once" if self.unique else "protocol.listed"
        return say(key, n=self.probe.size)

    def over(self, row_subject: ArrayLike, column_subject: ArrayLike | None = None) -> Pairs:
        owners = as_square(row_subject, column_subject)
        for name, rows in (("probe", self.probe), ("reference", self.reference)):
            if rows.size and rows.max() >= owners.size:
                problem = f"pair list: {name} is row {rows.max():,} of {owners.size:,} templates (counted from 0)"
                raise InputError(f"{problem}; give the templates it was made for")
        return Pairs(self, owners, owners)

    def count(self, rows: Codes, columns: Codes) -> PairCounts:
        probe, owner = self.probe, columns[self.reference]
        listed, kept = np.arange(probe.size), np.flatnonzero(self.kept)
        if self.multiple:
            listed, kept = (_first_per_person(positions, probe, owner) for positions in (listed, kept))
        mated = int((rows[probe[kept]] == owner[kept]).sum())
        return PairCounts(mated, kept.size - mated, listed.size - kept.size)

    def ignored(self, rows: Codes, columns: Codes) -> Flags:
        ignored = np.ones((rows.size, columns.size), dtype=bool)
        probe, reference = self.probe[self.kept], self.reference[self.kept]
        size = int(max(array.max(initial=-1) for array in (probe, reference, rows, columns))) + 1
        down, across = _positions(rows, size)[probe], _positions(columns, size)[reference]
        inside = (down >= 0) & (across >= 0)
        ignored[down[inside], across[inside]] = False
        return ignored


def _positions(rows: Codes, size: int) -> Codes:
    """Where each place of the table stands in a block, -1 where it does not."""
    positions = np.full(size, -1, dtype=np.intp)
    positions[rows] = np.arange(rows.size)
    return positions


def _row_numbers(values: ArrayLike, name: str) -> NDArray[np.intp]:
    rows = np.asarray(values)
    if rows.ndim != 1 or (rows.size and not np.issubdtype(rows.dtype, np.integer)):
        raise InputError(f"pair list: {name} is not a list of rows (whole numbers); make it from ids with from_trials")
    if rows.size and rows.min() < 0:
        raise InputError(f"pair list: {name} holds row {rows.min()}; expected rows from 0")
    return rows.astype(np.intp)


def _first_of_each(first: Codes, second: Codes, unique: bool) -> Flags:
    """True where a pair stands for the first time."""
    if unique:
        first, second = np.minimum(first, second), np.maximum(first, second)
    width = int(second.max(initial=0)) + 1
    flags = np.zeros(first.size, dtype=bool)
    flags[np.unique(first * width + second, return_index=True)[1]] = True
    return flags


def _first_per_person(positions: Codes, probe: Codes, owner: Codes) -> Codes:
    """Of these places in the list, the first for each probe and owner of the reference."""
    return positions[_first_of_each(probe[positions], owner[positions], unique=False)]


def _rows(table: ComparisonTable, name: str, templates: TemplateTable) -> NDArray[np.intp]:
    row_of = {str(sample): row for row, sample in enumerate(templates.sample)}
    names = texts_of(table.frame, name, table.source, COMPARED)
    unknown = [text for text in names if text not in row_of]
    if unknown:
        raise InputError(
            f"{table.source}: {name} {unknown[0]!r} is not a sample of {templates.source} ({len(unknown):,} of "
            f"{len(names):,} are not); expected samples such as {str(templates.sample[0])!r}"
        )
    return np.array([row_of[text] for text in names], dtype=np.intp)


def _people(claims: ComparisonTable, claimed: list[str], people: NDArray[np.str_]) -> NDArray[np.intp]:
    code_of = {str(name): code for code, name in enumerate(people)}
    unknown = [name for name in claimed if name not in code_of]
    if unknown:
        raise InputError(
            f"{claims.source}: {unknown[0]!r} is claimed but not in the gallery ({len(unknown):,} of {len(claimed):,} "
            "claims are such); expected people who are enrolled; enrol them or remove the claims"
        )
    return np.array([code_of[name] for name in claimed], dtype=np.intp)


def _check_labels(trials: ComparisonTable, same: Flags) -> None:
    if "mated" not in trials.frame.columns:
        return
    for row, (stated, known) in enumerate(zip(trials.frame["mated"], same, strict=True)):
        if stated is not None and bool(stated) != bool(known):
            raise InputError(
                f"{trials.source}: row {row + 1:,} is labelled {'mated' if stated else 'non-mated'}, but its templates "
                f"are of {'one person' if known else 'two people'}; expected the same; correct the label or the "
                "subjects"
            )
