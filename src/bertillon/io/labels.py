"""Which words mean mated, which non-mated and which an attack.

Conventions: case, blanks, hyphens and underscores do not matter in words. Numbers are 1 and 0, or 1 and -1, but a
column that holds both 0 and -1 is not understood. Bona fide is mated. An attack (spoof, A07 ...) is neither mated nor
non-mated: where a column holds one, its labels become a struct of `mated` (false for an attack) and `attack`, the word
that was found, null for all other rows. What the caller says of values (`LabelValues`) comes before any of this.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from bertillon.core.errors import InputError
from bertillon.core.lazy import pl
from bertillon.core.tables import ends_of

UNDERSTOOD = (
    "1/0, 1/-1, true/false, t/f, yes/no, target/nontarget, tgt/imp, genuine/impostor, mated/nonmated, same/different, "
    "match/nonmatch, client/impostor, pos/neg, positive/negative, bonafide/attack, bonafide/spoof, live/spoof, "
    "real/fake"
)
_PAIRS = [tuple(pair.split("/")) for pair in UNDERSTOOD.split(", ")]
_WORDS = {
    "mated": """
        1 +1 1.0 true t yes y target tgt tar genuine gen mated mate same match client pos positive bonafide live real
    """,
    "nonmated": """
        0 -1 0.0 -1.0 false f no n nontarget non imp impostor imposter nonmated nonmate different diff nonmatch mismatch
        neg negative
    """,
    "attack": "attack spoof spoofed fake",
}
_MEANING = {word: kind for kind, synonyms in _WORDS.items() for word in synonyms.split()}
_SPECIES = re.compile(r"a\d\d")  # attacks by number, as ASVspoof has them
_STATED = {"genuine": "mated", "bonafide": "mated", "target": "mated", "impostor": "nonmated", "nontarget": "nonmated"}
_STATED |= {"spoof": "attack", **{kind: kind for kind in _WORDS}}
_SHOWN = 5
_MOST = 1000  # spellings looked at; more of them are no labels anyway

LabelValues = Mapping[str, str]  # a value of the label column, as it is written -> mated, nonmated or attack


class LabelError(Exception):
    """A label column holds what cannot be understood; the message says what, without the place."""


def meaning(text: str) -> str | None:
    """mated, nonmated or attack; None for what is no label.

    >>> meaning("Non-Mated"), meaning("TGT"), meaning("spoof"), meaning("maybe")
    ('nonmated', 'mated', 'attack', None)
    """
    return _MEANING.get(plain_label(text))


def plain_label(text: str) -> str:
    """A label as labels are compared: without case, blanks, hyphens and underscores.

    >>> plain_label("Bona-Fide"), plain_label(" -1")
    ('bonafide', '-1')
    """
    word = text.strip().lower()
    if word[1:2].isdigit() and not _SPECIES.fullmatch(word):  # the hyphen of -1 is a sign
        return word
    return word.replace("-", "").replace("_", "").replace(" ", "")


def _kinds(values: Iterable[str]) -> dict[str, str | None]:
    """What each of several values means; numbered attacks are known only beside a label that is none."""
    known = {value: meaning(value) for value in values}
    if {"mated", "nonmated"}.isdisjoint(known.values()):
        return known
    return {
        value: kind or ("attack" if _SPECIES.fullmatch(plain_label(value)) else None) for value, kind in known.items()
    }


def is_label_column(values: Sequence[str]) -> bool:
    """Is every value a label, and are they of one kind?"""
    distinct = set(values)
    return bool(distinct) and None not in _kinds(distinct).values() and not _mixed(distinct)


def is_digit_label(values: Sequence[str]) -> bool:
    """Nothing but 1 and 0, or 1 and -1?"""
    return set(values) <= {"1", "0", "-1", "+1"} and is_label_column(values)


def has_both_labels(values: Sequence[str]) -> bool:
    """Are these labels of which some say one thing and some another?"""
    return is_label_column(values) and len(set(_kinds(set(values)).values())) > 1


def same_kind(word: str, others: Iterable[str]) -> bool:
    """Does some other word belong with this one, as nontarget does with target?"""
    present = {plain_label(other) for other in others}
    return any(plain_label(word) in pair and present & set(pair) for pair in _PAIRS)


def label_values(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """What values mean, from pairs of a meaning and a value; a meaning may have several values.

    >>> label_values([("mated", "0"), ("attack", "1"), ("attack", "2")])
    {'0': 'mated', '1': 'attack', '2': 'attack'}
    """
    stated: dict[str, str] = {}
    for role, value in pairs:
        kind = _STATED.get(plain_label(role))
        if kind is None:
            problem = f"values: {role!r} is not a meaning of a label; expected mated (or bonafide)"
            raise InputError(f"{problem}, nonmated or attack, as in mated=target,nonmated=nontarget,attack=spoof")
        value = value.strip()
        if stated.setdefault(value, kind) != kind:
            raise InputError(f"values: {value!r} is stated as {stated[value]} and {kind}; state it once")
    return stated


def stated_labels(labels: pl.Series, values: LabelValues) -> pl.Series:
    """Labels as text by what the caller said of their values; raises `LabelError` for a value nothing was said of."""
    _require_filled(labels)
    spellings = [str(text) for text in labels.unique().head(_MOST).to_list()]
    other = [text for text in spellings if text.strip() not in values]
    if other:
        raise LabelError(
            f"labels {_listed(other)} stand in the column, and their meaning was not stated; expected only "
            f"{_listed(values)}: name every value, as in --values mated=VALUE,nonmated=VALUE,attack=VALUE"
        )
    return _by_kind(labels, {text: values[text.strip()] for text in spellings})


def to_labels(labels: pl.Series) -> pl.Series:
    """Labels of any kind as booleans or, where there are attacks, as a struct; raises `LabelError`."""
    _require_filled(labels)
    if labels.dtype == pl.Boolean or labels.is_empty():
        return labels.cast(pl.Boolean)
    if labels.dtype.is_float():
        whole = labels.is_finite() & (labels == labels.floor())
        if not whole.all():
            raise _problem(map(str, _some(labels.filter(~whole))))
        labels = labels.clip(-2, 2).cast(pl.Int8)
    return _from_integers(labels) if labels.dtype.is_integer() else _from_text(labels.cast(pl.String))


def _require_filled(labels: pl.Series) -> None:
    if labels.null_count():
        n = labels.null_count()
        missing = "1 label is missing" if n == 1 else f"{n:,} labels are missing"
        raise LabelError(f"{missing}; each comparison needs one of {UNDERSTOOD}")


def _from_integers(labels: pl.Series) -> pl.Series:
    low, high = ends_of(labels)
    known = isinstance(low, int) and isinstance(high, int) and low >= -1 and high <= 1
    if not known or (low == -1 and (labels == 0).any()):
        raise _problem(map(str, _some(labels)))
    return labels == 1


def _from_text(labels: pl.Series) -> pl.Series:
    kinds = _kinds(labels.unique().head(_MOST).to_list())
    unknown = [text for text, kind in kinds.items() if kind is None]
    if unknown or _mixed(kinds):
        raise _problem(unknown or kinds)
    return _by_kind(labels, {text: kind for text, kind in kinds.items() if kind})


def _by_kind(labels: pl.Series, kinds: Mapping[str, str]) -> pl.Series:
    of = {kind: [text for text, known in kinds.items() if known == kind] for kind in _WORDS}
    mated = labels.is_in(of["mated"])
    if not of["attack"]:
        return mated
    species = labels.str.strip_chars().set(~labels.is_in(of["attack"]), None)
    return pl.DataFrame({"mated": mated, "attack": species}).to_struct(labels.name)


def _some(labels: pl.Series) -> list[str]:
    return list(labels.unique(maintain_order=True).head(_MOST).to_list())


def _mixed(values: Iterable[str]) -> bool:
    """Both 0 and -1: then -1 is no plain "non-mated"."""
    marks = {value.strip() for value in values}
    return bool(marks & {"0", "0.0"}) and bool(marks & {"-1", "-1.0"})


def _listed(values: Iterable[str]) -> str:
    distinct = sorted(set(values))
    more = f" and {len(distinct) - _SHOWN:,} more" if len(distinct) > _SHOWN else ""
    return ", ".join(repr(value) for value in distinct[:_SHOWN]) + more


def _problem(values: Iterable[str]) -> LabelError:
    return LabelError(
        f"labels {_listed(values)} are not understood; understood are {UNDERSTOOD}. Say what each value means with "
        "--values, as in --values mated=VALUE,nonmated=VALUE,attack=VALUE"
    )


class BatchLabels:
    """Remembers how non-mated comparisons were marked: 0 in one batch and -1 in another is not understood."""

    def __init__(self) -> None:
        self._zero = self._minus = False

    def to_labels(self, labels: pl.Series) -> pl.Series:
        """Labels of any kind under the same name, as `labels.to_labels` gives them; raises `LabelError`."""
        understood = to_labels(labels)
        if labels.dtype == pl.String:
            labels = labels.str.strip_chars().replace(["0.0", "-1.0"], ["0", "-1"])
            self._zero, self._minus = self._zero or "0" in labels, self._minus or "-1" in labels
        elif labels.dtype.is_numeric():
            self._zero, self._minus = self._zero or (labels == 0).any(), self._minus or (labels < 0).any()
        if self._zero and self._minus:
            raise LabelError("labels 0 and -1 both occur in the column, so -1 is not simply non-mated; use 1 and 0")
        return understood
