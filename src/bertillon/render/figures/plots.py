"""Figures for notebooks and papers: one function a figure.

Conventions: `bt.plot_det(evaluation, ax=ax)` draws on the axes given, or on those of a new figure of a `size` in inches
(see `figure_size`), and returns the artists it made; `artists[0].figure` is the figure. No settings are changed and
no window is opened. Several evaluations share the axes where that makes sense. `bands` say how sure each curve is, in
the units of its axes (see `Band`).

Holds `plot_roc`, `plot_det`, `plot_errors`, `plot_distributions`, `plot_cmc`, `plot_watch_list`, `plot_pr`,
`plot_reliability`, `plot_confusion`, `plot_cost`, `plot_risk_coverage`, `plot_groups`, `plot_quality` and
`plot_index`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from numpy.typing import ArrayLike

from bertillon.core.errors import InputError
from bertillon.counting.curves.error_curve import Band
from bertillon.evaluation import AnyEvaluation, ClassEvaluation, IndexedSearch, ScoreEvaluation, SearchEvaluation
from bertillon.render.figures import class_draw, class_table_draw
from bertillon.render.figures.canvas import Size, axes_for, listed, one_of, rows_size, with_bands
from bertillon.render.figures.class_compose import prices_of
from bertillon.render.figures.class_threshold_draw import draw_costs, draw_thresholds
from bertillon.render.figures.draw import draw_det_log, draw_det_normal, draw_roc, draw_roc_log
from bertillon.render.figures.group_draw import draw_groups
from bertillon.render.figures.index_draw import draw_trade_off
from bertillon.render.figures.panels import draw_distributions, draw_rates
from bertillon.render.figures.quality_draw import draw_quality
from bertillon.render.figures.search_draw import draw_cmc, draw_watch_list
from bertillon.views.figures import class_data, class_table_data
from bertillon.views.figures.bands import Banded, banded
from bertillon.views.figures.class_threshold_data import cost_data, threshold_data
from bertillon.views.figures.data import det_data, distribution_data, rates_data, roc_data
from bertillon.views.figures.group_data import groups_data
from bertillon.views.figures.index_data import trade_off_data
from bertillon.views.figures.quality_data import quality_data
from bertillon.views.figures.search_data import cmc_data, watch_list_data
from bertillon.views.figures.systems import searches_of, system_of

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

T = TypeVar("T")
OneOrMore: TypeAlias = T | Sequence[T]
Bands: TypeAlias = Band | Sequence[Band | None] | None

KINDS = VERIFICATION, IDENTIFICATION, CLASSIFICATION = "verification", "identification", "classification"
ERROR_KINDS = (VERIFICATION, CLASSIFICATION)  # both kinds of error by threshold


def plot_roc(
    evaluations: OneOrMore[ScoreEvaluation] | OneOrMore[ClassEvaluation],
    *,
    ax: Axes | None = None,
    scale: Literal["linear", "log"] = "linear",
    bands: Bands = None,
    size: Size | None = None,
) -> list[Artist]:
    """True against false match rate (TPR against FPR); `scale` is that of the false match rate."""
    _check_scale(scale, ("linear", "log"), "plot_roc")
    systems, shades = with_bands(evaluations, bands, kinds=ERROR_KINDS, function="plot_roc")
    with axes_for(ax, size) as axes:
        if systems[0].kind == "classification":
            if scale != "linear":
                raise InputError("plot_roc: that of a classifier has linear axes; plot_det shows low rates")
            return class_draw.draw_class_roc(axes, _curves(class_data.class_roc_data, systems, shades))
        curves = _curves(lambda system: roc_data(system_of(system), scale), systems, shades)
        return (draw_roc if scale == "linear" else draw_roc_log)(axes, curves)


def plot_det(
    evaluations: OneOrMore[ScoreEvaluation] | OneOrMore[ClassEvaluation],
    *,
    ax: Axes | None = None,
    scale: Literal["normal", "log"] = "normal",
    bands: Bands = None,
    size: Size | None = None,
) -> list[Artist]:
    """Both errors against each other on normal-deviate axes, or on log ones."""
    _check_scale(scale, ("normal", "log"), "plot_det")
    systems, shades = with_bands(evaluations, bands, kinds=ERROR_KINDS, function="plot_det")
    with axes_for(ax, size) as axes:
        if systems[0].kind == "classification":
            if scale != "normal":
                raise InputError("plot_det: that of a classifier has normal-deviate axes; leave out scale")
            return class_draw.draw_class_det(axes, _curves(class_data.class_det_data, systems, shades))
        curves = _curves(lambda system: det_data(system_of(system), scale), systems, shades)
        return (draw_det_normal if scale == "normal" else draw_det_log)(axes, curves)


def plot_errors(
    evaluation: ScoreEvaluation | ClassEvaluation,
    *,
    ax: Axes | None = None,
    fmr_band: Band | None = None,
    fnmr_band: Band | None = None,
    size: Size | None = None,
) -> list[Artist]:
    """FMR and FNMR by threshold; of a classifier precision, recall, F1 and specificity."""
    one: Any = one_of(evaluation, kinds=ERROR_KINDS, function="plot_errors")
    if one.kind == "verification":
        with axes_for(ax, size) as axes:
            return draw_rates(axes, rates_data(system_of(one), fmr_band=fmr_band, fnmr_band=fnmr_band))
    if fmr_band or fnmr_band:
        raise InputError("plot_errors: bands are those of FMR and FNMR; a classifier's rates have none")
    if why := one.tally.why_not_ranked:
        raise InputError(f"plot_errors: {why}")
    with axes_for(ax, size) as axes:
        return draw_thresholds(axes, threshold_data(one))


def plot_distributions(
    evaluation: ScoreEvaluation, *, ax: Axes | None = None, bins: int | None = None, size: Size | None = None
) -> list[Artist]:
    """Densities of mated and non-mated scores with the threshold of the EER; `bins` are chosen where none are given."""
    one = one_of(evaluation, kinds=(VERIFICATION,), function="plot_distributions")
    with axes_for(ax, size) as axes:
        return draw_distributions(axes, distribution_data(system_of(one), bins))


def plot_cmc(
    evaluations: OneOrMore[SearchEvaluation], *, ax: Axes | None = None, bands: Bands = None, size: Size | None = None
) -> list[Artist]:
    """The share of mates found within rank k."""
    systems, shades = with_bands(evaluations, bands, kinds=(IDENTIFICATION,), function="plot_cmc")
    with axes_for(ax, size) as axes:
        known = [{} if band is None else {"cmc": band} for band in shades]
        return draw_cmc(axes, cmc_data([searches_of(*pair) for pair in zip(systems, known, strict=True)]))


def plot_watch_list(
    evaluations: OneOrMore[SearchEvaluation], *, ax: Axes | None = None, bands: Bands = None, size: Size | None = None
) -> list[Artist]:
    """Detection and identification rate against false alarms."""
    systems, shades = with_bands(evaluations, bands, kinds=(IDENTIFICATION,), function="plot_watch_list")
    with axes_for(ax, size) as axes:
        return draw_watch_list(axes, _curves(lambda system: watch_list_data(searches_of(system)), systems, shades))


def plot_pr(
    evaluations: OneOrMore[ClassEvaluation], *, ax: Axes | None = None, bands: Bands = None, size: Size | None = None
) -> list[Artist]:
    """Precision against recall, above the prevalence."""
    systems, shades = with_bands(evaluations, bands, kinds=(CLASSIFICATION,), function="plot_pr")
    with axes_for(ax, size) as axes:
        return class_draw.draw_precision_recall(axes, _curves(class_data.precision_recall_data, systems, shades))


def plot_reliability(
    evaluations: OneOrMore[ClassEvaluation], *, ax: Axes | None = None, bands: Bands = None, size: Size | None = None
) -> list[Artist]:
    """What came true against the probability that was promised."""
    systems, shades = with_bands(evaluations, bands, kinds=(CLASSIFICATION,), function="plot_reliability")
    with axes_for(ax, size) as axes:
        return class_table_draw.draw_reliability(axes, _curves(class_table_data.reliability_data, systems, shades))


def plot_confusion(evaluation: ClassEvaluation, *, ax: Axes | None = None, size: Size | None = None) -> list[Artist]:
    """How often each true class was called each class."""
    one = one_of(evaluation, kinds=(CLASSIFICATION,), function="plot_confusion")
    if one.tally.confusion is None:
        raise InputError("plot_confusion: scores decide nothing by themselves; give probabilities or predicted labels")
    with axes_for(ax, size) as axes:
        return class_table_draw.draw_confusion(axes, class_table_data.confusion_data(one))


def plot_cost(
    evaluations: OneOrMore[ClassEvaluation],
    *,
    costs: Mapping[str, float] | None = None,
    ax: Axes | None = None,
    bands: Bands = None,
    size: Size | None = None,
) -> list[Artist]:
    """Mean cost of a decision by threshold, for costs such as {"fn": 20, "fp": 1}; without any, the cost curve."""
    systems, shades = with_bands(evaluations, bands, kinds=(CLASSIFICATION,), function="plot_cost")
    with axes_for(ax, size) as axes:
        if costs is None:
            return class_draw.draw_cost_curve(axes, _curves(class_data.cost_curve_data, systems, shades))
        if len(systems) > 1 and any(system.tally.why_not_probable for system in systems):
            raise InputError("plot_cost: scores of several classifiers share no threshold; call it for each")
        return draw_costs(axes, _curves(lambda system: cost_data(system, prices_of(costs)), systems, shades))


def plot_risk_coverage(
    evaluations: OneOrMore[ClassEvaluation], *, ax: Axes | None = None, bands: Bands = None, size: Size | None = None
) -> list[Artist]:
    """The share of errors among the decisions that are sure enough."""
    systems, shades = with_bands(evaluations, bands, kinds=(CLASSIFICATION,), function="plot_risk_coverage")
    with axes_for(ax, size) as axes:
        return class_draw.draw_risk_coverage(axes, _curves(class_data.risk_coverage_data, systems, shades))


def plot_groups(
    evaluations: OneOrMore[AnyEvaluation], measure: str, *, ax: Axes | None = None, size: Size | None = None
) -> list[Artist]:
    """One measure of several groups or systems as dots, with their intervals where `with_intervals` found them."""
    several = listed(evaluations, kinds=KINDS, function="plot_groups")
    data = groups_data(several, measure)
    with axes_for(ax, size or (None if ax else rows_size(len(several)))) as axes:
        return draw_groups(axes, data)


def plot_quality(
    evaluation: ScoreEvaluation,
    mated: ArrayLike,
    nonmated: ArrayLike,
    *,
    ax: Axes | None = None,
    size: Size | None = None,
) -> list[Artist]:
    """Scores by the quality of each comparison; `mated` and `nonmated` are its qualities in the order of the scores."""
    one = one_of(evaluation, kinds=(VERIFICATION,), function="plot_quality")
    data = quality_data(system_of(one), mated, nonmated)
    with axes_for(ax, size) as axes:
        return draw_quality(axes, data)


def plot_index(indexed: IndexedSearch, *, ax: Axes | None = None, size: Size | None = None) -> list[Artist]:
    """What an approximate index loses by the searches a second it makes (see `bt.search_with_index`)."""
    if not isinstance(indexed, IndexedSearch):
        raise InputError(
            f"plot_index: {type(indexed).__name__} cannot be drawn; expected IndexedSearch, which "
            "bt.search_with_index(...) returns"
        )
    with axes_for(ax, size) as axes:
        return draw_trade_off(axes, trade_off_data(indexed))


def _curves(make: Callable[[Any], Banded], systems: Sequence[Any], bands: Sequence[Band | None]) -> list[Banded]:
    return [banded(make(system), band) for system, band in zip(systems, bands, strict=True)]


def _check_scale(scale: str, known: tuple[str, ...], function: str) -> None:
    if scale not in known:
        raise InputError(f"{function}: scale is {scale!r}; expected {' or '.join(known)}")
