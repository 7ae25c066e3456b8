"""Single numbers from two arrays of scores: `eer` and `auc`.

Holds `eer` and `auc`; any other is `evaluate(genuine, impostor)["FNMR@FMR=0.001"]`.
"""

from __future__ import annotations

from typing import Any

from bertillon.evaluation.estimate import Estimate
from bertillon.evaluation.evaluation import evaluate
from bertillon.evaluation.inputs import scores_of


def eer(genuine: Any, impostor: Any, *, distance: bool = False) -> Estimate:
    """The equal error rate, where as many impostors are accepted as genuine comparisons are rejected.

    Parameters
    ----------
    genuine, impostor
        Scores of comparisons of one person, and of two: lists, arrays, columns of a table, torch tensors.
    distance
        True where lower scores mean more alike.

    Returns
    -------
    Estimate
        The rate with its threshold; `float()` gives the rate alone.

    Examples
    --------
    >>> import bertillon as bt
    >>> print(bt.eer([0.4, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.5, 0.65]))
    EER 25 % (threshold 0.575)
    """
    return evaluate(scores_of(genuine, impostor, distance=distance), "EER")["EER"]


def auc(genuine: Any, impostor: Any, *, distance: bool = False) -> Estimate:
    """The area under the ROC: how often a genuine comparison has the better score of the two; ties count half.

    Parameters
    ----------
    genuine, impostor, distance
        As in `eer`.

    Returns
    -------
    Estimate
        The area; `float()` gives the number alone.

    Examples
    --------
    >>> import bertillon as bt
    >>> print(bt.auc([0.4, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.5, 0.65]))
    AUC 0.85
    """
    return evaluate(scores_of(genuine, impostor, distance=distance), "AUC")["AUC"]
