"""The plan of what is compared with what, and the walk over the blocks that a pairing asks for.

Conventions: rows are probes, columns gallery templates. Under a pairing of multiple templates the cells of one person
are fused into one comparison. Blocks are strips of whole rows, so that a person's columns are never cut. A template is
known by its row in the table until somebody asks whose it is. Matchers that rest on the linear algebra library, which
has threads of its own, work on one block after the other; the others on one block a core.

Probes meet the gallery in `ProbeVersusGallery`; all-against-all is over the test side of a train/test split and
otherwise over all templates that are not unused; a pair list speaks of the whole table. A plan says what it will do
before it does it, and one that makes no mated or no non-mated comparison is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core import AcceptRule, InputError
from bertillon.core.arguments import require
from bertillon.core.messages import Message, Text, chained, say
from bertillon.core.tables import ScoreMatrix, TemplateTable, require_one_model, short_name
from bertillon.engine.jobs import Tile, tiles
from bertillon.engine.workers import available_cores, run_workers
from bertillon.matching.base import Array, Matcher, Prepared, empty_block
from bertillon.matching.base import matcher as named
from bertillon.matching.protocol.pairing import (
    AllAgainstAll,
    PairCounts,
    Pairing,
    PairList,
    Pairs,
    ProbeVersusGallery,
    fuse_by_person,
)
from bertillon.matching.protocol.partition import Partition, Rows

BLOCK = 1000


@dataclass(slots=True)
class Limits:
    """Each with the unit it counts in."""

    strip_cells: int = 1 << 22  # comparisons of a strip
    slow_strip_cells: int = 1 << 18  # where each comparison takes its time, so that there are signs of life


LIMITS = Limits()


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
    """Templates with the matcher and the protocol under which they are compared.

    Parameters
    ----------
    templates
        What is compared.
    matcher
        What compares.
    pairing, partition, fusion
        Who meets whom; use `Comparing.plan`.
    rows, columns, pairs, probes, gallery
        Made ready by `plan`.

    Examples
    --------
    >>> import bertillon as bt
    >>> table = bt.TemplateTable([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]], ["anna", "anna", "bob"])
    >>> bt.Comparing.plan(table, "cosine").counts.mated
    2
    """

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
        matcher: Matcher | str,
        pairing: Pairing | None = None,
        *,
        partition: Partition | None = None,
        fusion: str = "best",
    ) -> Comparing:
        """Everything made ready; all-against-all, one template at a time, where no pairing is given."""
        require(templates, TemplateTable, "templates", "a TemplateTable, as bt.read_templates makes them")
        matcher, pairing = named(matcher) if isinstance(matcher, str) else matcher, pairing or AllAgainstAll()
        as_name = "a name such as 'cosine', bt.matcher(name, ...), or bt.matching.from_function(f, rule=...)"
        require(matcher, Matcher, "matcher", as_name)
        require(pairing, Pairing, "pairing", "a pairing such as bt.matching.ProbeVersusGallery()")
        rows, columns, pairs = pairs_of(templates, pairing, partition=partition)
        gallery = matcher.prepare(templates.take(columns))
        same = rows is columns or (rows.size == columns.size and bool((rows == columns).all()))
        probes = gallery if same else matcher.prepare(templates.take(rows))
        return cls(templates, matcher, pairing, partition, fusion, rows, columns, pairs, probes, gallery)

    @property
    def name(self) -> str:
        return short_name(self.templates.source)

    @property
    def rule(self) -> AcceptRule:
        return self.matcher.rule

    @property
    def searches_twice(self) -> bool:
        """Does every template search, once as enrolled and once not? A list of pairs makes no searches at all."""
        if isinstance(self.pairing, PairList):
            problem = "listed pairs are comparisons, not searches of a gallery"
            raise InputError(f"{problem}; verify them, or compare all against all or probes with a gallery")
        return isinstance(self.pairing, AllAgainstAll)

    @property
    def counts(self) -> PairCounts:
        return self.pairs.counts()

    @cached_property
    def words(self) -> list[Text]:
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
        fusion = self.fusion if self.pairing.multiple else ""
        made = {"matcher": self.matcher.words, "fusion": fusion, "model": self.model}  # which JSON hands to policies
        matcher = say(f"protocol.matcher.{self.rule.value}", **made)
        return [*understood, matcher, *self.notes]

    @property
    def model(self) -> str:
        """The fingerprint of the model of the templates, or their column `model`; of several all of them."""
        if self.templates.model:
            return self.templates.model
        known = self.templates.metadata
        if known is None or "model" not in known.columns:
            return ""
        return ", ".join(sorted(str(model) for model in known["model"].unique().to_list()))

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
        scores = block_of(self.matcher, self.probes[part], self.gallery)
        mated, ignored = self.pairs.mask_block(part, slice(0, self.columns.size))
        if not self.pairing.multiple:
            return Strip(self.rows[part], scores, mated, ignored, self.columns)
        return self._fused(part, scores, ignored)

    def _fused(self, part: slice, scores: Array, ignored: NDArray[np.bool_]) -> Strip:
        owners = self.pairs.columns
        people, first = np.unique(owners, return_index=True)
        fused, _ = fuse_by_person(np.where(ignored, np.nan, scores), owners, how=self.fusion, rule=self.rule)
        mated = self.pairs.rows[part][:, None] == people[None, :]
        left_out = np.zeros(fused.shape, dtype=bool)
        if ignored.any():  # whose only template is the probe itself
            left_out = fuse_by_person(ignored.astype(np.float32), owners, how="min")[0] == 1.0
        return Strip(self.rows[part], fused, mated, left_out, self.columns[first])


def match(probes: TemplateTable, gallery: TemplateTable, matcher: Matcher | str, *, block: int = BLOCK) -> ScoreMatrix:
    """Scores of every probe (row) against every gallery template (column), in the direction of the matcher."""
    chosen = named(matcher) if isinstance(matcher, str) else matcher
    require_one_model(probes, gallery)
    if block < 1:
        raise InputError(f"block must be 1 or more; found {block}")
    ours = chosen.prepare(probes)
    theirs = ours if probes is gallery else chosen.prepare(gallery)
    scores = np.empty((len(ours), len(theirs)), dtype=np.result_type(ours.dtype, theirs.dtype))
    if chosen.threaded:
        fill_on_threads(scores, chosen, ours, theirs, block=block)
    else:
        for tile in tiles(*scores.shape, size=block):
            scores[tile.rows, tile.columns] = chosen.block(ours[tile.rows], theirs[tile.columns])
    same = probes is gallery
    ignored = np.eye(len(ours), dtype=np.bool_) if same else None
    source = probes.source if same else f"{probes.source} against {gallery.source}"
    about = (ignored, source, chosen.name, chosen.rule, _match_notes(ours, theirs, scores))
    return ScoreMatrix(scores, probes.subject, gallery.subject, None, *about)


def block_of(matcher: Matcher, probes: Prepared, gallery: Prepared) -> Array:
    """Scores of every probe against every gallery template, made on threads where the matcher may run on them."""
    if not matcher.threaded:
        return matcher.block(probes, gallery)
    scores = empty_block(probes, gallery)
    fill_on_threads(scores, matcher, probes, gallery)
    return scores


def fill_on_threads(cells: Array, matcher: Matcher, probes: Prepared, gallery: Prepared, *, block: int = BLOCK) -> None:
    """The cells of every probe against every gallery template, made by a matcher that may run on threads."""
    n, m = cells.shape
    step = max(1, min(block, -(-n // (4 * available_cores()))))  # several blocks a core: some take longer than others
    pieces = list(Tile(slice(0, n), slice(0, m)).cut(step, block))

    def work(_: None, piece: int) -> None:
        rows, columns = pieces[piece].rows, pieces[piece].columns
        cells[rows, columns] = matcher.block(probes[rows], gallery[columns])

    matcher.block(probes[:1], gallery[:1])  # compiles where that is still to be done, on one thread
    run_workers(work, len(pieces), lambda: None)


def _match_notes(probes: Prepared, gallery: Prepared, scores: Array) -> tuple[Text, ...]:
    failed = int(np.count_nonzero(np.isnan(scores)))
    count = (say("matcher.failed", n=failed, comparisons=scores.size),) if failed else ()
    both = tuple(note for note in probes.notes if note in gallery.notes)
    own = tuple(say("matcher.of_probes", note=note) for note in probes.notes if note not in both)
    others = tuple(say("matcher.of_gallery", note=note) for note in gallery.notes if note not in both)
    return both + own + others + gallery.gallery_notes + count


def describe_pairs(templates: TemplateTable, pairs: Pairs, *, partition: Partition | None = None) -> list[Message]:
    """Who is enrolled, who is left out, what is compared and how often, a sentence each; the templates were checked."""
    counts = pairs.counts()
    counts.check(templates.source)
    made = say("protocol.comparisons", mated=counts.mated, nonmated=counts.nonmated)
    excluded = say("protocol.excluded", n=counts.excluded, why=pairs.pairing.why_excluded)
    left_out = excluded if counts.excluded else say("protocol.none_excluded")
    return [*describe_parts(templates, pairs, partition=partition), made, left_out]


def describe_parts(templates: TemplateTable, pairs: Pairs, *, partition: Partition | None = None) -> list[Message]:
    """Who is enrolled, who is left out and what is compared, without how often: there may be no mated comparison."""
    everybody = np.unique(templates.subject).size
    size, people = say("count.template", n=len(templates)), say("count.person", n=everybody)
    opening = say("protocol.templates", source=templates.source, templates=size, people=people)
    warnings = [] if partition is None else [say("protocol.warning", text=text) for text in partition.warnings]
    parts = () if partition is None else (*partition.words, *warnings)
    return [opening, *parts, pairs.pairing.words()]


def pairs_of(
    templates: TemplateTable, pairing: Pairing, *, partition: Partition | None = None
) -> tuple[Rows, Rows, Pairs]:
    """Which templates are the rows, which the columns, and the pairing over them."""
    everything = np.arange(len(templates))
    if partition is not None:
        partition.check_owns(templates)
    if isinstance(pairing, ProbeVersusGallery):
        rows, columns = (everything[:0] if partition is None else partition.rows(role) for role in ("probe", "gallery"))
        if not rows.size or not columns.size:
            lacking = "partition" if partition is None else "probes" if columns.size else "gallery"
            problem = f"probe versus gallery: there is no {lacking}; expected templates of both roles"
            advice = "split the templates (of the test side, if there is one) with split_gallery_probe"
            raise InputError(f"{problem}; {advice}")
    elif partition is None or isinstance(pairing, PairList):
        rows = columns = everything
    else:
        rows = columns = (
            partition.rows("test") if partition.rows("test").size else np.flatnonzero(partition.role != "unused")
        )
    return rows, columns, pairing.over(templates.subject[rows], templates.subject[columns])
