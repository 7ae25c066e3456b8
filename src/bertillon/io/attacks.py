"""Formats that tell attacks apart: ASVspoof 2019, 2021, ASVspoof 5, SASV, and LivDet.

ASVspoof and SASV. Without a header, known by the number of columns and by the words of the key:

    utterance score                                     2021 scores of a countermeasure
    utterance key, utterance key score                  keys and scores of a countermeasure
    attack key score                                    2019 scores of a speaker verifier
    speaker utterance key, speaker utterance score key  SASV trials and scores
    utterance attack key score                          2019 scores of a countermeasure
    speaker utterance attack key                        2019 LA trials of a speaker verifier, SASV
    speaker utterance condition attack key              2019 protocols, ASVspoof 5 track 2
    ... 8, 10, 12 and 13 columns                        2021 LA, ASVspoof 5 track 1, 2021 PA, 2021 DF

Also each key with a score after its last column. ASVspoof 5 has a header: `filename`, `spk`, `cm-label`, `asv-label`,
`cm-score`, `asv-score`, `sasv-score`. A key is `bonafide` or `spoof` (a countermeasure), or `target`, `nontarget` or
`spoof` (a speaker verifier). A spoof row is an attack: `mated` is false and `attack` names the species (A07), or says
`spoof` where the file names none. The speaker is the reference of a trial; in the files of a countermeasure it is whose
the utterance is. What else a key says (codec, subset) is kept.

LivDet. A label, a score and a species in any order and without a header, as in `live,93.5,live` and
`spoof,12.25,gelatine`. The label is live, bona fide, real or genuine against spoof, attack or fake, or 1 against 0 or
-1. In bona fide rows the species says so (live, none, -, nothing), or is always the same. Sniffing: exactly one way to
understand the columns. Digits say which rows are bona fide only together with a species that does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import permutations

from bertillon.core import ComparisonTable, Message, say
from bertillon.core.errors import listed, unknown
from bertillon.core.lazy import pl
from bertillon.io.columns import first_known
from bertillon.io.delimited import has_header
from bertillon.io.labels import plain_label
from bertillon.io.registry import Format, Request, register
from bertillon.io.source import LOOSE, Head, Source, all_numbers, split_line
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

_TSV_NAMES = {
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
_ASV_NEEDED = ("score", "key", "attack")
_ORDER = ("score", "mated", "attack", "probe", "reference", "probe_subject")
_LIVE = ("live", "bonafide", "real", "genuine", "human")
_ATTACK = ("spoof", "attack", "fake", "pa")
_DIGITS = ("1", "0", "-1", "+1")
_UNNAMED = ("", "-", "none", "na", "n/a", *_LIVE)
_FEWEST_ALIKE = 3  # bona fide rows whose species, of whatever name, is the same
_KINDS = {"label": "text", "score": "score", "species": "text"}
_OPTIONS = "--column label=1 --column score=2 --column attack=3"


def read_asvspoof(source: Source, head: Head, request: Request) -> ComparisonTable:
    names = _layout(head)
    if names is None:
        problem = f"has {head.width} columns that are no ASVspoof or SASV file without a header"
        raise source.error(f"{problem}, such as `{_TRIAL_KEY}` with bonafide, spoof, target or nontarget as the key")
    return _read(source, head, request, Layout(names, head.separator), {name: name for name in names})


def read_tsv(source: Source, head: Head, request: Request) -> ComparisonTable:
    names = head.names
    column = first_known(names, _TSV_NAMES)
    if not set(column) & set(_OWN):
        raise source.error(f"asvspoof-tsv begins with names such as filename and cm-score; found: {listed(names)}", 1)
    score = _score(source, column, names, request)
    label = next((column[name] for name in ("asv-label", "cm-label") if name in column), None)
    parts = {**{role: column.get(role) for role in ("speaker", "utterance", "attack")}, "score": score, "key": label}
    roles = {role: name for role, name in parts.items() if name}
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
    wanted = dict(roles) if request.ids else {role: name for role, name in roles.items() if role in _ASV_NEEDED}
    if not {"score", "key"} & set(wanted):
        raise source.error("holds neither a score nor a key (bonafide, spoof, target, nontarget)", 1)
    kinds = {name: "score" if role == "score" else "text" for role, name in wanted.items()}
    frame = parse(source, head, layout, kinds).rename({name: role for role, name in wanted.items()})
    notes, trials = [say("reading.format_columns", format="ASVspoof", columns=tuple(layout.names))], True
    if "key" in frame.columns:
        meanings = _meanings(source, layout, frame["key"], roles["key"])
        trials = meanings is VERIFIER
        frame = _with_key(frame, meanings)
        notes += _counted(frame, trials=trials)
    if "attack" in frame.columns and ("mated" not in frame.columns or frame["attack"].null_count() == frame.height):
        frame = frame.drop("attack")
    names = {"utterance": "probe", "speaker": "reference" if trials else "probe_subject"}
    frame = frame.rename({old: new for old, new in names.items() if old in frame.columns})
    first = [name for name in _ORDER if name in frame.columns]
    ordered = frame.select(*first, *(name for name in frame.columns if name not in first))
    return ComparisonTable(ordered, source.name, request.format, notes=tuple(notes))


def _with_key(frame: pl.DataFrame, meanings: Mapping[str, bool]) -> pl.DataFrame:
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
    place, expected = layout.names.index(column), ", ".join(meanings)
    for number, line in numbered(source.content, header=layout.header > 0):
        word = split_line(line, layout.separator)[place].strip()
        if word.lower() not in meanings:
            raise source.error(f"key {word!r} in column {place + 1}; expected {expected}", number)
    raise source.error(f"column {place + 1} is not a key; expected {expected}")


def _counted(frame: pl.DataFrame, *, trials: bool) -> list[Message]:
    mated, attacks = int(frame["mated"].sum()), frame["attack"].drop_nulls()
    species = attacks.n_unique()
    rows = say("reading.rows_of_presentations", bona_fide=mated, attacks=attacks.len(), species=species)
    if trials:
        others = frame.height - mated - attacks.len()
        rows = say("reading.rows_of_trials", target=mated, nontarget=others, attacks=attacks.len(), species=species)
    subsets = sorted(frame["subset"].unique().to_list()) if "subset" in frame.columns else []
    return [rows, *([say("reading.subsets", names=listed(subsets))] if len(subsets) > 1 else [])]


def _layout(head: Head) -> tuple[str, ...] | None:
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


def fits_asvspoof(head: Head) -> bool:
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
    column = first_known(head.names, _TSV_NAMES)
    return bool(set(column) & set(_OWN)) and bool({"utterance", "speaker"} & set(column))


@dataclass(frozen=True, slots=True)
class _Meaning:
    """Which column is what, from 0, and which words of the label are bona fide."""

    label: int
    score: int
    species: int
    live: frozenset[str]


def read_livdet(source: Source, head: Head, request: Request) -> ComparisonTable:
    meaning = _meaning(head)
    if meaning is None:
        problem = "it is not clear which column is the label, the score and the species"
        raise source.error(f"{problem}; say so with {_OPTIONS}")
    places = {meaning.label: "label", meaning.score: "score", meaning.species: "species"}
    names = [places[column] for column in range(3)]
    layout = Layout(tuple(names), head.separator)
    table = _marked(source, parse(source, head, layout, {name: _KINDS[name] for name in names}), meaning)
    notes = (say("reading.presentations", columns=names), *_counted(table, trials=False))
    return ComparisonTable(table, source.name, request.format, notes=notes)


def _marked(source: Source, frame: pl.DataFrame, meaning: _Meaning) -> pl.DataFrame:
    label = pl.Series([plain_label(text) for text in frame["label"].fill_null("").to_list()], dtype=pl.String)
    known = set(_DIGITS) if meaning.live <= set(_DIGITS) else {*_LIVE, *_ATTACK}
    strange = ~label.is_in(list(known))
    if strange.any():
        row, expected = int(strange.arg_max() or 0), ", ".join(sorted(known))
        raise source.error(f"row {row + 1:,} has the label {frame['label'][row]!r}; expected {expected}")
    live = label.is_in(list(meaning.live))
    unnamed = frame["species"].fill_null("").str.to_lowercase().is_in(list(_UNNAMED)) & ~live
    if unnamed.any():
        raise source.error(f"row {int(unnamed.arg_max() or 0) + 1:,} is an attack and names no species; fill it in")
    attack = frame["species"].zip_with(~live, pl.Series([None] * frame.height, dtype=pl.String))
    return pl.DataFrame({"score": frame["score"], "mated": live, "attack": attack})


def _meaning(head: Head) -> _Meaning | None:
    """The only way to understand three columns, or None."""
    if head.width != 3 or has_header(head):
        return None
    columns = _columns(head)
    readings = [_meant(columns, *order) for order in permutations(range(3))]
    ways = [reading for reading in readings if reading is not None]
    if len(ways) == 2 and ways[0].score == ways[1].score and columns[ways[0].label] == columns[ways[0].species]:
        return ways[0]  # the species only repeats the label
    return ways[0] if len(ways) == 1 else None


def _meant(columns: Sequence[Sequence[str]], label: int, score: int, species: int) -> _Meaning | None:
    labels = [plain_label(text) for text in columns[label]]
    if not all_numbers(columns[score]) or all_numbers(columns[species]) or len(set(labels)) < 2:
        return None
    if set(labels) <= {*_LIVE, *_ATTACK}:
        live = frozenset(labels) & frozenset(_LIVE)
    elif set(labels) <= set(_DIGITS):
        live = frozenset(mark for mark in set(labels) if _says_live(columns[species], labels, {mark}))
    else:
        return None
    attacks = frozenset(labels) - live
    digits = set(labels) <= set(_DIGITS)
    if not live or not attacks or (digits and len(live) > 1) or not _is_species(columns[species], labels, live, digits):
        return None
    return _Meaning(label, score, species, live)


def _says_live(species: Sequence[str], labels: Sequence[str], live: Set[str]) -> bool:
    own = [word for word, label in zip(species, labels, strict=True) if label in live]
    return all(plain_label(word) in _UNNAMED or not word.strip() for word in own)


def _is_species(species: Sequence[str], labels: Sequence[str], live: frozenset[str], digits: bool) -> bool:
    """Is this column the same for bona fide rows, and does it name something else for attacks?"""
    own = [word.strip().lower() for word, label in zip(species, labels, strict=True) if label in live]
    others = [word.strip().lower() for word, label in zip(species, labels, strict=True) if label not in live]
    constant = len(set(own)) == 1 and len(own) >= _FEWEST_ALIKE and not digits
    if not _says_live(species, labels, live) and not constant:
        return False
    return set(own).isdisjoint(others) and "" not in others


def _columns(head: Head) -> list[list[str]]:
    """The fields of every line of three, whatever they look like: `none` may be a species or a failed comparison."""
    return [list(column) for column in zip(*(row for row in head.rows if len(row) == 3), strict=True)]


def marks_bona_fide(column: Sequence[str]) -> bool:
    """Nothing but words that say which presentations are bona fide?"""
    values = {plain_label(text) for text in column}
    return values <= {*_LIVE, *_ATTACK} and bool(values & set(_LIVE)) and bool(values & set(_ATTACK))


def fits_livdet(head: Head) -> bool:
    return _meaning(head) is not None


def near_livdet(head: Head) -> str:
    """Three columns with labels and numbers, but no plain species."""
    if head.width != 3 or has_header(head) or fits_livdet(head):
        return ""
    columns = _columns(head)
    likely = any(map(marks_bona_fide, columns)) and any(map(all_numbers, columns))
    return f"if one column names the species of attacks: {_OPTIONS}" if likely else ""


_TSV = "ASVspoof 5 keys and scores: filename, cm-score, ..."
register(
    Format("asvspoof", "ASVspoof and SASV keys, protocols and scores", 2, fits_asvspoof, read_asvspoof, columns=2),
    Format("asvspoof-tsv", _TSV, 1, fits_tsv, read_tsv, takes_columns=True, columns=2),
    Format(
        "livdet", "label, score and species of presentations", 3, fits_livdet, read_livdet, near=near_livdet, columns=3
    ),
)
