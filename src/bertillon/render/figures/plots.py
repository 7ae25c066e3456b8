"""Figures for notebooks and papers: one function a figure.

Conventions: `bt.plot.det(evaluation)` draws into the current axes, as pyplot does, `ax=` into those given, and `size=`,
in inches (see `figure_size`), into a new figure; it returns the axes. No settings are changed and no window is opened.
Sentences about the data stand in reports, not here; `labels` are what systems are called, instead of their names.
Several evaluations share the axes where that makes sense. `bands` say how sure each curve is, in the units of its axes
(see `Band`).

Holds `plot_roc`, `plot_det`, `plot_errors`, `plot_distributions`, `plot_cmc`, `plot_watch_list`, `plot_pr`,
`plot_reliability`, `plot_confusion`, `plot_cost`, `plot_risk_coverage`, `plot_groups`, `plot_quality`, `plot_index`,
`plot_discard`, `plot_menagerie`, `plot_group_rates`, `plot_attacks` and `plot_forest`; `bt.plot` offers them without
the prefix. `plots_of` has those that take a finding first by name, which `finding.plot` offers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, TypeVar, Unpack

from numpy.typing import ArrayLike

from bertillon.analysis import AttackFinding, GallerySizes, GroupRates, Menagerie
from bertillon.analysis.discard import DiscardCurve
from bertillon.core.arguments import Keywords
from bertillon.core.errors import InputError
from bertillon.counting.curves.error_curve import Band
from bertillon.evaluation import (
    AnyEvaluation,
    ClassEvaluation,
    Comparison,
    Evaluation,
    IndexedSearch,
    ScoreEvaluation,
    SearchEvaluation,
)
from bertillon.render.figures.documented import documented
from bertillon.render.figures.draw import draw_panel
from bertillon.render.figures.figure import axes_for, divided
from bertillon.views import attacks, groups, in_use, samples
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
from bertillon.views.figures.chart import Panel, Size
from bertillon.views.figures.compose import Curve, banded
from bertillon.views.figures.registry import prices_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

T = TypeVar("T")
OneOrMore: TypeAlias = T | Sequence[T]
Detectors: TypeAlias = OneOrMore[ScoreEvaluation] | OneOrMore[ClassEvaluation]
Bands: TypeAlias = Band | Sequence[Band | None] | None
Labels: TypeAlias = str | Sequence[str] | None

KINDS = VERIFICATION, IDENTIFICATION, CLASSIFICATION = "verification", "identification", "classification"
ERROR_KINDS = (VERIFICATION, CLASSIFICATION)  # both kinds of error by threshold
GROUP_KINDS = ("FNMR", "FMR", "across")


class Placed(TypedDict, total=False):
    """Where a figure is drawn."""

    ax: Axes | None
    size: Size | None


class Drawn(Placed, total=False):
    """How several systems share axes."""

    bands: Bands
    labels: Labels


PLACED = Keywords(Placed, ax=None, size=None)
DRAWN = Keywords(Drawn, ax=None, bands=None, labels=None, size=None)


@documented(DRAWN)
def plot_roc(evaluations: Detectors, *, scale: Literal["linear", "log"] = "linear", **drawn: Unpack[Drawn]) -> Axes:
    """True against false match rate (TPR against FPR); `scale` is that of the false match rate."""
    why = "that of a classifier has linear axes; plot.det shows low rates"
    systems, shades = _by_threshold(evaluations, drawn, (scale, "linear", "log"), "plot.roc", why)
    if systems[0].kind == CLASSIFICATION:
        curves = _curves(class_curves.class_roc_curve, systems, shades)
        return _draw(class_curves.class_roc_panel(curves), drawn, square=True)
    curves = _curves(
        lambda system: _with_area(system, errors.roc_curve(errors.system_of(system), scale)), systems, shades
    )
    return _draw(errors.errors_panel(curves, "roc"), drawn, square=scale == "linear")


@documented(DRAWN)
def plot_det(evaluations: Detectors, *, scale: Literal["normal", "log"] = "normal", **drawn: Unpack[Drawn]) -> Axes:
    """Both errors against each other on normal-deviate axes, or on log ones."""
    why = "that of a classifier has normal-deviate axes; leave out scale"
    systems, shades = _by_threshold(evaluations, drawn, (scale, "normal", "log"), "plot.det", why)
    curve_of = {CLASSIFICATION: class_curves.class_det_curve}.get(
        systems[0].kind, lambda system: errors.det_curve(errors.system_of(system), scale)
    )
    return _draw(errors.errors_panel(_curves(curve_of, systems, shades), "det"), drawn, square=True)


@documented(PLACED)
def plot_errors(
    evaluation: ScoreEvaluation | ClassEvaluation,
    *,
    fmr_band: Band | None = None,
    fnmr_band: Band | None = None,
    **placed: Unpack[Placed],
) -> Axes:
    """FMR and FNMR by threshold; of a classifier precision, recall, F1 and specificity."""
    system: Any = _single(evaluation, kinds=ERROR_KINDS, function="plot.errors")
    if system.kind == VERIFICATION:
        panel = scores.rates_panel(errors.system_of(system), fmr_band=fmr_band, fnmr_band=fnmr_band)
        return _draw(panel, placed)
    if fmr_band or fnmr_band:
        raise InputError("plot.errors: bands are those of FMR and FNMR; a classifier's rates have none")
    if why := system.tally.why_not_ranked:
        raise InputError(f"plot.errors: {why}")
    return _draw(decisions.thresholds_panel(system), placed)


@documented(PLACED)
def plot_distributions(evaluation: ScoreEvaluation, *, bins: int | None = None, **placed: Unpack[Placed]) -> Axes:
    """Densities of mated and non-mated scores with the threshold of the EER; `bins` are chosen where none are given."""
    system = _single(evaluation, kinds=(VERIFICATION,), function="plot.distributions")
    return _draw(
        distribution.distribution_panel(distribution.score_distribution(errors.system_of(system), bins)), placed
    )


@documented(DRAWN)
def plot_cmc(evaluations: OneOrMore[SearchEvaluation], **drawn: Unpack[Drawn]) -> Axes:
    """The share of mates found within rank k."""
    systems, shades = _with_bands(evaluations, drawn, kinds=(IDENTIFICATION,), function="plot.cmc")
    known = [{} if band is None else {"cmc": band} for band in shades]
    curves = searches.cmc_curves([searches.searches_of(*pair) for pair in zip(systems, known, strict=True)])
    return _draw(searches.cmc_panel(curves), drawn)


@documented(DRAWN)
def plot_watch_list(evaluations: OneOrMore[SearchEvaluation], **drawn: Unpack[Drawn]) -> Axes:
    """Detection and identification rate against false alarms."""
    systems, shades = _with_bands(evaluations, drawn, kinds=(IDENTIFICATION,), function="plot.watch_list")
    curves = _curves(lambda system: searches.watch_list_curve(searches.searches_of(system)), systems, shades)
    return _draw(errors.errors_panel(curves, "roc"), drawn)


@documented(DRAWN)
def plot_pr(evaluations: OneOrMore[ClassEvaluation], **drawn: Unpack[Drawn]) -> Axes:
    """Precision against recall, above the prevalence."""
    make, panel = class_curves.precision_recall_curve, class_curves.precision_recall_panel
    return _draw_curves(evaluations, drawn, "plot.pr", make, panel)


@documented(DRAWN)
def plot_reliability(evaluations: OneOrMore[ClassEvaluation], **drawn: Unpack[Drawn]) -> Axes:
    """What came true against the probability that was promised."""
    systems, shades = _with_bands(evaluations, drawn, kinds=(CLASSIFICATION,), function="plot.reliability")
    diagrams = [class_tables.reliability_of(*pair) for pair in zip(systems, shades, strict=True)]
    return _draw(class_tables.reliability_panel(diagrams), drawn)


@documented(PLACED)
def plot_confusion(evaluation: ClassEvaluation, **placed: Unpack[Placed]) -> Axes:
    """How often each true class was called each class."""
    system = _single(evaluation, kinds=(CLASSIFICATION,), function="plot.confusion")
    if system.tally.confusion is None:
        raise InputError("plot.confusion: scores decide nothing by themselves; give probabilities or predicted labels")
    return _draw(class_tables.confusion_panel(class_tables.confusion_table(system)), placed)


@documented(DRAWN)
def plot_cost(
    evaluations: OneOrMore[ClassEvaluation],
    *,
    costs: Mapping[str, float] | None = None,
    **drawn: Unpack[Drawn],
) -> Axes:
    """Mean cost of a decision by threshold, for costs such as {"fn": 20, "fp": 1}; without any, the cost curve."""
    systems, shades = _with_bands(evaluations, drawn, kinds=(CLASSIFICATION,), function="plot.cost")
    if costs is None:
        return _draw(class_curves.cost_curve_panel(_curves(class_curves.cost_curve, systems, shades)), drawn)
    if len(systems) > 1 and any(system.tally.why_not_probable for system in systems):
        raise InputError("plot.cost: scores of several classifiers share no threshold; call it for each")
    prices = prices_of(costs)
    curves = _curves(lambda system: decisions.threshold_costs(system, prices), systems, shades)
    return _draw(decisions.costs_panel(curves), drawn)


@documented(DRAWN)
def plot_risk_coverage(evaluations: OneOrMore[ClassEvaluation], **drawn: Unpack[Drawn]) -> Axes:
    """The share of errors among the decisions that are sure enough."""
    make, panel = class_curves.risk_coverage_curve, class_curves.risk_coverage_panel
    return _draw_curves(evaluations, drawn, "plot.risk_coverage", make, panel)


@documented(PLACED)
def plot_groups(evaluations: OneOrMore[AnyEvaluation], measure: str, **placed: Unpack[Placed]) -> Axes:
    """One measure of several groups or systems as dots, with their intervals where `with_intervals` found them."""
    return _draw_rows(groups.measure_rows(_listed(evaluations, kinds=KINDS, function="plot.groups"), measure), placed)


@documented(PLACED)
def plot_quality(
    evaluation: ScoreEvaluation,
    mated: ArrayLike,
    nonmated: ArrayLike,
    **placed: Unpack[Placed],
) -> Axes:
    """Scores by the quality of each comparison; `mated` and `nonmated` are its qualities in the order of the scores."""
    system = _single(evaluation, kinds=(VERIFICATION,), function="plot.quality")
    return _draw(scores.quality_panel(errors.system_of(system), mated, nonmated), placed)


@documented(PLACED)
def plot_index(indexed: IndexedSearch, **placed: Unpack[Placed]) -> Axes:
    """What an approximate index loses by the searches a second it makes (see `bt.evaluation.search_with_index`)."""
    _expect(indexed, IndexedSearch, "plot.index", "IndexedSearch, which bt.evaluation.search_with_index(...) returns")
    return _draw(searches.trade_off_panel(indexed), placed)


@documented(PLACED)
def plot_gallery_size(found: GallerySizes, **placed: Unpack[Placed]) -> Axes:
    """FPIR by the size of the gallery at the thresholds asked for; without any, the thresholds of the targets."""
    _expect(found, GallerySizes, "plot.gallery_size", "what bt.fpir_by_gallery(...) returns")
    return _draw(in_use.sizes_panel(found) if found.fixed else in_use.thresholds_panel(found), placed)


@documented(PLACED)
def plot_discard(curves: DiscardCurve | Sequence[DiscardCurve], **placed: Unpack[Placed]) -> Axes:
    """The error left by the share of comparisons discarded, of one quality or several."""
    several = [curves] if isinstance(curves, DiscardCurve) else list(curves)
    wrong = next((source for source in several if not isinstance(source, DiscardCurve)), None)
    if wrong is not None or not several:
        kind = "nothing" if wrong is None else type(wrong).__name__
        raise InputError(f"plot.discard: {kind} cannot be drawn; expected what bt.analysis.error_discard(...) returns")
    return _draw(samples.discard_panel(samples.discard_curves(several)), placed)


@documented(PLACED)
def plot_menagerie(zoo: Menagerie, **placed: Unpack[Placed]) -> Axes:
    """Every person by the mean score with oneself and with others, and the four corners."""
    _expect(zoo, Menagerie, "plot.menagerie", "what bt.analysis.menagerie(...) returns")
    return _draw(samples.menagerie_panel(samples.menagerie_data(zoo)), placed)


@documented(PLACED)
def plot_group_rates(
    rates: GroupRates,
    kind: Literal["FNMR", "FMR", "across"] = "FNMR",
    *,
    point: str | None = None,
    **placed: Unpack[Placed],
) -> Axes:
    """One error of every group as dots with intervals, or a map of the FMR "across" groups.

    `point` is the name of one of its thresholds; without it the first is shown.
    """
    _expect(rates, GroupRates, "plot.group_rates", "what bt.analysis.group_rates(...) returns")
    if kind not in GROUP_KINDS:
        raise InputError(f"plot.group_rates: kind is {kind!r}; expected {', '.join(GROUP_KINDS)}")
    at = groups.point_of(rates, point)
    if kind == "across":
        return _draw(groups.across_panel(groups.across_data(at)), placed)
    return _draw_rows(groups.rate_rows(at, kind, rates.level), placed)


@documented(PLACED)
def plot_attacks(rates: AttackFinding, **placed: Unpack[Placed]) -> Axes:
    """Densities of mated, non-mated and attack scores with the threshold."""
    _expect(
        rates, AttackFinding, "plot.attacks", "what bt.analysis.attack_rates(...) or bt.analysis.pad_rates(...) returns"
    )
    return _draw(attacks.populations_panel(attacks.populations_data(rates)), placed)


@documented(PLACED)
def plot_forest(comparison: Comparison, **placed: Unpack[Placed]) -> Axes:
    """The differences of systems with their intervals, about a line at none.

    Measures of different units have a panel each, one under the other in the place of the axes; the first is returned,
    and `ax.figure.axes` has all of them.
    """
    _expect(comparison, Comparison, "plot.forest", "what bt.compare(...) returns")
    panels = forest.forest_panels(comparison.pairs)
    rows = [len(panel.y.names) for panel in panels]
    with axes_for(placed["ax"], placed["size"] or (None if placed["ax"] else forest.size_of(rows))) as first:
        for part, panel in zip(divided(first, [forest.height_of(count) for count in rows]), panels, strict=True):
            draw_panel(part, panel)
        return first


def _draw(panel: Panel, placed: Placed, *, size: Size | None = None, square: bool = False) -> Axes:
    """On the axes given, on those of a new figure of the size, or on the current ones; without sentences.

    `size` is that of a figure of its own, where neither axes nor a size are given.
    """
    with axes_for(placed["ax"], placed["size"] or (None if placed["ax"] else size)) as axes:
        if square:
            axes.set_box_aspect(1)
        listed: Any = "best" if panel.legend == "curves" and square else panel.legend
        draw_panel(axes, replace(panel, notes=(), above="", legend=listed))
        return axes


def _draw_curves(
    source: OneOrMore[ClassEvaluation],
    drawn: Drawn,
    function: str,
    make: Callable[[Any], Curve],
    panel: Callable[[list[Curve]], Panel],
) -> Axes:
    """A curve of each classifier."""
    systems, shades = _with_bands(source, drawn, kinds=(CLASSIFICATION,), function=function)
    return _draw(panel(_curves(make, systems, shades)), drawn)


def _with_area(system: Any, curve: Curve) -> Curve:
    """The curve known by the area under it, which a legend shows."""
    area = system["AUC"].value
    return curve if math.isnan(area) or curve.note else replace(curve, fact=f"AUC {area:.4f}", value=area)


def _draw_rows(rows: groups.GroupRows, placed: Placed) -> Axes:
    """A figure of its own is as high as its rows need."""
    return _draw(groups.rows_panel(rows), placed, size=groups.rows_size(len(rows.rows)))


def _curves(make: Callable[[Any], Curve], systems: Sequence[Any], bands: Sequence[Band | None]) -> list[Curve]:
    return [banded(make(system), band) for system, band in zip(systems, bands, strict=True)]


def _expect(given: Any, kind: type, function: str, expected: str) -> None:
    if not isinstance(given, kind):
        raise InputError(f"{function}: {type(given).__name__} cannot be drawn; expected {expected}")


def _by_threshold(
    source: Detectors, drawn: Drawn, scales: tuple[str, str, str], function: str, why: str
) -> tuple[list[Any], list[Band | None]]:
    """What has both kinds of error, with bands; `scales` are that asked for, the usual and another.

    A classifier has the usual one alone, and `why` says so.
    """
    scale, usual, other = scales
    if scale not in (usual, other):
        raise InputError(f"{function}: scale is {scale!r}; expected {usual} or {other}")
    systems, shades = _with_bands(source, drawn, kinds=ERROR_KINDS, function=function)
    if systems[0].kind == CLASSIFICATION and scale != usual:
        raise InputError(f"{function}: {why}")
    return systems, shades


def _listed(given: T | Sequence[T], *, kinds: Sequence[str], function: str) -> list[T]:
    """One evaluation or several as a list, all about one of the kinds of trial that the function draws."""
    several: list[Any] = list(given) if isinstance(given, Sequence) else [given]
    if not several:
        raise InputError(f"{function}: no evaluations to draw; expected at least one")
    present = [getattr(getattr(source, "trials", None), "kind", type(source).__name__) for source in several]
    wrong = next((kind for kind in present if kind not in kinds), None)
    if wrong is not None or len(set(present)) > 1:
        raise InputError(
            f"{function}: {wrong or 'a mixture'} cannot be drawn; expected an evaluation of {' or '.join(kinds)}, "
            "which bt.evaluate(...) returns"
        )
    return several


def _single(source: T | Sequence[T], *, kinds: Sequence[str], function: str) -> T:
    """The only evaluation of a figure that shows one system."""
    several = _listed(source, kinds=kinds, function=function)
    if len(several) > 1:
        raise InputError(f"{function}: {len(several)} evaluations; it draws one on each pair of axes: call it for each")
    return several[0]


def _with_bands(
    source: OneOrMore[T], drawn: Drawn, *, kinds: Sequence[str], function: str
) -> tuple[list[T], list[Band | None]]:
    """Evaluations as a list, under their labels, and a band, or none, for each."""
    systems = _labelled(_listed(source, kinds=kinds, function=function), drawn["labels"], function)
    bands = drawn["bands"]
    if bands is None:
        return systems, [None] * len(systems)
    several: list[Band | None] = [bands] if isinstance(bands, Band) else list(bands)
    if len(several) != len(systems):
        raise InputError(f"{function}: {len(several)} bands for {len(systems)} systems; expected one each, or None")
    return systems, several


def _labelled(systems: list[T], labels: Labels, function: str) -> list[T]:
    """The same evaluations, called otherwise."""
    if labels is None:
        return systems
    names = [labels] if isinstance(labels, str) else list(labels)
    if len(names) != len(systems):
        raise InputError(f"{function}: {len(names)} labels for {len(systems)} systems; expected one each")
    every: list[Any] = list(systems)
    return [
        replace(system, trials=replace(system.trials, name=name)) for system, name in zip(every, names, strict=True)
    ]


OF_KIND: dict[str, tuple[Callable[..., Any], ...]] = {
    VERIFICATION: (plot_det, plot_roc, plot_errors, plot_distributions, plot_quality, plot_groups),
    IDENTIFICATION: (plot_cmc, plot_watch_list, plot_groups),
    CLASSIFICATION: (
        *(plot_roc, plot_det, plot_pr, plot_errors, plot_confusion, plot_reliability),
        *(plot_cost, plot_risk_coverage, plot_groups),
    ),
}
OF_TYPE: dict[type, Callable[..., Any]] = {
    Comparison: plot_forest,
    IndexedSearch: plot_index,
    GallerySizes: plot_gallery_size,
    DiscardCurve: plot_discard,
    Menagerie: plot_menagerie,
    GroupRates: plot_group_rates,
    AttackFinding: plot_attacks,
}


def plots_of(finding: Any) -> dict[str, Callable[..., Any]]:
    """Every figure there is of a finding."""
    drawn = OF_KIND.get(finding.kind, ()) if isinstance(finding, Evaluation) else ()
    drawn += tuple(OF_TYPE[base] for base in type(finding).__mro__ if base in OF_TYPE)
    return {function.__name__.removeprefix("plot_"): partial(function, finding) for function in drawn}
