"""Figures of classifiers on given axes and as files."""

from __future__ import annotations

import dataclasses
from itertools import pairwise

import matplotlib
import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.image import AxesImage
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import StepPatch
from matplotlib.text import Text
from render.figures.drawing import (
    class_kinds,
    draw_bin_counts,
    draw_class_det,
    draw_class_roc,
    draw_confusion,
    draw_cost_curve,
    draw_costs,
    draw_gain,
    draw_lift,
    draw_one_vs_rest,
    draw_precision_recall,
    draw_reliability,
    draw_risk_coverage,
    draw_thresholds,
    make_class_figure,
)

from bertillon.core import InputError
from bertillon.evaluation import evaluate
from bertillon.measures import ErrorCosts
from bertillon.render import (
    draw_chart,
    free_label,
    look,
    new_figure,
    render,
    save_calibration_figure,
    save_figures,
)
from bertillon.trials import Predictions
from bertillon.views import (
    LIMITS,
    MOST_LARGE,
    SIDES,
    Label,
    calibration_chart,
    charts_of,
    class_det_curve,
    class_roc_curve,
    confusion_table,
    cost_curve,
    gain_curve,
    lift_curve,
    one_vs_rest,
    percent_label,
    precision_recall_curve,
    reliability_of,
    risk_coverage_curve,
    threshold_costs,
)

STARTS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
NAMES = ["cost $5 and $6", "$\\frac{", "_hidden", "", "\u4eba\u8138", "line\nbreak", "a<b>&c\"'", "x" * 500]
COSTS = ErrorCosts(20.0, 1.0)
RANKED = ("roc", "det", "precision-recall", "thresholds", "gain", "lift", "cost", "cost-curve")
PROBABLE = ("reliability", "risk-coverage")
SEVERAL = ("roc-classes", "precision-recall-classes")


def evaluated(truth, p, **options):
    return evaluate(Predictions.from_probabilities(truth, p, **options))


def random_two(separation: float = 1.5, *, n: int = 400, seed: int = 1, name: str = "a classifier", **options):
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.3).astype(int)
    truth[:2] = 0, 1
    logit = rng.normal(size=n) + separation * truth - 1.0
    return evaluated(truth, 1.0 / (1.0 + np.exp(-logit)), name=name, **options)


def random_several(classes: int, *, n: int = 600, seed: int = 1, name: str = "several", labels=None, lift: float = 1.0):
    rng = np.random.default_rng(seed)
    truth = np.concatenate([np.arange(classes), rng.integers(0, classes, n)])
    p = rng.random((truth.size, classes)) + lift * np.eye(classes)[truth] * rng.random((truth.size, 1))
    known = np.arange(classes) if labels is None else np.asarray(labels)
    return evaluated(known[truth], p / p.sum(axis=1, keepdims=True), classes=known, name=name)


def scores_only(name: str = "scores only"):
    given = Predictions.from_scores([1, 1, 0, 0, 1, 0], [9.0, 5.0, 6.0, 1.0, 7.0, 2.0], name=name)
    return evaluate(given)


def labels_only(name: str = "labels only"):
    return evaluate(Predictions.from_labels([0, 1, 1, 0], [0, 1, 0, 0], name=name))


@pytest.fixture(scope="module")
def two():
    return [random_two(2.5, name="good"), random_two(0.7, seed=2, name="poor")]


@pytest.fixture
def ax():
    with look():
        yield new_figure().add_subplot()


def everything(evaluations):
    """Every drawing function of two classes with its coordinates."""
    yield draw_class_roc, [class_roc_curve(one) for one in evaluations]
    yield draw_class_det, [class_det_curve(one) for one in evaluations]
    yield draw_precision_recall, [precision_recall_curve(one) for one in evaluations]
    yield draw_gain, [gain_curve(one) for one in evaluations]
    yield draw_lift, [lift_curve(one) for one in evaluations]
    yield draw_risk_coverage, [risk_coverage_curve(one) for one in evaluations]
    yield draw_cost_curve, [cost_curve(one, COSTS) for one in evaluations]
    yield draw_costs, [threshold_costs(one, COSTS) for one in evaluations]
    yield draw_reliability, [reliability_of(one) for one in evaluations]
    yield draw_bin_counts, [reliability_of(one) for one in evaluations]
    yield draw_thresholds, evaluations[0]
    yield draw_confusion, confusion_table(evaluations[0])


def texts(artists) -> list[str]:
    found = []
    for artist in artists:
        if isinstance(artist, Legend):
            found += [text.get_text() for text in artist.get_texts()]
        elif isinstance(artist, Text):
            found.append(artist.get_text())
    return found


def all_texts(figure) -> list[Text]:
    return [artist for artist in figure.findobj(Text) if artist.get_text() and artist.get_visible()]


def drawn_lines(artists) -> list[np.ndarray]:
    return [artist.get_xydata() for artist in artists if isinstance(artist, Line2D)]


def holds_numbers(value) -> list[np.ndarray]:
    """Copies of all arrays inside coordinates."""
    if isinstance(value, np.ndarray):
        return [value.copy()]
    if dataclasses.is_dataclass(value):
        return [a for field in dataclasses.fields(value) for a in holds_numbers(getattr(value, field.name))]
    return [a for one in value for a in holds_numbers(one)] if isinstance(value, list | tuple) else []


def test_every_function_returns_what_it_drew_and_changes_no_coordinates(two):
    for evaluations in (two, two[:1]):
        for draw, data in everything(evaluations):
            before = holds_numbers(data)
            with look():
                ax = new_figure().add_subplot()
                old = set(ax.get_children())
                artists = draw(ax, data)
            titles = {ax.title, ax._left_title, ax._right_title}
            assert set(ax.get_children()) - old == set(artists) - titles, draw.__name__
            assert all(artist.axes is ax for artist in artists)
            assert before
            for one, other in zip(before, holds_numbers(data), strict=True):
                np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("draw", "make"),
    [
        (draw_class_roc, class_roc_curve),
        (draw_precision_recall, precision_recall_curve),
        (draw_gain, gain_curve),
        (draw_lift, lift_curve),
        (draw_risk_coverage, risk_coverage_curve),
        (draw_cost_curve, cost_curve),
    ],
)
def test_curves_are_drawn_as_given_with_their_numbers(ax, two, draw, make):
    data = make(two[0])
    artists = draw(ax, [data])
    assert any(np.array_equal(xy, np.column_stack(data.line)) for xy in drawn_lines(artists))
    assert data.fact in texts(artists)
    assert ax.get_title(loc="left") == "good"
    if data.point is not None:
        assert any(np.array_equal(xy, [data.point]) for xy in drawn_lines(artists))
        assert any(words.startswith(data.point_words) for words in texts(artists))


@pytest.mark.parametrize(
    ("draw", "make", "fact"),
    [(draw_class_roc, class_roc_curve, "AUC"), (draw_precision_recall, precision_recall_curve, "AP")],
)
def test_several_systems_are_named_with_their_numbers(ax, two, draw, make, fact):
    shown = texts(draw(ax, [make(one) for one in two]))
    for one in two:
        assert f"{one.name} ({fact} {one[fact].value:.3f})" in shown
    assert ax.get_xlabel().endswith("positive: 1; dots: t = 0.5")


def test_precision_stands_over_equal_f_and_the_prevalence(ax, two):
    data = precision_recall_curve(two[0])
    artists = draw_precision_recall(ax, [data])
    (equal,) = (artist for artist in artists if isinstance(artist, LineCollection))
    for f, path in zip((0.2, 0.4, 0.6, 0.8), equal.get_paths(), strict=True):
        recall, precision = path.vertices.T
        np.testing.assert_allclose(2 * recall * precision / (recall + precision), f)
        assert (recall.max(), precision.max()) == pytest.approx((1, 1))
    assert {"F1 0.2", "F1 0.8", f"prevalence {percent_label(data.level)}"} <= set(texts(artists))
    assert any(isinstance(a, Line2D) and set(a.get_ydata()) == {data.level} for a in artists)


def test_the_det_is_that_of_comparisons(ax, two):
    data = class_det_curve(two[1])
    artists = draw_class_det(ax, [data])
    assert f"EER {percent_label(data.value)}" in texts(artists)
    assert ax.get_ylabel() == "False negative rate (FNR) in %"


def test_rates_by_threshold_are_named_with_their_values(ax, two):
    shown = texts(draw_thresholds(ax, two[0]))
    for name in ("Precision", "Recall", "F1", "Specificity"):
        assert f"{name} {two[0][name].value:.3f}" in shown
    assert "t = 0.5" in shown
    assert ax.get_xlabel().endswith("positive: 1")


def test_rates_that_end_together_are_named_apart():
    figure = make_class_figure("thresholds", [random_two(seed=i) for i in range(6)])
    assert len(figure.axes) == 6
    for ax in figure.axes:
        named = [
            text for text in ax.texts if text.get_text().split()[0] in ("Precision", "Recall", "F1", "Specificity")
        ]
        boxes = sorted((text.get_window_extent() for text in named), key=lambda box: box.y0)
        assert len(boxes) == 4
        assert all(low.y1 <= high.y0 + 1 for low, high in pairwise(boxes))
        assert max(box.x1 for box in boxes) <= figure.bbox.x1


def test_costs_mark_the_least_and_the_decisions(ax, two):
    data = threshold_costs(two[0], COSTS)
    artists = draw_costs(ax, [data])
    assert f"least {data.point.y:.3g}, t = {data.point.x:.3g}" in texts(artists)
    assert f"{data.ring.y:.3g} at t = 0.5" in texts(artists)
    assert "best if calibrated: t = 0.0476" in texts(artists)
    for point in (data.point, data.ring):
        assert any(np.array_equal(xy, [point]) for xy in drawn_lines(artists))
    assert "fn = 20, fp = 1" in ax.get_xlabel()


def test_costs_of_scores_get_panels_and_costs_of_probabilities_share_axes(two):
    assert len(make_class_figure("cost", two, costs=COSTS).axes) == 1
    assert len(make_class_figure("cost", [two[0], scores_only()], costs=COSTS).axes) == 2


def test_a_reliability_diagram_says_its_ece_and_shows_its_counts(two):
    figure = make_class_figure("reliability", two[:1])
    upper, lower = figure.axes
    data = reliability_of(two[0])
    assert f"ECE {data.curve.value:.3f}, bars 95 %" in texts(upper.texts)
    (bars,) = (patch for patch in lower.patches if isinstance(patch, StepPatch))
    np.testing.assert_array_equal(bars.get_data().values, data.counts)
    assert any(isinstance(artist, LineCollection) for artist in upper.collections)
    assert lower.get_ylabel() == "Samples"
    assert upper.get_xlim() == lower.get_xlim()


def test_counts_far_apart_get_a_log_axis():
    truth, p = [0] * 500 + [1] * 3, [0.05] * 500 + [0.95] * 3
    assert make_class_figure("reliability", [evaluated(truth, p)]).axes[1].get_yscale() == "log"
    assert make_class_figure("reliability", [evaluated([0, 1], [0.2, 0.9])]).axes[1].get_yscale() == "linear"


@pytest.mark.parametrize("classes", [3, 10, 20])
def test_cells_hold_counts_and_rates_and_fit(classes):
    evaluation = random_several(classes, n=3000)
    figure = make_class_figure("confusion", [evaluation])
    (ax,) = figure.axes
    data = confusion_table(evaluation)
    cells = {tuple(map(int, t.get_position()))[::-1]: t for t in ax.texts if "\n" in t.get_text()}
    assert set(cells) == set(zip(*(place.tolist() for place in np.nonzero(data.counts)), strict=True))
    for (row, column), text in cells.items():
        count, rate = text.get_text().split("\n")
        assert count == f"{data.counts[row, column]:,}"
        assert float(rate.strip("<> %")) == pytest.approx(100 * data.rates[row, column], abs=1.0)
        assert text.get_window_extent().width <= 1.02 * ax.get_window_extent().width / classes
        assert text.get_fontsize() >= 4.5
    assert [t.get_text() for t in ax.get_xticklabels()] == [str(c) for c in range(classes)]
    assert ax.get_yticklabels()[0].get_text() == f"0 ({data.support[0]:,})"


def test_large_counts_of_twenty_classes_fit_into_their_cells():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 20, 300_000)
    said = np.where(rng.random(truth.size) < 0.9, truth, rng.integers(0, 20, truth.size))
    figure = make_class_figure("confusion", [evaluate(Predictions.from_labels(truth, said))])
    (ax,) = figure.axes
    cells = [text.get_window_extent() for text in ax.texts if "\n" in text.get_text()]
    assert len(cells) == 400
    side = ax.get_window_extent().width / 20
    assert max(max(box.width, box.height) for box in cells) <= side


def test_a_class_that_never_occurs_stays_grey_and_a_rare_cell_is_not_rounded_away():
    truth, said = [0] * 5000 + [1], [0] * 4999 + [1, 2]
    given = Predictions.from_labels(truth, said, classes=range(3))
    figure = make_class_figure("confusion", [evaluate(given)])
    (ax,) = figure.axes
    shown = texts(ax.texts)
    assert "4,999\n> 99.9 %" in shown
    assert "1\n< 0.1 %" in shown
    (image,) = ax.get_images()
    assert np.ma.getmaskarray(image.get_array())[2].all()


@pytest.mark.parametrize("classes", [21, 100, 450])
def test_many_classes_are_a_map_with_the_most_confused_named(classes):
    evaluation = random_several(classes, n=3000)
    figure = make_class_figure("confusion", [evaluation])
    ax = figure.axes[0]
    data = confusion_table(evaluation)
    assert len(ax.get_images()) == 1
    assert isinstance(ax.get_images()[0], AxesImage)
    (listed,) = (text.get_text() for text in ax.texts if text.get_text().startswith("Most confused"))
    for number, pair in enumerate(data.confused, 1):
        assert f"{number}  {pair.true} → {pair.predicted}: {pair.times} ({percent_label(pair.rate)})" in listed
    rings = [line for line in ax.lines if line.get_marker() == "o"]
    assert {(line.get_xdata()[0], line.get_ydata()[0]) for line in rings} == {(p.column, p.row) for p in data.confused}
    assert len(ax.get_xticklabels()) <= 10
    assert ("A cell is a block" in listed) == (classes == 450)


def test_classes_without_confusion_are_said_to_be_so():
    given = Predictions.from_labels(range(30), range(30))
    figure = make_class_figure("confusion", [evaluate(given)])
    assert any(words == "No class was confused with another." for words in texts(figure.axes[0].texts))


@pytest.mark.parametrize("kind", ["roc", "precision-recall"])
def test_classes_are_listed_beside_their_curves(ax, kind):
    names = [f"_{place} $x$" for place in range(12)]
    evaluation = random_several(12, labels=names)
    curves, artists = one_vs_rest(evaluation, kind), draw_one_vs_rest(ax, evaluation, kind=kind)
    (legend,) = (artist for artist in artists if isinstance(artist, Legend))
    assert texts([legend]) == [f"{curve.name} ({curve.fact})" for curve in curves]
    assert len(legend.get_texts()) == 10
    assert not any(text.get_parse_math() for text in legend.get_texts())
    assert ax.get_xlabel().endswith("10 of 12 classes: those with the lowest AUC")
    for curve in curves:
        assert any(np.array_equal(xy, np.column_stack(curve.line)) for xy in drawn_lines(artists))


def test_a_note_keeps_away_from_lines_and_stays_in_the_frame(ax):
    ax.set(xlim=(0, 1), ylim=(0, 1))
    (line,) = ax.plot([0.5, 1.0], [0.5, 1.0])
    frame = ax.get_window_extent()
    for point in ((0.5, 0.5), (0.0, 0.0), (1.0, 1.0)):
        note = free_label(ax, Label("a few words", *point, SIDES), [line])
        box = note.get_window_extent()
        assert frame.x0 <= box.x0 <= box.x1 <= frame.x1
        assert frame.y0 <= box.y0 <= box.y1 <= frame.y1
    beside = free_label(ax, Label("a few words", 0.5, 0.5, SIDES), [line]).get_window_extent()
    assert not line.get_path().transformed(line.get_transform()).intersects_bbox(beside, filled=False)


@pytest.mark.parametrize("kind", ["confusion", *RANKED, *PROBABLE])
@pytest.mark.parametrize("name", ["m" * 60, "short", "cost $5 and $6"])
def test_what_stands_above_the_axes_does_not_overlap(kind, name):
    figure = make_class_figure(kind, [random_two(name=name, positive=1)], costs=COSTS)
    ax = figure.axes[0]
    left = ax._left_title.get_window_extent()
    above = [t for t in ax.texts if t.get_window_extent().y0 >= ax.get_window_extent().y1]
    assert left.width > 0
    assert not any(left.overlaps(text.get_window_extent()) for text in above)


def placed_texts(figure) -> list[Text]:
    """Every text but ticks, some of which wait beyond the ends of their axes."""
    ticks = {
        label for ax in figure.axes for axis in (ax.xaxis, ax.yaxis) for label in axis.get_ticklabels(which="both")
    }
    ticks |= {tick.label2 for ax in figure.axes for axis in (ax.xaxis, ax.yaxis) for tick in axis.get_major_ticks()}
    return [text for text in all_texts(figure) if text not in ticks]


@pytest.mark.parametrize("kind", ["confusion", *RANKED, *PROBABLE])
@pytest.mark.parametrize("count", [1, 2, 9])
def test_no_text_is_cut_off(kind, count):
    names = ["logistic regression", "gradient boosted trees, tuned", "naive Bayes"]
    systems = [random_two(0.5 + i, seed=i, n=100, name=names[i % 3]) for i in range(count)]
    figure = make_class_figure(kind, systems, costs=COSTS)
    page, shown = figure.bbox.padded(2.0), placed_texts(figure)
    assert len(shown) >= 4
    for text in shown:
        box = text.get_window_extent()
        assert page.x0 <= box.x0, text.get_text()
        assert box.x1 <= page.x1, text.get_text()
        assert page.y0 <= box.y0, text.get_text()
        assert box.y1 <= page.y1, text.get_text()


@pytest.mark.parametrize("kind", ["confusion", *RANKED, *PROBABLE])
def test_names_are_never_read_as_formulas(kind):
    systems = [random_two(seed=i, n=30, name=name) for i, name in enumerate(NAMES)]
    for chosen in (systems, systems[:1]):
        figure = make_class_figure(kind, chosen, costs=COSTS)
        shown = [text for text in all_texts(figure) if "$" in text.get_text()]
        assert shown
        assert not any(text.get_parse_math() for text in shown)
    assert render(figure, "svg").startswith(b"<?xml")


@pytest.mark.parametrize("kind", ["confusion", "roc", "thresholds", "reliability", *SEVERAL])
def test_labels_of_classes_are_never_read_as_formulas(kind):
    names = ["$\\alpha", "a$b$c", "_under_", "<b>&amp;</b>", "\u4eba\u8138"]
    if kind in SEVERAL or kind == "confusion":
        evaluation = random_several(5, labels=sorted(names), n=100)
    else:
        rng = np.random.default_rng(1)
        truth = np.where(rng.random(60) < 0.4, "$\\alpha", "x")
        evaluation = evaluated(truth, rng.random(60), positive="$\\alpha")
    figure = make_class_figure(kind, [evaluation])
    assert not any("$" in text.get_text() and text.get_parse_math() for text in all_texts(figure))
    assert kind == "reliability" or any("$" in text.get_text() for text in all_texts(figure))
    assert render(figure, "pdf").startswith(b"%PDF")


DEGENERATE = {
    "all tied": lambda: evaluated([1, 0, 0, 1], [0.3] * 4),
    "perfect": lambda: evaluated([1, 1, 0, 0], [0.9, 0.8, 0.2, 0.1]),
    "all wrong": lambda: evaluated([0, 0, 1, 1], [0.9, 0.8, 0.2, 0.1]),
    "two samples": lambda: evaluated([1, 0], [0.7, 0.7]),
    "zeros and ones": lambda: evaluated([1, 0, 1, 0], [1.0, 0.0, 0.0, 1.0]),
    "nothing called positive": lambda: evaluated([1, 0, 1], [0.1, 0.2, 0.3]),
    "one class": lambda: evaluated([1, 1, 1], [0.2, 0.6, 0.9]),
    "one sample": lambda: evaluated([1], [0.2], positive=1, classes=[0, 1]),
    "tiny weights": lambda: evaluated([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1], weights=[1e-9, 1e-9, 3e-9, 0.0]),
    "large weights": lambda: evaluated([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1], weights=[1e9, 1.0, 3e9, 2.0]),
    "infinite scores": lambda: evaluate(Predictions.from_scores([1, 0, 1, 0], [np.inf, -np.inf, 1.0, 2.0])),
    "only infinite scores": lambda: evaluate(Predictions.from_scores([1, 0], [np.inf, -np.inf])),
    "very large scores": lambda: evaluate(Predictions.from_scores([1, 0, 1], [1e308, -1e308, 0.0])),
    "labels only": labels_only,
    "three classes, one occurs": lambda: evaluated([0, 0], [[0.5, 0.3, 0.2]] * 2, classes=range(3)),
    "three classes, tied": lambda: evaluated([0, 1, 2], [[1 / 3] * 3] * 3, classes=range(3)),
    "two classes, none positive": lambda: evaluated(["a", "b"], [[0.7, 0.3], [0.6, 0.4]]),
    "failed predictions": lambda: evaluated([1, 0, 1, 0], [0.9, np.nan, 0.4, 0.1]),
}


@pytest.mark.parametrize("case", DEGENERATE)
def test_degenerate_predictions_are_drawn_without_a_warning(case):
    evaluation = DEGENERATE[case]()
    together = [(kind, [random_two(n=40), evaluation]) for kind in ("roc", "cost", "reliability")]
    for kind, systems in [*((kind, [evaluation]) for kind in class_kinds([evaluation], COSTS)), *together]:
        figure = make_class_figure(kind, systems, costs=COSTS)
        assert figure.axes
        assert all(np.isfinite([*ax.get_xlim(), *ax.get_ylim()]).all() for ax in figure.axes)
        assert all(ax.lines or ax.texts or ax.patches or ax.images for ax in figure.axes)


def test_figures_that_do_not_apply_are_left_out():
    everything_of_two = {"confusion", *RANKED, *PROBABLE}
    assert set(class_kinds([random_two()], COSTS)) == everything_of_two
    assert set(class_kinds([random_two()])) == everything_of_two - {"cost"}
    assert set(class_kinds([scores_only()], COSTS)) == set(RANKED)
    assert class_kinds([labels_only()], COSTS) == ("confusion",)
    assert set(class_kinds([DEGENERATE["one class"]()])) == {"confusion", *PROBABLE}
    assert set(class_kinds([random_several(3)], COSTS)) == {"confusion", *SEVERAL, *PROBABLE}
    assert set(class_kinds([DEGENERATE["three classes, one occurs"]()])) == {"confusion", *PROBABLE}
    assert set(class_kinds([labels_only(), scores_only()])) == {"confusion", *RANKED} - {"cost"}
    assert class_kinds([evaluated([1, 0], [0.9, 0.1], weights=[0.0, 0.0])], COSTS) == ()


def test_a_system_without_what_a_figure_needs_is_said(two):
    mixed = [two[0], labels_only()]
    assert (
        make_class_figure("roc", mixed).axes[0].get_xlabel().endswith("labels only: there are only labels, no scores")
    )
    figure = make_class_figure("thresholds", mixed)
    assert len(figure.axes) == 1
    assert figure.get_suptitle() == "not shown: 1 system without scores of positives and negatives"
    reliability = make_class_figure("reliability", mixed)
    assert reliability.axes[1].get_xlabel().endswith("labels only: there are no probabilities, only labels")


def test_colours_follow_the_order_of_the_systems(two):
    alone = make_class_figure("roc", [labels_only(), two[1]]).axes[0]
    both = make_class_figure("roc", two).axes[0]
    own = np.column_stack(class_roc_curve(two[1]).line)
    colours = [
        next(line.get_color() for line in ax.lines if np.array_equal(line.get_xydata(), own)) for ax in (alone, both)
    ]
    assert colours[0] == colours[1]


def test_very_many_systems_are_drawn_as_far_as_a_page_goes(monkeypatch):
    monkeypatch.setattr(LIMITS, "most_panels", 5)
    systems = [random_two(seed=i, n=30, name=f"system number {i}") for i in range(14)]
    confusion, thresholds = (make_class_figure(kind, systems) for kind in ("confusion", "thresholds"))
    assert (len(confusion.axes), confusion.get_suptitle()) == (MOST_LARGE, f"the first {MOST_LARGE} of 14 systems")
    assert (len(thresholds.axes), thresholds.get_suptitle()) == (5, "the first 5 of 14 systems")
    assert make_class_figure("roc", systems).axes[0].get_legend().get_title().get_text() == "12 of 14 systems"


def test_calibration_is_shown_before_and_after():
    before, after = random_two(name="network $1$"), random_two(3.0, seed=3, name="network $1$")
    figure = draw_chart(calibration_chart(before, after))
    assert len(figure.axes) == 4
    for ax, words, one in zip(figure.axes[::2], ("before", "after"), (before, after), strict=True):
        assert ax.get_title(loc="left") == f"{words} calibration"
        assert f"ECE {one['ECE'].value:.3f}, bars 95 %" in texts(ax.texts)
    assert figure.get_suptitle() == "network $1$"
    assert render(figure, "png").startswith(b"\x89PNG")
    boxes = [ax.get_tightbbox() for ax in figure.axes]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[i + 1 :])


def test_a_figure_is_written_in_every_format(tmp_path):
    folder = tmp_path / "new" / "figures"
    written = save_figures([labels_only()], str(folder))
    assert written == [folder / f"confusion.{form}" for form in ("pdf", "png")]
    assert set(folder.iterdir()) == set(written)
    for path in written:
        assert path.read_bytes().startswith(STARTS[path.suffix[1:]])


@pytest.mark.slow
def test_every_figure_is_written_in_every_format(tmp_path, two):
    written = save_figures(two, tmp_path, costs={"fn": 20, "fp": 1})
    assert written == [tmp_path / f"{kind}.{form}" for kind in class_kinds(two, COSTS) for form in ("pdf", "png")]
    for path in written:
        assert path.read_bytes().startswith(STARTS[path.suffix[1:]])


def test_the_calibration_figure_is_written_where_there_is_something_to_show(tmp_path, two):
    expected = [tmp_path / f"calibration.{form}" for form in ("pdf", "png")]
    assert save_calibration_figure(*two, folder=tmp_path) == expected
    assert save_calibration_figure(scores_only(), two[0], folder=str(tmp_path)) == expected
    assert save_calibration_figure(scores_only(), labels_only(), folder=tmp_path) == []


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        ({"fn": 1, "tp": 2}, "cost 'tp' is not known; expected fn, fp, prevalence"),
        ({"fn": 0, "fp": 0}, "both costs are 0, so every decision is as good; expected one above 0"),
        ({"fn": -1}, "cost fn is -1; expected a finite number, 0 or more"),
    ],
)
def test_wrong_costs_are_refused_before_anything_is_written(tmp_path, two, costs, words):
    with pytest.raises(InputError, match=words):
        save_figures(two, tmp_path / "out", costs=costs)
    assert not (tmp_path / "out").exists()


def test_no_system_is_refused(ax):
    with pytest.raises(InputError, match="no systems to draw"):
        charts_of("classification", [])
    for draw in (draw_class_roc, draw_costs, draw_reliability):
        with pytest.raises(ValueError, match="to draw; expected at least one"):
            draw(ax, [])


@pytest.mark.parametrize("kind", ["confusion", *RANKED, *PROBABLE])
def test_the_same_systems_give_the_same_bytes(two, kind):
    first, again = (render(make_class_figure(kind, two, costs=COSTS), "svg") for _ in range(2))
    assert first == again


def test_drawing_leaves_settings_alone(two):
    with matplotlib.rc_context({"font.size": 33.0, "text.usetex": True}):
        before = dict(matplotlib.rcParams)
        for kind in ("confusion", "precision-recall", "thresholds", "cost", "reliability"):
            render(make_class_figure(kind, two, costs=COSTS), "png")
        render(make_class_figure("roc-classes", [random_several(3)]), "png")
        assert dict(matplotlib.rcParams) == before
