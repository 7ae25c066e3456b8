"""Text whose columns are known by their place: the formats of bob, Kaldi and VoxCeleb.

    bob-2             label score                          label 1 (mated) or -1, also 1 or 0
    bob-4             claimed real probe score             mated where claimed and real are equal
    bob-5             claimed model real probe score       likewise, with the id of the model
    kaldi             enroll test score target|nontarget   as Kaldi and WeSpeaker write them
    voxceleb-trials   label a b                            `a` is the reference (enrolment), `b` the probe
    voxceleb-scores   score a b

Conventions: any run of blanks or tabs separates, or what cuts every line into as many fields. A format of this kind is
a declaration: the names of its columns and the role each plays. A column of label words holds no ids.

bob: `claimed` is the subject of the reference, `real` that of the probe. Sniffing: the last column is a number, the
others could be ids (no fractions). Two columns are bob-2 only if the first holds nothing but labels and the second does
not; four columns are not bob-4 if the third is or may be a score and the fourth a label, or if the first alone, or the
third before a score, looks like a label.

Kaldi: the label may be missing (`enroll test score`, a score file) or the score (`enroll test target`, a trial list),
whose label may be 1 and 0 or -1: a third column of nothing else that has both holds labels, not scores, and all lines
are looked at for that. With spoof among the labels the lines are those of SASV (see `asvspoof`): a spoof is an attack,
not a nontarget. Sniffing: the score is a number, the label nothing but labels, the two ids no fractions.

VoxCeleb: three columns, the first a number, the others ids; nothing but 0 and 1, or both 1 and -1, in the first means
trials. Trials may have words, such as target and nontarget, in its place.

Holds the formats above, and for others `Columns` and `read_columns`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import BinaryIO

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, Text, say
from bertillon.core.tables import ComparisonTable, ScoreMatrix
from bertillon.io import asvspoof
from bertillon.io.assemble import assemble, kinds_of
from bertillon.io.delimited import is_label_then_score, require_rows
from bertillon.io.head import BLANKS, LOOSE, Head, all_numbers, is_id_like, is_number, split_line
from bertillon.io.labels import has_both_labels, is_digit_label, is_label_column, meaning
from bertillon.io.names import Roles
from bertillon.io.registry import Format, Request, register
from bertillon.io.source import Source
from bertillon.io.text import Layout, parse

_LONGEST_ID_LIKE_LABEL = 3  # letters


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a format in order, and the column of each role; columns without a role are not read."""

    title: Text
    names: tuple[str, ...]
    roles: Mapping[str, str] = field(default_factory=dict)
    understood: Message | None = None  # where the names of the columns say nothing

    @property
    def note(self) -> Message:
        return self.understood or say("reading.format_columns", format=self.title, columns=self.names)


_BOB_2 = Columns(say("format.bob_2"), ("label", "score"), {"mated": "label", "score": "score"})
_BOB_4 = Columns(
    say("format.bob_4"),
    ("claimed", "real", "probe", "score"),
    {"reference_subject": "claimed", "probe_subject": "real", "probe": "probe", "score": "score"},
)
_BOB_5 = Columns(
    say("format.bob_5"), ("claimed", "model", "real", "probe", "score"), {**_BOB_4.roles, "reference": "model"}
)
_ENROLLED = {"reference": "enroll", "probe": "test"}
_KALDI_SCORES = Columns(say("format.kaldi_scores"), ("enroll", "test", "score"), {**_ENROLLED, "score": "score"})
_KALDI_TRIALS = Columns(say("format.kaldi_trials"), ("enroll", "test", "label"), {**_ENROLLED, "mated": "label"})
_KALDI_BOTH = Columns(
    say("format.kaldi_labelled"), ("enroll", "test", "score", "label"), {**_KALDI_SCORES.roles, "mated": "label"}
)
_SIDES = {"reference": "a", "probe": "b"}
_VOXCELEB_TRIALS = Columns(say("format.voxceleb_trials"), ("label", "a", "b"), {"mated": "label", **_SIDES})
_VOXCELEB_SCORES = Columns(say("format.voxceleb_scores"), ("score", "a", "b"), {"score": "score", **_SIDES})


def read_columns(source: Source, head: Head, request: Request, columns: Columns) -> ComparisonTable:
    """Read the columns that have a role."""
    roles = Roles(columns.roles)
    layout = Layout(columns.names, _separator(head, len(columns.names)))
    kinds = kinds_of(source.name, columns.names, roles, request)
    kinds = {name: kind for name, kind in kinds.items() if kind != "other"}
    frame = parse(source, head, layout, kinds)
    return assemble(source.name, frame, roles, request, [columns.note])


def _separator(head: Head, width: int) -> str:
    """Blanks where they cut most lines right and what the lines look like does not: ids may hold commas."""
    fitting = sum(len(split_line(line, BLANKS)) == width for line in head.lines)
    return BLANKS if head.width != width and 2 * fitting >= len(head.lines) else head.separator


def _is_loose(head: Head, width: int) -> bool:
    """Do blanks or tabs separate so many columns?"""
    return head.separator in LOOSE and head.width == width


def is_label_words(column: Sequence[str]) -> bool:
    """Nothing but words that are labels, such as target and nontarget?"""
    return is_label_column(column) and not all_numbers(column)


def is_ids(column: Sequence[str]) -> bool:
    """Could these be ids: no fractions, nothing empty, and no label words? One letter alone, such as t, is an id."""
    label_like = is_label_words(column) and (has_both_labels(column) or min(map(len, column)) > _LONGEST_ID_LIKE_LABEL)
    return is_id_like(column) and not label_like


def against(head: Head, columns: Columns) -> str:
    """What speaks against reading lines as these columns, if it is one column only; empty otherwise."""
    if not _is_loose(head, len(columns.names)):
        return ""
    role_of = {name: role for role, name in columns.roles.items()}
    faults = [
        _fault(number, name, role_of[name], values)
        for number, (name, values) in enumerate(zip(columns.names, head.columns(), strict=True), 1)
        if name in role_of
    ]
    named = [fault for fault in faults if fault]
    return f"{columns.title}, but {named[0]}" if len(named) == 1 else ""


def _fault(number: int, name: str, role: str, values: Sequence[str]) -> str:
    if role == "score":
        other = next((text for text in values if not is_number(text)), None)
        problem = "no number" if other is not None else ""
    elif role == "mated":
        other = next((text for text in values if meaning(text) is None), None)
        problem = "no label" if other is not None else ""
    else:
        other = next((text for text in values if not is_id_like([text])), None if is_ids(values) else values[0])
        problem = "no id" if other is not None else ""
    return f"column {number} ({name}) holds {other!r}, {problem}" if problem else ""


def fits_four(head: Head) -> bool:
    if not _is_loose(head, 4) or doubt_of_four(head) or label_is_third(head):
        return False
    claimed, real, probe, score = head.columns()
    labelled_elsewhere = (is_label_column(score) and not is_id_like(probe)) or (
        is_digit_label(claimed) and not is_digit_label(real)
    )
    return not labelled_elsewhere and all_numbers(score) and all(map(is_ids, (claimed, real, probe)))


def doubt_of_four(head: Head) -> bool:
    """Whole numbers and then nothing but labels: may the third column be the score?"""
    if not _is_loose(head, 4):
        return False
    _, _, third, last = head.columns()
    return is_digit_label(last) and has_both_labels(last) and all_numbers(third)


def label_is_third(head: Head) -> bool:
    """Two ids, a label of digits and a score: may the third column be no probe?"""
    if not _is_loose(head, 4):
        return False
    first, second, third, last = head.columns()
    labelled = is_digit_label(third) and has_both_labels(third) and all_numbers(last)
    return labelled and is_ids(first) and is_ids(second)


def near_four(head: Head) -> str:
    if label_is_third(head):
        return "if column 3 is the id of the probe; if it is the label, say --column label=3 --column score=4"
    return "if column 4 is the score" if doubt_of_four(head) else against(head, _BOB_4)


def fits_five(head: Head) -> bool:
    if not _is_loose(head, 5):
        return False
    *ids, score = head.columns()
    return all_numbers(score) and all(map(is_ids, ids))


def write_four(table: ComparisonTable | ScoreMatrix, file: BinaryIO) -> None:
    """Write `claimed real probe score`."""
    frame = require_rows(table, "bob-4", tuple(_BOB_4.roles))
    for role in ("reference_subject", "probe_subject", "probe"):
        if frame[role].null_count() or frame[role].str.contains(r"\s|^$|^#|\"").any():
            raise InputError(f"bob-4 is separated by blanks, but {role} has ids that are empty or hold blanks or '#'")
    frame.select(*_BOB_4.roles).write_csv(file, separator=" ", include_header=False)


def read_kaldi(source: Source, head: Head, request: Request) -> ComparisonTable:
    if head.width not in (3, 4):
        raise source.error(f"has {head.width} columns; kaldi lines are `enroll test score target|nontarget`")
    columns = _KALDI_BOTH
    if head.width == 3:
        columns = _KALDI_TRIALS if _third_is_label(source, head) else _KALDI_SCORES
    if asvspoof.is_keyed(head) and source.content.find(b"spoof") >= 0:  # perhaps beyond the lines looked at
        return asvspoof.read(source, head, request)
    return read_columns(source, head, request, columns)


def _third_is_label(source: Source, head: Head) -> bool:
    """Does the third of three columns hold labels? Of digits the whole file tells: the first lines may be all mated."""
    third = head.columns()[2]
    if not is_digit_label(third):
        return is_label_words(third)
    layout = Layout(_KALDI_TRIALS.names, head.separator)
    marks = parse(source, head, layout, {"label": "text"})["label"].drop_nulls().unique().to_list()
    return is_digit_label(marks) and has_both_labels(marks)


def fits_kaldi(head: Head) -> bool:
    if head.separator not in LOOSE or head.width not in (3, 4):
        return False
    columns = head.columns()
    if not all(map(is_ids, columns[:2])):
        return False
    if head.width == 3:
        return all_numbers(columns[2]) or is_label_words(columns[2])
    fractions = not is_id_like(columns[2])
    return all_numbers(columns[2]) and (is_label_words(columns[3]) or (fractions and is_label_column(columns[3])))


def near_kaldi(head: Head) -> str:
    return against(head, _KALDI_BOTH) or against(head, _KALDI_SCORES)


def fits_trials(head: Head) -> bool:
    if not _is_loose(head, 3):
        return False
    first, *ids = head.columns()
    digits = set(first) <= {"0", "1"} or (is_digit_label(first) and has_both_labels(first))
    label_words = is_label_words(first) and not is_ids(first)
    return (digits or label_words) and all(map(is_ids, ids))


def fits_scores(head: Head) -> bool:
    if not _is_loose(head, 3):
        return False
    first, *ids = head.columns()
    return all_numbers(first) and all(map(is_ids, ids)) and not fits_trials(head)


register(
    Format(
        "bob-2",
        "bob 2-column: label score",
        rank=4,
        fits=is_label_then_score,
        reader=partial(read_columns, columns=_BOB_2),
    ),
    Format(
        "bob-4",
        "bob 4-column: claimed real probe score",
        rank=4,
        fits=fits_four,
        reader=partial(read_columns, columns=_BOB_4),
        writer=write_four,
        near=near_four,
    ),
    Format(
        "bob-5",
        "bob 5-column: claimed model real probe score",
        rank=4,
        fits=fits_five,
        reader=partial(read_columns, columns=_BOB_5),
        near=partial(against, columns=_BOB_5),
    ),
    Format(
        "kaldi",
        "Kaldi, WeSpeaker: enroll test score target|nontarget",
        rank=4,
        fits=fits_kaldi,
        reader=read_kaldi,
        near=near_kaldi,
    ),
    Format(
        "voxceleb-trials",
        "VoxCeleb trials: label a b",
        rank=4,
        fits=fits_trials,
        reader=partial(read_columns, columns=_VOXCELEB_TRIALS),
    ),
    Format(
        "voxceleb-scores",
        "VoxCeleb scores: score a b",
        rank=4,
        fits=fits_scores,
        reader=partial(read_columns, columns=_VOXCELEB_SCORES),
        near=partial(against, columns=_VOXCELEB_SCORES),
    ),
)
