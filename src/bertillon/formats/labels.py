"""Which words mean mated and which non-mated.

Conventions: case, blanks, hyphens and underscores do not matter in words. Numbers are 1 and 0, or 1 and -1, but a
column that holds both 0 and -1 is not understood.

Holds `to_mated`, `LabelError`, `UNDERSTOOD` and tests of label words and columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

UNDERSTOOD = (
    "1/0, 1/-1, true/false, t/f, yes/no, target/nontarget, tgt/imp, genuine/impostor, mated/nonmated, same/different, "
    "match/nonmatch, client/impostor, pos/neg, positive/negative, bonafide/attack, bonafide/spoof"
)
_PAIRS = [tuple(pair.split("/")) for pair in UNDERSTOOD.split(", ")]
_MATED = "1 +1 1.0 true t yes y target tgt tar genuine gen mated mate same match client pos positive bonafide"
_NONMATED = """
    0 -1 0.0 -1.0 false f no n nontarget non imp impostor imposter nonmated nonmate different diff nonmatch mismatch
    neg negative attack spoof
"""
_MEANING = dict.fromkeys(_MATED.split(), True) | dict.fromkeys(_NONMATED.split(), False)
_SHOWN = 5
_MOST = 1000  # spellings looked at; more of them are no labels anyway


class LabelError(Exception):
    """A label column holds what cannot be understood; the message says what, without the place."""


def meaning(text: str) -> bool | None:
    """True for mated, False for non-mated, None for what is no label.

    >>> meaning("Non-Mated"), meaning("TGT"), meaning("-1"), meaning("maybe")
    (False, True, False, None)
    """
    return _MEANING.get(_plain(text))


def _plain(text: str) -> str:
    word = text.strip().lower()
    if word[1:2].isdigit():  # the hyphen of -1 is a sign
        return word
    return word.replace("-", "").replace("_", "").replace(" ", "")


def is_label_column(values: Sequence[str]) -> bool:
    """Is every value a label, and are they of one kind?"""
    distinct = set(values)
    return bool(distinct) and all(meaning(value) is not None for value in distinct) and not _mixed(distinct)


def is_digit_label(values: Sequence[str]) -> bool:
    """Nothing but 1 and 0, or 1 and -1?"""
    return set(values) <= {"1", "0", "-1", "+1"} and is_label_column(values)


def tells_apart(values: Sequence[str]) -> bool:
    """Are these labels of which some say mated and some non-mated?"""
    return is_label_column(values) and len({meaning(value) for value in values}) == 2


def same_kind(word: str, others: Iterable[str]) -> bool:
    """Does some other word belong with this one, as nontarget does with target?"""
    present = {_plain(other) for other in others}
    return any(_plain(word) in pair and present & set(pair) for pair in _PAIRS)


def to_mated(labels: pl.Series) -> pl.Series:
    """Labels of any kind as booleans; raises `LabelError`."""
    import polars as pl

    if labels.null_count():
        raise LabelError(f"{labels.null_count():,} labels are missing; each comparison needs one of {UNDERSTOOD}")
    if labels.dtype == pl.Boolean or labels.is_empty():
        return labels.cast(pl.Boolean)
    if labels.dtype.is_integer():
        return _from_integers(labels)
    if labels.dtype.is_float():
        return _from_integers(_whole(labels))
    return _from_text(labels.cast(pl.String))


def _from_integers(labels: pl.Series) -> pl.Series:
    low, high = labels.min(), labels.max()
    known = isinstance(low, int) and isinstance(high, int) and low >= -1 and high <= 1
    if not known or (low == -1 and (labels == 0).any()):
        raise _problem(str(value) for value in _some(labels))
    return labels == 1


def _whole(labels: pl.Series) -> pl.Series:
    import polars as pl

    whole = labels.is_finite() & (labels == labels.floor())
    if not whole.all():
        raise _problem(str(value) for value in _some(labels.filter(~whole)))
    return labels.clip(-2, 2).cast(pl.Int8)


def _from_text(labels: pl.Series) -> pl.Series:
    spellings = labels.unique().head(_MOST).to_list()
    unknown = [text for text in spellings if meaning(text) is None]
    if unknown or _mixed(spellings):
        raise _problem(unknown or spellings)
    return labels.is_in([text for text in spellings if meaning(text)])


def _some(labels: pl.Series) -> list[str]:
    return list(labels.unique(maintain_order=True).head(_MOST).to_list())


def _mixed(values: Iterable[str]) -> bool:
    """Both 0 and -1: then -1 is no plain "non-mated"."""
    words = {value.strip() for value in values}
    return bool(words & {"0", "0.0"}) and bool(words & {"-1", "-1.0"})


def _problem(values: Iterable[str]) -> LabelError:
    distinct = sorted(set(values))
    shown = ", ".join(repr(value) for value in distinct[:_SHOWN])
    more = f" and {len(distinct) - _SHOWN:,} more" if len(distinct) > _SHOWN else ""
    return LabelError(f"labels {shown}{more} are not understood; understood are {UNDERSTOOD}")
