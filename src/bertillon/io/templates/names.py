"""What names tell: which array or column plays which part, and whose a template is.

Of arrays and columns case and punctuation do not matter; names are listed from the most to the least exact, and the
most exact one present is taken. What the caller says in `columns` (role to name) comes first; a role that is none of
`template`, `subject`, `sample` and `mask` names a metadata column.

Of a template or its file, the subject is what comes before the last underscore of a name (`anna_2.csv` is anna's sample
2), unless a pattern says it (its group called subject, else its first). Where names have several underscores and it is
not plain at which of them the subject ends, or nearly every name would be a person of its own, nothing is guessed: an
error lists the readings, with the number of people in each and the pattern that chooses.

Holds `find_columns`, `TemplateColumns`, `kind_by_name` and `METADATA`; `Owners`, `owners_by_name` and `compiled`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say
from bertillon.core.spelling import unknown
from bertillon.io.names import plain

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
METADATA = {
    "session": "session sessionid sessionindex sessions visit",
    "condition": "condition conditions",
    "quality": "quality qualities",
    "group": "group groups",
}
_METADATA_OF = {name: role for role, names in METADATA.items() for name in names.split()}


@dataclass(frozen=True, slots=True)
class TemplateColumns:
    """The column of each role, and the metadata columns under the name they are to have."""

    column: Mapping[str, str]
    metadata: Mapping[str, str]


def kind_by_name(name: str) -> str | None:
    """The kind of template a name speaks of.

    >>> kind_by_name("Iris_Codes"), kind_by_name("X"), kind_by_name("age")
    ('bits', 'vector', None)
    """
    return _KIND_OF.get(plain(name))


def find_columns(
    source: str, names: Sequence[str], columns: Mapping[str, str], roles: Sequence[str]
) -> TemplateColumns:
    """The column of each of the roles among the names, and known metadata, honouring the caller's choice."""
    for name in columns.values():
        if name not in names:
            raise InputError(unknown(f"{source}: column", name, names))
    column = {role: name for role, name in columns.items() if role in _SYNONYMS}
    metadata = {role: name for role, name in columns.items() if role not in _SYNONYMS}
    for role in roles:
        free = [name for name in names if name not in {*column.values(), *metadata.values()}]
        known = _SYNONYMS[role]
        fitting = sorted((known.index(plain(name)), rank) for rank, name in enumerate(free) if plain(name) in known)
        if fitting and role not in column:
            column[role] = free[fitting[0][1]]
    for name in names:
        usual = _METADATA_OF.get(plain(name))
        if usual and usual not in metadata and name not in {*column.values(), *metadata.values()}:
            metadata[usual] = name
    return TemplateColumns(column, metadata)


def subject_names() -> str:
    """The names of the subject column to suggest."""
    return ", ".join(_SYNONYMS["subject"][:3])


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
    return Owners(
        subject, say("reading.subjects_by_name", subject=repr(subject[0]), sample=repr(sample), name=names[0])
    )


def _by_pattern(names: Sequence[str], source: str, pattern: re.Pattern[str]) -> Owners:
    group = "subject" if "subject" in pattern.groupindex else 1
    matches = [pattern.search(name) for name in names]
    subject = [(match.group(group) or "") if match else "" for match in matches]
    missing = [name for name, owner in zip(names, subject, strict=True) if not owner]
    if missing:
        raise InputError(
            f"{source}: {len(missing):,} of {len(names):,} names do not fit {OPTION} {pattern.pattern!r}; the first is "
            f"{missing[0]!r}"
        )
    return Owners(
        subject,
        say("reading.subjects_by_pattern", pattern=repr(pattern.pattern), subject=repr(subject[0]), name=names[0]),
    )


def _require_plain(stems: Sequence[str], subject: Sequence[str], source: str) -> None:
    """Stop where another reading of the names is at least as likely."""
    others = {
        how: read
        for how, read in _readings(stems, subject).items()
        if 1 < len(set(read)) < len(set(subject)) and all(read)
    }
    one_each = 2 < len(subject) <= _NEARLY * len(set(subject))
    if not others or not (one_each or _is_crossed(stems)):
        return
    lines = [_shown("before the last underscore", "^(.+)_", subject, stems)]
    lines += [_shown(how[0], how[1], read, stems) for how, read in others.items()]
    raise InputError(
        f"{source}: the names can be read in several ways: {'; '.join(lines)}. Say which with "
        f"{OPTION}, or give --labels"
    )


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
        readings["without the number at the end", r"^(.*?)\d+_[^_]*$"] = [
            re.sub(r"\d+$", "", owner) for owner in subject
        ]
    return readings


def _is_crossed(stems: Sequence[str]) -> bool:
    """Do most names have between the first and the last underscore what names with another beginning have there?

    A session or a condition is met with many people, a family name with few.
    """
    parts = [(stem.partition("_")[0], stem.rpartition("_")[0].partition("_")[2]) for stem in stems]
    beginnings: dict[str, set[str]] = {}
    for first, middle in parts:
        beginnings.setdefault(middle, set()).add(first)
    crossed = sum(bool(middle) and len(beginnings[middle]) > 1 for _, middle in parts)
    return crossed > _SHARED * len(stems)
