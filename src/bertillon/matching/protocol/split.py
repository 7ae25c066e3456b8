"""Train and test: what a system may learn from, and what it is measured on.

Conventions: no sample is ever on both sides. Split by subject (preferred: it shows how the system does on people it
has never met), no person is on both sides either. Split by sample, every person gives the same share to each side,
to within one template. Sizes are rounded to whole subjects or samples, and neither side is ever empty.

Holds `split_train_test`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bertillon.core.messages import Message, say
from bertillon.core.tables import TemplateTable
from bertillon.matching.protocol.checks import check_people, draw_from, one_of, share
from bertillon.matching.protocol.partition import Partition

LEAST_TRAIN, MOST_TRAIN = 0.6, 0.8  # the usual share of the training side


def split_train_test(
    templates: TemplateTable, *, by: str = "subject", train: float = 0.7, rng: int | np.random.Generator | None = None
) -> Partition:
    """Templates to learn from and templates to measure on, drawn at random.

    `train` is the share of the subjects, or of the samples, on the training side; a share outside 60 to 80 % gets a
    warning.

    >>> people = TemplateTable(np.zeros((4, 1)), np.array(list("aabc")), np.array(list("1234")))
    >>> for line in split_train_test(people, train=0.6, rng=1).words[2:]:
    ...     print(line)
    Train: 3 templates of 2 people.
    Test: 1 template of 1 person.
    Nobody is on both sides.
    """
    check_people(templates)
    one_of(by, ("subject", "sample"), "by")
    wanted = share(train, "train")
    draw = draw_from(rng)
    chosen = _subjects if by == "subject" else _samples
    is_train, trained, units = chosen(templates.subject, wanted, draw.generator)
    role = np.where(is_train, "train", "test")
    how = (say(f"protocol.split_by.{by}", trained=trained, units=units, share=trained / units), draw.words)
    return Partition(templates.sample, templates.subject, role, how, _warnings(templates, is_train, trained, units, by))


def _subjects(subject: NDArray[np.str_], wanted: float, rng: np.random.Generator) -> tuple[NDArray[np.bool_], int, int]:
    ids, owner = np.unique(subject, return_inverse=True)
    number = _rounded(wanted, ids.size)
    is_train = np.zeros(ids.size, dtype=bool)
    is_train[rng.permutation(ids.size)[:number]] = True
    return is_train[owner], number, ids.size


def _samples(subject: NDArray[np.str_], wanted: float, rng: np.random.Generator) -> tuple[NDArray[np.bool_], int, int]:
    """Put person after person in a row, and choose at even steps along it: the same share of each."""
    ids, owner = np.unique(subject, return_inverse=True)
    number = _rounded(wanted, subject.size)
    queue = np.lexsort((rng.permutation(subject.size), rng.permutation(ids.size)[owner]))
    steps = np.arange(subject.size + 1) * number // subject.size
    is_train = np.zeros(subject.size, dtype=bool)
    is_train[queue] = np.diff(steps) > 0
    return is_train, number, subject.size


def _rounded(wanted: float, units: int) -> int:
    return min(max(round(wanted * units), 1), units - 1)


def _warnings(
    templates: TemplateTable, is_train: NDArray[np.bool_], trained: int, units: int, by: str
) -> tuple[Message, ...]:
    warnings = []
    if not LEAST_TRAIN <= trained / units <= MOST_TRAIN:
        warnings.append(say(f"protocol.unusual_share.{by}", share=trained / units))
    if np.unique(templates.subject[~is_train]).size == 1:
        warnings.append(say("protocol.one_test_person"))
    return tuple(warnings)
