"""What the page says, in each language: one table of sentences a language, and others that are part of it.

Conventions: keys are the same in every table, and so are the places in braces. Sentences of the advice layer are known
by their English form: `advice.*` of the English table are their patterns, and the same keys of another language say
the same. A sentence nobody has translated stays English and says so.

Holds `LANGUAGES`, `wording` and `Wording`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import zip_longest

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, Text, catalogue
from bertillon.views.findings import MODES
from bertillon.views.page.model import Said

LANGUAGES = ("en", "it", "es", "zh")
_ADVICE, _TERM, _LIVE = "advice.", "term.", "live."
_GROUPED = re.compile(r"\d{1,3}(,\d{3})+")
_POINTS = re.compile(r"([\d.]+) points?")
_ONE_WORD = ("way",)  # places that hold one word; all others hold any text
_WORD, _ANY = r"\S+", ".+?"


@dataclass(frozen=True, slots=True)
class Wording:
    """The sentences of one language: `words("key", name=value)`."""

    lang: str
    sentences: Mapping[str, str]

    def __call__(self, key: str, **values: object) -> str:
        return self.sentences[key].format(**values)

    def has(self, key: str) -> bool:
        """Is there such a sentence?"""
        return key in self.sentences

    def said(self, english: Text, about: str = "") -> Said:
        """A sentence of the advice layer in this language, or as it is.

        >>> wording("it").said("EER 2.5 %: good.").text
        'EER 2.5 %: buono.'
        """
        if isinstance(english, Message) or self.lang == "en":
            return Said(catalogue(self.lang).text(english), about)
        for key, pattern in _patterns():
            found = pattern.fullmatch(english)
            if found:
                return Said(self(key, **{name: self.term(value) for name, value in found.groupdict().items()}), about)
        return Said(english, about, "en")

    def term(self, english: Text) -> str:
        """A word or a number of the advice layer in this language, or as it is."""
        if isinstance(english, Message):
            return catalogue(self.lang).text(english)
        if _GROUPED.fullmatch(english):
            return english.replace(",", self("group"))
        if points := _POINTS.fullmatch(english):
            return f"{points[1]} {self(_TERM + 'points')}"
        return self.sentences.get(_TERM + english, english)

    @property
    def live(self) -> dict[str, str]:
        """What the page's script says, whatever the mode."""
        modes = tuple(f"{mode}." for mode in MODES)
        return {name: said for name, said in self._after(_LIVE).items() if not name.startswith(modes)}

    def live_of(self, mode: str) -> dict[str, str]:
        """What the script says of one mode."""
        return self._after(f"{_LIVE}{mode}.")

    def _after(self, prefix: str) -> dict[str, str]:
        return {key.removeprefix(prefix): said for key, said in self.sentences.items() if key.startswith(prefix)}


@cache
def wording(lang: str) -> Wording:
    """The sentences of a language."""
    if lang not in LANGUAGES:
        raise InputError(f"language {lang!r} is not known; expected one of {', '.join(LANGUAGES)}")
    table: Mapping[str, str] = import_module(f"{__name__}.{lang}").SENTENCES
    return Wording(lang, table)


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The English sentences of the advice layer, each place in braces standing for any text."""
    sentences = wording("en").sentences
    return tuple((key, _pattern(said)) for key, said in sentences.items() if key.startswith(_ADVICE))


def _pattern(sentence: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", sentence)
    places = [f"(?P<{name}>{_ANY if name not in _ONE_WORD else _WORD})" for name in parts[1::2]]
    fixed = [re.escape(part) for part in parts[::2]]
    return re.compile("".join(part for pair in zip_longest(fixed, places, fillvalue="") for part in pair), re.DOTALL)
