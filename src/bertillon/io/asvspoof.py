"""Score files and keys (protocols) of ASVspoof 2019, 2021, ASVspoof 5 and SASV.

Without a header, known by the number of columns and by the words of the key:

    utterance score                                     2021 scores of a countermeasure
    utterance key, utterance key score                  keys and scores of a countermeasure
    attack key score                                    2019 scores of a speaker verifier
    speaker utterance key, speaker utterance score key  SASV trials and scores
    utterance attack key score                          2019 scores of a countermeasure
    speaker utterance attack key                        2019 LA trials of a speaker verifier, SASV
    speaker utterance condition attack key              2019 protocols, ASVspoof 5 track 2
    ... 8, 10, 12 and 13 columns                        2021 LA, ASVspoof 5 track 1, 2021 PA, 2021 DF

Also each key with a score after its last column. ASVspoof 5 has a header: `filename`, `spk`, `cm-label`, `asv-label`,
`cm-score`, `asv-score`, `sasv-score`.

Conventions: a key is `bonafide` or `spoof` (a countermeasure), or `target`, `nontarget` or `spoof` (a speaker
verifier). `mated` is true for bona fide rows, or for target trials. A spoof row is an attack: `mated` is false and
`attack` names the species (A07), or says `spoof` where the file names none. The speaker is the reference of a trial;
in the files of a countermeasure it is whose the utterance is. What else a key says (codec, subset) is kept.

Holds the formats `asvspoof` and `asvspoof-tsv`, and `is_keyed`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bertillon.core.errors import InputError
from bertillon.core.lazy import pl
from bertillon.core.messages import Message, say
from bertillon.core.spelling import listed, unknown
from bertillon.core.tables import ComparisonTable
from bertillon.io.head import LOOSE, Head, all_numbers, split_line
from bertillon.io.names import first_known
from bertillon.io.registry import Format, Request, register
from bertillon.io.source import Source
from bertillon.io.text import Layout, numbered, parse

COUNTERMEASURE = {"bonafide": True, "spoof": False}
VERIFIER = {"target": True, "nontarget": False, "spoof": False}
_NO_SPECIES = ("", "-", "bonafide", "spoof")
_SPOOF = "spoof"
_TRIAL_KEY = "speaker utterance condition attack key"
_KEYS = (
    "utterance key",
    "speaker utterance key",
    "speaker utterance attack key",
    _TRIAL_KEY,
    "speaker utterance codec transmission attack key trim subset",
    "speaker utterance gender codec codec_quality codec_seed attack_tag attack key reserved",
    "speaker utterance room microphone distance attacker_room attacker_microphone device attacker_distance key trim "
    "subset",
    "speaker utterance codec source attack key trim subset vocoder task team gender_pair language",
)
_SCORED = ("attack key score", "speaker utterance score key", "utterance attack key score", "utterance score")
_LAYOUTS = tuple(tuple(line.split()) for line in (*_SCORED, *_KEYS, *(f"{key} score" for key in _KEYS)))
_UTTERANCE = re.compile(r"(?:(?:LA|PA|DF)_)?[TDE]_\d{5,}")

_HEADER = {
    "speaker": ("spk", "spkid", "speaker", "speakerid"),
    "utterance": ("filename", "utterance", "utt", "trial"),
    "attack": ("attack", "attacklabel", "attackid"),
    "cm-label": ("cmlabel",),
    "asv-label": ("asvlabel",),
    "cm-score": ("cmscore",),
    "asv-score": ("asvscore",),
    "sasv-score": ("sasvscore",),
}
_OWN = ("cm-label", "asv-label", "cm-score", "asv-score", "sasv-score")
_SCORES = ("sasv-score", "asv-score", "cm-score")
_NEEDED = ("score", "key", "attack")
_ORDER = ("score", "mated", "attack", "probe", "reference", "probe_subject")


def read(source: Source, head: Head, request: Request) -> ComparisonTable:
    """Columns known by their place."""
    names = _layout(head)
    if names is None:
        raise source.error(
            f"has {head.width} columns that are no ASVspoof or SASV file without a header, such as "
            f"`{_TRIAL_KEY}` with bonafide, spoof, target or nontarget as the key"
        )
    return _read(source, head, request, Layout(names, head.separator), {name: name for name in names})


def read_tsv(source: Source, head: Head, request: Request) -> ComparisonTable:
    """Columns known by the header."""
    names = head.names
    column = first_known(names, _HEADER)
    if not set(column) & set(_OWN):
        raise source.error(f"asvspoof-tsv begins with names such as filename and cm-score; found: {listed(names)}", 1)
    score = _score(source, column, names, request)
    label = next((name for name in ("asv-label", "cm-label") if name in column), None)
    roles: dict[str, str] = {role: column[role] for role in ("speaker", "utterance", "attack") if role in column}
    if score:
        roles["score"] = score
    if label:
        roles["key"] = column[label]
    others = [column[kind] for kind in _SCORES if kind in column and column[kind] != score]
    table = _read(source, head, request, Layout.of_header(head), roles)
    if not others or score is None:
        return table
    note = say("reading.other_scores", name=repr(score), others=listed(others))
    return replace(table, notes=(*table.notes, note))


def _score(source: Source, column: Mapping[str, str], names: Sequence[str], request: Request) -> str | None:
    """The column of scores: the one asked for, that of the whole system, or the only one that goes with the labels."""
    if set(request.columns) - {"score"}:
        raise source.error("of an ASVspoof 5 file only the score can be chosen: --column score=NAME")
    if request.columns:
        asked = request.columns["score"]
        if asked not in names:
            raise source.error(unknown("column", asked, names))
        return asked
    present = [kind for kind in _SCORES if kind in column]
    labelled = [kind for kind in present if kind.replace("score", "label") in column]
    if len(present) < 2 or present[0] == "sasv-score":
        return column[present[0]] if present else None
    if len(labelled) == 1:
        return column[labelled[0]]
    options = " or ".join(f"--column score={column[kind]}" for kind in present)
    raise source.error(f"holds scores of a speaker verifier and of a countermeasure; say which with {options}")


def _read(source: Source, head: Head, request: Request, layout: Layout, roles: Mapping[str, str]) -> ComparisonTable:
    """The table of a layout whose columns play these roles."""
    wanted = dict(roles) if request.ids else {role: name for role, name in roles.items() if role in _NEEDED}
    if not {"score", "key"} & set(wanted):
        raise source.error("holds neither a score nor a key (bonafide, spoof, target, nontarget)", 1)
    kinds = {name: "score" if role == "score" else "text" for role, name in wanted.items()}
    frame = parse(source, head, layout, kinds).rename({name: role for role, name in wanted.items()})
    notes, trials = [say("reading.format_columns", format="ASVspoof", columns=tuple(layout.names))], True
    if "key" in frame.columns:
        meanings = _meanings(source, layout, frame["key"], roles["key"])
        trials = meanings is VERIFIER
        frame = _marked(frame, meanings)
        notes += _counted(frame, trials=trials)
    if "attack" in frame.columns and ("mated" not in frame.columns or frame["attack"].null_count() == frame.height):
        frame = frame.drop("attack")
    names = {"utterance": "probe", "speaker": "reference" if trials else "probe_subject"}
    frame = frame.rename({old: new for old, new in names.items() if old in frame.columns})
    first = [name for name in _ORDER if name in frame.columns]
    ordered = frame.select(*first, *(name for name in frame.columns if name not in first))
    return ComparisonTable(ordered, source.name, request.format, notes=tuple(notes))


def _marked(frame: pl.DataFrame, meanings: Mapping[str, bool]) -> pl.DataFrame:
    """The frame with `mated` and the species of each attack, and without its key."""
    key = pl.col("key").str.to_lowercase()
    species = pl.col("attack").fill_null("") if "attack" in frame.columns else pl.lit("")
    species = pl.when(species.str.to_lowercase().is_in(_NO_SPECIES)).then(pl.lit(_SPOOF)).otherwise(species)
    mated = key.is_in([word for word, mated in meanings.items() if mated])
    return frame.with_columns(mated=mated, attack=pl.when(key == _SPOOF).then(species)).drop("key")


def _meanings(source: Source, layout: Layout, key: pl.Series, column: str) -> Mapping[str, bool]:
    """Which words the key has; those of a verifier where any row says target or nontarget."""
    values = set(key.fill_null("").str.to_lowercase().unique().to_list())
    meanings = VERIFIER if values & {"target", "nontarget"} else COUNTERMEASURE
    if values <= set(meanings):
        return meanings
    raise _other_key(source, layout, layout.names.index(column), meanings)


def _other_key(source: Source, layout: Layout, column: int, meanings: Mapping[str, bool]) -> InputError:
    """The error for a key of another word, with the first line that has one."""
    for number, line in numbered(source.content, header=layout.header > 0):
        word = split_line(line, layout.separator)[column].strip()
        if word.lower() not in meanings:
            return source.error(f"key {word!r} in column {column + 1}; expected {', '.join(meanings)}", number)
    return source.error(f"column {column + 1} is not a key; expected {', '.join(meanings)}")


def _counted(frame: pl.DataFrame, *, trials: bool) -> list[Message]:
    mated, attacks = int(frame["mated"].sum()), frame["attack"].drop_nulls()
    species = attacks.n_unique()
    rows = say("reading.rows_of_presentations", bona_fide=mated, attacks=attacks.len(), species=species)
    if trials:
        others = frame.height - mated - attacks.len()
        rows = say("reading.rows_of_trials", target=mated, nontarget=others, attacks=attacks.len(), species=species)
    notes = [rows]
    if "subset" in frame.columns and frame["subset"].n_unique() > 1:
        notes.append(say("reading.subsets", names=listed(sorted(frame["subset"].unique().to_list()))))
    return notes


def _layout(head: Head) -> tuple[str, ...] | None:
    """The first layout that the columns of the head fit."""
    columns = head.columns()
    return next((names for names in _LAYOUTS if len(names) == len(columns) and _suits(names, columns)), None)


def _suits(names: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    by_name = dict(zip(names, columns, strict=True))
    if "score" in by_name and not all_numbers(by_name["score"]):
        return False
    if "key" not in by_name:
        return not all_numbers(by_name["utterance"])
    keys = [word.strip().lower() for word in by_name["key"]]
    known = COUNTERMEASURE if set(keys).isdisjoint({"target", "nontarget"}) else VERIFIER
    if "attack" not in by_name:
        return set(keys) <= set(known)
    species = [word.strip().lower() for word in by_name["attack"]]
    if names[0] == "attack" and known is COUNTERMEASURE and len(set(species)) == len(species):
        return False  # every row has another name: those are utterances
    good = sum(key in known and (key == _SPOOF or word in _NO_SPECIES) for word, key in zip(species, keys, strict=True))
    return 2 * good > len(keys)  # a faulty line must not hide what the file is


def is_keyed(head: Head) -> bool:
    """Is there a key among columns known by their place?"""
    return "key" in (_layout(head) or ())


def fits(head: Head) -> bool:
    if head.separator not in LOOSE:
        return False
    names = _layout(head)
    if names is None:
        return False
    by_name = dict(zip(names, head.columns(), strict=True))
    if "key" not in by_name:
        return all(_UTTERANCE.fullmatch(text.strip()) for text in by_name["utterance"])
    values = {word.strip().lower() for word in by_name["key"]}
    return "attack" in by_name or bool(values & set(COUNTERMEASURE))  # without a spoof row, trials are those of Kaldi


def fits_tsv(head: Head) -> bool:
    column = first_known(head.names, _HEADER)
    return bool(set(column) & set(_OWN)) and bool({"utterance", "speaker"} & set(column))


register(
    Format("asvspoof", "ASVspoof and SASV keys, protocols and scores", rank=2, fits=fits, reader=read),
    Format(
        "asvspoof-tsv",
        "ASVspoof 5 keys and scores: filename, cm-score, ...",
        rank=1,
        fits=fits_tsv,
        reader=read_tsv,
        takes_columns=True,
    ),
)
