"""VoxCeleb lines: trials `label a b` and scores `score a b`.

Conventions: `a` is the reference (enrolment), `b` the probe. Sniffing: three columns, the first a number, the others
ids; nothing but 0 and 1, or both 1 and -1, in the first means trials. Trials may have words, such as target and
nontarget, in its place.

Holds the formats `voxceleb-trials` and `voxceleb-scores`.
"""

from __future__ import annotations

from bertillon.core.messages import say
from bertillon.core.tables import ComparisonTable
from bertillon.io.head import LOOSE, Head, all_numbers
from bertillon.io.labels import has_both_labels, is_digit_label
from bertillon.io.positional import Columns, against, is_ids, is_label_words, read_columns
from bertillon.io.registry import Format, Request, register
from bertillon.io.source import Source

_IDS = {"reference": "a", "probe": "b"}
_TRIALS = Columns(say("format.voxceleb_trials"), ("label", "a", "b"), {"mated": "label", **_IDS})
_SCORES = Columns(say("format.voxceleb_scores"), ("score", "a", "b"), {"score": "score", **_IDS})


def read_trials(source: Source, head: Head, request: Request) -> ComparisonTable:
    return read_columns(source, head, request, _TRIALS)


def read_scores(source: Source, head: Head, request: Request) -> ComparisonTable:
    return read_columns(source, head, request, _SCORES)


def fits_trials(head: Head) -> bool:
    if head.separator not in LOOSE or head.width != 3:
        return False
    first, *ids = head.columns()
    digits = set(first) <= {"0", "1"} or (is_digit_label(first) and has_both_labels(first))
    label_words = is_label_words(first) and not is_ids(first)
    return (digits or label_words) and all(map(is_ids, ids))


def fits_scores(head: Head) -> bool:
    if head.separator not in LOOSE or head.width != 3:
        return False
    first, *ids = head.columns()
    return all_numbers(first) and all(map(is_ids, ids)) and not fits_trials(head)


def near(head: Head) -> str:
    return against(head, _SCORES)


TRIALS = Format("voxceleb-trials", "VoxCeleb trials: label a b", rank=4, fits=fits_trials, reader=read_trials)
SCORES = Format(
    "voxceleb-scores", "VoxCeleb scores: score a b", rank=4, fits=fits_scores, reader=read_scores, near=near
)

register(TRIALS, SCORES)
