"""Whose each template is, and which column says so: by names of arrays, columns and files, by labels beside them.

Of arrays and columns case and punctuation do not matter; names are listed from the most to the least exact, and the
most exact one present is taken. What the caller says in `columns` (role to name) comes first; a role that is none of
`template`, `subject`, `sample` and `mask` names a metadata column.

Of a template or its file, the subject is what comes before the last underscore of a name (`anna_2.csv` is anna's sample
2), unless a pattern says it (its group called subject, else its first). Where it is not plain at which underscore the
subject ends, or nearly every name would be a person of its own, an error lists the readings and the pattern of each.

Labels are one a template in the same order, or, where both name samples, one a sample under its id; a column that holds
the very samples of the templates names them, whatever it is called. For a folder there is one a file under its name. A
file of labels is

    CSV, TSV or Parquet with a column for the subject, perhaps one for the sample, and any metadata
    a list of subjects, one a line, blanks within names allowed, or an .npy array of them
    lines of a sample and a subject without a header, as `utt2spk` of Kaldi, where no sample repeats and subjects do

What else has no header may be any of these: the columns must be numbered, as subject=2.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core import InputError, Message, say
from bertillon.core.errors import unknown
from bertillon.core.lazy import pl
from bertillon.io import npy, parquet
from bertillon.io.columns import plain
from bertillon.io.convert import UnreadableError, as_array, texts, to_text
from bertillon.io.delimited import layout_of
from bertillon.io.registry import require_text
from bertillon.io.source import (
    BLANKS,
    Head,
    Source,
    all_numbers,
    is_counted,
    is_number,
    look,
    numbers_columns,
    open_source,
    split_line,
)
from bertillon.io.text import Layout, numbered, parse

OPTION = "--subject-pattern"
_NEARLY = 1.25  # templates a person, up to which nearly everybody has one
_SHARED = 0.5  # of the names, above which a part of them is no part of people's names
_KINDS = {
    "vector": "embeddings embedding templates template features feature vectors vector x",
    "bits": "codes code iriscodes iriscode iris bits",
    "histogram": "histograms histogram hists hist",
    "series": "series signals signal sequences sequence",
    "minutiae": "minutiae",
}
_KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names.split()}
_LISTED = {
    "template": " ".join(_KIND_OF),
    "subject": """
        subject subjects subjectid subjectids person personid identity identities identityid speaker speakerid spk
        user userid label labels y id ids class target
    """,
    "sample": """
        sample samples sampleid sampleids templateid file files filename filenames path image imageid utterance
        utteranceid key
    """,
    "mask": "mask masks irismasks irismask",
}
_SYNONYMS = {role: names.split() for role, names in _LISTED.items()}
SUBJECT_NAMES = ", ".join(_SYNONYMS["subject"][:3])
METADATA = {
    "session": "session sessionid sessionindex sessions visit",
    "condition": "condition conditions",
    "quality": "quality qualities",
    "group": "group groups",
}
_METADATA_OF = {name: role for role, names in METADATA.items() for name in names.split()}
LabelSource = str | os.PathLike[str] | ArrayLike


@dataclass(frozen=True, slots=True)
class TemplateColumns:
    """The column of each role, and the name that each column of metadata is to have."""

    column: Mapping[str, str]
    metadata: Mapping[str, str]


def kind_by_name(name: str) -> str | None:
    """The kind of template a name speaks of.

    >>> kind_by_name("Iris_Codes"), kind_by_name("X"), kind_by_name("age")
    ('bits', 'vector', None)
    """
    return _KIND_OF.get(plain(name))


def find_columns(source: str, names: Sequence[str], chosen: Mapping[str, str], roles: Sequence[str]) -> TemplateColumns:
    """The column of each of the roles among the names, and known metadata, honouring the caller's choice."""
    for name in chosen.values():
        if name not in names:
            raise InputError(unknown(f"{source}: column", name, names))
    column = {role: name for role, name in chosen.items() if role in _SYNONYMS}
    metadata = {name: role for role, name in chosen.items() if role not in _SYNONYMS}
    for role in roles:
        free = [name for name in names if name not in {*column.values(), *metadata}]
        known = _SYNONYMS[role]
        fitting = sorted((known.index(plain(name)), rank) for rank, name in enumerate(free) if plain(name) in known)
        if fitting and role not in column:
            column[role] = free[fitting[0][1]]
    for name in names:
        usual = _METADATA_OF.get(plain(name))
        if usual and usual not in metadata.values() and name not in {*column.values(), *metadata}:
            metadata[name] = usual
    return TemplateColumns(column, metadata)


@dataclass(frozen=True, slots=True)
class Owners:
    """The subject of each name, and how it was found, with an example."""

    subject: list[str]
    note: Message


def compiled(pattern: str | None) -> re.Pattern[str] | None:
    """The pattern, which must have a group to take the subject from."""
    if pattern is None:
        return None
    try:
        made = re.compile(pattern)
    except re.error as error:
        raise InputError(f"{OPTION}: {pattern!r} is not a regular expression ({error})") from error
    if not made.groups:
        raise InputError(f"{OPTION}: {pattern!r} has no group; put the subject in parentheses, as in '^([^_]+)_'")
    return made


def owners_by_name(
    names: Sequence[str], stems: Sequence[str], source: str, pattern: re.Pattern[str] | None = None
) -> Owners:
    """The subjects of names; `stems` are the same without folder and suffix, and a pattern is searched in the names."""
    if pattern is not None:
        return _by_pattern(names, source, pattern)
    subject = [stem.rpartition("_")[0] for stem in stems]
    for name, owner in zip(names, subject, strict=True):
        if not owner:
            raise InputError(
                f"{source}: the name {name!r} does not state its subject; call them subject_sample, say where the "
                f"subject is with {OPTION}, put files into one sub-folder per subject, or give --labels: a CSV file "
                "with the columns file and subject"
            )
    _require_plain(stems, subject, source)
    sample = stems[0][len(subject[0]) + 1 :]
    note = say("reading.subjects_by_name", subject=repr(subject[0]), sample=repr(sample), name=names[0])
    return Owners(subject, note)


def _by_pattern(names: Sequence[str], source: str, pattern: re.Pattern[str]) -> Owners:
    group = "subject" if "subject" in pattern.groupindex else 1
    matches = [pattern.search(name) for name in names]
    subject = [(match.group(group) or "") if match else "" for match in matches]
    missing = [name for name, owner in zip(names, subject, strict=True) if not owner]
    if missing:
        problem = f"{source}: {len(missing):,} of {len(names):,} names do not fit {OPTION} {pattern.pattern!r}"
        raise InputError(f"{problem}; the first is {missing[0]!r}")
    example = {"subject": repr(subject[0]), "name": names[0]}
    return Owners(subject, say("reading.subjects_by_pattern", pattern=repr(pattern.pattern), **example))


def _require_plain(stems: Sequence[str], subject: Sequence[str], source: str) -> None:
    """Stop where another reading of the names is at least as likely."""
    readings, most = _readings(stems, subject), len(set(subject))
    others = {how: read for how, read in readings.items() if 1 < len(set(read)) < most and all(read)}
    one_each = 2 < len(subject) <= _NEARLY * most
    if not others or not (one_each or _is_crossed(stems)):
        return
    lines = [_shown("before the last underscore", "^(.+)_", subject, stems)]
    lines += [_shown(how[0], how[1], read, stems) for how, read in others.items()]
    problem = f"{source}: the names can be read in several ways"
    raise InputError(f"{problem}: {'; '.join(lines)}. Say which with {OPTION}, or give --labels")


def _shown(how: str, pattern: str, subject: Sequence[str], stems: Sequence[str]) -> str:
    return f"{how}, {len(set(subject)):,} people ({subject[0]!r} from {stems[0]!r}; {OPTION} '{pattern}')"


def _readings(stems: Sequence[str], subject: Sequence[str]) -> dict[tuple[str, str], list[str]]:
    """Other ends of the subject, with the pattern that takes each."""
    readings = {("before the first underscore", "^([^_]+)_"): [stem.partition("_")[0] for stem in stems]}
    for word, sign in (("hyphen", "-"), ("dot", ".")):
        if all(sign in owner for owner in subject):
            how = (f"before the first {word}", rf"^([^{sign}]+)[{sign}]")
            readings[how] = [owner.partition(sign)[0] for owner in subject]
    if all(re.search(r"\d$", owner) for owner in subject):
        how = "without the number at the end", r"^(.*?)\d+_[^_]*$"
        readings[how] = [re.sub(r"\d+$", "", owner) for owner in subject]
    return readings


def _is_crossed(stems: Sequence[str]) -> bool:
    """Do most names have between their first and last underscore what other people have there, such as a session?"""
    parts = [(stem.partition("_")[0], stem.rpartition("_")[0].partition("_")[2]) for stem in stems]
    beginnings: dict[str, set[str]] = {}
    for first, middle in parts:
        beginnings.setdefault(middle, set()).add(first)
    crossed = sum(bool(middle) and len(beginnings[middle]) > 1 for _, middle in parts)
    return crossed > _SHARED * len(stems)


@dataclass(frozen=True, slots=True)
class Labels:
    """Subjects, samples where they are named, and metadata, one a template."""

    subject: NDArray[np.str_]
    sample: NDArray[np.str_] | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    source: str = "labels"
    notes: tuple[Message, ...] = ()  # how they were put in the order of the templates

    def __len__(self) -> int:
        return len(self.subject)


def read_labels(labels: LabelSource, columns: Mapping[str, str]) -> Labels:
    if not isinstance(labels, str | os.PathLike):
        return Labels(texts(labels))
    source = open_source(labels)
    head = look(source)
    if head.raw.startswith(npy.MAGIC):
        array = npy.load_array(source, source.content)
        if array.ndim != 1:
            raise source.error(f"holds an array of shape {array.shape}; one subject per template is expected")
        return Labels(texts(array), source=source.name)
    if not head.raw.startswith(parquet.MAGIC):
        require_text(source, head)
        if not columns and not _has_subject(source, head):
            return _without_header(source, head)
        one_column = len(head.rows[0]) == 1 or columns == {"subject": head.lines[0].strip()}
        if head.separator == BLANKS and one_column:  # whose names may hold blanks
            people = [line.strip() for _, line in numbered(source.content, header=True)]
            return Labels(as_array(people, source.name), source=source.name)
    frame = read_frame(source, columns)
    known = find_columns(source.name, frame.columns, columns, ("subject", "sample"))
    require_subject(source, known.column, frame.columns)
    others = [name for name in frame.columns if name not in known.column.values()]
    metadata = {known.metadata.get(name, name): frame[name] for name in others}
    sample = ids(source, frame[known.column["sample"]]) if "sample" in known.column else None
    return Labels(ids(source, frame[known.column["subject"]]), sample, metadata, source.name)


def _has_subject(source: Source, head: Head) -> bool:
    """Does the first line name a subject column: alone, or among as many names as there are columns?"""
    first = head.names
    name = find_columns(source.name, first, {}, ("subject",)).column.get("subject")
    if name is None or (len(first) > 1 and len(first) != head.width) or any(is_number(text) for text in first if text):
        return False
    column = first.index(name)
    return all(len(row) <= column or row[column].strip() != name for row in head.rows[1:])  # user 1, user 2, ...


def _without_header(source: Source, head: Head) -> Labels:
    lines = [line.strip() for _, line in numbered(source.content, header=False)]
    rows = [[text.strip() for text in split_line(line, head.separator)] for line in lines]
    widths, repeated = {len(row) for row in rows}, len(set(lines)) < len(lines)
    if widths == {1} or (head.separator == BLANKS and repeated):
        return Labels(as_array(lines, source.name), source=source.name)
    if widths == {2}:
        by_number = numbers_columns(head) and not rows[0][0]  # `,0`: a list that pandas wrote with its index
        first, second = (as_array(column, source.name) for column in zip(*rows[by_number:], strict=True))
        if by_number and is_counted(first.tolist()):
            return Labels(second, source=source.name)
        pairs = len(set(first.tolist())) == len(first) > len(set(second.tolist()))
        if pairs or source.path.name == "utt2spk":
            return Labels(second, first, source=source.name)
    raise source.error(
        f"has no header with a column with the subject of each template ({SUBJECT_NAMES}), and the first line "
        f"({lines[0]!r}) is not a plain list of subjects; name the column of the header, or number it, with --column "
        f"subject={'NAME' if widths == {1} else max(widths)}"
    )


def in_order(labels: Labels, sample: NDArray[np.str_] | None, source: str) -> Labels:
    """The labels in the order of the templates: by sample where both name them, else one each."""
    if sample is not None and labels.sample is None:
        labels = _with_samples(labels, sample)
    if sample is None or labels.sample is None or np.array_equal(sample, labels.sample):
        require_length(labels, len(labels) if sample is None else len(sample), source)
        return labels
    row_of = {name: row for row, name in enumerate(labels.sample.tolist())}
    missing = [name for name in sample.tolist() if name not in row_of]
    if missing:
        problem = f"{labels.source}: has no line for {len(missing):,} of {len(sample):,} samples of {source}"
        raise InputError(f"{problem}; the first is {missing[0]!r}")
    if len(row_of) < len(labels):
        raise InputError(f"{labels.source}: names a sample twice; each sample has one line")
    rows = np.array([row_of[name] for name in sample.tolist()])
    metadata = {name: values[rows] for name, values in labels.metadata.items()}
    return Labels(labels.subject[rows], sample, metadata, labels.source, labels.notes)


def _with_samples(labels: Labels, sample: NDArray[np.str_]) -> Labels:
    """The labels with the column that holds the very samples of the templates, whatever its name."""
    wanted = set(sample.tolist())
    for name, values in labels.metadata.items():
        if values.dtype != pl.String and not values.dtype.is_integer():
            continue
        names = [text or "" for text in to_text(values).to_list()]
        if set(names) == wanted:
            rest = {other: kept for other, kept in labels.metadata.items() if other != name}
            note = say("reading.labels_by_column", name=repr(name))
            return Labels(labels.subject, np.array(names, np.str_), rest, labels.source, (note,))
    note = say("reading.labels_in_order")
    return Labels(labels.subject, None, labels.metadata, labels.source, (note,))


def require_subject(source: Source, column: Mapping[str, str], names: Sequence[str]) -> None:
    if "subject" not in column:
        shown = ", ".join(names[:10])
        problem = f"no column states the subject of each template; name one subject ({SUBJECT_NAMES})"
        raise source.error(f"{problem}, or say which it is with --column subject=NAME. Columns present: {shown}")


def ids(source: Source, column: pl.Series) -> NDArray[np.str_]:
    """A column as text; what is missing is the empty text."""
    try:
        return as_array(to_text(column).fill_null("").to_list(), source.name)
    except (UnreadableError, pl.exceptions.PolarsError) as error:
        raise source.error(f"column {column.name!r} holds {column.dtype}, not ids") from error


def read_frame(
    source: Source, columns: Mapping[str, str], *, features: bool = False, labelled: bool = False
) -> pl.DataFrame:
    """A CSV or Parquet file as columns, with `features` of numbers; `labelled` by another file it needs no subject."""
    head = look(source)
    if head.raw.startswith(parquet.MAGIC):
        return parquet.read_frame(source)
    require_text(source, head)
    layout = _layout(source, head, columns, labelled=labelled)
    known = find_columns(source.name, layout.names, columns, ("subject", "sample"))
    body = head.columns(skip=1 if layout.header else 0)
    kinds = {}
    for column, name in enumerate(layout.names):
        number = features and column < len(body) and all_numbers(body[column])
        kinds[name] = "score" if number and name not in known.metadata else "other"
    kinds |= {known.column[role]: "text" for role in ("subject", "sample") if role in known.column}
    return parse(source, head, layout, kinds)


def _layout(source: Source, head: Head, columns: Mapping[str, str], *, labelled: bool) -> Layout:
    """The layout of a file whose first line names a subject column, or whose columns the caller names or numbers."""
    if columns and all(name.isdecimal() for name in columns.values()):
        return Layout(tuple(str(column + 1) for column in range(head.width)), head.separator)
    if columns:
        return layout_of(source, head, columns)
    first = head.names
    known = find_columns(source.name, first, {}, ("subject",)).column
    if "subject" not in known and labelled:  # where the first line numbers the columns, they are called so
        return layout_of(source, head, {"feature": "0"} if numbers_columns(head) else {})
    require_subject(source, known, first)
    return layout_of(source, head, {"subject": known["subject"]})


def note_unused_labels(labels: Labels | None, subject: str | None) -> list[Message]:
    """What to say where the file of templates has subjects of its own."""
    unused = labels is not None and subject is not None
    return [say("reading.own_subjects_left_out", name=repr(subject))] if unused else []


def require_length(labels: Labels, n: int, source: str) -> None:
    if len(labels) == n:
        return
    first = str(labels.subject[0]) if len(labels) else ""
    header = f". If the first line ({first!r}) is a header, say so: --column subject={first!r}"
    raise InputError(
        f"{labels.source}: there are {len(labels):,} labels for the {n:,} templates of {source}; "
        f"give one label per template, in the same order{header if len(labels) == n + 1 else ''}"
    )
