"""Searches from a table of comparisons: every probe searches the references it was compared with.

Conventions: the gallery is the people who stand among the references. A search is one probe of one person; it is of an
enrolled person where that person is in the gallery, and non-enrolled otherwise. Several comparisons of a probe with one
person, of several references or of a pair that repeats, count once, with the best score. A probe whose comparisons all
failed is a failed search. A probe that did not meet everybody in the gallery searched less of it, which is said.

Holds `searches_from_trials` and `is_candidate_list`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bertillon.core.errors import InputError
from bertillon.core.lazy import pl
from bertillon.core.messages import Message, say
from bertillon.core.rule import AcceptRule
from bertillon.core.tables import ComparisonTable
from bertillon.trials.from_tables import without_self
from bertillon.trials.search_candidates import searches_from_candidates
from bertillon.trials.search_set import SearchSet
from bertillon.trials.wording import example_of

_NEEDED = ("probe", "probe_subject", "reference_subject", "score")


def is_candidate_list(table: ComparisonTable) -> bool:
    """Does the table hold what searches returned, and no comparisons that say themselves whether they are mated?"""
    return table.format == "candidates" or "mated" not in table.frame.columns


def searches_from_trials(table: ComparisonTable, *, rule: AcceptRule | str | None = None) -> SearchSet:
    """Searches from comparisons with the ids of the probe and of both people; `rule` overrides what the table says.

    >>> import polars as pl
    >>> rows = {"probe": ["p", "q"], "probe_subject": ["ann", "eve"], "reference_subject": ["ann", "ann"]}
    >>> s = searches_from_trials(ComparisonTable(pl.DataFrame(rows | {"score": [0.9, 0.2]})))
    >>> s.n_enrolled, s.n_nonenrolled, s.gallery_size
    (1, 1, 1)
    """
    frame = _searching(table)
    gallery = frame["reference_subject"].n_unique()
    people = frame.group_by("search", maintain_order=True).agg(
        pl.col("probe_subject").first(),
        met=pl.col("reference_subject").n_unique(),
        failed=pl.col("score").cast(pl.Float64).fill_nan(None).is_null().all(),
    )
    searches = searches_from_candidates(
        replace(table, frame=_lists(frame, people), notes=()), gallery_size=gallery, rule=rule
    )
    return replace(
        searches,
        probe_subject=people.filter(~people["failed"])["probe_subject"].to_numpy(),
        notes=(*table.notes, *_list_notes(table, frame, people, gallery), *example_of(table)),
        warnings=(*searches.warnings, *_shortfall(people, gallery)),
    )


def _searching(table: ComparisonTable) -> pl.DataFrame:
    """The comparisons that are searches, each probe of each person under a number of its own."""
    missing = [name for name in _NEEDED if name not in table.frame.columns]
    if missing:
        raise InputError(
            f"{table.source}: holds comparisons without {', '.join(missing)}; a search is a probe that meets people: "
            f"say which column it is with --column {missing[0]}=NAME, or verify the comparisons"
        )
    frame = without_self(table).frame
    if "attack" in frame.columns:
        frame = frame.filter(frame["attack"].is_null())
    people = [pl.col(name).cast(pl.String).fill_null("") for name in ("probe_subject", "reference_subject")]
    frame = frame.select(pl.col("probe").cast(pl.String), *people, pl.col("score"))
    empty = int((frame["reference_subject"] == "").sum())
    if empty:
        raise InputError(f"{table.source}: {empty:,} comparisons name no reference subject; fill it in")
    return frame.with_columns(search=pl.struct("probe", "probe_subject").rank("dense").cast(pl.String))


def _lists(frame: pl.DataFrame, people: pl.DataFrame) -> pl.DataFrame:
    """The comparisons as candidate lists: the mate of a search, null where it is not enrolled."""
    enrolled = pl.col("probe_subject").is_in(frame["reference_subject"].unique().to_list())
    return (
        frame.join(people.select("search", "failed"), on="search", how="left", maintain_order="left")
        .with_columns(pl.when(enrolled).then(pl.col("probe_subject")))
        .drop("probe")
        .rename({"search": "probe"})
    )


def _list_notes(table: ComparisonTable, frame: pl.DataFrame, people: pl.DataFrame, gallery: int) -> list[Message]:
    notes = [say("reading.searches_of_pairs", n=people.height, gallery=gallery)]
    if len(table) > frame.height:
        notes.append(say("reading.attacks_no_searches", n=len(table) - frame.height))
    pairs = frame.select("search", "reference_subject").n_unique()
    if frame.height > pairs:
        notes.append(say("reading.best_of_several", n=frame.height - pairs))
    if people.height > frame["probe"].n_unique():
        notes.append(say("reading.probe_ids_repeat"))
    return notes


def _shortfall(people: pl.DataFrame, gallery: int) -> tuple[Message, ...]:
    short = people.filter(people["met"] < gallery)
    if not short.height:
        return ()
    least = int(np.min(short["met"].to_numpy()))
    return (say("warning.partial_searches", n=short.height, searches=people.height, gallery=gallery, least=least),)
