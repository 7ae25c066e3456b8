"""Which column plays which role, found by its name, and the `ComparisonTable` that the columns of a file make.

Conventions: case and punctuation in names do not matter. For each role the names are listed from the most to the
least exact, and the most exact one present wins; the others stay as further columns and are named in the notes.
What the caller says in `columns` comes before any guess, and what is said of label values before what labels usually
mean. In the table role columns come first, in the order of `tables.ROLES`; every further column keeps its name. Without
a label column but with both subjects, a comparison is mated when the two are equal. A row is an attack where its label
says so, where the column of attacks names a species, or where the real id of the probe is a word for attacks (as bob
writes) and no reference is called so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bertillon.core import AcceptRule, InputError
from bertillon.core.errors import listed, unknown
from bertillon.core.lazy import pl
from bertillon.core.messages import Message, say
from bertillon.core.tables import ROLES, ComparisonTable
from bertillon.io.labels import LabelError, stated_labels, to_labels
from bertillon.io.registry import Request

_DISTANCES = """
    distance dist distances dissimilarity euclideandistance euclidean cosinedistance cosdist l2distance l2
    hammingdistance hamming hd
"""
_LISTED = {
    "score": f"""
        score scores similarity distance similarityscore simscore llr dist
        loglikelihoodratio sim comparisonscore matchscore matchingscore cosinesimilarity cosine cossim
        yscore logit probability prob confidence {_DISTANCES}
    """,
    "mated": """
        mated label target genuine ismated istarget isgenuine same issame match ismatch samesubject sameperson
        sameidentity samespeaker ytrue labels targettype trialtype truth groundtruth gt class key y
    """,
    "probe": """
        probe probeid probesample probesampleid probetemplate probetemplateid probefile probepath test testid
        testsegment testfile query queryid segment segmentid segmentname verif verification
        sample1 sampleid1 image1 img1 file1 filename1 path1 utterance1 utt1 template1 id1
    """,
    "reference": """
        reference referenceid referencesample referencesampleid referencetemplate referencetemplateid referencefile
        ref refid enroll enrol enrollid enrolid enrollment enrolment enrollmentid model modelid gallery galleryid
        template templateid sample2 sampleid2 image2 img2 file2 filename2 path2 utterance2 utt2 template2 id2
    """,
    "probe_subject": """
        probesubject probesubjectid subjectprobe probeperson probepersonid probeidentity probespeaker probespeakerid
        testsubject testsubjectid testspeaker testspeakerid querysubject querysubjectid realid real
        subject1 subjectid1 subject1id person1 personid1 identity1 speaker1 speakerid1 spk1 name1
    """,
    "reference_subject": """
        referencesubject referencesubjectid subjectreference referenceperson referencepersonid referenceidentity
        referencespeaker refsubject refsubjectid enrollsubject enrollsubjectid enrolsubject enrollspeaker
        modelsubject modelspeaker gallerysubject gallerysubjectid biorefsubjectid claimedid claimed
        subject2 subjectid2 subject2id person2 personid2 identity2 speaker2 speakerid2 spk2 name2
    """,
}
_LISTED["attack"] = """
    attack species paispecies pais pai attacktype probeattacktype attackspecies attackid spooftype instrument
    isattack attacklabel spoof isspoof padlabel presentation presentationtype bonafide isbonafide live islive
"""
_SYNONYMS = {role: list(dict.fromkeys(names.split())) for role, names in _LISTED.items()}
_ROLE_OF = {name: role for role, names in _SYNONYMS.items() for name in names}
_ALIASES = {"label": "mated", "distance": "score", "species": "attack"}
_KINDS = {"score": "score", "mated": "label"}
_SUBJECTS = ("probe_subject", "reference_subject")
BONA_FIDE = (
    *("", "-", "bonafide", "bona fide", "bona-fide", "bona_fide", "live", "real", "genuine", "human", "licit"),
    *("normal", "none", "no", "no attack", "noattack", "na", "n/a", "nan", "null", "zero-effort", "0", "0.0", "false"),
)
_MARKS = ("1", "1.0", "true", "yes", "attack", "spoof", "presentation attack")  # that name no species
_BONA_FIDE_COLUMNS = ("bonafide", "isbonafide", "live", "islive")  # where yes means no attack
_NOBODY = ("unknown", "Unknown", "UNKNOWN", "nan", "NaN", "None", "none", "null", "NULL", "N/A", "n/a", "?", "")
_ATTACKERS = r"(?i)(^|[/_-])(attack|spoof)([/_-]|$)"


@dataclass(frozen=True, slots=True)
class Roles:
    """The column of each role present, the direction its name states, and what there is to say about the choice."""

    column: Mapping[str, str]
    rule: AcceptRule | None = None
    notes: tuple[Message, ...] = ()
    rivals: tuple[str, ...] = ()  # other columns that could be the label, where nobody said which is


def known_role(name: str) -> str | None:
    """The role a column of this name usually plays.

    >>> known_role("Probe Subject ID"), known_role("LLR"), known_role("gender")
    ('probe_subject', 'score', None)
    """
    return _ROLE_OF.get(plain(name))


def plain(name: str) -> str:
    """A name as names are compared: without case and punctuation."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


def first_known(names: Sequence[str], known: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The column of each role that has one: the first of its plain names that is there.

    >>> first_known(["Rank", "Search ID"], {"search": ("searchid", "search"), "score": ("score",)})
    {'search': 'Search ID'}
    """
    by_name = {plain(name): name for name in reversed(names)}
    return {role: by_name[word] for role, words in known.items() for word in words[::-1] if word in by_name}


def find_roles(source: str, names: Sequence[str], columns: Mapping[str, str]) -> Roles:
    """Find the column of each role among the names, honouring the caller's choice."""
    chosen = {_ALIASES.get(role, role): name for role, name in columns.items()}
    for role, name in chosen.items():
        if role not in ROLES:
            raise InputError(unknown("columns: role", role, [*ROLES, *_ALIASES]))
        if name not in names:
            raise InputError(unknown(f"{source}: column", name, names))
    if len(chosen) < len(columns):
        raise InputError(f"{source}: columns {sorted(columns)} name the same role twice; give each role once")
    column, notes = dict(chosen), []
    rivals: tuple[str, ...] = ()
    for role in ROLES:
        order = {name: rank for rank, name in enumerate(_SYNONYMS[role])}
        fitting = [name for name in names if name not in column.values() and plain(name) in order]
        candidates = sorted(fitting, key=lambda name: order[plain(name)])
        if candidates and role not in column:
            column[role], *others = candidates
            if others:
                notes.append(say("reading.column.chosen", name=repr(column[role]), role=role, others=listed(others)))
            rivals = tuple(others) if role == "mated" else rivals
    stated = "distance" in columns or plain(column.get("score", "")) in _DISTANCES.split()
    return Roles(column, AcceptRule.DISTANCE if stated else None, tuple(notes), rivals)


def kinds_of(source: str, names: Sequence[str], roles: Roles, request: Request) -> dict[str, str]:
    """Which of the file's columns to read, and as what; there must be a score, a label, or both subjects."""
    if roles.column.keys().isdisjoint({"score", "mated"}) and not set(_SUBJECTS) <= set(roles.column):
        raise InputError(
            f"{source}: no column is known as a score or a label. Columns present: {listed(names)}. "
            "Say which is which with --column score=NAME --column label=NAME (columns= in Python); if these are "
            "templates, say --kind vector"
        )
    role_of = {column: role for role, column in roles.column.items()}
    kinds = {name: _KINDS.get(role_of[name], "text") if name in role_of else "other" for name in names}
    label = roles.column.get("mated")
    if label and (request.values or request.written):
        kinds[label] = "text"
    elif request.values:
        problem = f"{source}: --values says what labels mean, and no column holds labels. Columns present"
        raise InputError(f"{problem}: {listed(names)}. Say which it is with --column label=NAME")
    if request.ids:
        return kinds
    needed = {"score", "mated", "attack"} if label else {"score", "attack", *_SUBJECTS}
    return {name: kind for name, kind in kinds.items() if role_of.get(name) in needed}


def assemble(
    source: str, frame: pl.DataFrame, roles: Roles, request: Request, notes: Sequence[Message]
) -> ComparisonTable:
    """The table of a frame that has the file's column names."""
    named, attacks = _labelled(source, _renamed(frame, roles.column), request)
    _require_one_truth(source, named, roles)
    every_note = [*notes, *roles.notes]
    if "mated" not in named.columns and set(_SUBJECTS) <= set(named.columns):
        named = _with_mated(source, named)
        every_note.append(say("reading.mated_by_subject"))
    named = _with_attacks(named, attacks, roles.column.get("attack", ""))
    ordered = _roles_first(named)
    if not request.ids:
        ordered = [role for role in ("score", "mated", "attack") if role in named.columns]
    kept = pl.DataFrame([named[name] for name in ordered])
    return ComparisonTable(kept, source, request.format, roles.rule, tuple(every_note), roles.column)


def _roles_first(frame: pl.DataFrame) -> list[str]:
    """The columns of a frame, those that play a role first."""
    roles = [role for role in ROLES if role in frame.columns]
    return roles + [name for name in frame.columns if name not in roles]


def _renamed(frame: pl.DataFrame, column: Mapping[str, str]) -> pl.DataFrame:
    role_of = {name: role for role, name in column.items() if name in frame.columns}
    taken = set(role_of.values())
    clashes = {name: f"{name} (in file)" for name in frame.columns if name in taken and name not in role_of}
    new = role_of | clashes
    # column by column: what goes through the threads of polars would wait there for the batch it reads ahead
    return pl.DataFrame([column.alias(new.get(column.name, column.name)) for column in frame.get_columns()])


def _labelled(source: str, frame: pl.DataFrame, request: Request) -> tuple[pl.DataFrame, pl.Series | None]:
    """Labels as booleans, by what was said of their values, and the words for attacks among them."""
    if "mated" not in frame.columns:
        return frame, None
    labels = frame["mated"]
    if request.written:
        frame = frame.with_columns(labels.cast(pl.String).alias("written"))
    if labels.dtype == pl.Boolean:
        return frame, None
    if labels.dtype != pl.Struct:
        try:
            labels = stated_labels(labels, request.values) if request.values else to_labels(labels)
        except LabelError as problem:
            raise InputError(f"{source}: {problem}") from problem
    if labels.dtype == pl.Boolean:
        return frame.with_columns(labels.alias("mated")), None
    return frame.with_columns(labels.struct.field("mated")), labels.struct.field("attack")


def _require_one_truth(source: str, frame: pl.DataFrame, roles: Roles) -> None:
    """Two columns that could be the label must say the same: one of them may be what a system decided."""
    for name in roles.rivals:
        if name not in frame.columns or "mated" not in frame.columns:
            continue
        try:
            other = to_labels(frame[name])
        except LabelError:
            continue  # no label after all
        if other.dtype != frame["mated"].dtype:
            continue
        wrong = other != frame["mated"]
        if wrong.any():
            row, label = int(wrong.arg_max() or 0) + 1, roles.column["mated"]
            raise InputError(
                f"{source}: columns {label!r} and {name!r} could both be the label, and they contradict each other in "
                f"{int(wrong.sum()):,} of {frame.height:,} rows (the first is row {row:,}); say which is the truth "
                f"with --column label={label} or --column label={name}"
            )


def _with_mated(source: str, frame: pl.DataFrame) -> pl.DataFrame:
    for role in _SUBJECTS:
        missing = frame[role].null_count() + int(frame[role].is_in(_NOBODY).sum())
        if missing:
            raise InputError(
                f"{source}: {role} is empty or unknown in {missing:,} of {frame.height:,} comparisons, so these are "
                "neither mated nor non-mated; fill it in, remove them, or add a label column"
            )
    equal = frame[_SUBJECTS[0]] == frame[_SUBJECTS[1]]
    _require_one_spelling(source, frame, equal)
    return frame.with_columns(mated=equal)


def _require_one_spelling(source: str, frame: pl.DataFrame, equal: pl.Series) -> None:
    """Ids of one person that differ by case or leading zeros would make mated comparisons non-mated."""
    people = pl.concat([frame[role].unique() for role in _SUBJECTS]).unique()
    folded = people.str.to_lowercase().str.strip_chars_start("0")
    if folded.n_unique() == people.len():
        return
    sides = [frame[role].str.to_lowercase().str.strip_chars_start("0") for role in _SUBJECTS]
    doubtful = (sides[0] == sides[1]) & ~equal
    if doubtful.any():
        first = frame.filter(doubtful).row(0, named=True)
        raise InputError(
            f"{source}: {int(doubtful.sum()):,} comparisons have subjects that differ by case or leading zeros only "
            f"({first[_SUBJECTS[0]]!r} and {first[_SUBJECTS[1]]!r}): one person or two? Write ids in one way, or add a "
            "label column"
        )


def _with_attacks(frame: pl.DataFrame, by_label: pl.Series | None, called: str) -> pl.DataFrame:
    """The species of each attack, null for all other rows; no such column where nothing speaks of attacks.

    A species comes from the column of attacks, else from the label. Where there is such a column and it says nothing of
    a row whose label is that of an attack, the species is the empty text: not named.
    """
    attacks = by_label
    if "attack" in frame.columns:
        attacks = _species(frame["attack"], called)
        if by_label is not None:
            unnamed = pl.select(pl.when(by_label.is_not_null()).then(pl.lit(""))).to_series()
            attacks = attacks.zip_with(attacks.is_not_null(), unnamed)
    elif attacks is None and "probe_subject" in frame.columns:
        attacks = _attackers(frame)
    return frame if attacks is None else frame.with_columns(attacks.alias("attack"))


def _species(column: pl.Series, called: str) -> pl.Series:
    """The species named, null where none or a bona fide word stands; marks (1, true; live: 0, no) name none."""
    text = column.cast(pl.String).str.strip_chars()
    lower = text.str.to_lowercase()
    marked, free = lower.is_in(_MARKS), lower.is_in(BONA_FIDE) | lower.is_null()
    if plain(called) in _BONA_FIDE_COLUMNS:
        marked, free = lower.is_in(("0", "0.0", "false", "no")), lower.is_in(("1", "1.0", "true", "yes", "")) | free
        free &= ~marked
    species = pl.when(free).then(None).when(marked & ~lower.is_in(("attack", "spoof"))).then(pl.lit("attack"))
    return pl.select(species.otherwise(text)).to_series()


def _attackers(frame: pl.DataFrame) -> pl.Series | None:
    """Attacks as bob marks them: by a real id that says so and is nobody's reference."""
    real = frame["probe_subject"]
    if not real.unique().str.contains(_ATTACKERS).any():
        return None
    if "reference_subject" in frame.columns and frame["reference_subject"].str.contains(_ATTACKERS).any():
        return None
    return real.set(~real.str.contains(_ATTACKERS), None)


def stated_frame(table: ComparisonTable) -> pl.DataFrame:
    """The frame with role columns first and the direction of the score in its name."""
    columns = _roles_first(table.frame)
    if not {"score", "mated"} & set(columns):
        raise InputError("a table needs a score or a mated column to be written")
    frame = table.frame.select(columns)
    if table.rule is not AcceptRule.DISTANCE or "score" not in columns:
        return frame
    if "distance" in columns:
        raise InputError("a table of distances that has another column 'distance' cannot be written; rename that one")
    return frame.rename({"score": "distance"})


def note_roles(roles: Roles) -> list[Message]:
    """What was understood of the columns, in words."""
    keys = {"score": "distance" if roles.rule else "score", "mated": "mated", "attack": "attack"}
    known = {role: key for role, key in keys.items() if role in roles.column}
    return [say(f"reading.column.{key}", name=repr(roles.column[role])) for role, key in known.items()]
