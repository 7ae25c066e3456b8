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
    from bertillon.advice.choosing import advise as advise
    from bertillon.analysis.attack_detection import pad_rates as pad_rates
    from bertillon.analysis.attacks import attack_rates as attack_rates
    from bertillon.analysis.cost_sweep import cost_sweep as cost_sweep
    from bertillon.analysis.discard import DiscardCurve as DiscardCurve
    from bertillon.analysis.discard import error_discard as error_discard
    from bertillon.analysis.forecast import forecast as forecast
    from bertillon.analysis.group_rates import GroupRates as GroupRates
    from bertillon.analysis.group_rates import group_rates as group_rates
    from bertillon.analysis.leads import compare_curves as compare_curves
    from bertillon.analysis.menagerie import Menagerie as Menagerie
    from bertillon.analysis.menagerie import menagerie as menagerie
    from bertillon.analysis.regions import operating_regions as operating_regions
    from bertillon.analysis.response_reliability import response_reliability as response_reliability
    from bertillon.core.errors import BertillonError as BertillonError
    from bertillon.core.errors import InputError as InputError
    from bertillon.core.rule import AcceptRule as AcceptRule
    from bertillon.core.tables import TemplateTable as TemplateTable
    from bertillon.counting.curves.band import Band as Band
    from bertillon.counting.curves.error_curve import ErrorCurve as ErrorCurve
    from bertillon.counting.curves.rank_curve import RankCurve as RankCurve
    from bertillon.counting.curves.rate_curve import RateCurve as RateCurve
    from bertillon.counting.curves.rate_curve import read_curve as read_curve
    from bertillon.counting.curves.watch_list import WatchListCurve as WatchListCurve
    from bertillon.counting.outcomes import outcomes as outcomes
    from bertillon.counting.streams.counts_file import read_counts as read_counts
    from bertillon.counting.streams.counts_file import write_counts as write_counts
    from bertillon.counting.streams.score_counts import ScoreCounts as ScoreCounts
    from bertillon.counting.tiles.comparisons import count_comparisons as count_comparisons
    from bertillon.evaluation import Evaluation as Evaluation
    from bertillon.evaluation import error_curve as error_curve
    from bertillon.evaluation import evaluate as evaluate
    from bertillon.evaluation.classification import ClassEvaluation as ClassEvaluation
    from bertillon.evaluation.identification import SearchEvaluation as SearchEvaluation
    from bertillon.evaluation.indexed import search_with_index as search_with_index
    from bertillon.evaluation.streams import StreamEvaluation as StreamEvaluation
    from bertillon.evaluation.streams import count_scores as count_scores
    from bertillon.evaluation.streams import merge_counts as merge_counts
    from bertillon.evaluation.templates import search_trials as search_trials
    from bertillon.evaluation.templates import verification_trials as verification_trials
    from bertillon.io.templates import read_templates as read_templates
    from bertillon.matching import from_function as from_function
    from bertillon.matching import match as match
    from bertillon.matching import matcher as matcher
    from bertillon.measures import Measure as Measure
    from bertillon.measures import Result as Result
    from bertillon.measures import parse as parse
    from bertillon.measures.classification.graded import graded_ndcg as graded_ndcg
    from bertillon.measures.peers import peer as peer
    from bertillon.render.figures.attack_draw import plot_attacks as plot_attacks
    from bertillon.render.figures.plots import plot_cmc as plot_cmc
    from bertillon.render.figures.plots import plot_confusion as plot_confusion
    from bertillon.render.figures.plots import plot_cost as plot_cost
    from bertillon.render.figures.plots import plot_det as plot_det
    from bertillon.render.figures.plots import plot_distributions as plot_distributions
    from bertillon.render.figures.plots import plot_errors as plot_errors
    from bertillon.render.figures.plots import plot_groups as plot_groups
    from bertillon.render.figures.plots import plot_index as plot_index
    from bertillon.render.figures.plots import plot_pr as plot_pr
    from bertillon.render.figures.plots import plot_quality as plot_quality
    from bertillon.render.figures.plots import plot_reliability as plot_reliability
    from bertillon.render.figures.plots import plot_risk_coverage as plot_risk_coverage
    from bertillon.render.figures.plots import plot_roc as plot_roc
    from bertillon.render.figures.plots import plot_watch_list as plot_watch_list
    from bertillon.render.figures.sample_plots import plot_discard as plot_discard
    from bertillon.render.figures.sample_plots import plot_group_rates as plot_group_rates
    from bertillon.render.figures.sample_plots import plot_menagerie as plot_menagerie
    from bertillon.render.figures.sizes import figure_size as figure_size
    from bertillon.stats.bands.classes import pr_band as pr_band
    from bertillon.stats.bands.classes import reliability_band as reliability_band
    from bertillon.stats.bands.scores import det_band as det_band
    from bertillon.stats.bands.scores import roc_band as roc_band
    from bertillon.stats.bands.searches import cmc_band as cmc_band
    from bertillon.stats.bands.searches import watch_list_band as watch_list_band
    from bertillon.stats.comparing.delong import delong_test as delong_test
    from bertillon.stats.comparing.mcnemar import mcnemar as mcnemar
    from bertillon.stats.comparing.permutation import permutation_test as permutation_test
    from bertillon.stats.comparing.systems import compare_systems as compare_systems
    from bertillon.stats.settings import Settings as Settings
    from bertillon.trials.attack_reading import read_attacks as read_attacks
    from bertillon.trials.attack_reading import read_pad as read_pad
    from bertillon.trials.attack_set import AttackSet as AttackSet
    from bertillon.trials.attack_set import Presentations as Presentations
    from bertillon.trials.comparing import Comparing as Comparing
    from bertillon.trials.inspection import Inspection as Inspection
    from bertillon.trials.inspection import inspect as inspect
    from bertillon.trials.prediction_reading import read_predictions as read_predictions
    from bertillon.trials.predictions import Predictions as Predictions
    from bertillon.trials.reading import read_scores as read_scores
    from bertillon.trials.reading import read_systems as read_systems
    from bertillon.trials.score_set import Failures as Failures
    from bertillon.trials.score_set import ScoreSet as ScoreSet
    from bertillon.trials.score_set import TrialIds as TrialIds
    from bertillon.trials.score_stream import ScoreStream as ScoreStream
    from bertillon.trials.search_candidates import read_mates as read_mates
    from bertillon.trials.search_pairs import searches_from_trials as searches_from_trials
    from bertillon.trials.search_set import SearchSet as SearchSet
    from bertillon.trials.searches import searches_from_blocks as searches_from_blocks
    from bertillon.trials.searches import searches_from_candidates as searches_from_candidates
    from bertillon.trials.searches import searches_from_matrix as searches_from_matrix
    from bertillon.trials.simulate import simulate as simulate
    from bertillon.trials.stream_reading import stream_scores as stream_scores

# Names are imported when first used, so that `import bertillon` costs next to nothing.
_HOME = {
    "AcceptRule": "core.rule",
    "AttackSet": "trials.attack_set",
    "Band": "counting.curves.band",
    "BertillonError": "core.errors",
    "ClassEvaluation": "evaluation.classification",
    "Comparing": "trials.comparing",
    "DiscardCurve": "analysis.discard",
    "ErrorCurve": "counting.curves.error_curve",
    "Evaluation": "evaluation",
    "Failures": "trials.score_set",
    "GroupRates": "analysis.group_rates",
    "InputError": "core.errors",
    "Inspection": "trials.inspection",
    "Measure": "measures",
    "Menagerie": "analysis.menagerie",
    "Predictions": "trials.predictions",
    "Presentations": "trials.attack_set",
    "RankCurve": "counting.curves.rank_curve",
    "RateCurve": "counting.curves.rate_curve",
    "Result": "measures",
    "ScoreCounts": "counting.streams.score_counts",
    "ScoreSet": "trials.score_set",
    "ScoreStream": "trials.score_stream",
    "SearchEvaluation": "evaluation.identification",
    "SearchSet": "trials.search_set",
    "Settings": "stats.settings",
    "StreamEvaluation": "evaluation.streams",
    "TemplateTable": "core.tables",
    "TrialIds": "trials.score_set",
    "WatchListCurve": "counting.curves.watch_list",
    "advise": "advice.choosing",
    "attack_rates": "analysis.attacks",
    "cmc_band": "stats.bands.searches",
    "compare_curves": "analysis.leads",
    "compare_systems": "stats.comparing.systems",
    "cost_sweep": "analysis.cost_sweep",
    "count_comparisons": "counting.tiles.comparisons",
    "count_scores": "evaluation.streams",
    "delong_test": "stats.comparing.delong",
    "det_band": "stats.bands.scores",
    "error_curve": "evaluation",
    "error_discard": "analysis.discard",
    "evaluate": "evaluation",
    "figure_size": "render.figures.sizes",
    "forecast": "analysis.forecast",
    "from_function": "matching",
    "graded_ndcg": "measures.classification.graded",
    "group_rates": "analysis.group_rates",
    "inspect": "trials.inspection",
    "match": "matching",
    "matcher": "matching",
    "mcnemar": "stats.comparing.mcnemar",
    "menagerie": "analysis.menagerie",
    "merge_counts": "evaluation.streams",
    "operating_regions": "analysis.regions",
    "outcomes": "counting.outcomes",
    "pad_rates": "analysis.attack_detection",
    "parse": "measures",
    "peer": "measures.peers",
    "permutation_test": "stats.comparing.permutation",
    "plot_attacks": "render.figures.attack_draw",
    "plot_cmc": "render.figures.plots",
    "plot_confusion": "render.figures.plots",
    "plot_cost": "render.figures.plots",
    "plot_det": "render.figures.plots",
    "plot_discard": "render.figures.sample_plots",
    "plot_distributions": "render.figures.plots",
    "plot_errors": "render.figures.plots",
    "plot_group_rates": "render.figures.sample_plots",
    "plot_groups": "render.figures.plots",
    "plot_index": "render.figures.plots",
    "plot_menagerie": "render.figures.sample_plots",
    "plot_pr": "render.figures.plots",
    "plot_quality": "render.figures.plots",
    "plot_reliability": "render.figures.plots",
    "plot_risk_coverage": "render.figures.plots",
    "plot_roc": "render.figures.plots",
    "plot_watch_list": "render.figures.plots",
    "pr_band": "stats.bands.classes",
    "read_attacks": "trials.attack_reading",
    "read_counts": "counting.streams.counts_file",
    "read_curve": "counting.curves.rate_curve",
    "read_mates": "trials.search_candidates",
    "read_pad": "trials.attack_reading",
    "read_predictions": "trials.prediction_reading",
    "read_scores": "trials.reading",
    "read_systems": "trials.reading",
    "read_templates": "io.templates",
    "reliability_band": "stats.bands.classes",
    "response_reliability": "analysis.response_reliability",
    "roc_band": "stats.bands.scores",
    "search_trials": "evaluation.templates",
    "search_with_index": "evaluation.indexed",
    "searches_from_blocks": "trials.searches",
    "searches_from_candidates": "trials.searches",
    "searches_from_matrix": "trials.searches",
    "searches_from_trials": "trials.search_pairs",
    "simulate": "trials.simulate",
    "stream_scores": "trials.stream_reading",
    "verification_trials": "evaluation.templates",
    "watch_list_band": "stats.bands.searches",
    "write_counts": "counting.streams.counts_file",
}

__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'bertillon' has no attribute {name!r}")
    return getattr(import_module(f"bertillon.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
