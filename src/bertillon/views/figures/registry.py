"""Which figures there are of a finding: by its kind, and by the names of their files.

Conventions: a figure is a function that makes the chart of several findings of one kind, and a test of whether a
finding has something to show in it; one in which none has is left out. Evaluations go by their kind of trial. A kind of
trial of another package has the figures that were registered for it; where none were, those of the curves along which
its measures lie (`MeasureSet.curves`).

Holds `FIGURES`, `Figure` and `register_figure`; `charts_of` (findings of one kind), `charts_of_evaluations`
and `charts_of_report`;
`prices_of` reads the costs of errors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from bertillon.analysis.attacks import AttackFinding
from bertillon.core.arguments import describe, require
from bertillon.core.errors import InputError
from bertillon.core.messages import Text, say
from bertillon.evaluation import AnyEvaluation, Bands, each_of
from bertillon.measures.cost import ErrorCosts
from bertillon.views import attacks, budgets, conditions, fairness, groups, in_use, samples, schemes
from bertillon.views.assembling import ReportContent, content_of
from bertillon.views.figures import (
    class_curves,
    class_tables,
    decisions,
    distribution,
    errors,
    forest,
    scores,
    searches,
)
from bertillon.views.figures.axis import ends_of, rate_axis, score_axis
from bertillon.views.figures.chart import Chart, Panel, Path
from bertillon.views.figures.compose import Curve, Drawn, alone, curves_of, each, together
from bertillon.views.figures.decisions import is_ranked

COSTS = ("fn", "fp", "prevalence")
ROC, DET = partial(errors.errors_panel, kind="roc"), partial(errors.errors_panel, kind="det")

Charts = dict[str, Callable[[], Chart]]


def _always(_: Any) -> bool:
    return True


class Figure(NamedTuple):
    """How the chart of several findings is made, and which of them it can show."""

    chart: Callable[[Sequence[Any]], Chart]
    shows: Callable[[Any], bool] = _always


def _overlaid(curve: Callable[[Any], Curve], panel: Callable[[Sequence[Curve]], Panel]) -> Callable[..., Chart]:
    """How charts are made in which the curves of all systems share their axes."""
    return lambda systems: alone(panel([curve(system) for system in systems]), len(systems))


def _overlaid_banded(
    curve: Callable[[Any], Curve], panel: Callable[[Sequence[Curve]], Panel], name: str = ""
) -> Callable[..., Chart]:
    """The same of evaluations as `Drawn`, whose curves have the bands of that name."""
    return lambda systems: alone(panel(curves_of(systems, curve, name)), len(systems))


def _cost_curve(systems: Sequence[Drawn]) -> Chart:
    curve = partial(class_curves.cost_curve, costs=systems[0].costs)
    return _overlaid_banded(curve, class_curves.cost_curve_panel)(systems)


def _probable(system: Drawn) -> bool:
    return decisions.has_probabilities(system.evaluation)


FIGURES: dict[str, dict[str, Figure]] = {
    "verification": {
        "roc": Figure(_overlaid(errors.roc_curve, ROC)),
        "roc-log": Figure(_overlaid(partial(errors.roc_curve, scale="log"), ROC)),
        "det-normal": Figure(_overlaid(errors.det_curve, DET)),
        "det-log": Figure(_overlaid(partial(errors.det_curve, scale="log"), DET)),
        "rates": Figure(partial(each, panel=scores.rates_panel)),
        "distributions": Figure(
            partial(each, panel=lambda system: distribution.distribution_panel(distribution.score_distribution(system)))
        ),
    },
    "identification": {
        "cmc": Figure(lambda systems: alone(searches.cmc_panel(searches.cmc_curves(systems)), len(systems))),
        "watch-list": Figure(_overlaid(searches.watch_list_curve, ROC), lambda system: system.open_set),
        "dir-ranks": Figure(searches.dir_ranks_chart, lambda system: system.has_levels),
    },
    "classification": {
        "confusion": Figure(class_tables.confusion_chart, class_tables.has_decisions),
        "roc": Figure(_overlaid_banded(class_curves.class_roc_curve, class_curves.class_roc_panel, "roc"), is_ranked),
        "det": Figure(_overlaid_banded(class_curves.class_det_curve, DET, "det"), is_ranked),
        "precision-recall": Figure(
            _overlaid_banded(
                class_curves.precision_recall_curve, class_curves.precision_recall_panel, "precision-recall"
            ),
            is_ranked,
        ),
        "thresholds": Figure(decisions.thresholds_chart, is_ranked),
        "gain": Figure(_overlaid_banded(class_curves.gain_curve, class_curves.gain_panel), is_ranked),
        "lift": Figure(_overlaid_banded(class_curves.lift_curve, class_curves.lift_panel), is_ranked),
        "cost": Figure(decisions.costs_chart, lambda system: system.costs is not None and is_ranked(system)),
        "cost-curve": Figure(_cost_curve, is_ranked),
        "roc-classes": Figure(partial(class_curves.one_vs_rest_chart, kind="roc"), class_curves.has_several),
        "precision-recall-classes": Figure(
            partial(class_curves.one_vs_rest_chart, kind="precision-recall"), class_curves.has_several
        ),
        "reliability": Figure(class_tables.reliability_chart, _probable),
        "risk-coverage": Figure(
            _overlaid_banded(class_curves.risk_coverage_curve, class_curves.risk_coverage_panel), _probable
        ),
    },
    "groups": {
        "groups": Figure(groups.groups_chart),
        "groups-across": Figure(groups.across_chart, lambda rates: len(rates.groups) > 1),
    },
    "discard": {"discard": Figure(samples.discard_chart)},
    "menagerie": {"menagerie": Figure(samples.menagerie_chart)},
    "budgets": {"budgets": Figure(budgets.budgets_chart)},
    "search-groups": {"search-groups": Figure(fairness.search_groups_chart)},
    "conditions": {
        "conditions": Figure(conditions.conditions_chart),
        "condition-differences": Figure(
            conditions.condition_differences_chart, lambda results: bool(results.differences)
        ),
    },
    "scheme": {
        "scheme": Figure(schemes.scheme_chart, lambda check: any(row.status != "untested" for row in check.judged))
    },
    "attack-rates": {"attacks": Figure(attacks.attacks_chart)},
    "comparison": {"forest": Figure(forest.forest_chart)},
    "index": {"index": Figure(partial(each, panel=searches.trade_off_panel))},
    "transactions": {"transactions": Figure(in_use.attempts_chart, lambda rates: len(rates.curves[0]) > 1)},
    "gallery": {
        "gallery-size": Figure(partial(each, panel=in_use.sizes_panel), lambda found: bool(found.fixed)),
        "gallery-threshold": Figure(partial(each, panel=in_use.thresholds_panel), lambda found: bool(found.targeted)),
    },
}
IN_REPORTS = {  # by kind, in their order
    "verification": ("det-log", "rates", "distributions"),
    "identification": ("cmc", "watch-list"),
    "classification": ("roc", "precision-recall", "reliability"),
    "groups": ("groups", "groups-across"),
    "discard": ("discard",),
    "menagerie": ("menagerie",),
    "attack-rates": ("attacks",),
    "comparison": ("forest",),
}
SOURCES: dict[str, Callable[[Drawn], Any]] = {  # what is drawn of an evaluation, where not the evaluation itself
    "verification": lambda drawn: errors.system_of(drawn.evaluation, drawn.bands),
    "identification": lambda drawn: searches.searches_of(drawn.evaluation, drawn.bands),
}


def register_figure(
    kind: str, name: str, chart: Callable[[Sequence[Any]], Chart], *, shows: Callable[[Any], bool] = _always
) -> None:
    """Make a figure of a kind of trial known; `chart` is given each evaluation with its bands, as `Drawn`."""
    figures = FIGURES.setdefault(kind, {})
    if name in figures:
        raise ValueError(f"figure {name!r} of {kind} is registered twice")
    figures[name] = Figure(chart, shows)


def charts_of(kind: str, findings: Sequence[Any]) -> Charts:
    """Every chart these findings have something to show in, each made when it is called for."""
    if not findings:
        raise InputError("no systems to draw; expected at least one")
    figures = FIGURES.get(kind) or _along_measures(findings)
    if not figures:
        raise InputError(f"{kind} has no figures; register one, or give its measures curves")
    shown = {name: figure for name, figure in figures.items() if any(map(figure.shows, findings))}
    return {name: partial(figure.chart, findings) for name, figure in shown.items()}


def charts_of_evaluations(
    evaluations: Sequence[AnyEvaluation], *, bands: Bands = (), costs: Mapping[str, float] | None = None
) -> Charts:
    """The charts of evaluations of one kind of trial.

    `costs` are what a missed positive (fn) and a false alarm (fp) cost, perhaps at another share of positives
    (prevalence); with them costs are drawn by threshold. `bands` of each system are drawn around its curves.
    """
    require(evaluations, (list, tuple), "evaluations", "a list of what bt.evaluate returns")
    for evaluation in evaluations:
        if not hasattr(evaluation, "tally"):
            raise InputError(f"an evaluation is {describe(evaluation)}; expected what bt.evaluate returns")
    kinds = {evaluation.kind for evaluation in evaluations}
    if len(kinds) > 1:
        listed = " and ".join(sorted(kinds))
        raise InputError(f"evaluations of {listed} have no figures together; draw those of each mode")
    prices = None if costs is None else prices_of(costs)
    own = each_of(bands, len(evaluations))
    drawn = [Drawn(evaluation, known, prices) for evaluation, known in zip(evaluations, own, strict=True)]
    kind = next(iter(kinds), "")
    source = SOURCES.get(kind)
    return charts_of(kind, drawn if source is None else [source(system) for system in drawn])


def charts_of_report(finding: Any) -> dict[str, tuple[Text, Callable[[], Chart]]]:
    """The figures that stand in a report on a finding, each with its caption; several modes have theirs apart."""
    content = finding if isinstance(finding, ReportContent) else content_of(finding)
    found: dict[str, Charts] = {
        mode: charts_of_evaluations(group, bands=content.bands_in(mode)) for mode, group in content.by_mode.items()
    }
    more = {
        "discard": [(one.name, one.curves) for one in content.discards],
        "menagerie": content.people,
        "groups": content.groups,
    }
    found.update((kind, charts_of(kind, findings)) for kind, findings in more.items() if findings)
    compared = [*content.versus, *(pair for one in content.findings for pair in getattr(one, "pairs", ()))]
    if any(pair.differences for pair in compared):
        forests: Charts = {"forest": partial(forest.chart_of_pairs, compared)}
        found = {"comparison": forests, **found}
    attacked = [one for one in content.findings if isinstance(one, AttackFinding)]
    found |= {"attack-rates": charts_of("attack-rates", attacked)} if attacked else {}
    several = len(content.by_mode) > 1
    return {
        f"{kind}-{name}" if several and kind in content.by_mode else name: (say(f"page.figure.{name}"), charts[name])
        for kind, charts in found.items()
        for name in IN_REPORTS[kind]
        if name in charts
    }


def prices_of(costs: Mapping[str, float]) -> ErrorCosts:
    """Costs by their names; at least one of the two errors must cost something."""
    unknown = [name for name in costs if name not in COSTS]
    if unknown:
        raise InputError(f"cost {unknown[0]!r} is not known; expected {', '.join(COSTS)}")
    prices = ErrorCosts(**costs)
    if not prices.fn + prices.fp:
        raise InputError("both costs are 0, so every decision is as good; expected one above 0")
    return prices


def _along_measures(systems: Sequence[Any]) -> dict[str, Figure]:
    """A figure for every curve of the measure set of the systems' kind."""
    curves = systems[0].evaluation.measure_set.curves if isinstance(systems[0], Drawn) else {}
    panel = partial(together, sides=())
    return {name: Figure(_overlaid_banded(partial(_measured, name=name), panel, name)) for name in curves}


def _measured(evaluation: AnyEvaluation, name: str) -> Curve:
    """A measure at each place of the grid of a curve, between axes that are called as the measure is spelled."""
    measures, grid = evaluation.measure_set, evaluation.measure_set.curves[name].grid
    along = [measures.curves[name].at(place) for place in grid]
    values = np.array([evaluation[measure].value for measure in along])
    spelling = along[0].spelling
    rates = measures.unit_of(str(spelling)) == "rate"
    x_axis = score_axis(" ".join(spelling.at) or name, ends_of(grid))
    y_axis = rate_axis(spelling.name, "linear", 0) if rates else score_axis(spelling.name, ends_of(values))
    return Curve(evaluation.name, Path(np.array(grid, dtype=np.float64), values), x_axis, y_axis)
