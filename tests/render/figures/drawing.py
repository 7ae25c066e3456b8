"""Figures by name, and curves on given axes, for the tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bertillon.render import draw_chart, draw_panel, look, new_figure
from bertillon.views import (
    FIGURES,
    Drawn,
    charts_of,
    class_roc_panel,
    cmc_panel,
    confusion_panel,
    cost_curve_panel,
    costs_panel,
    counts_panel,
    dir_ranks_panel,
    distribution_panel,
    errors_panel,
    gain_panel,
    lift_panel,
    one_vs_rest_panel,
    precision_recall_panel,
    rates_panel,
    reliability_panel,
    risk_coverage_panel,
    thresholds_panel,
)

KINDS, SEARCH_KINDS = tuple(FIGURES["verification"]), tuple(FIGURES["identification"])


def make_figure(name: str, systems: Sequence[Any]) -> Any:
    return draw_chart(FIGURES["verification"][name].chart(systems))


def make_search_figure(name: str, systems: Sequence[Any]) -> Any:
    return draw_chart(FIGURES["identification"][name].chart(systems))


def make_class_figure(name: str, evaluations: Sequence[Any], *, costs: Any = None, bands: Any = ()) -> Any:
    systems = [
        Drawn(one, known, costs) for one, known in zip(evaluations, bands or [{}] * len(evaluations), strict=True)
    ]
    return draw_chart(FIGURES["classification"][name].chart(systems))


def class_kinds(evaluations: Sequence[Any], costs: Any = None) -> tuple[str, ...]:
    return tuple(charts_of("classification", [Drawn(one, {}, costs) for one in evaluations]))


def on_axes(panel: Any, **how: Any) -> Any:
    """A function that draws what a panel is made of on given axes."""

    def draw(ax: Any, data: Any, **more: Any) -> list[Any]:
        return draw_panel(ax, panel(data, **how, **more))

    return draw


draw_roc = draw_roc_log = draw_watch_list = on_axes(errors_panel, kind="roc")
draw_det_normal = draw_det_log = draw_class_det = on_axes(errors_panel, kind="det")
draw_rates, draw_distributions = on_axes(rates_panel), on_axes(distribution_panel)
draw_class_roc, draw_precision_recall = on_axes(class_roc_panel), on_axes(precision_recall_panel)
draw_gain, draw_lift, draw_risk_coverage = map(on_axes, (gain_panel, lift_panel, risk_coverage_panel))
draw_cost_curve, draw_costs = on_axes(cost_curve_panel), on_axes(costs_panel)
draw_reliability, draw_bin_counts = on_axes(reliability_panel), on_axes(counts_panel)
draw_thresholds, draw_confusion = on_axes(thresholds_panel), on_axes(confusion_panel)
draw_one_vs_rest = on_axes(one_vs_rest_panel)
draw_cmc, draw_dir_ranks = on_axes(cmc_panel), on_axes(dir_ranks_panel)


def require_what_was_drawn(draw: Callable[..., Any], data: Any) -> None:
    """A drawing function returns every artist that it added, titles aside."""
    with look():
        ax = new_figure().add_subplot()
        before = set(ax.get_children())
        artists = draw(ax, data)
    titles = {ax.title, ax._left_title, ax._right_title}
    assert set(ax.get_children()) - before == set(artists) - titles
    assert all(artist.axes is ax for artist in artists)
