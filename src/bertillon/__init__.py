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
    from bertillon.analysis.comparing import compare_curves as compare_curves
    from bertillon.analysis.cost_sweep import cost_sweep as cost_sweep
    from bertillon.analysis.forecast import forecast as forecast
    from bertillon.analysis.regions import operating_regions as operating_regions
    from bertillon.counts.outcomes import outcomes as outcomes
    from bertillon.curves.error_curve import ErrorCurve as ErrorCurve
    from bertillon.curves.rank_curve import RankCurve as RankCurve
    from bertillon.curves.watch_list import WatchListCurve as WatchListCurve
    from bertillon.errors import BertillonError as BertillonError
    from bertillon.errors import InputError as InputError
    from bertillon.evaluation import Evaluation as Evaluation
    from bertillon.evaluation import error_curve as error_curve
    from bertillon.evaluation import evaluate as evaluate
    from bertillon.evaluation.classification import ClassEvaluation as ClassEvaluation
    from bertillon.evaluation.identification import SearchEvaluation as SearchEvaluation
    from bertillon.evaluation.templates import search_trials as search_trials
    from bertillon.evaluation.templates import verification_trials as verification_trials
    from bertillon.formats.templates import read_templates as read_templates
    from bertillon.matchers import from_function as from_function
    from bertillon.matchers import match as match
    from bertillon.matchers import matcher as matcher
    from bertillon.measures import Measure as Measure
    from bertillon.measures import Result as Result
    from bertillon.measures import parse as parse
    from bertillon.measures.peers import peer as peer
    from bertillon.rule import AcceptRule as AcceptRule
    from bertillon.tables import TemplateTable as TemplateTable
    from bertillon.trials.comparing import Comparing as Comparing
    from bertillon.trials.prediction_reading import read_predictions as read_predictions
    from bertillon.trials.predictions import Predictions as Predictions
    from bertillon.trials.reading import read_scores as read_scores
    from bertillon.trials.reading import read_systems as read_systems
    from bertillon.trials.score_set import Failures as Failures
    from bertillon.trials.score_set import ScoreSet as ScoreSet
    from bertillon.trials.score_set import TrialIds as TrialIds
    from bertillon.trials.search_set import SearchSet as SearchSet
    from bertillon.trials.searches import searches_from_blocks as searches_from_blocks
    from bertillon.trials.searches import searches_from_candidates as searches_from_candidates
    from bertillon.trials.searches import searches_from_matrix as searches_from_matrix
    from bertillon.trials.simulate import simulate as simulate

# Names are imported when first used, so that `import bertillon` costs next to nothing.
_HOME = {
    "AcceptRule": "rule",
    "BertillonError": "errors",
    "ClassEvaluation": "evaluation.classification",
    "Comparing": "trials.comparing",
    "ErrorCurve": "curves.error_curve",
    "Evaluation": "evaluation",
    "Failures": "trials.score_set",
    "InputError": "errors",
    "Measure": "measures",
    "Predictions": "trials.predictions",
    "RankCurve": "curves.rank_curve",
    "Result": "measures",
    "ScoreSet": "trials.score_set",
    "SearchEvaluation": "evaluation.identification",
    "SearchSet": "trials.search_set",
    "TemplateTable": "tables",
    "TrialIds": "trials.score_set",
    "WatchListCurve": "curves.watch_list",
    "compare_curves": "analysis.comparing",
    "cost_sweep": "analysis.cost_sweep",
    "error_curve": "evaluation",
    "evaluate": "evaluation",
    "forecast": "analysis.forecast",
    "from_function": "matchers",
    "match": "matchers",
    "matcher": "matchers",
    "operating_regions": "analysis.regions",
    "outcomes": "counts.outcomes",
    "parse": "measures",
    "peer": "measures.peers",
    "read_predictions": "trials.prediction_reading",
    "read_scores": "trials.reading",
    "read_systems": "trials.reading",
    "read_templates": "formats.templates",
    "search_trials": "evaluation.templates",
    "searches_from_blocks": "trials.searches",
    "searches_from_candidates": "trials.searches",
    "searches_from_matrix": "trials.searches",
    "simulate": "trials.simulate",
    "verification_trials": "evaluation.templates",
}

__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'bertillon' has no attribute {name!r}")
    return getattr(import_module(f"bertillon.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
