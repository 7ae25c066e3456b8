"""Bertillon measures biometric recognition systems and classifiers.

From scores it answers: how often does this system err, at which threshold, how sure are we, which system is better?

>>> import bertillon as bt
>>> scores = bt.ScoreSet(mated=[0.4, 0.6, 0.7, 0.8], nonmated=[0.1, 0.2, 0.3, 0.5, 0.65])
>>> evaluation = bt.evaluate(scores, ["EER", "FNMR@FMR=0.2"])
>>> evaluation["EER"].value
0.25
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bertillon._version import __version__

if TYPE_CHECKING:
    from bertillon.counts.outcomes import outcomes as outcomes
    from bertillon.curves.error_curve import ErrorCurve as ErrorCurve
    from bertillon.errors import BertillonError as BertillonError
    from bertillon.errors import InputError as InputError
    from bertillon.evaluation import Evaluation as Evaluation
    from bertillon.evaluation import error_curve as error_curve
    from bertillon.evaluation import evaluate as evaluate
    from bertillon.measures import Measure as Measure
    from bertillon.measures import Result as Result
    from bertillon.measures import parse as parse
    from bertillon.rule import AcceptRule as AcceptRule
    from bertillon.trials.score_set import Failures as Failures
    from bertillon.trials.score_set import ScoreSet as ScoreSet

# Names are imported when first used, so that `import bertillon` costs next to nothing.
_HOME = {
    "AcceptRule": "rule",
    "BertillonError": "errors",
    "ErrorCurve": "curves.error_curve",
    "Evaluation": "evaluation",
    "Failures": "trials.score_set",
    "InputError": "errors",
    "Measure": "measures",
    "Result": "measures",
    "ScoreSet": "trials.score_set",
    "error_curve": "evaluation",
    "evaluate": "evaluation",
    "outcomes": "counts.outcomes",
    "parse": "measures",
}

__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'bertillon' has no attribute {name!r}")
    return getattr(import_module(f"bertillon.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
