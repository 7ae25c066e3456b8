"""Scores in JSON: maps, lists of records, lists of columns, and JSON lines.

    {"a.wav": 0.5, "b.wav": 0.25}                              a score by id, which is the probe
    {"a.wav": {"score": 0.5, "label": 1}, ...}                 a record by id
    [{"score": 0.5, "label": 1}, ...]                          records; also one object per line
    {"score": [0.5, 0.25], "label": [1, 0]}                    columns
    {"genuine": [0.9, 0.8], "impostor": [0.1, 0.2]}            two lists of scores
    [0.5, 0.25]                                                a plain list of scores

Conventions: the names in records and columns are those of CSV columns. NaN and null are failed comparisons. A name that
stands twice in one object is refused; so are whole numbers too large to be scores, and halves of letters (\\ud800).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bertillon.core import ComparisonTable, say
from bertillon.core.errors import listed
from bertillon.core.lazy import pl
from bertillon.io.columns import Roles, assemble, find_roles, kinds_of, note_roles
from bertillon.io.convert import UnreadableError, converted, unreadable
from bertillon.io.limits import format_size, require_memory
from bertillon.io.npy import two_lists
from bertillon.io.registry import Format, Request, register
from bertillon.io.source import Head, Source

_TIMES = 8  # its size is what JSON takes as values
_MOST_WHOLE = 2**63
_ID = "id of the entry"
_BROKEN = r"holds one half of a letter written as two (a lone surrogate, \ud800 to \udfff); write the letter whole"
_SHAPES = (
    'expected a map of ids to scores {"id": 0.5}, a list of records [{"score": 0.5, "label": 1}], or lists of scores '
    '{"genuine": [...], "impostor": [...]}'
)
Columns = dict[str, list[Any]]


def read(source: Source, _: Head, request: Request) -> ComparisonTable:
    require_memory(source.name, _TIMES * source.size, f"JSON of {format_size(source.size)}", "CSV takes less")
    content = _parsed(source)
    if isinstance(content, list) and content and not any(isinstance(item, (dict, list)) for item in content):
        return _table(source, request, {"score": content}, "list")
    if isinstance(content, list) and content and all(isinstance(item, dict) for item in content):
        return _table(source, request, _records(source, content), "records")
    if isinstance(content, dict) and content:
        return _from_map(source, request, content)
    empty = {"[]": "an empty list", "{}": "an empty object"}
    what = empty.get(str(content), f"{type(content).__name__} values")
    raise source.error(f"holds JSON ({what}) without scores; {_SHAPES}")


def _from_map(source: Source, request: Request, content: dict[str, Any]) -> ComparisonTable:
    values = list(content.values())
    if all(isinstance(item, list) for item in values):
        return _from_lists(source, request, content)
    if all(isinstance(item, dict) for item in values):
        return _table(source, request, {_ID: list(content), **_records(source, values)}, "records_by_id")
    if all(_is_number(item) for item in values):
        return _table(source, request, {_ID: list(content), "score": values}, "scores_by_id")
    name = next(name for name, item in content.items() if not _is_number(item))
    raise source.error(f"{name!r} holds {_short(content[name])}, which is neither a score nor a record; {_SHAPES}")


def _from_lists(source: Source, request: Request, content: dict[str, list[Any]]) -> ComparisonTable:
    lists = two_lists(content)
    if not lists or request.columns:
        return _table(source, request, content, "columns")
    mated, nonmated = lists
    if ignored := [name for name in content if name not in lists]:
        raise source.error(f"beside {mated!r} and {nonmated!r} it holds {listed(ignored)}; leave those out")
    labels = [True] * len(content[mated]) + [False] * len(content[nonmated])
    table = _table(source, request, {"score": content[mated] + content[nonmated], "label": labels}, "columns")
    return replace(table, notes=(say("reading.json.lists", mated=repr(mated), nonmated=repr(nonmated)),))


def _parsed(source: Source) -> Any:
    """What the text says; one object per line where the text as a whole is no JSON."""
    text = source.data().decode("utf-8-sig")
    try:
        return json.loads(text, object_pairs_hook=_unique)
    except RecursionError as error:
        raise source.error(f"is nested too deeply; {_SHAPES}") from error
    except json.JSONDecodeError as error:
        lines = [line for line in text.splitlines() if line.strip()]
        if error.msg == "Extra data" and len(lines) > 1 and lines[0].lstrip().startswith("{"):
            return [_line(source, number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        raise source.error(f"is not valid JSON: {error.msg} at column {error.colno}", error.lineno) from error
    except ValueError as error:
        raise source.error(_reason(error)) from error


class _NameError(ValueError):
    """What is wrong with a name, in words."""


def _reason(error: Exception) -> str:
    """What is wrong with the text, in words of our own where Python speaks of its own settings."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, (_NameError, json.JSONDecodeError)):
        return str(error)
    return "holds a whole number of thousands of digits, no score, label or id; write it as text if it is an id"


def _line(source: Source, number: int, line: str) -> Any:
    try:
        return json.loads(line, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        problem = f"is not valid JSON: {_reason(error)[:200]}; one object per line is expected"
        raise source.error(problem, number) from error


def _unique(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    unique: dict[str, Any] = {}
    for name, value in pairs:
        if name in unique:
            raise _NameError(f"{name[:100]!r} occurs twice in one JSON object; give each name once")
        if _is_broken(name):
            raise _NameError(f"the name {name[:100]!r} {_BROKEN}")
        unique[name] = value
    return unique


def _is_broken(text: str) -> bool:
    """Does it hold half of a letter? JSON can write one, and no encoding has it."""
    return not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text)


def _records(source: Source, records: Sequence[Mapping[str, Any]]) -> Columns:
    """Records as columns; a name that a record does not have is empty there."""
    names = dict.fromkeys(name for record in records for name in record)
    for number, record in enumerate(records, 1):
        nested = [name for name, value in record.items() if isinstance(value, (dict, list))]
        if nested:
            raise source.error(f"record {number:,} holds {nested[0]!r}: {_short(record[nested[0]])}, not one value")
    what = f"a table of {len(records):,} records by the {len(names):,} names that any of them has"
    require_memory(source.name, 8 * len(records) * len(names), what, "give all records the same names")
    return {name: [record.get(name) for record in records] for name in names}


def _table(source: Source, request: Request, columns: Columns, what: str) -> ComparisonTable:
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) != 1 or 0 in lengths.values():
        shown = ", ".join(f"{name} {length:,}" for name, length in list(lengths.items())[:10])
        raise source.error(f"lists of one length above 0 are expected; lengths: {shown}")
    roles = find_roles(source.name, [name for name in columns if name != _ID], request.columns)
    if _ID in columns and "probe" not in roles.column:
        roles = Roles({**roles.column, "probe": _ID}, roles.rule, roles.notes)
    kinds = kinds_of(source.name, list(columns), roles, request)
    with unreadable(source):
        frame = converted(pl.DataFrame([_series(name, columns[name]) for name in kinds]), kinds)
    frame = frame.drop(_ID) if _ID in frame.columns and _ID not in roles.column.values() else frame
    return assemble(source.name, frame, roles, request, [say(f"reading.json.{what}"), *note_roles(roles)])


def _series(name: str, values: list[Any]) -> pl.Series:
    """A column of one type: truth values, numbers, or text where they are mixed."""
    there = [value for value in values if value is not None]
    if any(isinstance(value, (dict, list)) for value in there):
        raise UnreadableError(f"column {name!r} holds lists or objects, not one value per comparison")
    kinds = {type(value) for value in there}
    if kinds == {bool}:
        return pl.Series(name, values, dtype=pl.Boolean)
    if kinds == {int} and all(-_MOST_WHOLE <= value < _MOST_WHOLE for value in there):
        return pl.Series(name, values, dtype=pl.Int64)
    if kinds and kinds <= {int, float} and float in kinds:
        return pl.Series(name, [None if value is None else _float(name, value) for value in values], dtype=pl.Float64)
    texts = [None if item is None else str(item).lower() if isinstance(item, bool) else str(item) for item in values]
    if broken := next((text for text in texts if text is not None and _is_broken(text)), None):
        raise UnreadableError(f"column {name!r}: the text {broken[:100]!r} {_BROKEN}")
    return pl.Series(name, texts, dtype=pl.String)


def _float(name: str, value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        problem = f"a whole number of {len(str(value).lstrip('-')):,} digits, which is too large for a number"
        raise UnreadableError(f"column {name!r} holds {problem}; remove it, or write null") from None


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) < 40 else f"{text[:40]}..."


def fits(head: Head) -> bool:
    """An object or a list that begins as JSON does: `[score],[label]` is the header of a table."""
    start = "".join(head.raw[:200].decode("utf-8-sig", "replace").split())
    if start[:1] == "{":
        return start[1:2] in ('"', "}")
    return start[:1] == "[" and (start[1:2] in ("{", "[", "]", '"', "-") or start[1:2].isdigit() or start[1:4] == "NaN")


register(Format("json", "JSON: scores by id, records, lists", 1, fits, read, takes_columns=True, magic=(b"{", b"[")))
