"""Gallery and probes: who is enrolled with what, and what is presented to the system.

Conventions: gallery and probes share no sample. People left out of the gallery give all their templates as probes
(P_N); of the others, the strategy says which templates are enrolled and the rest are probes (P_G), so that P is P_G
and P_N together. A person with no template to spare cannot be both enrolled and probed: left out, all templates are
P_N probes; otherwise all are enrolled and there is no probe. Equal claims to be enrolled are settled by lot.

    random          any template
    best-quality    the highest quality first; a template without a quality last
    first-session   of each person's first session; what else that session holds is unused, since a probe of the
                    same session would be too easy
    conditions      one of each condition a person was taken under (`per_subject` of each)

Holds `split_gallery_probe`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.lazy import pl
from bertillon.core.messages import Message, abridged, say
from bertillon.core.tables import TemplateTable
from bertillon.matching.protocol.checks import check_people, draw_from, require_one_of, share, whole_number
from bertillon.matching.protocol.partition import Partition

Ints = NDArray[np.intp]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class _Claim:
    """Within each group of templates those with the lowest priority value are enrolled, if they may be at all."""

    group: Ints
    priority: NDArray[np.float64]
    eligible: Flags
    description: Message
    leftover_role: str = "probe"  # the role of those who might have been enrolled but were not


def split_gallery_probe(
    templates: TemplateTable,
    *,
    strategy: str = "random",
    per_subject: int = 1,
    leave_out: float | Sequence[str] = 0.0,
    rng: int | np.random.Generator | None = None,
    quality: str = "quality",
    session: str = "session",
    condition: str = "condition",
) -> Partition:
    """Templates that are enrolled and templates that are probes.

    `per_subject` is how many templates a person enrols at most (under `conditions`: of each condition). `leave_out`
    is the share of people left out of the gallery, drawn at random, or a list of them. The last three name the
    columns of metadata that the strategies look at.

    >>> table = TemplateTable(np.zeros((5, 1)), np.array(list("aabbc")), np.array(list("12345")))
    >>> for line in split_gallery_probe(table, leave_out=["c"], rng=1).words[3:6]:
    ...     print(line)
    Gallery: 2 templates of 2 people.
    Probes of enrolled people (P_G): 2 templates of 2 people.
    Probes of people who are not enrolled (P_N): 1 template of 1 person.
    """
    check_people(templates)
    require_one_of(strategy, STRATEGIES, "strategy")
    enrolled = whole_number(per_subject, "per_subject", least=1)
    draw = draw_from(rng)
    ids, owner = np.unique(templates.subject, return_inverse=True)
    left = _left_out(templates, ids, leave_out, draw.generator)
    column = {"best-quality": quality, "first-session": session, "conditions": condition}.get(strategy, "")
    claim = _CLAIMS[strategy](templates, owner, column)
    role = _roles(claim, left[owner], enrolled, draw.generator.permutation(len(templates)))
    how = (_how(claim, strategy, enrolled), _left_out_note(int(left.sum()), ids.size), draw.sentence)
    partition = Partition(templates.sample, templates.subject, role, how, _warnings(left, leave_out))
    _check_mates(partition, templates, strategy, enrolled)
    return partition


def _roles(claim: _Claim, is_left: Flags, enrolled: int, tie_break: Ints) -> NDArray[np.str_]:
    queue = np.lexsort((tie_break, claim.priority, claim.group))
    group = claim.group[queue]
    begins = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
    lengths = np.diff(np.r_[begins, group.size])
    rank = np.empty(group.size, dtype=np.intp)
    rank[queue] = np.arange(group.size) - np.repeat(begins, lengths)
    eligible = claim.eligible & ~is_left
    role = np.full(group.size, "probe", dtype="<U7")
    role[eligible] = claim.leftover_role
    role[eligible & (rank < enrolled)] = "gallery"
    return role


def _left_out(
    templates: TemplateTable, ids: NDArray[np.str_], leave_out: float | Sequence[str], rng: np.random.Generator
) -> Flags:
    """For each person: left out of the gallery?"""
    if isinstance(leave_out, str):
        raise InputError(f"leave_out is {leave_out!r}; expected a share of people or a list of them; put it in a list")
    if isinstance(leave_out, Sequence | np.ndarray) and np.ndim(leave_out) == 1:
        left = _named(templates, ids, [str(name) for name in leave_out])
    else:
        left = np.zeros(ids.size, dtype=bool)
        number = round(_share_left(leave_out) * ids.size)
        left[rng.permutation(ids.size)[:number]] = True
    if left.all():
        everybody = say("count.person", n=ids.size)
        raise InputError(
            f"leave_out: all {everybody} of {templates.source} are left out and the gallery is empty; "
            "expected at least one enrolled person; leave fewer out"
        )
    return left


def _share_left(leave_out: object) -> float:
    if not isinstance(leave_out, int | float | np.number):
        raise InputError(f"leave_out is {leave_out!r}; expected a share of people or a list of their ids")
    if leave_out == 1:
        raise InputError("leave_out is 1: everybody is left out and the gallery is empty; expected a share below 1")
    return share(float(leave_out), "leave_out", zero=True)


def _named(templates: TemplateTable, ids: NDArray[np.str_], names: list[str]) -> Flags:
    unknown = sorted(set(names) - set(ids.tolist()))
    if unknown:
        strangers = say("count.person", n=len(unknown))
        raise InputError(
            f"leave_out: {templates.source} holds no subject {unknown[0]!r} ({strangers} unknown); "
            f"expected subjects such as {str(ids[0])!r}"
        )
    return np.isin(ids, np.array(names, dtype=ids.dtype))


def _claim_any(templates: TemplateTable, owner: Ints, _: str) -> _Claim:
    size = len(templates)
    return _Claim(owner, np.zeros(size), np.ones(size, dtype=bool), say("protocol.enrol_random"))


def _claim_quality(templates: TemplateTable, owner: Ints, column: str) -> _Claim:
    numbers = _numbers(templates, column)
    missing = int(np.isnan(numbers).sum())
    description = say("protocol.enrol_quality", column=column)
    if missing:
        description = say("protocol.enrol_quality_missing", column=column, n=missing)
    return _Claim(
        owner, np.where(np.isnan(numbers), np.inf, -numbers), np.ones(len(templates), dtype=bool), description
    )


def _claim_session(templates: TemplateTable, owner: Ints, column: str) -> _Claim:
    turn, order = _session_order(templates, column)
    first = np.full(int(owner.max()) + 1, np.inf)
    np.minimum.at(first, owner, turn)
    description = say("protocol.enrol_first", column=column, order=order)
    return _Claim(owner, turn, turn == first[owner], description, leftover_role="unused")


def _claim_condition(templates: TemplateTable, owner: Ints, column: str) -> _Claim:
    kinds, kind = np.unique([str(value) for value in _complete(templates, column)], return_inverse=True)
    size = len(templates)
    description = say("protocol.enrol_conditions", column=column, kinds=abridged(kinds.tolist(), 5))
    return _Claim(owner * kinds.size + kind, np.zeros(size), np.ones(size, dtype=bool), description)


_CLAIMS: dict[str, Callable[[TemplateTable, Ints, str], _Claim]] = {
    "random": _claim_any,
    "best-quality": _claim_quality,
    "first-session": _claim_session,
    "conditions": _claim_condition,
}
STRATEGIES = tuple(_CLAIMS)


def _column(templates: TemplateTable, name: str) -> pl.Series:
    columns = [] if templates.metadata is None else templates.metadata.columns
    if templates.metadata is None or name not in columns:
        raise InputError(
            f"{templates.source}: has no column {name!r} (its metadata: {', '.join(columns) or 'none'}); "
            "name the column that says so, or choose another strategy"
        )
    return templates.metadata[name]


def _numbers(templates: TemplateTable, name: str) -> NDArray[np.float64]:
    """A column as numbers, NaN where there is none."""
    column = _column(templates, name)
    plain = column if column.dtype.is_numeric() else column.cast(pl.String).str.strip_chars()
    numbers = plain.cast(pl.Float64, strict=False)
    wrong = numbers.is_null() & column.is_not_null()
    if wrong.any():
        row = int(wrong.arg_max() or 0)
        raise InputError(
            f"{templates.source}: {name} of sample {str(templates.sample[row])!r} is {column[row]!r}; expected a "
            "number (higher is better) or nothing; name a column of numbers"
        )
    return numbers.fill_null(np.nan).to_numpy()


def _complete(templates: TemplateTable, name: str) -> pl.Series:
    """A column in which every template has a value."""
    column = _column(templates, name)
    missing = column.is_null() | column.cast(pl.String).is_in(["", "NaN"])
    if missing.any():
        row = int(missing.arg_max() or 0)
        raise InputError(
            f"{templates.source}: sample {str(templates.sample[row])!r} has no {name}; expected one for every "
            "template; fill it in or choose another strategy"
        )
    return column.cast(pl.String) if column.dtype in (pl.Categorical, pl.Enum) else column


def _session_order(templates: TemplateTable, name: str) -> tuple[NDArray[np.float64], Message]:
    """When each template was taken, as ascending numbers, and how that was understood."""
    column = _complete(templates, name)
    order = _order(column)
    if column.dtype == pl.String:
        numbers = column.cast(pl.Float64, strict=False)
        if not numbers.null_count():
            column, order = numbers, say("protocol.by_number")
    return column.rank("dense").cast(pl.Float64).to_numpy(), order


def _order(column: pl.Series) -> Message:
    if column.dtype.is_numeric():
        return say("protocol.by_number")
    return say("protocol.by_time" if column.dtype.is_temporal() else "protocol.by_name")


def _how(claim: _Claim, strategy: str, enrolled: int) -> Message:
    templates = say("count.template", n=enrolled)
    return say("protocol.strategy", strategy=strategy, templates=templates, which=claim.description)


def _left_out_note(left: int, everybody: int) -> Message:
    if not left:
        return say("protocol.nobody_left_out")
    return say("protocol.left_out", left=left, people=say("count.person", n=everybody))


def _warnings(left: Flags, leave_out: object) -> tuple[Message, ...]:
    if left.any() or not isinstance(leave_out, int | float) or not leave_out:
        return ()
    return (say("protocol.share_too_small", share=leave_out, people=say("count.person", n=left.size)),)


def _check_mates(partition: Partition, templates: TemplateTable, strategy: str, per_subject: int) -> None:
    if partition.enrolled.any():
        return
    enrolled = np.unique(partition.subject[partition.gallery_rows]).size
    everybody = say("count.person", n=enrolled)
    raise InputError(
        f"{templates.source}: no probe has a mate in the gallery: with strategy {strategy} and "
        f"per_subject={per_subject} all {everybody} enrolled have no template left to probe with; expected "
        "somebody with more; "
        "enrol fewer templates per person, leave other people out or add templates"
    )
