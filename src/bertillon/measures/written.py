"""Measures as people write them: what a line of text may mean in the language of measures, the plainest reading first.

    FMR(FNMR=0.25)  FP(FN=0.25)           FMR@FNMR=0.25   a rate where the other is given, as tables head their columns
    TAR@1%FAR  FNMR at FMR=1 %            TAR@FAR=0.01    the number first, percent, words
    f1_macro  roc_auc_ovr  EER hull       F1[macro]       the variant behind the name, as scikit-learn spells scorers
    top5  rank-5  precision@10  CMS(5)    Top@5, P@10     a number of candidates
    False match rate (FMR)@t=0.5          FMR@t=0.5       the names that tables and figures show, in any language

A reading counts only where a measure of that name takes everything that is written.

Holds `readings`, each with whether its fault is worth saying.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache

from bertillon.core.errors import InputError
from bertillon.core.messages import LANGUAGES, catalogue
from bertillon.measures.base import BARE, Spelling, fold

Known = Callable[[str], str | None]  # the registered name behind a name, or None

_RATES = {"FP": "FPR", "FN": "FNR", "FA": "FAR", "FR": "FRR", "FM": "FMR", "FNM": "FNMR", "TP": "TPR", "TN": "TNR"}
_OF_LIST = {"precision": "P", "recall": "R"}  # precision@10 is that of the first ten
_LABEL = re.compile(r"^(?P<label>[^@=]*?)\s*[(（](?P<short>[^()=（）]*)[)）](?P<at>\s*@.*)?$", re.DOTALL)
_NUMBERED = re.compile(r"^(?P<head>.*?\D)[ _-]*(?P<number>\d+)$")
_NUMBER_FIRST = re.compile(r"@\s*(?P<number>[\d.]+(?:[eE][+-]?\d+)?\s*%?)\s*(?P<place>[A-Za-z]\w*)\s*$")
_PLACE_FIRST = re.compile(r"@\s*(?P<place>[A-Za-z]+)\s+(?P<number>[\d.]+(?:[eE][+-]?\d+)?\s*%?)\s*$")
_SHOWN_IN_TABLES = {"page.everyday.dprime_sum": "dprime[sum]"}
_AXES = {
    "recall": "Recall",
    "precision": "Precision",
    "DIR_short": "DIR",
}  # labels of figures by another key than a name


def readings(text: str, known: Known) -> Iterator[tuple[Spelling, bool]]:
    """What a line may mean, the plainest first, and whether its fault is worth saying."""
    for line in _lines(text, known):
        with suppress(InputError):
            spelling = Spelling.read(line)
            yield spelling, True
            yield from ((other, True) for other in _other_places(spelling))
            if known(spelling.name) is None:
                yield from ((other, bool(other.variant)) for other in _other_names(spelling, known))


def _lines(text: str, known: Known) -> Iterator[str]:
    """The line as it is, and with everyday wordings in the order of the language."""
    yield text
    ordered = re.sub(r"\s+at\s+", "@", text)
    ordered = _NUMBER_FIRST.sub(r"@\g<place>=\g<number>", ordered)
    ordered = _PLACE_FIRST.sub(r"@\g<place>=\g<number>", ordered)
    if ordered != text:
        yield ordered
    shown = _shown()
    if fold(text) in shown:
        yield shown[fold(text)]
    head, at, place = text.partition("@")
    if fold(head) in shown:
        yield f"{shown[fold(head)]}{at}{place}"
    if label := _LABEL.match(text):
        names = [name.strip() for name in label["short"].split(",")] + [label["label"]]
        yield from (f"{name}{label['at'] or ''}" for name in names if known(name))


def _other_places(spelling: Spelling) -> Iterator[Spelling]:
    """What stands in parentheses is a place, and what stands at a place a length of a list."""
    if spelling.options and not spelling.at:
        moved = replace(spelling, options={}, at=spelling.options)
        yield moved
        rates = {_RATES.get(key.upper()): value for key, value in spelling.options.items()}
        if spelling.name.upper() in _RATES and None not in rates:  # FP(FN=0.25): both are rates
            yield replace(moved, name=_RATES[spelling.name.upper()], at={str(key): rates[key] for key in rates})
    if set(spelling.at) == {BARE} and fold(spelling.name) in _OF_LIST:
        yield replace(spelling, name=_OF_LIST[fold(spelling.name)])


def _other_names(spelling: Spelling, known: Known) -> Iterator[Spelling]:
    """The variant, or a number of candidates, is written behind the name; "score" says nothing."""
    numbered = _NUMBERED.match(spelling.name)
    if numbered and not spelling.at and not spelling.options and known(numbered["head"]):
        yield replace(spelling, name=numbered["head"], at={BARE: float(numbered["number"])})
    if not spelling.variant:
        for cut in reversed(list(re.finditer(r"[\s_-]+", spelling.name))):
            head, tail = spelling.name[: cut.start()], spelling.name[cut.end() :]
            if known(head):
                yield replace(spelling, name=head, variant=re.sub(r"[\s_]+", "-", tail).lower())
    shorter = re.sub(r"[\s_-]*score$", "", spelling.name, flags=re.IGNORECASE)
    if shorter != spelling.name and known(shorter):
        yield replace(spelling, name=shorter)


@cache
def _shown() -> dict[str, str]:
    """What tables and figures call measures in each language, folded, with the name in the language of measures."""
    names: dict[str, str] = {}
    for words in map(catalogue, LANGUAGES):
        names |= {fold(str(words.sentence(key))): name for key, name in _SHOWN_IN_TABLES.items()}
        labels = {key: text for key, text in words.after("figure.").items() if key in _AXES or key.isupper()}
        for key, text in labels.items():
            names.setdefault(fold(re.sub(r"\s*\([^()]*\)", "", text)), _AXES.get(key, key))
    return names
