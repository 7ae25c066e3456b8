"""Score files of bob: two, four and five columns.

    bob-2   label score                       label 1 (mated) or -1, also 1 or 0
    bob-4   claimed real probe score          mated where claimed and real are equal
    bob-5   claimed model real probe score    likewise, with the id of the model

Conventions: `claimed` is the subject of the reference, `real` that of the probe. Sniffing: the last column is a
number, the others could be ids (no fractions). Two columns are bob-2 only if the first holds nothing but labels and
the second does not; four columns are not bob-4 if the third is or may be a score and the fourth a label, or if the
first alone, or the third before a score, looks like a label. A column of label words holds no ids.

Holds the formats `bob-2`, `bob-4` and `bob-5`.
"""

from __future__ import annotations

from typing import BinaryIO

from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.core.tables import ComparisonTable, ScoreMatrix
from bertillon.io.delimited import is_label_then_score
from bertillon.io.head import LOOSE, Head, all_numbers, is_id_like
from bertillon.io.labels import has_both_labels, is_digit_label, is_label_column
from bertillon.io.positional import Columns, against, is_ids, read_columns
from bertillon.io.registry import Format, Request, register
from bertillon.io.source import Source

_TWO = Columns(say("format.bob_2"), ("label", "score"), {"mated": "label", "score": "score"})
_FOUR = Columns(
    say("format.bob_4"),
    ("claimed", "real", "probe", "score"),
    {"reference_subject": "claimed", "probe_subject": "real", "probe": "probe", "score": "score"},
)
_FIVE = Columns(
    say("format.bob_5"),
    ("claimed", "model", "real", "probe", "score"),
    {**_FOUR.roles, "reference": "model"},
)


def read_two(source: Source, head: Head, request: Request) -> ComparisonTable:
    return read_columns(source, head, request, _TWO)


def read_four(source: Source, head: Head, request: Request) -> ComparisonTable:
    return read_columns(source, head, request, _FOUR)


def read_five(source: Source, head: Head, request: Request) -> ComparisonTable:
    return read_columns(source, head, request, _FIVE)


def fits_four(head: Head) -> bool:
    if head.separator not in LOOSE or head.width != 4:
        return False
    claimed, real, probe, score = head.columns()
    labelled_elsewhere = (is_label_column(score) and not is_id_like(probe)) or (
        is_digit_label(claimed) and not is_digit_label(real)
    )
    if labelled_elsewhere or doubt_of_four(head) or label_is_third(head):
        return False
    return all_numbers(score) and all(map(is_ids, (claimed, real, probe)))


def doubt_of_four(head: Head) -> bool:
    """Whole numbers and then nothing but labels: may the third column be the score?"""
    if head.separator not in LOOSE or head.width != 4:
        return False
    _, _, third, last = head.columns()
    return is_digit_label(last) and has_both_labels(last) and all_numbers(third)


def label_is_third(head: Head) -> bool:
    """Two ids, a label of digits and a score: may the third column be no probe?"""
    if head.separator not in LOOSE or head.width != 4:
        return False
    first, second, third, last = head.columns()
    labelled = is_digit_label(third) and has_both_labels(third) and all_numbers(last)
    return labelled and is_ids(first) and is_ids(second)


def near_four(head: Head) -> str:
    if label_is_third(head):
        return "if column 3 is the id of the probe; if it is the label, say --column label=3 --column score=4"
    return "if column 4 is the score" if doubt_of_four(head) else against(head, _FOUR)


def near_five(head: Head) -> str:
    return against(head, _FIVE)


def fits_five(head: Head) -> bool:
    if head.separator not in LOOSE or head.width != 5:
        return False
    *ids, score = head.columns()
    return all_numbers(score) and all(map(is_ids, ids))


def write_four(table: ComparisonTable | ScoreMatrix, file: BinaryIO) -> None:
    """Write `claimed real probe score`."""
    if isinstance(table, ScoreMatrix):
        raise InputError("bob-4 holds one comparison per line, not a matrix; use csv or bee")
    frame = table.frame
    missing = [role for role in _FOUR.roles if role not in frame.columns]
    if missing:
        raise InputError(f"bob-4 needs the columns {', '.join(_FOUR.roles)}; missing: {', '.join(missing)}")
    for role in ("reference_subject", "probe_subject", "probe"):
        if frame[role].null_count() or frame[role].str.contains(r"\s|^$|^#|\"").any():
            raise InputError(f"bob-4 is separated by blanks, but {role} has ids that are empty or hold blanks or '#'")
    if "mated" in frame.columns and (frame["mated"] != (frame["probe_subject"] == frame["reference_subject"])).any():
        raise InputError("bob-4 calls equal subjects mated, but the table's mated column says otherwise")
    frame.select(*_FOUR.roles).write_csv(file, separator=" ", include_header=False)


BOB_2 = Format("bob-2", "bob 2-column: label score", rank=4, fits=is_label_then_score, reader=read_two)
BOB_4 = Format(
    "bob-4",
    "bob 4-column: claimed real probe score",
    rank=4,
    fits=fits_four,
    reader=read_four,
    writer=write_four,
    near=near_four,
)
BOB_5 = Format(
    "bob-5", "bob 5-column: claimed model real probe score", rank=4, fits=fits_five, reader=read_five, near=near_five
)

register(BOB_2, BOB_4, BOB_5)
