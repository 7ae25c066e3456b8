"""What is compared with what, without listing it, and one score made of many.

Conventions: rows are probes, columns gallery templates. Under a pairing each cell is mated, non-mated or ignored. With
`multiple` the cells of one row that belong to one person make one comparison (`fuse_by_person`); the counts are then of
rows with people. With `unique` a pair stands once, above the diagonal. N people with S templates each, |G| = N S:

    all against all, single      |G| (S - 1) mated     |G| (N - 1) S non-mated     |G| excluded
    all against all, multiple    |G| mated             |G| (N - 1) non-mated

A listed pair is two rows of one table of templates, probe then reference. A pair of a template with itself and the
repetition of a pair are excluded and counted; with `unique`, (a, b) and (b, a) are one pair. A claim (this probe says
it is that person) is compared with all templates of the person claimed and makes one comparison.

To fuse, NaN is a cell that does not count (masked, failed); a person of whom no cell is left has NaN. `best` is the
score most alike under the rule: the least distance or the greatest similarity.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core import AcceptRule, ComparisonTable, InputError, Message, TemplateTable, say
from bertillon.core.arguments import fill
from bertillon.matching.protocol.checks import check_templates, require_one_of, texts_of

Flags = NDArray[np.bool_]
Codes = NDArray[np.intp]
Scores = NDArray[np.floating[Any]]
HOW = ("best", "mean", "max", "min")
COMPARED = "the ids of what is to be compared"


@dataclass(frozen=True, slots=True)
class PairCounts:
    """How many comparisons a pairing makes, and how many it leaves out."""

    mated: int
    nonmated: int
    excluded: int

    def check(self, where: str) -> None:
        """There is something to measure in both classes."""
        if not self.mated:
            raise InputError(
                f"{where}: no comparison is mated: no probe has a mate among the templates it is compared with; "
                "expected some person to have two templates or more, one on each side; check the subjects"
            )
        if not self.nonmated:
            raise InputError(
                f"{where}: no comparison is non-mated, since all templates are of one person; expected at least two "
                "people, so that there are impostors; add templates of others"
            )


class Pairing(ABC):
    """A way to pair templates: it knows places in a matrix, not the templates."""

    multiple: bool

    @property
    @abstractmethod
    def why_excluded(self) -> Message:
        """What kind of comparison is left out."""

    @abstractmethod
    def words(self) -> Message:
        """What is compared with what."""

    @abstractmethod
    def over(self, row_subject: ArrayLike, column_subject: ArrayLike | None = None) -> Pairs:
        """The same over the owners of given rows and columns."""

    @abstractmethod
    def count(self, rows: Codes, columns: Codes) -> PairCounts:
        """The comparisons between owners given as numbers from 0."""

    @abstractmethod
    def ignored(self, rows: Codes, columns: Codes) -> Flags:
        """Which cells of these places in rows and columns are no comparison."""

    def counts(self, row_subject: ArrayLike, column_subject: ArrayLike | None = None) -> PairCounts:
        return self.over(row_subject, column_subject).counts()


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """A pairing over the owners of given rows and columns, who are numbered once."""

    pairing: Pairing
    rows: Codes
    columns: Codes

    def counts(self) -> PairCounts:
        return self.pairing.count(self.rows, self.columns)

    def mask_block(self, rows: slice, columns: slice) -> tuple[Flags, Flags]:
        """Two blocks of flags, mated and ignored, for a block of rows and columns; what is neither is non-mated."""
        down = np.arange(self.rows.size)[rows]
        across = np.arange(self.columns.size)[columns]
        ignored = self.pairing.ignored(down, across)
        mated = (self.rows[rows][:, None] == self.columns[columns][None, :]) & ~ignored
        return mated, ignored


@dataclass(frozen=True, slots=True)
class AllAgainstAll(Pairing):
    """Every template plays both parts, and is never compared with itself.

    >>> ten_photos_of_ten_people = np.repeat(np.arange(10), 10)
    >>> AllAgainstAll().counts(ten_photos_of_ten_people)
    PairCounts(mated=900, nonmated=9000, excluded=100)
    """

    multiple: bool = False
    unique: bool = False

    def __post_init__(self) -> None:
        refuse_both(self.multiple, self.unique)

    @property
    def why_excluded(self) -> Message:
        if self.multiple:
            return say("protocol.excluded_alone")
        return say("protocol.excluded_itself_mirrored" if self.unique else "protocol.excluded_itself")

    def words(self) -> Message:
        if self.multiple:
            return say("protocol.all_multiple")
        return say("protocol.all_once" if self.unique else "protocol.all_both_ways")

    def over(self, row_subject: ArrayLike, column_subject: ArrayLike | None = None) -> Pairs:
        rows = as_square(row_subject, column_subject)
        return Pairs(self, rows, rows)

    def count(self, rows: Codes, columns: Codes) -> PairCounts:
        size = np.bincount(rows)
        total, persons = int(rows.size), int(size.size)
        if self.multiple:
            alone = int((size == 1).sum())
            return PairCounts(total - alone, total * (persons - 1) if total else 0, alone)
        squares = int(size @ size)
        halves = 2 if self.unique else 1
        mated, nonmated = (squares - total) // halves, (total * total - squares) // halves
        return PairCounts(mated, nonmated, total * total - mated - nonmated)

    def ignored(self, rows: Codes, columns: Codes) -> Flags:
        compare = np.greater_equal if self.unique else np.equal
        ignored: Flags = compare(rows[:, None], columns[None, :])
        return ignored


@dataclass(frozen=True, slots=True)
class ProbeVersusGallery(Pairing):
    """Every probe is compared with the whole gallery; the two share no template.

    >>> ProbeVersusGallery(multiple=True).counts(["ann", "bob", "eve"], ["ann", "ann", "bob"])
    PairCounts(mated=2, nonmated=4, excluded=0)
    """

    multiple: bool = False

    @property
    def why_excluded(self) -> Message:
        return say("protocol.excluded_nothing")

    def words(self) -> Message:
        return say("protocol.probes_multiple" if self.multiple else "protocol.probes")

    def over(self, row_subject: ArrayLike, column_subject: ArrayLike | None = None) -> Pairs:
        if column_subject is None:
            raise InputError("probe versus gallery: no subjects of the gallery; expected those of both sides")
        rows, columns = as_subjects(row_subject), as_subjects(column_subject)
        _, codes = np.unique(np.concatenate([rows, columns]), return_inverse=True)
        return Pairs(self, codes[: rows.size], codes[rows.size :])

    def count(self, rows: Codes, columns: Codes) -> PairCounts:
        persons = int(max(rows.max(initial=-1), columns.max(initial=-1))) + 1
        probes, gallery = np.bincount(rows, minlength=persons), np.bincount(columns, minlength=persons)
        if self.multiple:
            gallery = (gallery > 0).astype(np.int64)
        mated = int(probes @ gallery)
        return PairCounts(mated, int(probes.sum()) * int(gallery.sum()) - mated, 0)

    def ignored(self, rows: Codes, columns: Codes) -> Flags:
        return np.zeros((rows.size, columns.size), dtype=bool)


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
        fill(self, probe=first, reference=second, multiple=multiple, unique=unique, kept=kept)

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
            listed, kept = (at[_first_of_each(probe[at], owner[at], unique=False)] for at in (listed, kept))
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


def as_subjects(subject: ArrayLike) -> NDArray[np.generic]:
    """The owners of rows or of columns, one for each."""
    owners = np.asarray(subject)
    if owners.ndim != 1:
        raise InputError(f"subjects have shape {owners.shape}; expected one dimension, an owner for each template")
    return owners


def as_square(row_subject: ArrayLike, column_subject: ArrayLike | None) -> Codes:
    """The owners of both rows and columns as numbers, if they are the same templates."""
    owners = as_subjects(row_subject)
    if column_subject is not None:
        others = as_subjects(column_subject)
        if owners.size != others.size:
            raise InputError(
                f"the matrix is {owners.size:,} x {others.size:,}; expected as many columns as rows, since every "
                "template is probe and reference; for two sets of templates compare probes with a gallery"
            )
        if (owners != others).any():
            row = int((owners != others).argmax())
            raise InputError(
                f"row {row:,} is of {str(owners[row])!r}, column {row:,} of {str(others[row])!r}; expected the "
                "same templates in the same order; for two sets of templates compare probes with a gallery"
            )
    codes: Codes = np.unique(owners, return_inverse=True)[1]
    return codes


def refuse_both(multiple: bool, unique: bool) -> None:
    """A template against all of a person's is not the same the other way round."""
    if multiple and unique:
        raise InputError(
            "multiple and unique are both asked for; expected one of them: a template compared with all templates of a "
            "person has no mirror image; leave unique out"
        )


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


def fuse_by_person(
    block: ArrayLike, column_subjects: ArrayLike, *, how: str = "best", rule: AcceptRule | str = AcceptRule.SIMILARITY
) -> tuple[Scores, NDArray[Any]]:
    """Scores of each row with each person, and the people, in ascending order of their ids.

    >>> scores, people = fuse_by_person([[3.0, 1.0, 2.0]], ["bob", "ann", "bob"], rule="distance")
    >>> scores.tolist(), people.tolist()
    ([[1.0, 2.0]], ['ann', 'bob'])
    """
    scores, subjects = _block(block), np.asarray(column_subjects)
    require_one_of(how, HOW, "how")
    if subjects.shape != (scores.shape[1],):
        raise InputError(f"{subjects.size:,} column subjects for {scores.shape[1]:,} columns; expected one for each")
    people, owner = np.unique(subjects, return_inverse=True)
    if not people.size:
        return np.empty((scores.shape[0], 0), dtype=scores.dtype), people
    if (np.diff(owner) < 0).any():
        queue = np.argsort(owner, kind="stable")
        scores, owner = scores[:, queue], owner[queue]
    begins = np.flatnonzero(np.r_[True, np.diff(owner) > 0])
    return _fused(scores, begins, how, AcceptRule.of(rule)), people


def _fused(scores: Scores, begins: NDArray[np.intp], how: str, rule: AcceptRule) -> Scores:
    if how != "mean":
        largest = how == "max" or (how == "best" and rule is AcceptRule.SIMILARITY)
        pick = np.fmax if largest else np.fmin  # both pass over NaN
        return np.asarray(pick.reduceat(scores, begins, axis=1))
    counts = ~np.isnan(scores)
    number = np.add.reduceat(counts, begins, axis=1, dtype=np.int64)
    with np.errstate(invalid="ignore", divide="ignore"):  # nobody left, or infinities of both signs: NaN
        total = np.add.reduceat(np.where(counts, scores, 0), begins, axis=1, dtype=np.float64)
        return (total / number).astype(scores.dtype)


def _block(block: ArrayLike) -> Scores:
    scores = np.asarray(block)
    if scores.ndim != 2:
        raise InputError(f"block of scores has shape {scores.shape}; expected two dimensions, probes by templates")
    try:
        return scores if scores.dtype in (np.float32, np.float64) else scores.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"block of scores holds no numbers ({error}); expected numbers, NaN if none counts") from None
