"""Embeddings, straight to answers: every template compared with every other, verified, searched for, or both.

Holds `evaluate_embeddings`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

from bertillon.core.arguments import as_array, describe
from bertillon.core.errors import InputError
from bertillon.evaluation.evaluation import Asked, ScoreEvaluation, SearchEvaluation, evaluate
from bertillon.evaluation.templates import search_trials, trials_of_both, verification_trials
from bertillon.io.templates.assemble import make_templates
from bertillon.matching.comparing import Comparing

if TYPE_CHECKING:
    from bertillon.matching.base import Matcher

MODES = ("verify", "identify", "all")


class System(TypedDict, total=False):
    """Whose comparisons they are, and what they are asked."""

    matcher: Matcher | str
    name: str
    measures: Asked


@overload
def evaluate_embeddings(
    X: Any, subject: Any, *, mode: Literal["verify"] = "verify", **system: Unpack[System]
) -> ScoreEvaluation: ...
@overload
def evaluate_embeddings(
    X: Any, subject: Any, *, mode: Literal["identify"], **system: Unpack[System]
) -> SearchEvaluation: ...
@overload
def evaluate_embeddings(
    X: Any, subject: Any, *, mode: Literal["all"], matcher: Matcher | str = "cosine", name: str = ""
) -> tuple[ScoreEvaluation, SearchEvaluation]: ...
def evaluate_embeddings(
    X: Any,
    subject: Any,
    *,
    matcher: Matcher | str = "cosine",
    name: str = "",
    mode: Literal["verify", "identify", "all"] = "verify",
    measures: Asked = None,
) -> ScoreEvaluation | SearchEvaluation | tuple[ScoreEvaluation, SearchEvaluation]:
    """Compare every embedding with every other, and evaluate.

    Parameters
    ----------
    X
        One row for each embedding: an array, a list of rows, a torch tensor.
    subject
        Whose embedding each row is, one entry for each row.
    matcher
        The name of a matcher, such as "cosine" or "euclidean", or a matcher.
    name
        What the system is called.
    mode
        "verify" for 1:1 comparisons, "identify" for searches, "all" for both.
    measures
        What is asked; the usual measures where none are named. Not with "all".

    Returns
    -------
    Evaluation
        The answers; of "all" a pair of them, comparisons first.

    Examples
    --------
    >>> import bertillon as bt
    >>> X = [[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9]]
    >>> bt.evaluate_embeddings(X, ["anna", "anna", "bob", "bob"], name="ours")["EER"].value
    0.0
    """
    if mode not in MODES:
        raise InputError(f"mode is {mode!r}; expected one of {', '.join(map(repr, MODES))}")
    rows = as_array(X, "embeddings", "one row of numbers for each embedding")
    if rows.ndim != 2:
        raise InputError(f"embeddings are {describe(rows)}; expected two dimensions, one row for each embedding")
    owners = as_array(subject, "subject", "one person for each embedding")
    if owners.shape != rows.shape[:1]:
        raise InputError(f"{owners.size:,} subjects for {len(rows):,} embeddings; expected one for each")
    plan = Comparing.plan(replace(make_templates(rows, owners), source=name or "memory"), matcher)
    if mode == "verify":
        return evaluate(verification_trials(plan, _named(measures)), measures)
    if mode == "identify":
        return evaluate(search_trials(plan), measures)
    if measures is not None:
        raise InputError("measures go with one mode; leave them out with mode='all', or ask for each mode")
    scores, searches = trials_of_both(plan)
    return evaluate(scores), evaluate(searches)


def _named(measures: Asked) -> Any:
    return () if measures is None else [measures] if not isinstance(measures, list | tuple) else measures
