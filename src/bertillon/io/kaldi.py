"""Kaldi and WeSpeaker lines: `enroll test score target|nontarget`.

Conventions: the label may be missing (`enroll test score`, a score file) or the score (`enroll test target`, a trial
list), whose label may be 1 and 0 or -1: a third column of nothing else that has both holds labels, not scores, and all
lines are looked at for that. With spoof among the labels the lines are those of SASV (see `asvspoof`): a spoof is an
attack, not a nontarget.
Sniffing: the score is a number, the label nothing but labels, the two ids no fractions.

Holds the format `kaldi`.
"""

from __future__ import annotations

from bertillon.core.messages import say
from bertillon.core.tables import ComparisonTable
from bertillon.io import asvspoof
from bertillon.io.head import LOOSE, Head, all_numbers, is_id_like
from bertillon.io.labels import has_both_labels, is_digit_label, is_label_column
from bertillon.io.positional import Columns, against, is_ids, is_label_words, read_columns
from bertillon.io.registry import Format, Request, register
from bertillon.io.source import Source
from bertillon.io.text import Layout, parse

_IDS = {"reference": "enroll", "probe": "test"}
_SCORED = Columns(say("format.kaldi_scores"), ("enroll", "test", "score"), {**_IDS, "score": "score"})
_TRIALS = Columns(say("format.kaldi_trials"), ("enroll", "test", "label"), {**_IDS, "mated": "label"})
_FULL = Columns(
    say("format.kaldi_labelled"), ("enroll", "test", "score", "label"), {**_IDS, "score": "score", "mated": "label"}
)


def read(source: Source, head: Head, request: Request) -> ComparisonTable:
    columns = _columns(source, head)
    if asvspoof.is_keyed(head) and source.content.find(b"spoof") >= 0:  # perhaps beyond the lines looked at
        return asvspoof.read(source, head, request)
    return read_columns(source, head, request, columns)


def _columns(source: Source, head: Head) -> Columns:
    if head.width == 4:
        return _FULL
    if head.width != 3:
        raise source.error(f"has {head.width} columns; kaldi lines are `enroll test score target|nontarget`")
    return _TRIALS if _is_label(source, head) else _SCORED


def _is_label(source: Source, head: Head) -> bool:
    """Does the third of three columns hold labels? Of digits the whole file tells: the first lines may be all mated."""
    third = head.columns()[2]
    if not is_digit_label(third):
        return is_label_words(third)
    layout = Layout(_TRIALS.names, head.separator)
    marks = parse(source, head, layout, {"label": "text"})["label"].drop_nulls().unique().to_list()
    return is_digit_label(marks) and has_both_labels(marks)


def fits(head: Head) -> bool:
    if head.separator not in LOOSE or head.width not in (3, 4):
        return False
    columns = head.columns()
    if not all(map(is_ids, columns[:2])):
        return False
    if head.width == 3:
        return all_numbers(columns[2]) or is_label_words(columns[2])
    fractions = not is_id_like(columns[2])
    return all_numbers(columns[2]) and (is_label_words(columns[3]) or (fractions and is_label_column(columns[3])))


def near(head: Head) -> str:
    return against(head, _FULL) or against(head, _SCORED)


KALDI = Format(
    "kaldi", "Kaldi, WeSpeaker: enroll test score target|nontarget", rank=4, fits=fits, reader=read, near=near
)

register(KALDI)
