"""Searches from tables: candidate lists, what a 1:N system returned, best first, of each search; or comparisons.

Conventions of candidate lists: the frame has one candidate a row, with `probe` (the search), `reference_subject` (the
candidate) and `score`; `probe_subject` names the mate of a search, empty where that person is not enrolled; `failed`
marks searches that did not work. A row without a candidate says that the search was made. A list that ends before the
mate leaves it without a rank, so mean ranks cannot be had from short lists. A candidate that stands twice in a list
counts once, with its best score. Ranks follow from scores; a warning says where those in the lists run the other way.

Mates may stand in a file of their own: a search and its mate in each line, as PyEER's true pairs, or columns with a
header (`search,mate`). With them, scores of pairs (`query template score`) are lists of candidates too: the mates tell
which of the two ids is the search.

Conventions of comparisons: every probe searches the references it was compared with. The gallery is the people who
stand among the references. A search is one probe of one person; it is of an enrolled person where that person is in the
gallery, and non-enrolled otherwise. Several comparisons of a probe with one person, of several references or of a pair
that repeats, count once, with the best score. A probe whose comparisons all failed is a failed search. A probe that did
not meet everybody in the gallery searched less of it, which is said.

Holds `searches_from_candidates`, `read_mates`, `searches_from_trials` and `is_candidate_list`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.lazy import pl
from bertillon.core.messages import Message, say
from bertillon.core.rule import AcceptRule
from bertillon.core.tables import ComparisonTable, short_name
from bertillon.io.nist import NO_MATES, is_stranger
from bertillon.io.source import check_text, look, open_source
from bertillon.io.text import Layout, parse
from bertillon.trials.from_tables import example_of, without_self
from bertillon.trials.search_set import NO_RANK, SearchSet

_PAIR = {"probe", "reference"}
_PAIR_COLUMNS = ("probe", "probe_subject", "reference_subject", "score")
SOURCE_ROW = "source_row"  # of a comparison, in the table it was read from
_MATE_NAMES = ("mate", "mateid", "mate_id", "template", "true_template")


def searches_from_candidates(
    table: ComparisonTable,
    *,
    mates: Mapping[str, str] | None = None,
    gallery_size: int | None = None,
    rule: AcceptRule | str | None = None,
) -> SearchSet:
    """Searches from lists of candidates.

    `mates` names the person each search is of where the lists do not; a search it does not name is non-enrolled.
    Without `gallery_size` the gallery is taken to hold the people that stand in the lists, and it is said.
    """
    direction = AcceptRule.of(rule or table.rule or AcceptRule.SIMILARITY)
    table = _as_lists(table, mates)
    frame = _with_mates(_checked(table), table.source, mates)
    frame = frame if SOURCE_ROW in frame.columns else frame.with_row_index(SOURCE_ROW)
    worked = frame.filter(~frame["failed"])
    summary, others = _summary(worked, direction), _others(worked, direction)
    names = {*worked["candidate"].drop_nulls().to_list(), *worked["mate"].drop_nulls().to_list()}
    notes = [note for note in table.notes if mates is None or note != NO_MATES]
    notes += _unlisted(worked)
    if gallery_size is None:
        notes.append(say("reading.gallery_from_lists", n=len(names)))
    lost = frame.filter(frame["failed"]).unique("probe")["mate"]
    column = {name: summary[name].to_numpy() for name in ("mate_score", "top", "top_other")}
    return SearchSet(
        enrolled=summary["enrolled"].to_numpy(),
        mate_score=direction.orient(column["mate_score"]),
        n_better=np.where(np.isnan(column["mate_score"]), NO_RANK, summary["n_better"].to_numpy()),
        n_equal=summary["n_equal"].to_numpy(),
        top_score=direction.orient(column["top"]),
        top_other=direction.orient(column["top_other"]),
        gallery_size=len(names) if gallery_size is None else gallery_size,
        rule=direction,
        failed_enrolled=lost.len() - lost.null_count(),
        failed_nonenrolled=lost.null_count(),
        others=direction.orient(others),
        probe_subject=summary["person"].to_numpy(),
        source_row=summary[SOURCE_ROW].cast(pl.Int64).to_numpy(),
        fusion="best",
        name=short_name(table.source),
        notes=tuple(notes),
        warnings=_against_ranks(worked, direction),
    )


def _unlisted(frame: pl.DataFrame) -> list[Message]:
    """What to say of mates that no list holds: perhaps their ids are not those of the candidates."""
    mates = frame["mate"].drop_nulls().unique()
    missing = mates.len() - int(mates.is_in(frame["candidate"].drop_nulls().unique().to_list()).sum())
    return [say("reading.unlisted_mates", n=missing, mates=mates.len())] if missing else []


def read_mates(path: str | os.PathLike[str]) -> dict[str, str]:
    """The mate of each search, from lines of two ids, with or without a header (`search,mate`).

    A search whose mate is empty, NA or a word such as unknown or not enrolled has none, and is left out.
    """
    source = open_source(path)
    head = look(source)
    check_text(source)
    if head.width != 2:
        raise source.error(f"has {head.width} columns; mates are given as a search and its mate in each line")
    names = [name.strip().lower() for name in head.rows[0]]
    header = len(names) if names[-1] in _MATE_NAMES else 0
    pairs = parse(source, head, Layout(("search", "mate"), head.separator, header), {"search": "text", "mate": "text"})
    pairs = pairs.drop_nulls().filter(~is_stranger(pl.col("mate"))).unique(maintain_order=True)
    repeated = pairs.filter(pairs["search"].is_duplicated())
    if repeated.height:
        search = repeated["search"][0]
        raise source.error(f"search {search!r} has more than one mate; expected one, so give the lists by subject")
    return dict(pairs.iter_rows())


def _as_lists(table: ComparisonTable, mates: Mapping[str, str] | None) -> ComparisonTable:
    """Scores of pairs as lists of candidates: the side that holds the searches with mates is that of the searches."""
    if mates is None or "reference_subject" in table.frame.columns or not set(table.frame.columns) >= _PAIR:
        return table
    sides = [side for side in sorted(_PAIR) if set(mates) <= set(table.frame[side].unique().to_list())]
    if len(sides) != 1:
        problem = "both ids of the pairs hold" if sides else "neither id of the pairs holds all of"
        raise InputError(
            f"{table.source}: {problem} the searches that mates are given for; expected the first or second"
        )
    (other,) = _PAIR - set(sides)
    columns = {"score": table.frame["score"], "probe": table.frame[sides[0]], "reference_subject": table.frame[other]}
    note = say("reading.candidates_by_mates", searches=columns["probe"].n_unique())
    frame = pl.DataFrame(columns)
    return ComparisonTable(frame, table.source, table.format, table.rule, (note,))


def _checked(table: ComparisonTable) -> pl.DataFrame:
    for name in ("probe", "reference_subject", "score"):
        if name not in table.frame.columns:
            raise InputError(f"{table.source}: no column {name!r}; expected a search, a candidate and a score a line")
    frame = table.frame
    if "failed" not in frame.columns:
        frame = frame.with_columns(failed=pl.lit(False))
    return frame.rename({"reference_subject": "candidate"})


def _with_mates(frame: pl.DataFrame, source: str, mates: Mapping[str, str] | None) -> pl.DataFrame:
    """The lists with the mate of each search; null where it is not enrolled."""
    if mates is not None:
        named = pl.DataFrame({"probe": list(mates), "mate": list(mates.values())}, schema={"probe": str, "mate": str})
        return frame.with_columns(pl.col("probe").cast(pl.String)).join(named, on="probe", how="left")
    if "probe_subject" not in frame.columns:
        raise InputError(f"{source}: nothing says who the searches are of; add a column mateId, or give mates")
    frame = frame.rename({"probe_subject": "mate"})
    stated = frame.group_by("probe").agg(pl.col("mate").n_unique())
    if (stated["mate"] > 1).any():
        first = stated.filter(stated["mate"] > 1)["probe"].min()
        raise InputError(f"{source}: search {first!r} names more than one mate; expected the same one in all its lines")
    return frame


def _against_ranks(frame: pl.DataFrame, rule: AcceptRule) -> tuple[Message, ...]:
    """A warning where the ranks of most lists run against their scores: then the direction is the other one."""
    if "rank" not in frame.columns:
        return ()
    scored = frame.with_columns(pl.col("score").cast(pl.Float64) * rule.factor)
    listed = scored.filter(scored["score"].is_not_nan())
    ends = listed.sort("rank").group_by("probe").agg(first=pl.col("score").first(), last=pl.col("score").last())
    first, last = ends["first"].to_numpy(), ends["last"].to_numpy()
    right, wrong = int((first > last).sum()), int((first < last).sum())
    if wrong <= right:
        return ()
    return (say(f"warning.against_ranks.{rule.value}", wrong=wrong, lists=right + wrong),)


def _fused(frame: pl.DataFrame, rule: AcceptRule) -> pl.DataFrame:
    """One row a search and candidate, with the best of its oriented scores; null where there is none."""
    sign = rule.factor
    score = (pl.col("score").cast(pl.Float64) * sign).fill_nan(None)
    first = pl.col("mate").first(), pl.col(SOURCE_ROW).min()
    return frame.group_by("probe", "candidate", maintain_order=True).agg(*first, score.max())


def _summary(frame: pl.DataFrame, rule: AcceptRule) -> pl.DataFrame:
    """One row a search: the numbers of a search set, oriented."""
    is_mate = (pl.col("candidate") == pl.col("mate")).fill_null(False)
    score, other = pl.col("score"), pl.col("score").filter(~is_mate)
    mate = score.filter(is_mate).max()
    return (
        _fused(frame, rule)
        .group_by("probe", maintain_order=True)
        .agg(
            pl.col("mate").first().is_not_null().alias("enrolled"),
            pl.col(SOURCE_ROW).min(),
            pl.col("mate").first().fill_null(pl.col("probe").first()).alias("person"),
            mate.fill_null(float("nan")).alias("mate_score"),
            (other > mate).sum().cast(pl.Int64).alias("n_better"),
            (other == mate).sum().cast(pl.Int64).alias("n_equal"),
            score.max().fill_null(float("nan")).alias("top"),
            other.max().fill_null(float("nan")).alias("top_other"),
        )
    )


def _others(frame: pl.DataFrame, rule: AcceptRule) -> NDArray[np.float64]:
    """The scores in each list of a non-enrolled search, best first, as wide as the longest list of all."""
    width = int(frame.group_by("probe").len()["len"].max() or 0)  # type: ignore[arg-type]
    lists = (
        _fused(frame.filter(frame["mate"].is_null()), rule)
        .group_by("probe", maintain_order=True)
        .agg(pl.col("score").drop_nulls().sort(descending=True))["score"]
        .to_list()
    )
    others = np.full((len(lists), width), np.nan)
    for row, scores in zip(others, lists, strict=True):
        row[: len(scores)] = scores
    return others


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
    frame = _pairs_of_searches(table)
    gallery = frame["reference_subject"].n_unique()
    people = frame.group_by("search", maintain_order=True).agg(
        pl.col("probe_subject").first(),
        met=pl.col("reference_subject").n_unique(),
        failed=pl.col("score").cast(pl.Float64).fill_nan(None).is_null().all(),
    )
    searches = searches_from_candidates(
        replace(table, frame=_pairs_as_lists(frame, people), notes=()), gallery_size=gallery, rule=rule
    )
    return replace(
        searches,
        probe_subject=people.filter(~people["failed"])["probe_subject"].to_numpy(),
        notes=(*table.notes, *_list_notes(table, frame, people, gallery), *example_of(table)),
        warnings=(*searches.warnings, *_shortfall(people, gallery)),
    )


def _pairs_of_searches(table: ComparisonTable) -> pl.DataFrame:
    """The comparisons that are searches, each probe of each person under a number of its own."""
    missing = [name for name in _PAIR_COLUMNS if name not in table.frame.columns]
    if missing:
        raise InputError(
            f"{table.source}: holds comparisons without {', '.join(missing)}; a search is a probe that meets people: "
            f"say which column it is with --column {missing[0]}=NAME, or verify the comparisons"
        )
    frame = without_self(replace(table, frame=table.frame.with_row_index(SOURCE_ROW))).frame
    if "attack" in frame.columns:
        frame = frame.filter(frame["attack"].is_null())
    people = [pl.col(name).cast(pl.String).fill_null("") for name in ("probe_subject", "reference_subject")]
    frame = frame.select(SOURCE_ROW, pl.col("probe").cast(pl.String), *people, pl.col("score"))
    empty = int((frame["reference_subject"] == "").sum())
    if empty:
        raise InputError(f"{table.source}: {empty:,} comparisons name no reference subject; fill it in")
    return frame.with_columns(search=pl.struct("probe", "probe_subject").rank("dense").cast(pl.String))


def _pairs_as_lists(frame: pl.DataFrame, people: pl.DataFrame) -> pl.DataFrame:
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
