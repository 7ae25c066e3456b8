"""Logs of the NIST FRTE tests: comparisons (1:1) and candidate lists (1:N), one line a comparison or a candidate.

    enrollTempl verifTempl simScore returnCode                                    1:1
    searchId candidateRank searchRetCode isAssigned templateId score [decision]   1:N

Candidate lists are also any table whose header names a search, a candidate and a score, perhaps a rank, and perhaps the
mate (`mateId`): who the search is really of, empty, NA or a word such as unknown where that person is not enrolled.

Conventions: a return code other than 0 is a failed comparison (NaN), or a failed search. The enrolment template is the
reference. A candidate that is not assigned is none: its id and score are left empty, so that a search that found nobody
is still there. The table of candidates has the columns `probe` (the search), `reference_subject` (the candidate),
`score`, `rank`, `failed`, and `probe_subject` where mates are named.
"""

from __future__ import annotations

from collections.abc import Mapping

from bertillon.core import AcceptRule, ComparisonTable, InputError, Message, say
from bertillon.core.errors import listed
from bertillon.core.lazy import pl
from bertillon.io.columns import Roles, assemble, first_known, plain
from bertillon.io.registry import Format, Request, register
from bertillon.io.source import Head, Source
from bertillon.io.text import Layout, parse

_LOG_HEADER = ("enrollTempl", "verifTempl", "simScore", "returnCode")
_LOG_ROLES = Roles({"reference": "enrollTempl", "probe": "verifTempl", "score": "simScore"})
_LOG_KINDS = {"enrollTempl": "text", "verifTempl": "text", "simScore": "score", "returnCode": "code"}
_NAMES = {
    "probe": ("searchid", "search", "probeid", "probe"),
    "rank": ("candidaterank", "rank"),
    "reference_subject": ("templateid", "candidateid", "candidate"),
    "score": ("score", "similarityscore", "similarity", "distance"),
    "code": ("searchretcode", "returncode", "retcode"),
    "assigned": ("isassigned", "assigned"),
    "probe_subject": ("mateid", "mate"),
}
_NEEDED = ("probe", "reference_subject", "score")
_SEARCH, _CANDIDATE = ("searchid", "search"), ("candidateid", "candidate")  # what names lists that have no ranks
_KINDS = {"rank": "code", "score": "score", "code": "code", "assigned": "code"}
_NOBODY = ("", "na", "n/a", "null", "none", "nan", "-")
STRANGERS = (*_NOBODY, "unknown", "stranger", "nobody", "not enrolled", "not_enrolled", "not-enrolled", "notenrolled")
NO_MATES = say("reading.no_mates")  # said of the lists alone


def read(source: Source, head: Head, request: Request) -> ComparisonTable:
    if not fits(head):
        raise _other_header(source, head, "a list of candidates begins with names such as searchId candidateRank")
    column = first_known(head.names, _NAMES)
    kinds = {name: _KINDS.get(role, "text") for role, name in column.items()}
    frame = parse(source, head, Layout.of_header(head), kinds)
    table = _tidied(frame.rename({name: role for role, name in column.items()}))
    rule = AcceptRule.DISTANCE if plain(column["score"]) == "distance" else None
    return ComparisonTable(table, source.name, request.format, rule, tuple(_notes(table, column)))


def _other_header(source: Source, head: Head, expected: str) -> InputError:
    return source.error(f"{expected}; found: {listed(head.rows[0]) if head.rows else 'nothing'}", 1)


def _tidied(frame: pl.DataFrame) -> pl.DataFrame:
    """Failed searches marked, and what is no candidate or no mate emptied."""
    failed = pl.col("code") != 0 if "code" in frame.columns else pl.lit(False)
    there = pl.col("assigned") != 0 if "assigned" in frame.columns else pl.lit(True)
    there = there & ~failed & ~pl.col("reference_subject").fill_null("").str.to_lowercase().is_in(_NOBODY)
    frame = frame.with_columns(
        failed.alias("failed"),
        pl.when(there).then(pl.col("reference_subject")).alias("reference_subject"),
        pl.when(there).then(pl.col("score")).otherwise(float("nan")).alias("score"),
    )
    if "probe_subject" in frame.columns:
        mate = pl.col("probe_subject")
        frame = frame.with_columns(pl.when(~is_stranger(mate)).then(mate))
    kept = ("score", "probe", "probe_subject", "reference_subject", "rank", "failed")
    return frame.select([name for name in kept if name in frame.columns])


def is_stranger(mate: pl.Expr) -> pl.Expr:
    """Does the column say that the search is of nobody who is enrolled?"""
    return mate.fill_null("").str.strip_chars().str.to_lowercase().is_in(STRANGERS)


def _notes(table: pl.DataFrame, column: Mapping[str, str]) -> list[Message]:
    notes = [say("reading.candidates", lines=table.height, searches=table["probe"].n_unique())]
    failed = table.filter(table["failed"])["probe"].n_unique()
    if failed:
        notes.append(say("reading.failed_searches", n=failed))
    mate = column.get("probe_subject")
    return [*notes, NO_MATES if mate is None else say("reading.column.mate", name=repr(mate))]


def fits(head: Head) -> bool:
    column = first_known(head.names, _NAMES)
    if not set(_NEEDED) <= set(column):
        return False
    named = plain(column["probe"]) in _SEARCH and plain(column["reference_subject"]) in _CANDIDATE
    return "rank" in column or named


def read_log(source: Source, head: Head, request: Request) -> ComparisonTable:
    if not fits_log(head):
        raise _other_header(source, head, f"a nist-1to1 log begins with the line {' '.join(_LOG_HEADER)!r}")
    kinds = _LOG_KINDS if request.ids else {name: _LOG_KINDS[name] for name in ("simScore", "returnCode")}
    frame = parse(source, head, Layout(_LOG_HEADER, head.separator, header=len(_LOG_HEADER)), kinds)
    failed = int((frame["returnCode"] != 0).sum())
    notes = [say("reading.format_columns", format="NIST 1:1", columns=_LOG_HEADER)]
    if failed:
        notes.append(say("reading.failed_by_code", n=failed))
    score = pl.when(pl.col("returnCode") == 0).then(pl.col("simScore")).otherwise(float("nan"))
    return assemble(source.name, frame.with_columns(score.alias("simScore")), _LOG_ROLES, request, notes)


def fits_log(head: Head) -> bool:
    return bool(head.rows) and tuple(head.rows[0]) == _LOG_HEADER


CANDIDATES = Format(
    "candidates", "candidate lists of 1:N searches (NIST FRTE 1:N)", 1, fits, read, columns=len(_NEEDED)
)

register(Format("nist-1to1", "NIST FRTE 1:1 log", 1, fits_log, read_log, columns=len(_LOG_HEADER)), CANDIDATES)
