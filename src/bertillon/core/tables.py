"""What a file holds, column by column, before anything is concluded from it.

Conventions: one row of a `ComparisonTable` is one comparison. Its columns, all optional but at least one of
`score` and `mated` present:

    score              float64; NaN is a failed comparison, infinities are legal
    mated              boolean: same person (genuine) or not (impostor)
    probe, reference   text: ids of the two samples compared
    probe_subject, reference_subject   text: ids of the two people compared
    attack             text: the species of an attack, null where the row is none. An attack is neither mated nor
                       non-mated, whatever `mated` says; the empty text is an attack whose species is not named

and any further metadata columns under the names the file gives them. A table without `mated` and without ids is
a plain list of scores; one without `score` is a list of trials to be joined with scores.

Scores are floats of 64 bits, which tell whole numbers apart up to 2^53. Beyond, different ones may become equal, and
are refused.

Holds `ComparisonTable`, `ScoreList`, `ScoreMatrix`, `TemplateTable`, `short_name`, what a source is called, `ends_of`,
the ends of a column, and `precision_loss` and `require_distinct_floats`, which look for such whole numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.arguments import as_array, fill
from bertillon.core.errors import InputError
from bertillon.core.lazy import pl
from bertillon.core.messages import Text
from bertillon.core.rule import AcceptRule
from bertillon.core.showing import short_repr

EXACT = 2**53  # floats tell whole numbers apart up to here
ROLES = ("score", "mated", "probe", "reference", "probe_subject", "reference_subject", "attack")


@dataclass(frozen=True, slots=True, eq=False)
class ComparisonTable:
    """Comparisons as read, one a row, with what the reader understood."""

    __repr__ = short_repr

    frame: pl.DataFrame
    source: str = "memory"
    format: str = "memory"
    rule: AcceptRule | None = None  # what the file itself states (a column called distance, a BEE header)
    notes: tuple[Text, ...] = ()  # what was understood, in words, to be said aloud
    columns: Mapping[str, str] = field(default_factory=dict)  # what the file calls the column of each role

    def __len__(self) -> int:
        return self.frame.height

    @property
    def is_plain_list(self) -> bool:
        """Scores and nothing that tells mated from non-mated."""
        return set(self.frame.columns).isdisjoint({"mated", "probe", "reference", "probe_subject", "attack"})

    @property
    def is_trial_list(self) -> bool:
        """Pairs to be compared, without scores."""
        return "score" not in self.frame.columns

    @property
    def scores(self) -> NDArray[np.float64]:
        """The column of scores."""
        return self.frame["score"].to_numpy()


class ScoreList(ComparisonTable):
    """Scores alone, in an array: its frame is made when it is asked for, so that few scores do not load polars."""

    __slots__ = ()
    is_plain_list, is_trial_list = True, False

    @property
    def frame(self) -> pl.DataFrame:
        held = _FRAME.__get__(self)
        return pl.DataFrame({"score": held}) if isinstance(held, np.ndarray) else held

    @frame.setter
    def frame(self, held: pl.DataFrame | NDArray[np.float64]) -> None:
        _FRAME.__set__(self, held)

    @property
    def scores(self) -> NDArray[np.float64]:
        held = _FRAME.__get__(self)
        return np.asarray(held if isinstance(held, np.ndarray) else held["score"].to_numpy())

    def __len__(self) -> int:
        return len(self.scores)


_FRAME: Any = ComparisonTable.__dict__["frame"]  # where a table keeps it


@dataclass(frozen=True, slots=True, eq=False)
class ScoreMatrix:
    """Scores of every probe (row) against every reference (column).

    `mated` marks same-person cells where the file says so (a mask); otherwise subjects that are equal are mated.
    `ignored` marks cells that are no comparison at all (masked out, a template against itself).
    """

    __repr__ = short_repr

    scores: NDArray[Any]
    probe_subject: NDArray[np.str_]
    reference_subject: NDArray[np.str_]
    mated: NDArray[np.bool_] | None = None
    ignored: NDArray[np.bool_] | None = None
    source: str = "memory"
    format: str = "memory"
    rule: AcceptRule | None = None
    notes: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class TemplateTable:
    """Templates with their owners, one a row.

    `kind` says what a template is and so what `templates` holds:

        vector      (n, d) array of floats: features, embeddings
        histogram   (n, d) array of counts or shares, 0 or more
        bits        (n, bytes) array of uint8: packed bits, such as iris codes; `masks`, shaped alike, marks valid bits
        series      list of (length, axes) arrays: signals of different length
        minutiae    list of (points, 3) arrays: x, y, angle in radians, growing from the x axis towards the y axis

    Parameters
    ----------
    templates
        One a row.
    subject
        Whose each is.
    sample
        What each is called; numbered where nothing is said.
    kind
        What a template is, as above.

    Examples
    --------
    >>> len(TemplateTable([[0.1, 0.2], [0.3, 0.4]], ["anna", "bob"]))
    2
    """

    __repr__ = short_repr

    templates: NDArray[Any] | list[NDArray[Any]]
    subject: NDArray[np.str_]
    sample: NDArray[np.str_] = field(default_factory=lambda: np.empty(0, np.str_))  # no two share one; or numbered
    kind: str = "vector"
    masks: NDArray[np.uint8] | None = None
    metadata: pl.DataFrame | None = None  # session, condition, quality, group, ...: one row per template
    source: str = "memory"
    format: str = "memory"
    notes: tuple[Text, ...] = ()
    bits: int | None = None  # of each template of kind bits, where they do not fill their last byte
    model: str = ""  # fingerprint of the network that made them, where it is known

    def __post_init__(self) -> None:
        if not isinstance(self.subject, np.ndarray):
            fill(self, subject=as_array(self.subject, "subject", "one person for each template").astype(np.str_))
        if _are_rows(self.templates) or not (isinstance(self.templates, list) or _is_array(self.templates)):
            fill(self, templates=as_array(self.templates, "templates", "one row of numbers for each template"))
        if len(self.templates) != len(self.subject):
            found = f"{len(self.templates):,} templates and {len(self.subject):,} subjects"
            raise InputError(f"{self.source}: {found}; expected one subject for each template")
        if self.sample is None or not len(self.sample):
            fill(self, sample=np.arange(len(self.subject)).astype(np.str_))
        elif len(self.sample) != len(self.subject):
            found = f"{len(self.sample):,} samples for {len(self.subject):,} templates"
            raise InputError(f"{self.source}: {found}; expected one id for each, or leave them out to number them")

    def __len__(self) -> int:
        return len(self.subject)

    def take(self, rows: NDArray[np.integer[Any]] | NDArray[np.bool_]) -> TemplateTable:
        """The templates of these rows, in this order, or of the rows marked.

        Rows that stand together are not copied, so that a mapped file stays one.
        """
        positions = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        together = positions.size > 0 and bool((np.diff(positions) == 1).all())
        chosen = slice(int(positions[0]), int(positions[-1]) + 1) if together else positions
        several = self.templates
        return replace(
            self,
            templates=[several[row] for row in positions] if isinstance(several, list) else several[chosen],
            subject=self.subject[chosen],
            sample=self.sample[chosen],
            masks=None if self.masks is None else self.masks[chosen],
            metadata=None if self.metadata is None else self.metadata[chosen],
        )


def require_one_model(*tables: TemplateTable) -> str:
    """The model that made all of these templates; those of two models cannot be compared.

    Templates of which no model is known are taken as they are.

    >>> ours, theirs = (TemplateTable([[0.1]], ["anna"], model=name, source=name) for name in ("net-1", "net-2"))
    >>> require_one_model(ours, ours)
    'net-1'
    >>> require_one_model(ours, theirs)  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    InputError: net-2: was made by model 'net-2', and net-1 by model 'net-1'
    """
    known = [table for table in tables if table.model]
    for other in known[1:]:
        if other.model != known[0].model:
            raise InputError(
                f"{other.source}: was made by model {other.model!r}, and {known[0].source} by model "
                f"{known[0].model!r}; templates of two models cannot be compared: extract both with the same model"
            )
    return known[0].model if known else ""


def _is_array(templates: Any) -> bool:
    """An array, or what is read like one, such as the two sides of a comparison; no column of a table, no tensor."""
    return isinstance(getattr(templates, "dtype", None), np.dtype) and not hasattr(templates, "to_numpy")


def _are_rows(templates: Any) -> bool:
    """Lists of numbers, as they are typed, and not arrays of different shapes."""
    return (
        isinstance(templates, list)
        and bool(templates)
        and all(isinstance(template, list | tuple) for template in templates)
    )


def short_name(source: str) -> str:
    """What a system read from there is called: the name of the file without its folder.

    >>> short_name("data/old.csv"), short_name("memory")
    ('old.csv', 'memory')
    """
    return Path(source).name or source


def precision_loss(*columns: NDArray[Any]) -> str:
    """What is lost where whole numbers become floats, in words; nothing where all stay apart.

    >>> precision_loss(np.array([2**53, 2**53 + 1]))[:64]
    '2 different whole numbers from 2^53 on become 1 as 64-bit floats'
    """
    whole = [column.ravel() for column in columns if column.dtype.kind in "iu" and column.dtype.itemsize == 8]
    large = [column[_beyond(column)] for column in whole]
    if not any(column.size for column in large):
        return ""
    distinct = sorted({number for column in large for number in np.unique(column).tolist()})
    floats = {float(number) for number in distinct}
    if len(floats) == len(distinct):
        return ""
    return (
        f"{len(distinct):,} different whole numbers from 2^53 on become {len(floats):,} as 64-bit floats, so that "
        f"scores which differ would be tied (such as {distinct[0]}); subtract a common offset, or divide, before "
        "saving them"
    )


def _beyond(column: NDArray[Any]) -> NDArray[np.bool_]:
    above = column >= EXACT
    return above if column.dtype.kind == "u" else above | (column <= -EXACT)


def require_distinct_floats(where: str, *columns: NDArray[Any]) -> None:
    """Refuse whole numbers of which different ones become equal as floats."""
    problem = precision_loss(*columns)
    if problem:
        raise InputError(f"{where}: {problem}")


def ends_of(column: pl.Series) -> tuple[Any, Any]:
    """The lowest and the highest value of a column, NaN passed over; looked for by the thread that asks.

    A query would wait for the threads of polars, which may read the next batch.

    >>> import polars as pl
    >>> ends_of(pl.Series([2.0, float("nan"), 1.0]))
    (1.0, 2.0)
    """
    return column.min(), column.max()
