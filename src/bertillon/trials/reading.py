"""Files to score sets in one call."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from bertillon import io as formats
from bertillon.core.errors import InputError
from bertillon.core.rule import AcceptRule
from bertillon.trials.from_tables import systems_from
from bertillon.trials.score_set import ScoreSet

Path = str | os.PathLike[str]


def read_scores(
    *paths: Path,
    rule: AcceptRule | str | None = None,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    mask: Path | None = None,
    ids: bool = True,
    values: Mapping[str, str] | None = None,
    failed: Sequence[float] = (),
    all_against_all: bool | None = None,
    trust: str | None = None,
) -> ScoreSet:
    """Read one system: a table with labels, a genuine and an impostor list, or scores and their trials.

    `rule` is "similarity" or "distance" and overrides what the file says; `columns` names the columns of a table,
    as in `{"score": "llr", "label": "target"}`; `ids=False` leaves out who was compared, which is faster. `values` says
    what labels mean, as in `{"target": "mated", "nontarget": "nonmated", "spoof": "attack"}`; scores that are one of
    `failed` are failed comparisons; `all_against_all` says whether a square matrix holds templates against themselves
    (its symmetry tells otherwise); `trust` is "labels" or "subjects", where these contradict each other.
    """
    systems = read_systems(
        paths,
        rule=rule,
        format=format,
        columns=columns,
        mask=mask,
        ids=ids,
        values=values,
        failed=failed,
        all_against_all=all_against_all,
        trust=trust,
    )
    if len(systems) != 1:
        raise InputError(f"{len(paths)} files hold {len(systems)} systems; use read_systems to read several")
    return systems[0]


def read_systems(
    paths: Sequence[Path],
    *,
    rule: AcceptRule | str | None = None,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    mask: Path | None = None,
    ids: bool = True,
    values: Mapping[str, str] | None = None,
    failed: Sequence[float] = (),
    all_against_all: bool | None = None,
    trust: str | None = None,
) -> list[ScoreSet]:
    """Read every system the files hold, in their order; what may be said of them is as in `read_scores`."""
    if not paths:
        raise InputError("no file was given; expected scores, or a genuine and an impostor list")
    tables = [
        formats.read(path, format=format, columns=columns, mask=mask, ids=ids, values=values, failed=failed)
        for path in paths
    ]
    stated = None if rule is None else AcceptRule.of(rule)
    return systems_from(tables, rule=stated, all_against_all=all_against_all, trust=trust)
