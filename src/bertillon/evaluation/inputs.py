"""What a caller holds, as trials: two arrays of scores, labels beside scores, a table, a classifier's answers.

Conventions: nothing is guessed that could be wrong without a sign of it. Scores that look like labels, arrays of
different lengths and columns that are not there are refused, and the message says what to pass instead.

Holds `trials_from`, and `scores_of` for two arrays of scores.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.arguments import as_array, describe, is_missing
from bertillon.core.errors import InputError, listed, unknown
from bertillon.core.rule import AcceptRule
from bertillon.trials.score_set import ScoreSet, TrialIds

WAYS = (
    "pass evaluate(genuine, impostor), evaluate(y_true=labels, y_score=scores), "
    'evaluate(frame, score="column", label="column") or trials such as a ScoreSet, a SearchSet or Predictions'
)
NAMED = ("y_true", "y_score", "y_prob", "y_pred", "score", "label", "distance", "name")
TWO_COLUMNS, ONWARD = ("y_true", "y_score"), ("distance", "name")
IDS = ("probe_subject", "reference_subject", "probe", "reference")


def trials_from(given: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """The trials that the arguments of `evaluate` mean."""
    strange = [name for name in named if name not in NAMED]
    if strange and strange[0] == "rule":  # as trials take it
        raise InputError("evaluate: argument 'rule' is unknown; where lower scores are more alike pass distance=True")
    if strange:
        raise InputError(unknown("evaluate: argument", strange[0], NAMED))
    if given and hasattr(type(given[0]), "collect_schema") and hasattr(type(given[0]), "collect"):  # a lazy table
        given = [given[0].collect(), *given[1:]]
    rule, name = _rule(named.get("distance", False)), _name(named.get("name", ""))
    if len(given) == 1 and hasattr(given[0], "columns") and all(isinstance(named.get(key), str) for key in TWO_COLUMNS):
        named = _columns_named(named)
    if given and any(key in named for key in ("y_true", "y_score", "y_prob", "y_pred")):
        raise InputError(f"evaluate: both {describe(given[0])} and y_true= were given; {WAYS}")
    if not given:
        return _from_labels(named, rule, name)
    if hasattr(given[0], "kind") and hasattr(given[0], "form"):
        extra = next(iter(named), "a third argument")
        raise InputError(f"evaluate: {extra!r} does not go with trials, which have a rule and a name of their own")
    if hasattr(given[0], "columns") and not hasattr(given[0], "detach"):
        return _from_frame(given, named, rule, name)
    if all(isinstance(each, str | os.PathLike) for each in given):
        files = ", ".join(repr(str(each)) for each in given)
        raise InputError(f"evaluate: files are read first: evaluate(read_scores({files})); otherwise {WAYS}")
    if len(given) != 2:
        raise InputError(f"evaluate: {describe(given[0])} cannot be evaluated by itself; {WAYS}")
    return scores_of(given[0], given[1], distance=rule is AcceptRule.DISTANCE, name=name)


def _columns_named(named: Mapping[str, Any]) -> dict[str, Any]:
    """y_true and y_score as columns of a table; whatever else names columns contradicts them."""
    beside = [key for key in named if key not in (*TWO_COLUMNS, *ONWARD)]
    if beside:
        raise InputError(f"evaluate: a table was given with y_true=, y_score= and {beside[0]}=; leave {beside[0]}= out")
    kept = {key: value for key, value in named.items() if key in ONWARD}
    return {"score": named["y_score"], "label": named["y_true"]} | kept


def scores_of(genuine: Any, impostor: Any, *, distance: bool = False, name: str = "") -> ScoreSet:
    """Genuine and impostor scores as a set; labels that were passed as scores are refused."""
    if isinstance(impostor, str) or (isinstance(impostor, list) and impostor and isinstance(impostor[0], str)):
        raise InputError(f"impostor scores are {describe(impostor)}; {WAYS}. Measures go by name: measures=...")
    first, second = as_array(genuine, "genuine scores"), as_array(impostor, "impostor scores")
    if first.shape == second.shape and (_are_labels(first, second, distance) or _are_labels(second, first, True)):
        raise InputError(
            f"one of the two arrays holds nothing but 0 and 1, and both have {first.size:,} entries, so these look "
            "like labels and scores; pass evaluate(y_true=labels, y_score=scores)"
        )
    return ScoreSet(first, second, rule=_rule(distance), name=_name(name))


def _are_labels(marks: NDArray[Any], others: NDArray[Any], whole_scores: bool) -> bool:
    """Nothing but 0 and 1 beside other numbers; where there may be whole scores, beside fractions."""
    if marks.dtype.kind not in "biuf" or others.dtype.kind not in "iuf" or marks.size < 2:
        return False
    if set(np.unique(marks).tolist()) != {0, 1}:
        return False
    finite = others[np.isfinite(others)]
    return bool((finite % 1 != 0).any() or (not whole_scores and (finite > 1).any()))


def _from_labels(named: Mapping[str, Any], rule: AcceptRule, name: str) -> Any:
    """True labels, and what was said of each."""
    answers = [key for key in ("y_score", "y_prob", "y_pred") if named.get(key) is not None]
    if named.get("y_true") is None or not answers:
        lacking = "y_true=" if named.get("y_true") is None else "y_score="
        raise InputError(f"evaluate: {lacking} is missing; {WAYS}")
    if "y_score" in answers:
        if len(answers) > 1:
            raise InputError("evaluate: y_score goes with y_true alone; give probabilities as y_prob, without y_score")
        return _labelled(named["y_true"], named["y_score"], rule, name)
    if rule is AcceptRule.DISTANCE:
        raise InputError("evaluate: distance=True is about y_score; probabilities and predicted labels have no rule")
    from bertillon.trials.predictions import Predictions

    if "y_prob" in answers:
        return Predictions.from_probabilities(named["y_true"], named["y_prob"], y_pred=named.get("y_pred"), name=name)
    return Predictions.from_labels(named["y_true"], named["y_pred"], name=name)


def _labelled(labels: Any, scores: Any, rule: AcceptRule, name: str, ids: Mapping[str, Any] | None = None) -> ScoreSet:
    """One label and one score for each comparison."""
    expected = "one label for each score, such as [1, 0, 1]"
    marks, values = as_array(labels, "labels", expected), as_array(scores, "scores")
    if values.ndim == 2:
        raise InputError(
            f"scores are {describe(values)}; expected one score for each label. For probabilities with a column for "
            "each class pass evaluate(y_true=labels, y_prob=probabilities)"
        )
    if marks.shape != values.shape:
        raise InputError(f"{marks.size:,} labels for {values.size:,} scores; expected one label for each score")
    mated = _mated(marks)
    kept = {key: as_array(column, key) for key, column in (ids or {}).items()}
    known = [
        TrialIds(**{key: column[rows] for key, column in kept.items()}) if kept else None for rows in (mated, ~mated)
    ]
    return ScoreSet(values[mated], values[~mated], rule=rule, mated_ids=known[0], nonmated_ids=known[1], name=name)


def _mated(marks: NDArray[Any]) -> NDArray[np.bool_]:
    """Which comparisons are genuine, from labels as files have them: 1/0, true/false, genuine/impostor, ..."""
    if isinstance(marks, np.ma.MaskedArray):
        if np.ma.getmaskarray(marks).any():
            raise InputError(f"{int(np.ma.getmaskarray(marks).sum()):,} labels are masked; leave these rows out")
        marks = np.asarray(marks)
    if marks.dtype.kind in "biuf":
        if marks.dtype.kind == "f" and np.isnan(marks).any():
            row, count = int(np.argmax(np.isnan(marks))), int(np.isnan(marks).sum())
            raise InputError(f"labels: row {row + 1:,} is NaN ({count:,} in all); fill them in or leave the rows out")
        odd = marks[(marks != 0) & (marks != 1) & (marks != -1)]
        if odd.size:
            hint = " (were labels and scores swapped?)" if marks.dtype.kind == "f" else ""
            raise InputError(f"labels hold {odd.flat[0]!s}; expected 1/0, 1/-1 or True/False{hint}")
    import polars as pl

    from bertillon.io.labels import LabelError, to_labels

    try:
        understood = to_labels(pl.Series([None if is_missing(m) else m for m in marks.tolist()], strict=False))
    except LabelError as error:
        raise InputError(str(error).partition(" Say what each")[0]) from None
    if understood.dtype != pl.Boolean:
        raise InputError("labels hold attacks; use bt.trials.read_attacks, or leave these rows out")
    found: NDArray[np.bool_] = understood.to_numpy()
    return found


def _from_frame(given: Sequence[Any], named: Mapping[str, Any], rule: AcceptRule, name: str) -> ScoreSet:
    """Columns of a pandas or polars table; ids of people and samples are taken where their columns are there."""
    frame = given[0]
    columns = [str(column) for column in frame.columns]
    if not columns:
        raise InputError("evaluate: the table has no columns; expected one of scores and one of labels")
    if len(given) > 1:
        raise InputError(f'evaluate: a table goes with score="column" and label="column"; it has {listed(columns)}')
    asked = {}
    for role in ("score", "label"):
        if not isinstance(named.get(role), str):
            raise InputError(
                f'evaluate: name the column that holds the {role}, {role}="..."; there are {listed(columns)}'
            )
        if named[role] not in columns:
            raise InputError(unknown(f"evaluate: {role} column", named[role], columns))
        asked[role] = frame[named[role]]
    if not len(frame):
        raise InputError("evaluate: the table has no rows; expected one row for each comparison")
    ids = {role: frame[role] for role in IDS if role in columns}
    return _labelled(_column(asked["label"]), _column(asked["score"]), rule, name, ids)


def _column(column: Any) -> Any:
    """A column as an array; what pandas and polars write for missing numbers becomes NaN."""
    return column.to_numpy() if hasattr(column, "to_numpy") else column


def _rule(distance: Any) -> AcceptRule:
    if not isinstance(distance, bool | np.bool_):
        raise InputError(f"distance is {describe(distance)}; expected True (lower is more alike) or False")
    return AcceptRule.DISTANCE if distance else AcceptRule.SIMILARITY


def _name(name: Any) -> str:
    if not isinstance(name, str):
        raise InputError(f"name is {describe(name)}; expected text, what the system is called")
    return name
