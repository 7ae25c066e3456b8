"""A protocol says what it will do before it does it.

Conventions: probes meet the gallery in `ProbeVersusGallery`; all-against-all is over the test side of a train/test
split and otherwise over all templates that are not unused; a pair list speaks of the whole table. A protocol that
makes no mated or no non-mated comparison is refused.

Holds `describe`, `describe_pairs`, `describe_parts` and `pairs_of`.
"""

from __future__ import annotations

import numpy as np

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say
from bertillon.core.tables import TemplateTable
from bertillon.matching.protocol.checks import check_templates
from bertillon.matching.protocol.pair_list import PairList
from bertillon.matching.protocol.pairing import PairCounts, Pairing, Pairs, ProbeVersusGallery
from bertillon.matching.protocol.partition import Partition, Rows


def describe(templates: TemplateTable, pairing: Pairing, *, partition: Partition | None = None) -> list[Message]:
    """Who is enrolled, who is left out, what is compared and how often, a sentence each.

    >>> table = TemplateTable(np.zeros((4, 1)), np.array(list("aabb")), np.array(list("1234")), source="faces.csv")
    >>> from bertillon.matching.protocol.pairing import AllAgainstAll
    >>> for sentence in describe(table, AllAgainstAll()):
    ...     print(sentence)
    faces.csv: 4 templates of 2 people.
    Every template is compared with every other, as a probe and as a gallery template; never with itself.
    This makes 4 mated (genuine) and 8 non-mated (impostor) comparisons.
    Excluded: 4 (a template with itself).
    """
    check_templates(templates)
    _, _, pairs = pairs_of(templates, pairing, partition=partition)
    return describe_pairs(templates, pairs, partition=partition)


def describe_pairs(templates: TemplateTable, pairs: Pairs, *, partition: Partition | None = None) -> list[Message]:
    """The same of templates that were checked and paired before."""
    counts = pairs.counts()
    counts.check(templates.source)
    return [*describe_parts(templates, pairs, partition=partition), *_counted(counts, pairs.pairing)]


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
        rows, columns = _sides(partition)
    elif partition is None or isinstance(pairing, PairList):
        rows = columns = everything
    else:
        rows = columns = partition.test_rows if partition.test_rows.size else np.flatnonzero(partition.role != "unused")
    return rows, columns, pairing.over(templates.subject[rows], templates.subject[columns])


def _sides(partition: Partition | None) -> tuple[Rows, Rows]:
    if partition is None or not partition.gallery_rows.size or not partition.probe_rows.size:
        lacking = "partition" if partition is None else "gallery" if not partition.gallery_rows.size else "probes"
        raise InputError(
            f"probe versus gallery: there is no {lacking}; expected templates of both roles; split the templates (of "
            "the test side, if there is one) with split_gallery_probe"
        )
    return partition.probe_rows, partition.gallery_rows


def _counted(counts: PairCounts, pairing: Pairing) -> list[Message]:
    made = say("protocol.comparisons", mated=counts.mated, nonmated=counts.nonmated)
    if not counts.excluded:
        return [made, say("protocol.none_excluded")]
    return [made, say("protocol.excluded", n=counts.excluded, why=pairing.why_excluded)]
