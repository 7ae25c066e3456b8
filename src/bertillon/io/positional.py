"""Text whose columns are known by their place: the formats of bob, Kaldi, VoxCeleb and LFW.

    bob-2             label score                          label 1 (mated) or -1, also 1 or 0
    bob-4             claimed real probe score             mated where claimed (reference) and real (probe) are equal
    bob-5             claimed model real probe score       likewise, with the id of the model
    kaldi             enroll test score target|nontarget   of Kaldi and WeSpeaker; score or label may be missing
    voxceleb-trials   label a b                            `a` is the reference (enrolment), `b` the probe
    voxceleb-scores   score a b
    lfw-pairs         name n1 n2, name1 n1 name2 n2        which images are to be compared, mated and non-mated

Conventions: any run of blanks or tabs separates, or what cuts every line into as many fields. A format of this kind is
a declaration: the names of its columns and the role each plays. Sniffing: a score is a number, a label nothing but
labels, ids have no fractions and are no label words. Two columns are bob-2 only if the first holds nothing but labels
and the second does not; four columns are not bob-4 where another than the last may be the score or the label. Of three
columns whose last holds 1 and 0 or -1 all lines are looked at: with both of them it holds labels. With spoof among the
labels the lines are those of SASV (see `attacks`).

LFW: the first line is `folds pairs` or `pairs`; each fold has so many mated lines `name n1 n2`, then as many non-mated
lines `name1 n1 name2 n2`. An image is called `Name_0001`; the first of a pair is the probe; `fold` counts from 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from bertillon.core.errors import SHOWN_FAULTS, Fault, InputError, faults_error
from bertillon.core.lazy import pl
from bertillon.core.messages import Message, Text, say
from bertillon.core.tables import ComparisonTable, ScoreMatrix
from bertillon.io.attacks import is_keyed, read_asvspoof
from bertillon.io.columns import Roles, assemble, kinds_of
from bertillon.io.delimited import is_label_then_score, require_rows
from bertillon.io.labels import has_both_labels, is_digit_label, is_label_column, meaning
from bertillon.io.registry import Format, Request, register
from bertillon.io.source import BLANKS, LOOSE, Head, Source, all_numbers, is_id_like, is_number, split_line
from bertillon.io.text import Layout, numbered, parse

_LONGEST_ID_LIKE_LABEL = 3  # letters
_LFW_LINES = "`name n1 n2` (mated) or `name1 n1 name2 n2` (non-mated)"


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a format in order: the role that each plays, and what it is called."""

    title: Text
    roles: Mapping[str, str]
    understood: Message | None = None  # where the names of the columns say nothing

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.roles.values())

    def read(self, source: Source, head: Head, request: Request) -> ComparisonTable:
        roles, width = Roles(self.roles), len(self.roles)
        fitting = sum(len(split_line(line, BLANKS)) == width for line in head.lines)
        by_blanks = head.width != width and 2 * fitting >= len(head.lines)  # ids may hold commas
        layout = Layout(self.names, BLANKS if by_blanks else head.separator)
        frame = parse(source, head, layout, kinds_of(source.name, self.names, roles, request))
        note = self.understood or say("reading.format_columns", format=self.title, columns=self.names)
        return assemble(source.name, frame, roles, request, [note])

    def against(self, head: Head) -> str:
        """What speaks against reading lines as these columns, if it is one column only; empty otherwise."""
        if not _is_loose(head, len(self.names)):
            return ""
        columns = enumerate(zip(self.roles.items(), head.columns(), strict=True), 1)
        named = [fault for n, ((role, name), values) in columns if (fault := _fault(n, name, role, values))]
        return f"{self.title}, but {named[0]}" if len(named) == 1 else ""


_SCORE, _LABEL, _REAL = {"score": "score"}, {"mated": "label"}, {"probe_subject": "real", "probe": "probe"}
_CLAIMED = {"reference_subject": "claimed"}
_ENROLLED, _SIDES = {"reference": "enroll", "probe": "test"}, {"reference": "a", "probe": "b"}
_BOB_2 = Columns(say("format.bob_2"), _LABEL | _SCORE)
_BOB_4 = Columns(say("format.bob_4"), _CLAIMED | _REAL | _SCORE)
_BOB_5 = Columns(say("format.bob_5"), _CLAIMED | {"reference": "model"} | _REAL | _SCORE)
_KALDI_SCORES = Columns(say("format.kaldi_scores"), _ENROLLED | _SCORE)
_KALDI_TRIALS = Columns(say("format.kaldi_trials"), _ENROLLED | _LABEL)
_KALDI_BOTH = Columns(say("format.kaldi_labelled"), _ENROLLED | _SCORE | _LABEL)
_VOX_TRIALS = Columns(say("format.voxceleb_trials"), _LABEL | _SIDES)
_VOX_SCORES = Columns(say("format.voxceleb_scores"), _SCORE | _SIDES)


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


def _fault(number: int, name: str, role: str, values: Sequence[str]) -> str:
    if role == "score":
        other, problem = next((text for text in values if not is_number(text)), None), "no number"
    elif role == "mated":
        other, problem = next((text for text in values if meaning(text) is None), None), "no label"
    else:
        doubtful = None if is_ids(values) else values[0]
        other, problem = next((text for text in values if not is_id_like([text])), doubtful), "no id"
    return f"column {number} ({name}) holds {other!r}, {problem}" if other is not None else ""


def fits_four(head: Head) -> bool:
    if not _is_loose(head, 4) or doubt_of_four(head) or label_is_third(head):
        return False
    claimed, real, probe, score = head.columns()
    if (is_label_column(score) and not is_id_like(probe)) or (is_digit_label(claimed) and not is_digit_label(real)):
        return False  # the label is elsewhere
    return all_numbers(score) and all(map(is_ids, (claimed, real, probe)))


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
    return "if column 4 is the score" if doubt_of_four(head) else _BOB_4.against(head)


def fits_five(head: Head) -> bool:
    return _is_loose(head, 5) and all_numbers(head.columns()[-1]) and all(map(is_ids, head.columns()[:-1]))


def write_four(table: ComparisonTable | ScoreMatrix, file: BinaryIO) -> None:
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
    if is_keyed(head) and source.content.find(b"spoof") >= 0:  # perhaps beyond the lines looked at
        return read_asvspoof(source, head, request)
    return columns.read(source, head, request)


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
    return _KALDI_BOTH.against(head) or _KALDI_SCORES.against(head)


def fits_trials(head: Head) -> bool:
    if not _is_loose(head, 3):
        return False
    first, *ids = head.columns()
    digits = set(first) <= {"0", "1"} or (is_digit_label(first) and has_both_labels(first))
    label_words = is_label_words(first) and not is_ids(first)
    return (digits or label_words) and all(map(is_ids, ids))


def fits_scores(head: Head) -> bool:
    fitting = _is_loose(head, 3) and all_numbers(head.columns()[0]) and all(map(is_ids, head.columns()[1:]))
    return fitting and not fits_trials(head)


def read_lfw(source: Source, head: Head, request: Request) -> ComparisonTable:
    first = head.lines[0].split() if head.lines else []
    if not 1 <= len(first) <= 2 or not all(map(_is_count, first)):
        raise source.error("the first line of LFW pairs is `folds pairs` or `pairs`, whole numbers above 0", 1)
    folds, pairs = (1, *map(int, first))[-2:]
    rows = _pairs(source)
    expected = folds * pairs * 2
    if len(rows) != expected:
        raise source.error(f"has {len(rows):,} pairs, but its first line states {expected:,}; is it cut off?")
    frame = pl.DataFrame(rows, schema=["probe", "reference", "probe_subject", "reference_subject"], orient="row")
    fold = pl.Series("fold", [number // (2 * pairs) for number in range(len(rows))])
    frame = frame.select((frame["probe_subject"] == frame["reference_subject"]).alias("mated"), pl.all(), fold)
    notes = (say("reading.lfw", folds=folds, pairs=pairs),)
    kept = frame if request.ids else frame.select("mated")
    return ComparisonTable(kept, source.name, request.format, notes=notes)


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10 and int(text) > 0


def _pairs(source: Source) -> list[tuple[str, ...]]:
    read = [(number, line, _pair(line.split())) for number, line in numbered(source.content, header=True)]
    faults = [Fault(number, line, f"is no pair; expected {_LFW_LINES}") for number, line, pair in read if not pair]
    if faults:
        raise faults_error(source.name, faults[:SHOWN_FAULTS], len(faults))
    return [pair for _, _, pair in read if pair]


def _pair(fields: Sequence[str]) -> tuple[str, ...] | None:
    """Both images and both subjects; None where the fields are no pair."""
    if len(fields) == 3:
        fields = (fields[0], fields[1], fields[0], fields[2])
    if len(fields) != 4 or not _is_count(fields[1]) or not _is_count(fields[3]):
        return None
    probe, reference = (f"{subject}_{int(number):04d}" for subject, number in (fields[:2], fields[2:]))
    return probe, reference, fields[0], fields[2]


def fits_lfw(head: Head) -> bool:
    lines = [line.split() for line in head.lines]
    if len(lines) < 2 or len(lines[0]) > 2 or not all(map(_is_count, lines[0])):
        return False
    good = sum(_pair(fields) is not None for fields in lines[1:])
    return 2 * good > len(lines) - 1


register(
    Format("lfw-pairs", "LFW pairs.txt: trials in folds", 2, fits_lfw, read_lfw, columns=2),
    Format("bob-2", "bob 2-column: label score", 4, is_label_then_score, _BOB_2.read, columns=2),
    Format(
        "bob-4",
        "bob 4-column: claimed real probe score",
        4,
        fits_four,
        _BOB_4.read,
        write_four,
        near=near_four,
        columns=4,
    ),
    Format(
        "bob-5",
        "bob 5-column: claimed model real probe score",
        4,
        fits_five,
        _BOB_5.read,
        near=_BOB_5.against,
        columns=5,
    ),
    Format(
        "kaldi",
        "Kaldi, WeSpeaker: enroll test score target|nontarget",
        4,
        fits_kaldi,
        read_kaldi,
        near=near_kaldi,
        columns=3,
    ),
    Format("voxceleb-trials", "VoxCeleb trials: label a b", 4, fits_trials, _VOX_TRIALS.read, columns=3),
    Format(
        "voxceleb-scores",
        "VoxCeleb scores: score a b",
        4,
        fits_scores,
        _VOX_SCORES.read,
        near=_VOX_SCORES.against,
        columns=3,
    ),
)
