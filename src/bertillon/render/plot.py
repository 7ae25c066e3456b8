"""Figures for notebooks and papers by short names: `bt.plot.det(evaluation)` draws and returns the axes.

Holds one function for each figure, `figure_size` for publications, and `save_figures`.
"""

from bertillon.render.figures.figure import figure_size as figure_size
from bertillon.render.figures.figure import save_figures as save_figures
from bertillon.render.figures.plots import plot_attacks as attacks
from bertillon.render.figures.plots import plot_cmc as cmc
from bertillon.render.figures.plots import plot_confusion as confusion
from bertillon.render.figures.plots import plot_cost as cost
from bertillon.render.figures.plots import plot_det as det
from bertillon.render.figures.plots import plot_discard as discard
from bertillon.render.figures.plots import plot_distributions as distributions
from bertillon.render.figures.plots import plot_errors as errors
from bertillon.render.figures.plots import plot_forest as forest
from bertillon.render.figures.plots import plot_gallery_size as gallery_size
from bertillon.render.figures.plots import plot_group_rates as group_rates
from bertillon.render.figures.plots import plot_groups as groups
from bertillon.render.figures.plots import plot_index as index
from bertillon.render.figures.plots import plot_menagerie as menagerie
from bertillon.render.figures.plots import plot_pr as pr
from bertillon.render.figures.plots import plot_quality as quality
from bertillon.render.figures.plots import plot_reliability as reliability
from bertillon.render.figures.plots import plot_risk_coverage as risk_coverage
from bertillon.render.figures.plots import plot_roc as roc
from bertillon.render.figures.plots import plot_watch_list as watch_list

__all__ = [
    "attacks",
    "cmc",
    "confusion",
    "cost",
    "det",
    "discard",
    "distributions",
    "errors",
    "figure_size",
    "forest",
    "gallery_size",
    "group_rates",
    "groups",
    "index",
    "menagerie",
    "pr",
    "quality",
    "reliability",
    "risk_coverage",
    "roc",
    "save_figures",
    "watch_list",
]
