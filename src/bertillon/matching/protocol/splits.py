"""Partitions made: train and test, gallery and probes, drawn at random or given as two files.

Train and test share no sample. Split by subject (preferred: it shows how the system does on people it has never met),
they share no person either; by sample, every person gives the same share to each side, to within one template. Sizes
are rounded to whole subjects or samples, and neither side is ever empty.

Gallery and probes share no sample. People left out of the gallery give all their templates as probes (P_N); of the
others, the strategy says which templates are enrolled and the rest are probes (P_G). Whoever has no template to spare
is enrolled and not probed. Equal claims to be enrolled are settled by lot.

    random          any template
    best-quality    the highest quality first; a template without a quality last
    first-session   of each person's first session; what else that session holds is unused, since a probe of the
                    same session would be too easy
    conditions      one of each condition a person was taken under (`per_subject` of each)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from bertillon.core import InputError, Message, TemplateTable, abridged, require_one_model, say
from bertillon.core.lazy import pl
from bertillon.matching.protocol.checks import check_people, draw_from, require_one_of, share, whole_number
from bertillon.matching.protocol.partition import Partition

LEAST_TRAIN, MOST_TRAIN = 0.6, 0.8  # the usual share of the training side
Ints = NDArray[np.intp]
Flags = NDArray[np.bool_]
_PROBE, _GALLERY = "probe:", "gallery:"


@dataclass(frozen=True, slots=True, eq=False)
class _Claim:
    """Within each group of templates those with the lowest priority value are enrolled, if they may be at all."""

    group: Ints
    description: Message
    priority: NDArray[np.float64] | float = 0.0  # one of each template, or the same of all
    eligible: Flags | bool = True
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
    enrols = say("count.template", n=enrolled)
    how = say("protocol.strategy", strategy=strategy, templates=enrols, which=claim.description)
    out = say("protocol.left_out", left=int(left.sum()), people=say("count.person", n=ids.size))
    notes = (how, out if left.any() else say("protocol.nobody_left_out"), draw.sentence)
    partition = Partition(templates.sample, templates.subject, role, notes, _warnings(left, leave_out))
    if not partition.enrolled.any():
        everybody = say("count.person", n=np.unique(partition.subject[partition.rows("gallery")]).size)
        raise InputError(
            f"{templates.source}: no probe has a mate in the gallery: with strategy {strategy} and "
            f"per_subject={enrolled} all {everybody} enrolled have no template left to probe with; enrol fewer "
            "templates per person, leave other people out or add templates"
        )
    return partition


def _roles(claim: _Claim, is_left: Flags, enrolled: int, tie_break: Ints) -> NDArray[np.str_]:
    queue = np.lexsort((tie_break, np.broadcast_to(claim.priority, tie_break.shape), claim.group))
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
        everybody = f"all {say('count.person', n=ids.size)} of {templates.source}"
        raise InputError(f"leave_out: {everybody} are left out and the gallery is empty; leave fewer out")
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
        problem = f"leave_out: {templates.source} holds no subject {unknown[0]!r} ({strangers} unknown)"
        raise InputError(f"{problem}; expected subjects such as {str(ids[0])!r}")
    return np.isin(ids, np.array(names, dtype=ids.dtype))


def _claim_any(_: TemplateTable, owner: Ints, __: str) -> _Claim:
    return _Claim(owner, say("protocol.enrol_random"))


def _claim_quality(templates: TemplateTable, owner: Ints, column: str) -> _Claim:
    numbers = _numbers(templates, column)
    missing = np.isnan(numbers)
    description = say("protocol.enrol_quality", column=column)
    if missing.any():
        description = say("protocol.enrol_quality_missing", column=column, n=int(missing.sum()))
    return _Claim(owner, description, np.where(missing, np.inf, -numbers))


def _claim_session(templates: TemplateTable, owner: Ints, column: str) -> _Claim:
    turn, order = _session_order(templates, column)
    first = np.full(int(owner.max()) + 1, np.inf)
    np.minimum.at(first, owner, turn)
    description = say("protocol.enrol_first", column=column, order=order)
    return _Claim(owner, description, turn, turn == first[owner], leftover_role="unused")


def _claim_condition(templates: TemplateTable, owner: Ints, column: str) -> _Claim:
    kinds, kind = np.unique([str(value) for value in _complete(templates, column)], return_inverse=True)
    description = say("protocol.enrol_conditions", column=column, kinds=abridged(kinds.tolist(), 5))
    return _Claim(owner * kinds.size + kind, description)


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
        problem = f"{templates.source}: has no column {name!r} (its metadata: {', '.join(columns) or 'none'})"
        raise InputError(f"{problem}; name the column that says so, or choose another strategy")
    return templates.metadata[name]


def _numbers(templates: TemplateTable, name: str) -> NDArray[np.float64]:
    """A column as numbers, NaN where there is none."""
    column = _column(templates, name)
    plain = column if column.dtype.is_numeric() else column.cast(pl.String).str.strip_chars()
    numbers = plain.cast(pl.Float64, strict=False)
    wrong = numbers.is_null() & column.is_not_null()
    if wrong.any():
        row = int(wrong.arg_max() or 0)
        problem = f"{templates.source}: {name} of sample {str(templates.sample[row])!r} is {column[row]!r}"
        raise InputError(f"{problem}; expected a number (higher is better) or nothing; name a column of numbers")
    return numbers.fill_null(np.nan).to_numpy()


def _complete(templates: TemplateTable, name: str) -> pl.Series:
    """A column in which every template has a value."""
    column = _column(templates, name)
    missing = column.is_null() | column.cast(pl.String).is_in(["", "NaN"])
    if missing.any():
        row = int(missing.arg_max() or 0)
        problem = f"{templates.source}: sample {str(templates.sample[row])!r} has no {name}"
        raise InputError(f"{problem}; expected one for every template; fill it in or choose another strategy")
    return column.cast(pl.String) if column.dtype in (pl.Categorical, pl.Enum) else column


def _session_order(templates: TemplateTable, name: str) -> tuple[NDArray[np.float64], Message]:
    """When each template was taken, as ascending numbers, and how that was understood."""
    column = _complete(templates, name)
    if column.dtype == pl.String and not (numbers := column.cast(pl.Float64, strict=False)).null_count():
        column = numbers
    order = "number" if column.dtype.is_numeric() else "time" if column.dtype.is_temporal() else "name"
    return column.rank("dense").cast(pl.Float64).to_numpy(), say(f"protocol.by.{order}")


def _warnings(left: Flags, leave_out: object) -> tuple[Message, ...]:
    if left.any() or not isinstance(leave_out, int | float) or not leave_out:
        return ()
    return (say("protocol.share_too_small", share=leave_out, people=say("count.person", n=left.size)),)


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
    require_one_of(by, ("subject", "sample"), "by")
    wanted = share(train, "train")
    draw = draw_from(rng)
    chosen = _by_subject if by == "subject" else _by_sample
    is_train, trained, units = chosen(templates.subject, wanted, draw.generator)
    role = np.where(is_train, "train", "test")
    how = (say(f"protocol.split_by.{by}", trained=trained, units=units, share=trained / units), draw.sentence)
    warnings = []
    if not LEAST_TRAIN <= trained / units <= MOST_TRAIN:
        warnings.append(say(f"protocol.unusual_share.{by}", share=trained / units))
    if np.unique(templates.subject[~is_train]).size == 1:
        warnings.append(say("protocol.one_test_person"))
    return Partition(templates.sample, templates.subject, role, how, tuple(warnings))


def _by_subject(subject: NDArray[np.str_], wanted: float, rng: np.random.Generator) -> tuple[Flags, int, int]:
    ids, owner = np.unique(subject, return_inverse=True)
    number = _rounded(wanted, ids.size)
    is_train = np.zeros(ids.size, dtype=bool)
    is_train[rng.permutation(ids.size)[:number]] = True
    return is_train[owner], number, ids.size


def _by_sample(subject: NDArray[np.str_], wanted: float, rng: np.random.Generator) -> tuple[Flags, int, int]:
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


def probes_then_gallery(probes: TemplateTable, gallery: TemplateTable) -> TemplateTable:
    """Both tables as one; samples are named after their side, so that the same number in both is no clash."""
    if probes.kind != gallery.kind:
        raise InputError(
            f"{gallery.source}: templates of kind {gallery.kind}, and the probes of {probes.source} are of kind "
            f"{probes.kind}; expected the same kind"
        )
    model = require_one_model(probes, gallery)
    return replace(
        probes,
        templates=_joined(probes, gallery),
        subject=np.concatenate([probes.subject, gallery.subject]),
        sample=np.concatenate([np.char.add(_PROBE, probes.sample), np.char.add(_GALLERY, gallery.sample)]),
        masks=_joined_masks(probes, gallery),
        metadata=None,
        source=f"{probes.source} against {gallery.source}",
        notes=(*probes.notes, *gallery.notes),
        model=model,
    )


def sides(templates: TemplateTable) -> Partition:
    """Who is a probe and who is in the gallery, from the names `probes_then_gallery` gave."""
    role = np.where(np.char.startswith(templates.sample, _GALLERY), "gallery", "probe")
    return Partition(templates.sample, templates.subject, role, how=(say("protocol.two_files"),))


def _joined_masks(probes: TemplateTable, gallery: TemplateTable) -> NDArray[Any] | None:
    """The masks of both; where only one has some, every bit of the other is valid."""
    if probes.masks is None and gallery.masks is None:
        return None
    both = [np.full_like(side.templates, 255) if side.masks is None else side.masks for side in (probes, gallery)]
    return np.concatenate(both)


def _joined(probes: TemplateTable, gallery: TemplateTable) -> NDArray[Any] | list[NDArray[Any]]:
    if isinstance(probes.templates, list) or isinstance(gallery.templates, list):
        return [*probes.templates, *gallery.templates]
    if probes.templates.shape[1:] != gallery.templates.shape[1:]:
        raise InputError(
            f"{gallery.source}: templates of {gallery.templates.shape[1]} numbers, and those of {probes.source} have "
            f"{probes.templates.shape[1]}; expected the same length"
        )
    if probes.bits != gallery.bits:
        long, short = (side.bits or 8 * probes.templates.shape[1] for side in (gallery, probes))
        bits = f"templates of {long} bits, and those of {probes.source} have {short}"
        raise InputError(f"{gallery.source}: {bits}; expected the same")
    parts = probes.templates, gallery.templates
    if parts[0].dtype != parts[1].dtype:
        return np.concatenate(parts)
    return cast(NDArray[Any], _Stacked(*parts))


class _Stacked:
    """Two arrays one below the other, read like one array of both; rows of one of them are not copied."""

    def __init__(self, top: NDArray[Any], bottom: NDArray[Any]) -> None:
        self.top, self.bottom = top, bottom
        self.dtype, self.ndim = top.dtype, top.ndim
        self.shape = (len(self), *top.shape[1:])

    def __len__(self) -> int:
        return len(self.top) + len(self.bottom)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.concatenate([self.top, self.bottom]).astype(dtype or self.dtype, copy=False)

    def __getitem__(self, rows: Any) -> NDArray[Any]:
        middle = len(self.top)
        if isinstance(rows, slice) and rows.step in (None, 1):
            first, last, _ = rows.indices(len(self))
            if last <= middle:
                return self.top[first:last]
            if first >= middle:
                return self.bottom[first - middle : last - middle]
        chosen: NDArray[Any] = np.asarray(self)[rows]
        return chosen
