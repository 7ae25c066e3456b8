"""Files to predictions: CSV and its kin, Parquet, and numpy archives.

Conventions: columns are known by name, whatever their case and punctuation:

    truth          y_true, label, truth, target, class, actual ...
    predicted      y_pred, pred, predicted, prediction ...
    score          score, y_score, decision ...: a score of the positive class, never read as a probability
    probability    p, prob, proba, probability: of the positive class; or one column a class, p_0 p_1, prob_cat
    logit          logit, log_odds; or one column a class, logit_0 logit_1
    weight, group  weight, sample_weight; group, query ...

`columns` names them otherwise, as in {"truth": "diagnosis", "score": "risk"}. A single column such as prob_cat says
that cat is positive. An archive holds the same names as arrays; `probabilities` or `logits` may have two dimensions,
with the names of their columns in `classes`. What was understood is said in the notes.

Holds `read_predictions`; `read_columns`, what else stands beside them; `read_unlabelled`, what was said of samples
whose truth is not known (`Unlabelled`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError, listed, unknown
from bertillon.core.lazy import pl
from bertillon.core.messages import Message, abridged, say
from bertillon.core.tables import short_name
from bertillon.io import npy, parquet
from bertillon.io.commas import with_points
from bertillon.io.convert import UnreadableError, to_scores
from bertillon.io.registry import require_text
from bertillon.io.source import Head, Source, look, open_source
from bertillon.io.text import Layout, parse
from bertillon.trials import prediction_checks as checks
from bertillon.trials.prediction_checks import Label
from bertillon.trials.predictions import Predictions

ROLES = ("truth", "predicted", "score", "probability", "logit", "weight", "group")
_NAMES = {
    "truth": "ytrue truth true label labels target targets truelabel trueclass actual groundtruth gt y class",
    "predicted": "ypred pred predicted prediction predictedlabel predictedclass predlabel yhat",
    "score": "score scores yscore decision decisionfunction confidence",
    "probability": "p prob proba probability probabilities pred_proba predproba yprob yproba",
    "logit": "logit logits logodds",
    "weight": "weight weights sampleweight w",
    "group": "group groups query queryid qid",
}
_ROLE_OF = {name: role for role, names in _NAMES.items() for name in names.split()}
_NUMERIC = ("score", "probability", "logit", "weight")
_CLASS_COLUMN = re.compile(r"^(?P<kind>p|prob|proba|probability|logit)[_ .-](?P<label>.+)$", re.IGNORECASE)
_ALIASES = {"label": "truth", "y_true": "truth", "y_pred": "predicted", "y_score": "score", "prob": "probability"}
Columns = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class _ColumnRoles:
    """Which column plays which role; several columns of class probabilities or logits stand under their labels."""

    role: Mapping[str, str]
    of_class: Mapping[str, str]  # label as written -> column
    kind: str = ""  # probability or logit, of those columns


def read_predictions(
    path: str | os.PathLike[str], *, positive: Label | None = None, columns: Mapping[str, str] | None = None
) -> Predictions:
    """Read the predictions of one classifier; anything wrong with the file raises `InputError`.

    Parameters
    ----------
    path
        The file.
    positive
        Which label is positive, where that is not plain.
    columns
        What columns are called.

    Returns
    -------
    Predictions
        True labels, and what the classifier said.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import bertillon as bt
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "predictions.csv"
    >>> _ = file.write_text("y_true,y_pred\\ncat,cat\\ndog,cat\\n")
    >>> bt.read_predictions(file).size
    2
    """
    source = open_source(path)
    head = Head(source.head(4))
    commas: tuple[Message, ...] = ()
    if head.raw.startswith(parquet.MAGIC):
        held = _parquet(source)
    elif head.raw.startswith(npy.ARCHIVES):
        held = npy.load_arrays(source)
    else:
        source, _, commas = with_points(source, look(source))
        held = _text(source, dict(columns or {}))
    roles = _find(source, list(held), dict(columns or {}))
    made = _assemble(source, held, roles, positive)
    notes = (*commas, *_notes(roles), *made.notes, _example(held, roles))
    return replace(made, name=short_name(source.name), notes=notes)


def read_columns(path: str | os.PathLike[str], names: Sequence[str]) -> pl.DataFrame:
    """Further columns of a file of predictions, those of the names that it has; what follows a colon is no name."""
    source = open_source(path)
    head = Head(source.head(4))
    wanted = {name.partition(":")[0].strip() for name in names}
    if head.raw.startswith(parquet.MAGIC):
        frame = parquet.read_frame(source)
        return frame.select(wanted.intersection(frame.columns) or frame.columns)
    if head.raw.startswith(npy.ARCHIVES):
        held = npy.load_arrays(source)
        return pl.DataFrame({name: held[name] for name in wanted.intersection(held) or held if held[name].ndim == 1})
    source, head, _ = with_points(source, look(source))
    require_text(source, head)
    kinds = dict.fromkeys(wanted.intersection(head.names) or head.names, "text")
    return parse(source, head, Layout.of_header(head), kinds)


@dataclass(frozen=True, slots=True)
class Unlabelled:
    """A table without true labels, and its rows that hold numbers as predictions; their truth means nothing."""

    name: str
    frame: pl.DataFrame
    predictions: Predictions
    kept: NDArray[np.bool_]
    notes: tuple[Message, ...]

    @property
    def failed(self) -> int:
        """Rows without a score."""
        return int((~self.kept).sum())

    def with_columns(self, answers: Mapping[str, NDArray[np.float64]]) -> pl.DataFrame:
        """The table with more columns, empty where there was no score."""
        taken = [name for name in answers if name in self.frame.columns]
        if taken:
            raise InputError(f"{self.name}: has a column {taken[0]!r} already; rename it, or leave it out")
        rows = np.flatnonzero(self.kept)
        frame = self.frame
        for name, values in answers.items():
            column = pl.Series(name, [None], dtype=pl.Float64).new_from_index(0, frame.height)
            frame = frame.with_columns(column.scatter(rows, values).alias(name))
        return frame


def read_unlabelled(
    path: str | os.PathLike[str],
    *,
    classes: Sequence[Label] = (),
    positive: Label | None = None,
    columns: Mapping[str, str] | None = None,
) -> Unlabelled | None:
    """Scores or probabilities of these classes without their truth; None where the file has a column of it."""
    source = open_source(path)
    head = Head(source.head(4))
    if head.raw.startswith(npy.ARCHIVES):
        return None
    notes: tuple[Message, ...] = ()
    in_parquet = head.raw.startswith(parquet.MAGIC)
    if in_parquet:
        frame = parquet.read_frame(source)
        names: Sequence[str] = frame.columns
    else:
        source, head, notes = with_points(source, look(source))
        require_text(source, head)
        names = head.names
    roles = _roles(source, names, dict(columns or {}))
    if "truth" in roles.role:
        return None
    said = [roles.role[role] for role in ("probability", "logit", "score") if role in roles.role][:1]
    wanted = list(roles.of_class.values()) or said
    if not wanted:
        raise source.error(
            f"no column is known as what was predicted. Columns present: {listed(names)}; expected score, p, logit, or "
            "p_0, p_1 ... with the names of the classes, and a true label where the result is to be judged"
        )
    if not in_parquet:
        kinds = {name: "score" if name in wanted else "text" for name in names}
        frame = parse(source, head, Layout.of_header(head), kinds)
    values = np.column_stack([_plain_column(source, frame[name]).astype(np.float64) for name in wanted])
    kept = np.asarray(~np.isnan(values).any(axis=1))
    if not kept.any():
        raise source.error("holds no number to calibrate")
    kind = roles.kind or next(role for role in ("probability", "logit", "score") if role in roles.role)
    try:
        made = _predictions_of(
            values[kept], kind, list(roles.of_class), tuple(classes) or (0, 1), positive if classes else 1
        )
    except InputError as error:
        raise source.error(str(error)) from error
    return Unlabelled(source.name, frame, made, kept, (*notes, *_notes(roles)))


def _predictions_of(
    values: NDArray[np.float64], kind: str, labels: Sequence[str], classes: tuple[Label, ...], positive: Label | None
) -> Predictions:
    """Probabilities or scores of samples of these classes, columns in their order."""
    named = {str(label): place for place, label in enumerate(labels)}
    expected = [str(label) for label in classes]
    if len(labels) > 1:
        if set(named) != set(expected):
            raise InputError(f"has columns of the classes {listed(labels)}; the calibrator is for {listed(expected)}")
        values = values[:, [named[label] for label in expected]]
    elif labels and labels[0] != str(positive):
        raise InputError(f"has a column of the class {labels[0]}; the calibrator is for {positive} as the positive one")
    elif positive is None:
        raise InputError(f"has one column; the calibrator is for the classes {listed(expected)}, each with a column")
    else:
        values = values[:, 0]
    truth = np.zeros(values.shape[0], dtype=np.int64)
    if kind == "score":
        return Predictions(truth, classes, positive, scores=values)
    p = checks.to_probabilities(values) if kind == "logit" else values
    checks.check_probabilities(p, None)
    return Predictions(truth, classes, positive, probabilities=p, logits=values if kind == "logit" else None)


def _find(source: Source, names: Sequence[str], columns: Mapping[str, str]) -> _ColumnRoles:
    """The roles of columns, the truth and what was predicted among them."""
    roles = _roles(source, names, columns)
    role, of_class = roles.role, roles.of_class
    if "truth" not in role:
        raise source.error(
            f"no column is known as the true label. Columns present: {listed(names)}. "
            "Call it y_true or label, or say which it is with columns={'truth': NAME}"
        )
    if not of_class and set(role) <= {"truth", "weight", "group"}:
        raise source.error(
            f"beside the truth ({role['truth']!r}) no column is known as what was predicted. Columns present: "
            f"{listed(names)}; expected y_pred, score, p, or p_0, p_1 ... with the names of the classes"
        )
    return roles


def _roles(source: Source, names: Sequence[str], columns: Mapping[str, str]) -> _ColumnRoles:
    role: dict[str, str] = {}
    for asked, name in columns.items():
        known = _ALIASES.get(asked, asked)
        if known not in ROLES:
            raise InputError(unknown("columns: role", asked, [*ROLES, *_ALIASES]))
        if name not in names:
            raise InputError(unknown(f"{source.name}: column", name, names))
        role[known] = name
    for name in names:
        known_role = _ROLE_OF.get(re.sub(r"[^a-z0-9]", "", name.lower()))
        if known_role and known_role not in role and name not in role.values():
            role[known_role] = name
    of_class, kind = _class_columns(source, [name for name in names if name not in role.values()])
    return _ColumnRoles(role, of_class, kind)


def _class_columns(source: Source, names: Sequence[str]) -> tuple[dict[str, str], str]:
    matches = [(name, match) for name in names if (match := _CLASS_COLUMN.match(name))]
    kinds = {"logit" if match["kind"].lower() == "logit" else "probability" for _, match in matches}
    if len(kinds) > 1:
        raise source.error("has columns of probabilities and of logits; leave out one kind")
    return {match["label"]: name for name, match in matches}, next(iter(kinds), "")


def _assemble(source: Source, held: Columns, roles: _ColumnRoles, positive: Label | None) -> Predictions:
    role = {name: held[column] for name, column in roles.role.items()}
    truth, predicted = role["truth"], role.get("predicted")
    beside: dict[str, Any] = {"weights": role.get("weight"), "groups": role.get("group")}
    try:
        if roles.of_class:
            return _from_class_columns(held, roles, truth, positive, {"y_pred": predicted, **beside})
        if "probability" in role or "logit" in role:
            logit = "probability" not in role
            build = Predictions.from_logits if logit else Predictions.from_probabilities
            classes = held.get("classes")
            values = role["logit" if logit else "probability"]
            return build(truth, values, classes=classes, positive=positive, y_pred=predicted, **beside)
        if "score" in role:
            return Predictions.from_scores(truth, role["score"], positive=positive, y_pred=predicted, **beside)
        return Predictions.from_labels(truth, predicted, positive=positive, **beside)
    except InputError as error:
        raise source.error(str(error)) from error


def _from_class_columns(
    held: Columns, roles: _ColumnRoles, truth: NDArray[Any], positive: Label | None, others: Mapping[str, Any]
) -> Predictions:
    labels: list[Any] = list(roles.of_class)
    if truth.dtype.kind in "biu" and all(re.fullmatch(r"[+-]?\d+", label) for label in labels):
        labels = [int(label) for label in labels]
    build = Predictions.from_logits if roles.kind == "logit" else Predictions.from_probabilities
    matrix = np.column_stack([held[column] for column in roles.of_class.values()])
    if len(labels) > 1:
        return build(truth, matrix, classes=labels, positive=positive, **others)
    own = labels[0] if positive is None else positive
    return build(truth, matrix[:, 0], positive=own, **others)


def _notes(roles: _ColumnRoles) -> list[Message]:
    notes = [say(f"reading.prediction.{role}", name=repr(name)) for role, name in roles.role.items()]
    if roles.of_class:
        names = listed(roles.of_class, 10)
        notes.append(say(f"reading.class_columns.{roles.kind}", n=len(roles.of_class), columns=names))
    return notes


def _example(columns: Columns, roles: _ColumnRoles) -> Message:
    """The first row: the truth and what was predicted."""
    first = {**{role: name for role, name in roles.role.items() if role != "group"}, **roles.of_class}
    values = [f"{name} {', '.join(map(_short, np.ravel(columns[name][0])[:4].tolist()))}" for name in first.values()]
    return say("reading.example", what=say("reading.row", row=1, values=abridged(values, 6)))


def _short(value: Any) -> str:
    """A value as a person compares it with the file: no more than six digits of a fraction."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _text(source: Source, columns: Mapping[str, str]) -> dict[str, NDArray[Any]]:
    head = look(source)
    require_text(source, head)
    names = head.names
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise source.error(f"two columns are called {twice!r}; give each a name of its own", line=1)
    roles = _find(source, names, columns)
    numbers = {*roles.of_class.values(), *(roles.role[r] for r in _NUMERIC if r in roles.role)}
    wanted = [name for name in names if name in numbers or name in roles.role.values()]
    kinds = {name: "score" if name in numbers else "text" for name in wanted}
    frame = parse(source, head, Layout.of_header(head), kinds)
    labels = [roles.role[role] for role in ("truth", "predicted") if role in roles.role]
    plain = {name: frame[name].to_numpy() for name in wanted if name not in labels}
    return plain | _typed_labels(source, frame, labels)


def _typed_labels(source: Source, frame: pl.DataFrame, names: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Labels of text as whole numbers or truth values, where all of them are; each distinct one is looked at once."""
    for name in names:
        empty = frame[name].is_null() | (frame[name] == "")
        if empty.any():
            row = int(empty.arg_max() or 0) + 1
            raise source.error(f"column {name!r} has no label in row {row:,}; fill it in or leave the row out")
    every = pl.concat([frame[name].alias("label") for name in names]).unique().sort()
    typed = _typed(every.to_list())
    return {name: typed[frame[name].cast(pl.Enum(every)).to_physical().to_numpy()] for name in names}


def _typed(labels: Sequence[str]) -> NDArray[Any]:
    if {label.lower() for label in labels} <= {"true", "false"}:
        return np.array([label.lower() == "true" for label in labels])
    if all(re.fullmatch(r"[+-]?(0|[1-9]\d{0,17})(\.0*)?", label) for label in labels):
        return np.array([int(label.partition(".")[0]) for label in labels], dtype=np.int64)
    return np.array(labels, dtype=np.str_)


def _parquet(source: Source) -> dict[str, NDArray[Any]]:
    frame = parquet.read_frame(source)
    if not frame.height:
        raise source.error("has no rows; a table with predictions is expected")
    return {column.name: _plain_column(source, column) for column in frame.get_columns()}


def _plain_column(source: Source, column: Any) -> NDArray[Any]:
    """A column as numpy; numbers with gaps become NaN."""
    if column.dtype.is_float() or column.dtype.is_decimal() or (column.dtype.is_integer() and column.null_count()):
        try:
            return np.asarray(to_scores(column).to_numpy())
        except UnreadableError as error:
            raise source.error(str(error)) from error
    return np.asarray(column.to_numpy())
