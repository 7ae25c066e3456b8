"""The plan of what is compared with what, and the walk over the blocks that a pairing asks for.

Conventions: rows are probes, columns gallery templates. Under a pairing of multiple templates the cells of one person
are fused into one comparison. Blocks are strips of whole rows, so that a person's columns are never cut. A template is
known by its row in the table until somebody asks whose it is: rows are quick to move, names are not.

Holds `Comparing` (what is compared with what, and how) and `Strip` (a block of it).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Text, chained, say
from bertillon.core.rule import AcceptRule
from bertillon.core.tables import TemplateTable, short_name
from bertillon.matching.base import Array, Matcher, Prepared, empty_block
from bertillon.matching.blocks import fill_on_threads
from bertillon.matching.limits import LIMITS
from bertillon.matching.protocol.describe import describe_pairs, describe_parts, pairs_of
from bertillon.matching.protocol.fusion import fuse_by_person
from bertillon.matching.protocol.pair_list import PairList
from bertillon.matching.protocol.pairing import AllAgainstAll, PairCounts, Pairing, Pairs
from bertillon.matching.protocol.partition import Partition


@dataclass(frozen=True, slots=True, eq=False)
class Strip:
    """Scores of some rows against everybody: the block, which cells are mated, and which are no comparison."""

    rows: NDArray[np.int64]
    scores: NDArray[Any]
    mated: NDArray[np.bool_]
    ignored: NDArray[np.bool_]
    columns: NDArray[Any]  # template rows; of a person whose templates were fused, that of the first


@dataclass(frozen=True, eq=False)
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
        rows, columns, pairs = pairs_of(templates, pairing, partition=partition)
        gallery = matcher.prepare(templates.take(columns))
        same = rows is columns or (rows.size == columns.size and bool((rows == columns).all()))
        probes = gallery if same else matcher.prepare(templates.take(rows))
        return cls(templates, matcher, pairing, partition, fusion, rows, columns, pairs, probes, gallery)

    @property
    def name(self) -> str:
        """The name of the file the templates came from."""
        return short_name(self.templates.source)

    @property
    def rule(self) -> AcceptRule:
        """The matcher's direction."""
        return self.matcher.rule

    @property
    def searches_twice(self) -> bool:
        """Does every template search, once as enrolled and once not? A list of pairs makes no searches at all."""
        if isinstance(self.pairing, PairList):
            raise InputError(
                "listed pairs are comparisons, not searches of a gallery; verify them, or compare all against all or "
                "probes with a gallery"
            )
        return isinstance(self.pairing, AllAgainstAll)

    @property
    def counts(self) -> PairCounts:
        """How many comparisons will be made."""
        return self.pairs.counts()

    @cached_property
    def words(self) -> list[Text]:
        """What will be done, before it is done."""
        return [*describe_pairs(self.templates, self.pairs, partition=self.partition), *self._compared]

    @cached_property
    def search_words(self) -> list[Text]:
        """The same of searches, which are counted apart and need no mate."""
        return [*describe_parts(self.templates, self.pairs, partition=self.partition), *self._compared]

    @property
    def _compared(self) -> list[Text]:
        """How the templates were understood, the matcher, and what it has to say of them."""
        notes = list(dict.fromkeys(self.templates.notes))
        understood = [say("protocol.understood", notes=chained(notes))] if notes else []
        matcher = say(f"protocol.matcher.{self.rule.value}", matcher=self.matcher.words)
        return [*understood, matcher, *self.notes]

    @property
    def notes(self) -> tuple[Text, ...]:
        """What the matcher has to say of the templates."""
        return tuple(dict.fromkeys((*self.probes.notes, *self.gallery.notes, *self.gallery.gallery_notes)))

    def strips(self) -> Iterator[Strip]:
        """All comparisons, some rows at a time."""
        cells = LIMITS.slow_strip_cells if self.matcher.threaded else LIMITS.strip_cells
        height = max(1, cells // max(1, self.columns.size))
        for start in range(0, self.rows.size, height):
            yield self.strip(slice(start, min(start + height, self.rows.size)))

    def strip(self, part: slice) -> Strip:
        """The comparisons of some rows."""
        scores = self._scores(self.probes[part])
        mated, ignored = self.pairs.mask_block(part, slice(0, self.columns.size))
        if not self.pairing.multiple:
            return Strip(self.rows[part], scores, mated, ignored, self.columns)
        return self._fused(part, scores, ignored)

    def _scores(self, probes: Prepared) -> Array:
        if not self.matcher.threaded:
            return self.matcher.block(probes, self.gallery)
        scores = empty_block(probes, self.gallery)
        fill_on_threads(scores, self.matcher, probes, self.gallery)
        return scores

    def _fused(self, part: slice, scores: Array, ignored: NDArray[np.bool_]) -> Strip:
        owners = self.pairs.columns
        people, first = np.unique(owners, return_index=True)
        fused, _ = fuse_by_person(np.where(ignored, np.nan, scores), owners, how=self.fusion, rule=self.rule)
        mated = self.pairs.rows[part][:, None] == people[None, :]
        left_out = np.zeros(fused.shape, dtype=bool)
        if ignored.any():  # whose only template is the probe itself
            left_out = fuse_by_person(ignored.astype(np.float32), owners, how="min")[0] == 1.0
        return Strip(self.rows[part], fused, mated, left_out, self.columns[first])
