"""Which array or column plays which part, found by its name.

Conventions: case and punctuation do not matter; names are listed from the most to the least exact, and the most exact
one present is taken. What the caller says in `columns` (role to name) comes first; a role that is none of `template`,
`subject`, `sample` and `mask` names a metadata column.

Holds `find_columns`, `TemplateColumns`, `kind_by_name` and `METADATA`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bertillon.core.errors import InputError
from bertillon.core.spelling import unknown
from bertillon.io.names import plain

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
