"""Templates to comparisons: walk over the blocks a pairing asks for, mated comparisons apart from the others.

Conventions: rows are probes, columns gallery templates. Under a pairing of multiple templates the cells of one person
are fused into one comparison. Blocks are strips of whole rows, so that a person's columns are never cut.

Holds `Comparing` (what is compared with what, and how), `compare` (every score kept).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.engine.progress import Progress, Silent
from bertillon.matchers.base import Matcher, Prepared
from bertillon.protocol.describe import describe, pairs_of
from bertillon.protocol.fusion import fuse_by_person
from bertillon.protocol.pairing import AllAgainstAll, PairCounts, Pairing, Pairs
from bertillon.protocol.partition import Partition
from bertillon.rule import AcceptRule
from bertillon.tables import TemplateTable
from bertillon.trials.score_set import ScoreSet, TrialIds

STRIP_CELLS = 1 << 22


@dataclass(frozen=True, slots=True, eq=False)
class Strip:
    """Scores of some rows against everybody: the block, which cells are mated, and which are no comparison."""

    rows: NDArray[np.int64]
    scores: NDArray[Any]
    mated: NDArray[np.bool_]
    ignored: NDArray[np.bool_]
    columns: NDArray[Any]  # template rows, or the people's names where templates were fused


@dataclass(frozen=True, slots=True, eq=False)
class Comparing:
    """Templates with the matcher and the protocol under which they are compared."""

    templates: TemplateTable
    matcher: Matcher
    pairing: Pairing
    partition: Partition | None
    fusion: str
    rows: NDArray[Any]
    columns: NDArray[Any]
    pairs: Pairs
    probes: Prepared
    gallery: Prepared

    @classmethod
    def plan(
        cls,
        templates: TemplateTable,
        matcher: Matcher,
        pairing: Pairing | None = None,
        *,
        partition: Partition | None = None,
        fusion: str = "best",
    ) -> Comparing:
        """Everything made ready; all-against-all, one template at a time, where no pairing is given."""
        pairing = pairing or AllAgainstAll()
        rows, columns, pairs = pairs_of(partition, pairing, templates)
        gallery = matcher.prepare(_taken(templates, columns))
        same = rows is columns or (rows.size == columns.size and bool((rows == columns).all()))
        probes = gallery if same else matcher.prepare(_taken(templates, rows))
        return cls(templates, matcher, pairing, partition, fusion, rows, columns, pairs, probes, gallery)

    @property
    def name(self) -> str:
        """The name of the file the templates came from."""
        return Path(self.templates.source).name or self.templates.source

    @property
    def rule(self) -> AcceptRule:
        """The matcher's direction."""
        return self.matcher.rule

    @property
    def counts(self) -> PairCounts:
        """How many comparisons will be made."""
        return self.pairs.counts()

    @property
    def words(self) -> list[str]:
        """What will be done, before it is done."""
        sentences = describe(self.partition, self.pairing, self.templates)
        return [*sentences, f"Matcher: {self.matcher.name}, a {self.rule.value}.", *self.notes]

    @property
    def notes(self) -> tuple[str, ...]:
        """What the matcher has to say of the templates."""
        return tuple(dict.fromkeys((*self.probes.notes, *self.gallery.notes, *self.gallery.gallery_notes)))

    def strips(self) -> Iterator[Strip]:
        """All comparisons, some rows at a time."""
        height = max(1, STRIP_CELLS // max(1, self.columns.size))
        for start in range(0, self.rows.size, height):
            yield self.strip(slice(start, min(start + height, self.rows.size)))

    def strip(self, part: slice) -> Strip:
        """The comparisons of some rows."""
        scores = self.matcher.block(self.probes[part], self.gallery)
        mated, ignored = self.pairs.mask_block(part, slice(0, self.columns.size))
        if not self.pairing.multiple:
            return Strip(self.rows[part], scores, mated, ignored, self.columns)
        return self._fused(part, scores, ignored)

    def _fused(self, part: slice, scores: NDArray[Any], ignored: NDArray[np.bool_]) -> Strip:
        owners = self.templates.subject[self.columns]
        fused, people = fuse_by_person(np.where(ignored, np.nan, scores), owners, how=self.fusion, rule=self.rule)
        mated = self.templates.subject[self.rows[part]][:, None] == people[None, :]
        left_out = np.zeros(fused.shape, dtype=bool)
        if ignored.any():  # whose only template is the probe itself
            left_out = np.isnan(fuse_by_person(np.where(ignored, np.nan, 0.0), owners, how="max")[0])
        return Strip(self.rows[part], fused, mated, left_out, people)


def _taken(templates: TemplateTable, rows: NDArray[Any]) -> TemplateTable:
    """The templates of these rows; those that stand together are not copied, so that a mapped file stays one."""
    if not rows.size or (np.diff(rows) != 1).any():
        return templates.take(rows)
    part = slice(int(rows[0]), int(rows[-1]) + 1)
    return replace(
        templates,
        templates=templates.templates[part],
        subject=templates.subject[part],
        sample=templates.sample[part],
        masks=None if templates.masks is None else templates.masks[part],
        metadata=None if templates.metadata is None else templates.metadata[part],
    )


def compare(comparing: Comparing, progress: Progress | None = None) -> ScoreSet:
    """Every comparison made and kept: the score set of the protocol."""
    watched = progress or Silent()
    watched.begin(comparing.rows.size, "comparing")
    mated: list[tuple[NDArray[Any], TrialIds]] = []
    others: list[tuple[NDArray[Any], TrialIds]] = []
    for strip in comparing.strips():
        for chosen, kept in ((strip.mated & ~strip.ignored, mated), (~strip.mated & ~strip.ignored, others)):
            down, across = np.nonzero(chosen)
            kept.append((strip.scores[down, across], _ids(comparing, strip, down, across)))
        watched.advance(len(strip.rows))
    sides = [(np.concatenate([s for s, _ in kept]), _joined([i for _, i in kept])) for kept in (mated, others)]
    return ScoreSet(
        sides[0][0],
        sides[1][0],
        rule=comparing.rule,
        mated_ids=sides[0][1],
        nonmated_ids=sides[1][1],
        name=comparing.name,
        notes=comparing.words,
    )


def _ids(comparing: Comparing, strip: Strip, down: NDArray[Any], across: NDArray[Any]) -> TrialIds:
    table = comparing.templates
    rows = strip.rows[down]
    if comparing.pairing.multiple:
        return TrialIds(table.subject[rows], strip.columns[across], table.sample[rows], None)
    columns = strip.columns[across]
    return TrialIds(table.subject[rows], table.subject[columns], table.sample[rows], table.sample[columns])


def _joined(parts: list[TrialIds]) -> TrialIds:
    def column(name: str) -> NDArray[Any] | None:
        values = [getattr(part, name) for part in parts]
        return None if any(v is None for v in values) else np.concatenate(values)

    return TrialIds(*(column(name) for name in ("probe_subject", "reference_subject", "probe", "reference")))
