"""Which column plays which role, found by its name.

Conventions: case and punctuation in names do not matter. For each role the names are listed from the most to the
least exact, and the most exact one present wins; the others stay as further columns and are named in the notes.
What the caller says in `columns` comes before any guess.

Holds `Roles`, `find_roles`, `known_role` and `plain`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say
from bertillon.core.rule import AcceptRule
from bertillon.core.spelling import listed, unknown
from bertillon.core.tables import ROLES

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
    chosen = {_role(role): name for role, name in columns.items()}
    for name in chosen.values():
        if name not in names:
            raise InputError(unknown(f"{source}: column", name, names))
    if len(chosen) < len(columns):
        raise InputError(f"{source}: columns {sorted(columns)} name the same role twice; give each role once")
    column, notes = dict(chosen), []
    rivals: tuple[str, ...] = ()
    for role in ROLES:
        candidates = _candidates(role, [name for name in names if name not in column.values()])
        if candidates and role not in column:
            column[role], *others = candidates
            if others:
                notes.append(say("reading.column.chosen", name=repr(column[role]), role=role, others=listed(others)))
            rivals = tuple(others) if role == "mated" else rivals
    stated = "distance" in columns or plain(column.get("score", "")) in _DISTANCES.split()
    return Roles(column, AcceptRule.DISTANCE if stated else None, tuple(notes), rivals)


def _role(role: str) -> str:
    role = _ALIASES.get(role, role)
    if role in ROLES:
        return role
    raise InputError(unknown("columns: role", role, [*ROLES, *_ALIASES]))


def _candidates(role: str, names: Sequence[str]) -> list[str]:
    order = {name: rank for rank, name in enumerate(_SYNONYMS[role])}
    return sorted((name for name in names if plain(name) in order), key=lambda name: order[plain(name)])
