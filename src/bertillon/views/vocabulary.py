"""Names of measures as biometrics or machine learning says them.

Conventions: only what a person reads is renamed. JSON, CSV and the command line keep the canonical names, and so does
what is copied from a page. In both vocabularies at once the name of the mode stands first.

Holds `shown_name` (a measure), `name_columns` (the names of a table's rows), `heading` (of a column), `everyday_name`,
`short_name` (an operating point on a button) and `MeasureNames`, how the measures of one mode are named in a document.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bertillon.advice.vocabulary import COMPARISONS, VOCABULARY, Vocabulary
from bertillon.core.messages import Message, Text, catalogue, say
from bertillon.measures.base import Spelling
from bertillon.measures.registry import CLASSIFICATION, VERIFICATION, MeasureSet

EVERYDAY, MACHINE_LEARNING, BIOMETRICS = say("page.everyday"), say("page.names.ml"), say("page.names.biometric")

_TO_ML = {name: term.ml for term in VOCABULARY for name in (term.biometric, *term.everyday)}
_TO_BIOMETRIC = {term.ml: term.biometric for term in reversed(VOCABULARY)}  # of comparisons where searches share a name
_WORDS = {Vocabulary.ML: _TO_ML, Vocabulary.BIOMETRIC: _TO_BIOMETRIC}
_EVERYDAY = {term.biometric: term.everyday[0] for term in COMPARISONS if term.everyday}


def own_vocabulary(measure_set: MeasureSet) -> Vocabulary:
    """Whose names the measures of a mode have."""
    return Vocabulary.ML if measure_set is CLASSIFICATION else Vocabulary.BIOMETRIC


def shown_name(name: str, vocabulary: Vocabulary) -> str:
    """A measure's name in one vocabulary, or in both where they differ.

    >>> shown_name("FNMR@FMR=0.01", Vocabulary.ML), shown_name("Recall@FPR=0.01", Vocabulary.BIOMETRIC)
    ('FNR@FPR=0.01', 'TMR@FMR=0.01')
    >>> shown_name("FNMR@FMR=0.01", Vocabulary.BOTH), shown_name("AUC", Vocabulary.BOTH)
    ('FNMR@FMR=0.01 = FNR@FPR=0.01', 'AUC')
    """
    if vocabulary == Vocabulary.BOTH:
        return " = ".join(dict.fromkeys((shown_name(name, Vocabulary.BIOMETRIC), shown_name(name, Vocabulary.ML))))
    return _renamed(name, _WORDS[vocabulary])


@dataclass(frozen=True, slots=True)
class NameColumns:
    """The names of a table's rows, and a second column of names under its heading where there is one."""

    first: list[str]
    second: list[Text]
    heading: Message | None = None


def name_columns(names: Sequence[str], measure_set: MeasureSet, *, vocabulary: Vocabulary | None = None) -> NameColumns:
    """The names in the vocabulary asked for, or that of the mode; beside them the other one, or everyday names.

    >>> from bertillon.measures.registry import IDENTIFICATION
    >>> columns = name_columns(["CMS@5", "MRR"], IDENTIFICATION, vocabulary=Vocabulary.BOTH)
    >>> columns.first, columns.second, str(columns.heading)
    (['CMS@5', 'MRR'], ['Top@5', ''], 'machine learning')
    """
    own = own_vocabulary(measure_set)
    asked = vocabulary or own
    other = Vocabulary.ML if own is Vocabulary.BIOMETRIC else Vocabulary.BIOMETRIC
    first = list(names) if asked in (own, Vocabulary.BOTH) else [shown_name(name, asked) for name in names]
    second: list[Text] = [""] * len(first)
    if asked is Vocabulary.BOTH:
        others = [shown_name(name, other) for name in names]
        second = ["" if there == here else there for here, there in zip(first, others, strict=True)]
    elif asked is Vocabulary.BIOMETRIC and measure_set is VERIFICATION:
        second = [everyday_name(name) for name in names]
    return NameColumns(first, second, _headed(asked, other) if any(second) else None)


def _headed(asked: Vocabulary, other: Vocabulary) -> Message:
    if asked is Vocabulary.BIOMETRIC:
        return EVERYDAY
    return MACHINE_LEARNING if other is Vocabulary.ML else BIOMETRICS


def heading(text: str, vocabulary: Vocabulary) -> str:
    """The heading of a column, every name of the other vocabulary in it renamed; both one above the other.

    >>> heading("FMR(FNMR=x)", Vocabulary.ML), heading("FAR", Vocabulary.BOTH), heading("Recall", Vocabulary.BIOMETRIC)
    ('FPR(FNR=x)', 'FAR\\nFPR', 'TMR')
    """
    if vocabulary == Vocabulary.BOTH:
        return "\n".join(dict.fromkeys((text, *(heading(text, single) for single in _WORDS))))
    words = _WORDS[vocabulary]
    return re.sub(r"[A-Za-z]+", lambda word: words.get(word[0], word[0]), text)


def everyday_name(name: str) -> Text:
    """What a measure of comparisons is called where nobody tells comparisons from transactions.

    >>> everyday_name("FNMR@FMR=0.01"), everyday_name("dprime"), everyday_name("AUC")
    ('FRR@FAR=0.01', "d'", '')
    """
    spelling = Spelling.read(name)
    if spelling.name == "dprime":
        return say("page.everyday.dprime_sum") if spelling.variant == "sum" else "d'"
    everyday = _renamed(name, _EVERYDAY)
    return "" if everyday == name else everyday


def _renamed(name: str, words: dict[str, str]) -> str:
    """The name with its first word and its places replaced; a replacement may bring a place with it."""
    spelling = Spelling.read(name)
    new = Spelling.read(words.get(spelling.name, spelling.name))
    places = {words.get(place, place): target for place, target in spelling.at.items()}
    return str(replace(spelling, name=new.name, at={**new.at, **places}))


RATES = ("matched", "missed", "found")
KINDS = ("mated", "nonmated")
LIVE = "page.live."


@dataclass(frozen=True, slots=True)
class MeasureNames:
    """How the measures of one mode are named.

    >>> measure_names = MeasureNames.of(VERIFICATION, Vocabulary.ML)
    >>> measure_names.measure("FNMR@FMR=0.01"), measure_names.point("FNMR@FMR=0.01")
    ('FNR@FPR=0.01', 'FPR=0.01')
    >>> MeasureNames.of(VERIFICATION, None).heading("FAR")
    'FAR'
    """

    measure_set: MeasureSet
    vocabulary: Vocabulary

    @classmethod
    def of(cls, measure_set: MeasureSet, vocabulary: Vocabulary | None = None) -> MeasureNames:
        """Names in a vocabulary, or in that of the mode."""
        return cls(measure_set, vocabulary or own_vocabulary(measure_set))

    @property
    def renames(self) -> bool:
        """Other names than those of the mode are wanted."""
        return self.vocabulary is not own_vocabulary(self.measure_set)

    def measure(self, name: str) -> str:
        """A measure's name, in both vocabularies where both are wanted and differ."""
        return shown_name(name, self.vocabulary) if self.renames else name

    def heading(self, text: str) -> str:
        """The heading of a column."""
        return heading(text, self.vocabulary).replace("\n", " = ") if self.renames else text

    def point(self, measure: str) -> str:
        """What the operating point of a measure is called on a button, where there is room for one name."""
        return short_name(measure if self.vocabulary is Vocabulary.BOTH else self.measure(measure))

    def live(self) -> Mapping[str, Text]:
        """What the numbers that move are called."""
        own = live_words(self.measure_set.mode)
        if not self.renames:
            return own
        other = live_words("verification" if self.measure_set is CLASSIFICATION else "classification")
        if self.vocabulary is not Vocabulary.BOTH:
            renamed = (*RATES, *(f"{rate}_words" for rate in RATES), *KINDS)
            return own | {name: other[name] for name in renamed}
        both = {name: _equal(own[name], other[name]) for name in (*RATES, *KINDS)}
        return own | both | {f"{rate}_words": _equal(own[f"{rate}_words"], other[rate]) for rate in RATES}


def live_words(mode: str) -> dict[str, Text]:
    """What the page's script says of one mode."""
    prefix = f"{LIVE}{mode}."
    return {name: say(f"{prefix}{name}") for name in catalogue("en").after(prefix)}


def _equal(first: Text, second: Text) -> Message:
    return say("list.equal", first=first, second=second)


def short_name(measure: str) -> str:
    """An operating point by its place, or its measure where it has none.

    >>> short_name("FNMR@FMR=0.001"), short_name("minCost(cfa=500,cfr=2,impostor=0.01)"), short_name("EER[hull]")
    ('FMR=0.001', 'minCost', 'EER[hull]')
    """
    spelling = Spelling.read(measure)
    if spelling.at:
        return ",".join(f"{place}={float(target):g}" for place, target in spelling.at.items())
    return spelling.name + (f"[{spelling.variant}]" if spelling.variant else "")
