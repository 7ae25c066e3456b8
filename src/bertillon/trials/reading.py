"""Files to score sets in one call."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from bertillon import formats
from bertillon.errors import InputError
from bertillon.rule import AcceptRule
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
) -> ScoreSet:
    """Read one system: a table with labels, a genuine and an impostor list, or scores and their trials.

    `rule` is "similarity" or "distance" and overrides what the file says; `columns` names the columns of a table,
    as in `{"score": "llr", "label": "target"}`; `ids=False` leaves out who was compared, which is faster.
    """
    systems = read_systems(paths, rule=rule, format=format, columns=columns, mask=mask, ids=ids)
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
) -> list[ScoreSet]:
    """Read every system the files hold, in their order."""
    if not paths:
        raise InputError("no file was given; expected scores, or a genuine and an impostor list")
    tables = [formats.read(path, format=format, columns=columns, mask=mask, ids=ids) for path in paths]
    return systems_from(tables, rule=None if rule is None else AcceptRule.of(rule))
