"""Searches from candidate lists: what a 1:N system returned, best first, of each search.

Conventions: the frame has one candidate a row, with `probe` (the search), `reference_subject` (the candidate) and
`score`; `probe_subject` names the mate of a search, empty where that person is not enrolled; `failed` marks searches
that did not work. A row without a candidate says that the search was made. A list that ends before the mate leaves it
without a rank, so mean ranks cannot be had from short lists. A candidate that stands twice in a list counts once, with
its best score. Ranks follow from scores; where those in the lists run the other way a warning says so.

Mates may stand in a file of their own: a search and its mate in each line, as PyEER's true pairs, or columns with a
header (`search,mate`). With them, scores of pairs (`query template score`) are lists of candidates too: the mates tell
which of the two ids is the search.

Holds `searches_from_candidates` and `read_mates`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.lazy import pl
from bertillon.core.messages import Message, say
from bertillon.core.rule import AcceptRule
from bertillon.core.tables import ComparisonTable, short_name
from bertillon.io.head import look
from bertillon.io.nist import NO_MATES, is_stranger
from bertillon.io.source import check_text, open_source
from bertillon.io.text import Layout, parse
from bertillon.trials.search_set import NO_RANK, SearchSet

_PAIR = {"probe", "reference"}
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
    frame = type(table.frame)(columns)
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
    return frame.group_by("probe", "candidate", maintain_order=True).agg(pl.col("mate").first(), score.max())


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
