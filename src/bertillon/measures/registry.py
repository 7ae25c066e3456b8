"""The names of measures, what they mean, and how to get from a line of text to a measure."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from bertillon.errors import InputError
from bertillon.measures.base import Measure
from bertillon.measures.spelling import Spelling


@dataclass(frozen=True, slots=True)
class Definition:
    """One name of the language: how it is written, what it says, and how it is built from a spelling."""

    name: str
    build: Callable[[Spelling], Measure]
    summary: str
    example: str
    formula: str = ""
    synonyms: tuple[str, ...] = ()
    unit: Literal["rate", "number", "count"] = "number"  # how its values are shown


MEASURES: dict[str, Definition] = {}
_BY_ANY_NAME: dict[str, Definition] = {}


def register(definition: Definition) -> None:
    """Add a name to the language; two measures cannot share one."""
    for name in (definition.name, *definition.synonyms):
        taken = _BY_ANY_NAME.setdefault(_fold(name), definition)
        if taken is not definition:
            raise ValueError(f"the measure name {name!r} already means {taken.name}")
    MEASURES[definition.name] = definition


def parse(text: str | Measure) -> Measure:
    """The measure a line of text means; a measure is returned as it is.

    >>> str(parse("TPR@FPR=1e-3"))
    'TMR@FMR=0.001'
    """
    return parse_all([text])[0]


def parse_all(texts: Iterable[str | Measure]) -> Sequence[Measure]:
    """The measures of several lines; everything wrong with any of them is said in one error."""
    measures: list[Measure] = []
    problems: list[str] = []
    for text in texts:
        if isinstance(text, Measure):
            measures.append(text)
            continue
        try:
            measures.append(_build(text))
        except InputError as error:
            problems.append(str(error))
    if problems:
        raise InputError("\n".join(problems))
    return measures


def canonical_name(name: str) -> str | None:
    """The registered name behind any spelling or synonym, or None."""
    found = _BY_ANY_NAME.get(_fold(name))
    return found.name if found else None


def reject_extras(spelling: Spelling, *, options: Sequence[str] = (), at: Sequence[str] = ()) -> None:
    """Options and places the measure does not know are an error, never ignored."""
    for kind, given, known in (("option", spelling.options, options), ("place", spelling.at, at)):
        strange = [key for key in given if key not in known]
        if strange:
            expected = ", ".join(known) if known else "none"
            raise InputError(f"{spelling}: {kind} {strange[0] or 'without a name'!r} is not known; expected {expected}")


def one_of(spelling: Spelling, variants: Sequence[str]) -> str:
    """The spelling's variant, the first one where none is given."""
    if not spelling.variant:
        return variants[0]
    if spelling.variant.lower() not in variants:
        raise InputError(f"{spelling}: variant {spelling.variant!r} is not known; expected {', '.join(variants)}")
    return spelling.variant.lower()


def _build(text: str) -> Measure:
    spelling = Spelling.read(text)
    found = _BY_ANY_NAME.get(_fold(spelling.name))
    if found is None:
        raise InputError(f"unknown measure {text!r}{_nearest(spelling.name)}; 'bertillon measures' lists them all")
    return found.build(Spelling(found.name, spelling.variant, spelling.options, spelling.at))


def _nearest(name: str) -> str:
    close = difflib.get_close_matches(_fold(name), list(_BY_ANY_NAME), n=1, cutoff=0.5)
    return f" (did you mean {_spelled(close[0])}?)" if close else ""


def _spelled(folded: str) -> str:
    definition = _BY_ANY_NAME[folded]
    return next(name for name in (definition.name, *definition.synonyms) if _fold(name) == folded)


def _fold(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "").replace(" ", "")
