"""Attempts of transactions, in order: from columns of a table, or from templates enrolled and then presented.

Conventions: a transaction is what one person does at one claim until it ends: its attempts stand in order, and a failed
one is NaN. In a table the columns `transaction` and `attempt` (1, 2, ...) say what belongs together; a number of a
transaction may be used again for other people, since the people compared belong to its key. A transaction is genuine,
of an impostor or an attack, all attempts alike. From templates the first of each person are enrolled and the next are
the attempts, in the order of the table; each person makes one transaction against everybody enrolled. People with too
few templates take no part.

Holds `TransactionSet` with `transactions_from`; `attempts_after_enrolment`, the partition of templates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.arguments import require
from bertillon.core.errors import InputError
from bertillon.core.lazy import pl
from bertillon.core.messages import Message, Text, say
from bertillon.core.rule import AcceptRule
from bertillon.core.tables import ComparisonTable, TemplateTable, short_name
from bertillon.counting.error_counts import FloatArray, IntArray
from bertillon.matching.comparing import Comparing
from bertillon.matching.protocol.partition import Partition

GENUINE, IMPOSTOR, ATTACK = 0, 1, 2
TRANSACTION, ATTEMPT = "transaction", "attempt"
MOST_ATTEMPTS = 1000
UNNAMED = "attack"
Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class TransactionSet:
    """Transactions, one a row, and the scores of their attempts in order.

    >>> scores = np.array([[0.2, 0.9], [0.1, np.nan]])
    >>> made = TransactionSet(scores, np.array([2, 2]), np.array([GENUINE, IMPOSTOR]))
    >>> made.best_of(2).tolist(), made.best_of(1).tolist()
    ([0.9, 0.1], [0.2, 0.1])
    """

    scores: FloatArray  # (transactions, attempts), in the user's units; NaN where one failed or was not made
    made: IntArray  # attempts of each
    kind: IntArray  # GENUINE, IMPOSTOR or ATTACK
    person: Array | None = None  # who tries; of an attack whom it imitates
    claimed: Array | None = None  # whom
    species: Array | None = None  # of attacks
    rule: AcceptRule = AcceptRule.SIMILARITY
    name: str = ""
    notes: tuple[Text, ...] = ()

    @property
    def longest(self) -> int:
        """Attempts of the longest transaction."""
        return int(self.made.max(initial=0))

    def best_of(self, attempts: int, accepts: int = 1) -> FloatArray:
        """The oriented score that decides: the transaction is accepted where this passes the threshold.

        It is the greatest of the first so many attempts, or where several must be accepted the so-manieth; -inf where
        there are too few.
        """
        first = np.asarray(self.rule.orient(self.scores[:, :attempts]), dtype=np.float64)
        first = np.where(np.isnan(first), -np.inf, first)
        if accepts == 1:
            return np.asarray(first.max(axis=1, initial=-np.inf))
        if accepts > first.shape[1]:
            return np.full(len(first), -np.inf)
        return np.asarray(np.sort(first, axis=1)[:, first.shape[1] - accepts])


def transactions_from(source: ComparisonTable | Comparing, *, rule: AcceptRule | str | None = None) -> TransactionSet:
    """Transactions of a table with columns `transaction` and `attempt`, or of a plan that enrols and presents.

    >>> import polars as pl
    >>> rows = {"transaction": [1, 1, 2], "attempt": [2, 1, 1], "mated": [True, True, False], "score": [0.8, 0.3, 0.1]}
    >>> transactions_from(ComparisonTable(pl.DataFrame(rows))).scores.tolist()
    [[0.3, 0.8], [0.1, nan]]
    """
    expected = "a table of comparisons, as bertillon.io.read reads it, or templates (read_templates)"
    require(source, (ComparisonTable, Comparing), "what holds the attempts", expected)
    return _of_plan(source) if isinstance(source, Comparing) else _of_table(source, rule)


def _of_table(table: ComparisonTable, rule: AcceptRule | str | None) -> TransactionSet:
    frame, where = table.frame, table.source
    missing = [name for name in (TRANSACTION, "score") if name not in frame.columns]
    if missing:
        raise InputError(
            f"{where}: no column {missing[0]!r}; transactions need a column transaction, a column attempt that counts "
            "from 1 and a score per attempt"
        )
    direction = AcceptRule.of(rule or table.rule or AcceptRule.SIMILARITY)
    kind = _kinds(table)
    keys = _keys(frame, where, kind)
    number = _numbers(frame, where)
    order = np.lexsort((number, keys))
    keys, number = keys[order], number[order]
    begins = np.flatnonzero(np.diff(keys, prepend=-1))
    made = np.diff(np.append(begins, keys.size))
    within = np.arange(keys.size) - np.repeat(begins, made)
    _check_numbers(frame, where, order, begins, number, within)
    _check_kinds(frame, where, kind[order], order, begins, made)
    scores = np.full((begins.size, int(made.max())), np.nan)
    values = frame["score"].cast(pl.Float64).fill_null(float("nan")).to_numpy().copy()
    if "failed" in frame.columns:
        values[frame["failed"].fill_null(False).to_numpy()] = np.nan
    scores[np.repeat(np.arange(begins.size), made), within] = values[order]
    rows = order[begins]
    people = [_column(frame, name, rows) for name in ("probe_subject", "reference_subject")]
    species = _column(frame, "attack", rows)
    if species is not None:
        species = np.where(species == "", UNNAMED, species)
    notes = [*table.notes, say("transactions.read", n=begins.size, attempts=keys.size)]
    if ATTEMPT not in frame.columns:
        notes.append(say("transactions.in_order"))
    return TransactionSet(
        scores, made, kind[rows], people[0], people[1], species, direction, short_name(where), tuple(notes)
    )


def _column(frame: pl.DataFrame, name: str, rows: IntArray) -> Array | None:
    if name not in frame.columns:
        return None
    return np.array(frame[name].cast(pl.String).fill_null("").gather(rows.tolist()).to_list(), dtype=np.str_)


def _kinds(table: ComparisonTable) -> IntArray:
    """What each attempt is, from labels or from the people compared."""
    frame, where = table.frame, table.source
    if "mated" in frame.columns:
        mated = frame["mated"]
        unknown = mated.is_null() if "attack" not in frame.columns else mated.is_null() & frame["attack"].is_null()
        if unknown.any():
            raise InputError(f"{where}: row {int(unknown.arg_true()[0]) + 1:,} has no label; expected one in every row")
        genuine = mated.fill_null(False).to_numpy()
    elif {"probe_subject", "reference_subject"} <= set(frame.columns):
        genuine = (frame["probe_subject"] == frame["reference_subject"]).fill_null(False).to_numpy()
    else:
        problem = f"{where}: nothing says which transactions are genuine"
        raise InputError(f"{problem}; expected a column of labels, or both subjects of every comparison")
    kind = np.where(genuine, GENUINE, IMPOSTOR)
    if "attack" in frame.columns:
        kind = np.where(frame["attack"].is_not_null().to_numpy(), ATTACK, kind)
    return kind.astype(np.int64)


def _keys(frame: pl.DataFrame, where: str, kind: IntArray) -> IntArray:
    """A number for each transaction: whose it is, against what, and its own number or name."""
    named = frame[TRANSACTION].cast(pl.String)
    empty = (named.is_null() | (named == "")).arg_true()
    if len(empty):
        raise InputError(f"{where}: row {int(empty[0]) + 1:,} names no transaction; expected one in every row")
    against = "reference_subject" if "reference_subject" in frame.columns else "reference"
    columns = [name for name in ("probe_subject", against) if name in frame.columns]
    parts = frame.select(named.alias(TRANSACTION), *(pl.col(name).cast(pl.String).fill_null("") for name in columns))
    if not columns:  # a number may be used for a genuine transaction and again for another
        parts = parts.with_columns(kind=pl.Series(kind))
    return parts.select(pl.struct(pl.all()).rank("dense")).to_series().to_numpy().astype(np.int64)


def _numbers(frame: pl.DataFrame, where: str) -> IntArray:
    """The number of each attempt; the order of the rows where there is no such column."""
    if ATTEMPT not in frame.columns:
        return np.arange(frame.height)
    numbers = frame[ATTEMPT].cast(pl.Float64, strict=False)
    wrong = (numbers.is_null() | (numbers % 1 != 0) | (numbers < 1)).fill_null(True).arg_true()
    if len(wrong):
        row = int(wrong[0])
        found = f"row {row + 1:,} has attempt {frame[ATTEMPT][row]!r}"
        raise InputError(f"{where}: {found}; expected a whole number: 1 for the first attempt of a transaction")
    return numbers.to_numpy().astype(np.int64)


def _check_numbers(
    frame: pl.DataFrame, where: str, order: IntArray, begins: IntArray, number: IntArray, within: IntArray
) -> None:
    """Attempts are numbered from 1 on, each number once; none is left out."""
    if int(within.max(initial=0)) >= MOST_ATTEMPTS:
        problem = f"{where}: a transaction of {int(within.max()) + 1:,} attempts"
        raise InputError(f"{problem}; expected at most {MOST_ATTEMPTS:,}: is the column transaction the right one?")
    if ATTEMPT not in frame.columns:
        return
    wrong = np.flatnonzero(number != within + 1)
    if not wrong.size:
        return
    begin = begins[np.searchsorted(begins, wrong[0], side="right") - 1]
    end = np.append(begins[begins > begin], number.size)[0]
    listed = number[begin:end].tolist()
    twice = [n for n in dict.fromkeys(listed) if listed.count(n) > 1]
    what = f"attempt {twice[0]} appears twice" if twice else f"attempts {', '.join(map(str, listed))} have a gap"
    of = f"transaction {str(frame[TRANSACTION][int(order[begin])])!r} (row {int(order[wrong[0]]) + 1:,})"
    raise InputError(
        f"{where}: {of}: {what}; expected 1 to {len(listed)}, each once. A failed attempt keeps its row, without a "
        "score"
    )


def _check_kinds(
    frame: pl.DataFrame, where: str, kind: IntArray, order: IntArray, begins: IntArray, made: IntArray
) -> None:
    differing = np.flatnonzero(kind != np.repeat(kind[begins], made))
    if differing.size:
        name = str(frame[TRANSACTION][int(order[differing[0]])])
        raise InputError(
            f"{where}: transaction {name!r} (row {int(order[differing[0]]) + 1:,}) holds genuine and other attempts "
            "together; expected one kind in each: give different transactions different numbers"
        )


def attempts_after_enrolment(templates: TemplateTable, *, enrol: int = 1, attempts: int | None = None) -> Partition:
    """The first `enrol` templates of each person enrolled and the next `attempts` (all others) presented.

    >>> table = TemplateTable([[1.0], [2.0], [3.0], [4.0], [5.0]], ["ann", "ann", "bob", "bob", "eve"])
    >>> attempts_after_enrolment(table, attempts=1).role.tolist()
    ['gallery', 'probe', 'gallery', 'probe', 'unused']
    """
    require(templates, TemplateTable, "the table of templates", "a TemplateTable, such as read_templates(...) returns")
    for name, given in (("enrol", enrol), ("attempts", attempts)):
        if given is not None and (isinstance(given, bool) or given < 1):
            raise InputError(f"{name} is {given}; expected a whole number, 1 or more")
    people, owner = np.unique(templates.subject, return_inverse=True)
    order = np.argsort(owner, kind="stable")
    number = np.bincount(owner)
    place = np.empty(owner.size, dtype=np.int64)
    place[order] = np.arange(owner.size) - np.repeat(np.cumsum(number) - number, number)
    enough = (number >= enrol + (attempts or 1))[owner]
    needed = enrol + (attempts or 1)
    taking_part = int(np.count_nonzero(number >= needed))
    if taking_part < 2:
        problem = f"{templates.source}: {taking_part} of {people.size:,} people have {needed} templates or more"
        raise InputError(f"{problem}; expected two people at least: enrol fewer, or ask for fewer attempts")
    last = np.inf if attempts is None else enrol + attempts
    role = np.where(enough & (place < enrol), "gallery", np.where(enough & (place < last), "probe", "unused"))
    return Partition(templates.sample, templates.subject, role, how=_how(people.size, taking_part, enrol, attempts))


def _how(people: int, taking_part: int, enrol: int, attempts: int | None) -> tuple[Message, ...]:
    first = say("transactions.enrolled", n=enrol, people=taking_part)
    after = say("transactions.presented.all") if attempts is None else say("transactions.presented", n=attempts)
    left = people - taking_part
    return (first, after, *([say("transactions.left_out", n=left)] if left else []))


def _of_plan(plan: Comparing) -> TransactionSet:
    """One transaction of each person against everybody enrolled; attempts are the probes in their order."""
    subject = plan.templates.subject
    strips = list(plan.strips())
    scores = np.concatenate([np.where(strip.ignored, np.nan, strip.scores) for strip in strips])
    people, owner = np.unique(subject[plan.rows], return_inverse=True)
    attempts = np.bincount(owner)
    if np.unique(attempts).size > 1:
        raise InputError(f"{plan.name}: {attempts.min()} to {attempts.max()} attempts; expected as many of each person")
    claimed = subject[strips[0].columns]
    order = np.argsort(owner, kind="stable")
    by_person = scores[order].reshape(people.size, int(attempts[0]), claimed.size)
    flat = by_person.transpose(0, 2, 1).reshape(people.size * claimed.size, -1).astype(np.float64)
    who, whom = np.repeat(people, claimed.size), np.tile(claimed, people.size)
    kind = np.where(who == whom, GENUINE, IMPOSTOR)
    made = np.full(kind.size, int(attempts[0]))
    return TransactionSet(flat, made, kind, who, whom, None, plan.rule, plan.name, tuple(plan.words))


def independent_share(rate: float, attempts: int, accepts: int) -> float:
    """The chance of at least so many accepted attempts of a rate each, if attempts were independent.

    >>> round(independent_share(0.00096, 3, 1), 5), round(independent_share(0.5, 3, 2), 5)
    (0.00288, 0.5)
    """
    from scipy.stats import binom

    return float(binom.sf(accepts - 1, attempts, rate))


def species_of(transactions: TransactionSet) -> Sequence[str]:
    """The species of attacks, in ascending order."""
    if transactions.species is None:
        return []
    return sorted({str(name) for name in transactions.species[transactions.kind == ATTACK]})
