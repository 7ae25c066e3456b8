"""Every probe against every gallery template, a block at a time.

Conventions: matchers that rest on the linear algebra library, which has threads of its own, work on one block after
the other; the others on one block a core. Where probes and gallery are the same table a template is never compared
with itself: that cell is ignored.

Holds `match`, `fill_on_threads` and `blocks`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bertillon.core.errors import InputError
from bertillon.core.messages import Text, say
from bertillon.core.tables import ScoreMatrix, TemplateTable
from bertillon.engine.workers import available_cores, each_on_its_own
from bertillon.matching.base import Array, Matcher, Prepared
from bertillon.matching.registry import matcher as named

BLOCK = 1000


def match(probes: TemplateTable, gallery: TemplateTable, matcher: Matcher | str, *, block: int = BLOCK) -> ScoreMatrix:
    """Scores of every probe (row) against every gallery template (column), in the direction of the matcher."""
    chosen = named(matcher) if isinstance(matcher, str) else matcher
    if block < 1:
        raise InputError(f"block must be 1 or more; found {block}")
    ours = chosen.prepare(probes)
    theirs = ours if probes is gallery else chosen.prepare(gallery)
    scores = np.empty((len(ours), len(theirs)), dtype=np.result_type(ours.dtype, theirs.dtype))
    if chosen.threaded:
        fill_on_threads(scores, chosen, ours, theirs, block=block)
    else:
        for rows, columns in blocks(len(ours), len(theirs), block, block):
            scores[rows, columns] = chosen.block(ours[rows], theirs[columns])
    return ScoreMatrix(
        scores,
        probes.subject,
        gallery.subject,
        ignored=np.eye(len(ours), dtype=np.bool_) if probes is gallery else None,
        source=probes.source if probes is gallery else f"{probes.source} against {gallery.source}",
        format=chosen.name,
        rule=chosen.rule,
        notes=_notes(ours, theirs, scores),
    )


def blocks(n: int, m: int, step: int, other: int) -> Iterator[tuple[slice, slice]]:
    """Rows and columns of the blocks that cover an n by m matrix.

    >>> [(rows.start, columns.stop) for rows, columns in blocks(3, 4, 2, 4)]
    [(0, 4), (2, 4)]
    """
    for row in range(0, n, step):
        for column in range(0, m, other):
            yield slice(row, min(row + step, n)), slice(column, min(column + other, m))


def fill_on_threads(
    scores: Array, matcher: Matcher, probes: Prepared, gallery: Prepared, *, block: int = BLOCK
) -> None:
    """The scores of every probe against every gallery template, made by a matcher that may run on threads."""
    n, m = scores.shape
    step = max(1, min(block, -(-n // (4 * available_cores()))))  # several blocks a core: some take longer than others
    places = list(blocks(n, m, step, block))

    def work(_: None, piece: int) -> None:
        rows, columns = places[piece]
        scores[rows, columns] = matcher.block(probes[rows], gallery[columns])

    matcher.block(probes[:1], gallery[:1])  # compiles where that is still to be done, on one thread
    each_on_its_own(work, len(places), lambda: None)


def _notes(probes: Prepared, gallery: Prepared, scores: Array) -> tuple[Text, ...]:
    failed = int(np.count_nonzero(np.isnan(scores)))
    count = (say("matcher.failed", n=failed, comparisons=scores.size),) if failed else ()
    both = tuple(note for note in probes.notes if note in gallery.notes)
    own = tuple(say("matcher.of_probes", note=note) for note in probes.notes if note not in both)
    others = tuple(say("matcher.of_gallery", note=note) for note in gallery.notes if note not in both)
    return both + own + others + gallery.gallery_notes + count
