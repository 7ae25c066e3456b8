"""What a result can do with itself: print, show itself in a notebook, draw, become a table, a paper and a report."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.text import Text

import bertillon as bt


@pytest.fixture(scope="module")
def e():
    rng = np.random.default_rng(3)
    return bt.evaluate(rng.normal(2, 1, 200), rng.normal(-1, 1, 900), measures=["EER", "AUC"], name="<b>ours</b>")


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


def test_intervals_are_in_the_text_once_computed(e):
    assert "CI" not in repr(e)
    sure = e.with_intervals(resamples=50)
    assert repr(sure).count("95 % CI") == 2
    assert "95 % CI" in str(sure["EER"])


def test_reversed_scores_say_so_in_the_text():
    """Distances taken for similarities: nothing is turned round, and the last line says what it may be."""
    text = repr(bt.evaluate([0.1, 0.2, 0.3], [0.7, 0.8, 0.25]))
    assert text.endswith("! AUC is below 0.5: distances (--distance, distance=True), or classes swapped?>")
    assert "!" not in repr(bt.evaluate([0.1, 0.2, 0.3], [0.7, 0.8, 0.25], distance=True))


def test_a_notebook_sees_the_numbers_and_names_are_text(e):
    shown = e._repr_html_()
    assert "<table>" in shown
    assert "EER" in shown
    assert "<b>ours" not in shown
    assert "&lt;b&gt;ours" in shown
    assert e["EER"]._repr_html_() == f"<span>{e['EER']}</span>"


def test_tables(e):
    assert e.to_pandas()["name"].tolist() == ["EER", "AUC"]
    assert e.to_pandas()["value"].tolist() == [e["EER"].value, e["AUC"].value]
    assert "\\toprule" in e.to_latex()
    assert "EER" in e.to_latex()


@pytest.mark.parametrize("suffix", ["html", "md", "tex", "json", "csv"])
def test_reports(e, tmp_path, suffix):
    written = e.report(tmp_path / f"out.{suffix}")
    assert "EER" in written.read_text()
    again = bt.write_report(e, tmp_path / f"same.{suffix}").read_text()
    assert again.replace("same-figures", "out-figures") == written.read_text()


def test_figures_draw_into_the_current_axes_and_return_them(e):
    _, axes = pyplot.subplots(1, 2)
    pyplot.sca(axes[1])
    assert e.plot.det() is axes[1]
    assert bt.plot.roc(e, ax=axes[0]) is axes[0]
    assert axes[0].get_box_aspect() == 1
    assert len(pyplot.get_fignums()) == 1


def test_a_figure_of_a_size_is_a_new_one(e):
    size = bt.plot.figure_size("column")
    ax = e.plot.roc(size=size)
    assert tuple(ax.figure.get_size_inches()) == size
    assert "\n" not in ax.get_xlabel()


def test_labels_and_areas_are_in_the_legend(e):
    ax = bt.plot.roc([e, e], labels=["first", "second"])
    texts = " ".join(text.get_text() for text in ax.findobj(Text))
    assert "first" in texts
    assert f"AUC {e['AUC'].value:.4f}" in texts
    with pytest.raises(bt.InputError, match="1 labels for 2 systems"):
        bt.plot.roc([e, e], labels=["first"])


def test_a_figure_that_is_not_there_names_those_that_are(e):
    with pytest.raises(AttributeError, match="there are: det, roc"):
        e.plot.cmc  # noqa: B018
    assert "det" in dir(e.plot)


def test_the_forest_has_a_row_for_each_difference(e):
    found = bt.compare({"old": e, "new": e}, ["EER", "FNMR@FMR=0.1", "AUC"])
    ax = found.plot.forest()
    rates, areas = ([label.get_text() for label in part.get_yticklabels()] for part in ax.figure.axes)
    assert rates == ["EER: new - old", "FNMR@FMR=0.1: new - old"]
    assert areas == ["AUC: new - old"]


def test_the_panels_of_a_forest_share_the_place_they_are_given(e):
    from matplotlib.figure import Figure

    found = bt.compare({"old": e, "new": e}, ["EER", "AUC"])
    left, right = Figure().subplots(1, 2)
    place = right.get_position()
    found.plot.forest(ax=right)
    assert [part.get_position().x0 >= place.x0 for part in left.figure.axes] == [False, True, True]
    with pytest.raises(bt.InputError, match="axes of subplots"):
        found.plot.forest(ax=Figure().add_axes((0, 0, 1, 1)))


HOLDERS = {
    "ScoreSet": lambda: bt.ScoreSet(np.arange(2000.0), np.arange(3000.0), name="x"),
    "SearchSet": lambda: bt.SearchSet.from_ranks(np.ones(2000, int), gallery_size=10),
    "Predictions": lambda: bt.Predictions.from_labels(np.arange(3000) % 2, np.arange(3000) % 2),
    "TrialIds": lambda: bt.TrialIds(probe=np.arange(5000)),
    "TemplateTable": lambda: bt.TemplateTable(np.ones((2000, 9)), np.arange(2000).astype(str)),
    "ScoreStream": lambda: bt.ScoreStream([(np.arange(2000.0), np.arange(2000.0))]),
    "ErrorCurve": lambda: bt.evaluate(np.arange(2000.0), np.arange(3000.0)).tally.curve,
    "Tally": lambda: bt.evaluate(np.arange(2000.0), np.arange(3000.0)).tally,
}


@pytest.mark.parametrize("kind", HOLDERS)
def test_holders_of_data_are_shown_in_a_line(kind):
    shown = repr(HOLDERS[kind]())
    assert kind in shown
    assert "array(" not in shown
    assert len(shown) < 200
