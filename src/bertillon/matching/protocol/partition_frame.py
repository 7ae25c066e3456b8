"""From a frame that someone wrote to the part of each template, with every doubt raised.

Conventions: names are compared as text. A frame may hold several runs; one is taken. Samples may be left out (they
are unused), but none may be unknown or stand twice.

Holds `roles_from`, `stated_enrolled` and `runs_in`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.lazy import pl
from bertillon.core.messages import Message, say
from bertillon.core.tables import TemplateTable

_TRUTH = {"true": True, "false": False, "1": True, "0": False}


def roles_from(
    frame: pl.DataFrame, templates: TemplateTable, run: int | None, source: str
) -> tuple[NDArray[np.str_], int, tuple[Message, ...]]:
    """The role of each template, the run, and how that was understood."""
    _check_columns(frame, source)
    number = _run(frame, run, source)
    part = _of_run(frame, number)
    samples, roles = _texts(part, "sample", source), _texts(part, "role", source)
    _check_once(samples, roles, source)
    row_of = {str(name): row for row, name in enumerate(templates.sample)}
    _check_known(samples, row_of, templates, source)
    _check_subjects(part, samples, row_of, templates, source)
    role = np.full(len(templates), "unused", dtype="<U32")
    role[[row_of[name] for name in samples]] = roles
    missing = len(templates) - len(samples)
    how = [say("protocol.from_frame", source=source, run=number)]
    if missing:
        how.append(say("protocol.not_named", n=missing))
    return role, number, tuple(how)


def runs_in(frame: pl.DataFrame, source: str) -> list[int]:
    """The runs a frame holds, in ascending order; a frame without the column is run 0."""
    if "run" not in frame.columns:
        return [0]
    numbers = frame["run"].cast(pl.String).cast(pl.Int64, strict=False)
    if numbers.null_count():
        row = int(numbers.is_null().arg_max() or 0)
        raise InputError(f"{source}: run of row {row + 1:,} is {frame['run'][row]!r}; expected a whole number")
    return [int(number) for number in numbers.unique().sort()]


def stated_enrolled(frame: pl.DataFrame, run: int, source: str) -> dict[str, bool]:
    """What the frame says of each sample being enrolled, where it says so."""
    if "enrolled" not in frame.columns:
        return {}
    stated = _of_run(frame, run).select(pl.col("sample", "enrolled").cast(pl.String)).drop_nulls()
    strange = [text for text in stated["enrolled"].unique() if text.lower() not in _TRUTH]
    if strange:
        raise InputError(f"{source}: enrolled is {min(strange)!r}; expected true, false or nothing")
    return {name: _TRUTH[text.lower()] for name, text in stated.iter_rows()}


def _check_columns(frame: pl.DataFrame, source: str) -> None:
    missing = [name for name in ("sample", "role") if name not in frame.columns]
    if missing:
        raise InputError(
            f"{source}: has no column {' and no column '.join(map(repr, missing))} (its columns: "
            f"{', '.join(frame.columns) or 'none'}); expected sample and role, one row per template"
        )


def _run(frame: pl.DataFrame, run: int | None, source: str) -> int:
    runs = runs_in(frame, source)
    if run is None and len(runs) == 1:
        return runs[0]
    if run is None:
        raise InputError(f"{source}: holds {len(runs):,} runs ({_listed(runs)}); expected one; say which with run=")
    if run not in runs:
        raise InputError(f"{source}: holds no run {run}; expected one of {_listed(runs)}")
    return run


def _of_run(frame: pl.DataFrame, run: int) -> pl.DataFrame:
    if "run" not in frame.columns:
        return frame
    return frame.filter(pl.col("run").cast(pl.String).cast(pl.Int64, strict=False) == run)


def _listed(runs: list[int]) -> str:
    shown = ", ".join(map(str, runs[:5]))
    return shown if len(runs) <= 5 else f"{shown}, ... {runs[-1]}"


def _texts(frame: pl.DataFrame, name: str, source: str) -> list[str]:
    column = frame[name].cast(pl.String)
    if column.null_count():
        row = int(column.is_null().arg_max() or 0)
        raise InputError(f"{source}: row {row + 1:,} has no {name}; expected one in every row; fill it in or remove it")
    return [str(text) for text in column]


def _check_once(samples: list[str], roles: list[str], source: str) -> None:
    role_of: dict[str, str] = {}
    for sample, role in zip(samples, roles, strict=True):
        if sample in role_of:
            before = role_of[sample]
            problem = f"is in two roles, {before} and {role}" if before != role else f"is listed twice as {role}"
            raise InputError(
                f"{source}: sample {sample!r} {problem}; expected each sample once, since parts must not share one; "
                "remove one of the rows"
            )
        role_of[sample] = role


def _check_known(samples: list[str], row_of: dict[str, int], templates: TemplateTable, source: str) -> None:
    unknown = [name for name in samples if name not in row_of]
    if unknown:
        strangers = say("count.sample", n=len(unknown))
        raise InputError(
            f"{source}: names {strangers} that {templates.source} does not hold, the first "
            f"{unknown[0]!r}; expected samples such as {str(templates.sample[0])!r}; give the templates it was made for"
        )


def _check_subjects(
    frame: pl.DataFrame, samples: list[str], row_of: dict[str, int], templates: TemplateTable, source: str
) -> None:
    if "subject" not in frame.columns:
        return
    for sample, subject in zip(samples, _texts(frame, "subject", source), strict=True):
        owner = str(templates.subject[row_of[sample]])
        if subject != owner:
            raise InputError(
                f"{source}: sample {sample!r} is of subject {subject!r}, but of {owner!r} in {templates.source}; "
                "expected the same; give the templates it was made for"
            )
