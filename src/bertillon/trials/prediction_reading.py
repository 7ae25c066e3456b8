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

Holds `read_predictions`.
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
from bertillon.io.convert import UnreadableError, to_scores
from bertillon.io.head import Head, look
from bertillon.io.registry import require_text
from bertillon.io.source import Source, open_source
from bertillon.io.text import Layout, parse
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
    if head.raw.startswith(parquet.MAGIC):
        held = _parquet(source)
    elif head.raw.startswith(npy.ARCHIVES):
        held = npy.load_arrays(source)
    else:
        held = _text(source, dict(columns or {}))
    roles = _find(source, list(held), dict(columns or {}))
    made = _assemble(source, held, roles, positive)
    notes = (*_notes(roles), *made.notes, _example(held, roles))
    return replace(made, name=short_name(source.name), notes=notes)


def _find(source: Source, names: Sequence[str], columns: Mapping[str, str]) -> _ColumnRoles:
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
