"""The rules of a scheme of certification or of a guideline, as data: TOML, with source and date.

    title = "Common Criteria ..."            what the scheme is called
    source = "BiocPP.adoc, BS_SD.adoc"       where its rules were read
    read = 2026-11-18                        when
    second_hand = false                      true where the text itself was not read
    ordered_pairs = false                    false where a symmetric matcher may not count (a, b) and (b, a)
    notes = ["..."]                          what a check does not judge

    [[requirement]]
    rate = "FNMR"            FMR, FNMR, FAR, FRR or IAPAR at the threshold in use; or a measure with a place of its own
    limit = 0.05             the rate is at most this; below it with `strict = true`
    confidence = 0.8         of the interval whose upper end is judged
    sides = "both"           "both" of an interval, or "upper" of a bound of one side
    stated = true            false where the scheme states no confidence and this one is ours
    method = "annex-b"       how the interval is found
    unit = "attempt"         or "transaction", judged on whole transactions where the attempts of each are known
    attempts = 5             at most so many of a transaction; as many as were made where nothing is said
    people = 245             the least number of people
    recommended = false      true where the scheme recommends and does not require

Conventions: nothing is guessed. A key that is not known, a rate that is none and a value of the wrong kind are refused,
all in one error. FAR and FRR count failed attempts as not accepted, FMR and FNMR leave them out.

Holds `Scheme` with its `Requirement`s, `read_scheme`, `scheme_names`, and `RATES` and `INTERVAL_METHODS` they may name.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date
from importlib.resources import files
from pathlib import Path
from typing import Any

from bertillon.core import InputError
from bertillon.core.errors import listed, unknown
from bertillon.measures import IDENTIFICATION, VERIFICATION, Measure, MeasureSet
from bertillon.stats.interval import METHODS

IAPAR = "IAPAR"
RATES = ("FMR", "FNMR", "FAR", "FRR", IAPAR)  # at the threshold in use
ANNEX_B, BY_SUBJECT, USUAL = "annex-b", "by-subject", "auto"
INTERVAL_METHODS = (*METHODS, ANNEX_B, BY_SUBJECT)
ATTEMPT, TRANSACTION = UNITS = ("attempt", "transaction")
SIDES = ("both", "upper")
LEAST_CONFIDENCE = 0.5


@dataclass(frozen=True, slots=True)
class Requirement:
    """One rule: a rate whose upper end is within a limit.

    Parameters
    ----------
    rate
        FMR, FNMR, FAR, FRR or IAPAR at the threshold in use, or a measure with a place of its own.
    limit
        What the upper end of the interval may reach.
    confidence, sides
        Of the interval: its level, and whether it is one of "both" sides or an "upper" bound.
    method
        How the interval is found, one of `INTERVAL_METHODS`.
    unit
        What is counted: an attempt or a transaction.
    attempts
        How many a transaction may have; 0 where the scheme does not say.
    people
        The least number of people.
    strict
        The limit itself is too much.
    stated
        The scheme states the confidence; False where it is ours.
    recommended
        The scheme recommends the rule and does not require it.
    """

    rate: str
    limit: float
    confidence: float
    sides: str = "both"
    method: str = METHODS[0]
    unit: str = ATTEMPT
    attempts: int = 0
    people: int = 0
    strict: bool = False
    stated: bool = True
    recommended: bool = False

    @property
    def measure(self) -> tuple[MeasureSet, Measure] | None:
        """The measure with a place of its own, and whose it is; None of a rate at the threshold in use."""
        if self.rate in RATES:
            return None
        for measures in (VERIFICATION, IDENTIFICATION):
            try:
                return measures, measures.parse(self.rate)
            except InputError:
                continue
        raise InputError(
            f"rate {self.rate!r} is no measure; expected {', '.join(RATES)}, or one such as FNMR@FMR=0.001"
        )

    @property
    def of_searches(self) -> bool:
        """Is it a measure of searches?"""
        asked = self.measure
        return asked is not None and asked[0] is IDENTIFICATION

    def met_by(self, value: float) -> bool:
        """Is a rate, or the upper end of its interval, within the limit?

        >>> Requirement("FMR", 0.05, 0.8).met_by(0.05), Requirement("FMR", 0.05, 0.8, strict=True).met_by(0.05)
        (True, False)
        """
        return value < self.limit if self.strict else value <= self.limit


@dataclass(frozen=True, slots=True)
class Scheme:
    """The requirements of a scheme, and where they were read."""

    name: str
    title: str
    source: str
    read: str  # the date
    requirements: tuple[Requirement, ...]
    second_hand: bool = False
    ordered_pairs: bool = True
    notes: tuple[str, ...] = ()

    @property
    def of_transactions(self) -> tuple[Requirement, ...]:
        """The rules that are about transactions."""
        return tuple(rule for rule in self.requirements if rule.unit == TRANSACTION)

    @classmethod
    def of(cls, name: str, content: Mapping[str, Any]) -> Scheme:
        """From the content of a TOML file; everything wrong with it is said in one error."""
        faults = _faults(content, _SCHEME, f"{name}:") or _date_faults(content["read"], name)
        rows = content.get("requirement", [])
        if not isinstance(rows, list) or not rows:
            faults.append(f"{name}: has no [[requirement]]; expected one or more")
            rows = []
        for number, row in enumerate(rows, 1):
            where = f"{name}: requirement {number}:"
            wrong = _faults(row, _REQUIREMENT, where)
            faults += wrong or [f"{where} {fault}" for fault in _value_faults(row)]
        if faults:
            raise InputError("\n".join(faults))
        made = tuple(Requirement(**row) for row in rows)
        about = {key: content[key] for key in ("title", "source", "second_hand", "ordered_pairs") if key in content}
        notes = tuple(content.get("notes", ()))
        return cls(name=name, read=str(content["read"]), requirements=made, notes=notes, **about)


def scheme_names() -> tuple[str, ...]:
    """The schemes that are known by name.

    >>> "cc-bio-pp-2" in scheme_names()
    True
    """
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in _folder().iterdir() if _is_rules(entry.name)))


def read_scheme(scheme: str | Path | Scheme) -> Scheme:
    """A scheme by its name, or from a TOML file.

    >>> [(rule.rate, rule.limit) for rule in read_scheme("cc-bio-pp-2").requirements]
    [('FMR', 0.0001), ('FNMR', 0.05), ('IAPAR', 0.07)]
    """
    if isinstance(scheme, Scheme):
        return scheme
    name = str(scheme)
    if name in scheme_names():
        return Scheme.of(name, tomllib.loads((_folder() / f"{name}.toml").read_text(encoding="utf-8")))
    if not _is_rules(name):
        raise InputError(f"{unknown('scheme', name, scheme_names())}; or give a file of rules, FILE.toml")
    try:
        with Path(name).open("rb") as file:
            content = tomllib.load(file)
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{name}: is no TOML ({error})") from None
    return Scheme.of(Path(name).name, content)


def _folder() -> Any:
    return files("bertillon.analysis") / "rules"


def _is_rules(name: str) -> bool:
    return name.lower().endswith(".toml")


_SCHEME: dict[str, tuple[type, ...]] = {
    "title": (str,),
    "source": (str,),
    "read": (date, str),
    "second_hand": (bool,),
    "ordered_pairs": (bool,),
    "notes": (list,),
    "requirement": (list,),
}
_KINDS: dict[str, tuple[type, ...]] = {"str": (str,), "float": (float, int), "int": (int,), "bool": (bool,)}
WRITTEN: dict[type, str] = {  # how a value of each kind is said to be
    str: 'text in quotes, such as "FMR"',
    date: "a day, such as 2026-11-18",
    bool: "true or false",
    float: "a number, such as 0.05",
    int: "a whole number",
    list: "a list in brackets",
}
_REQUIREMENT = {field.name: _KINDS[str(field.type)] for field in fields(Requirement)}
_NEEDED = ("title", "source", "read"), ("rate", "limit", "confidence")
_CHOICES = {"sides": SIDES, "unit": UNITS, "method": (*INTERVAL_METHODS, USUAL)}


def _faults(given: Any, known: Mapping[str, tuple[type, ...]], where: str) -> list[str]:
    """Keys that are not known or are missing, and values of the wrong kind."""
    if not isinstance(given, dict):
        return [f"{where} is {given!r}; expected a table with {', '.join(known)}"]
    needed = next(names for names in _NEEDED if set(names) <= set(known))
    wrong = [f"{where} {unknown('key', key, known)}" for key in given if key not in known]
    wrong += [
        f"{where} has no {key!r}; expected it, as in the files of known schemes" for key in needed if key not in given
    ]
    for key, value in given.items():
        kinds = known.get(key)
        numeric = isinstance(value, bool) and kinds is not None and bool not in kinds
        if kinds is not None and (numeric or not isinstance(value, kinds)):
            wrong.append(f"{where} {key} is {value!r}; expected {WRITTEN[kinds[0]]}")
    return wrong


def _date_faults(read: date | str, name: str) -> list[str]:
    """A day that is none."""
    try:
        date.fromisoformat(str(read)[: len("2026-11-18")])
    except ValueError:
        return [f"{name}: read is {read!r}; expected the day on which the rules were read, such as 2026-11-18"]
    return []


def _value_faults(row: Mapping[str, Any]) -> list[str]:
    """Values that cannot be, of a requirement whose keys and kinds are right."""
    wrong = [
        f"{key} is {row[key]!r}; expected one of {listed(allowed)}"
        for key, allowed in _CHOICES.items()
        if row.get(key, allowed[0]) not in allowed
    ]
    if not 0.0 < row["limit"] < 1.0:
        wrong.append(f"limit is {row['limit']!r}; expected a rate between 0 and 1, such as 0.05")
    if not LEAST_CONFIDENCE <= row["confidence"] < 1.0:
        wrong.append(f"confidence is {row['confidence']!r}; expected a share from {LEAST_CONFIDENCE} to just below 1")
    if row.get("people", 0) < 0:
        wrong.append(f"people is {row['people']!r}; expected a number, 0 or more")
    if row.get("attempts", 0) < 0 or (row.get("attempts") and row.get("unit", ATTEMPT) != TRANSACTION):
        wrong.append(f"attempts is {row['attempts']!r}; expected a number from 1 on, with unit = {TRANSACTION!r}")
    try:
        placed = Requirement(**row).measure is not None
    except InputError as error:
        return [*wrong, str(error)]
    if placed != (row.get("method", METHODS[0]) == USUAL):
        usual = f"method = {USUAL!r}"
        wrong.append(f"{row['rate']}: expected {usual} of a measure with a place of its own, and of no other rate")
    return wrong
