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
    "ScoreStream": lambda: bt.trials.ScoreStream([(np.arange(2000.0), np.arange(2000.0))]),
    "ErrorCurve": lambda: bt.evaluate(np.arange(2000.0), np.arange(3000.0)).tally.curve,
    "Tally": lambda: bt.evaluate(np.arange(2000.0), np.arange(3000.0)).tally,
}


@pytest.mark.parametrize("kind", HOLDERS)
def test_holders_of_data_are_shown_in_a_line(kind):
    shown = repr(HOLDERS[kind]())
    assert kind in shown
    assert "array(" not in shown
    assert len(shown) < 200


def test_a_number_with_its_interval_is_used_as_a_number_by_hand():
    """EER 0.25: whatever is calculated from it is a plain float."""
    found = bt.eer([0.4, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.5, 0.65])
    assert found < 0.3
    assert found <= 0.25
    assert found > 0.2
    assert found >= 0.25
    assert not found < 0.25
    assert (100 * found, found * 100, found + 1, 1 + found, found - 1, 1 - found) == (25, 25, 1.25, 1.25, -0.75, 0.75)
    assert (found / 2, 1 / found, round(found, 1), round(found)) == (0.125, 4.0, 0.2, 0)
    assert (f"{found:.1%}", f"{found}") == ("25.0%", "EER 25 % (threshold 0.575)")
    assert np.mean([float(found), found]) == 0.25
    assert type(found * 1) is float


def test_a_comparison_says_how_sure_each_difference_is():
    rng = np.random.default_rng(4)
    genuine, impostor = rng.normal(2, 1, 300), rng.normal(-1, 1, 900)
    found = bt.compare({"old": (genuine - 1, impostor), "new": (genuine, impostor)}, "EER")
    difference = found.pairs[0].differences[0]
    first, said = repr(found).splitlines()
    assert first == "<Comparison of old, new"
    points = f"{100 * difference.difference:+.1f} points"
    assert said.startswith(f"  EER: new against old: better ({points}, 95 % CI ")
    assert said.endswith(f"p = {difference.adjusted_p:.2g})>")


def test_what_was_read_of_files_and_what_is_advised_are_shown_as_text(tmp_path):
    (tmp_path / "<b>.csv").write_text("score,label\n0.9,1\n0.8,1\n0.1,0\n")
    found = bt.inspect(tmp_path / "<b>.csv")
    assert "counts     2 mated, 1 non-mated, 0 failed" in repr(found)
    assert "Message(" not in repr(found)
    assert "<b>.csv" not in found._repr_html_()
    advice = bt.advise(costs="fn")
    assert repr(advice).startswith("<Advice\n  ")
    assert "Recall" in repr(advice)
    assert "<li>" in advice._repr_html_()
    assert "Message(" not in repr(advice)


def test_the_figures_of_one_evaluation_need_no_list(e, tmp_path):
    alone = bt.save_figures(e, tmp_path / "alone", formats=["svg"])
    assert [path.name for path in alone] == [p.name for p in bt.save_figures([e], tmp_path / "list", formats=["svg"])]


def test_the_rule_of_trials_is_distance_here():
    with pytest.raises(bt.InputError, match="pass distance=True"):
        bt.evaluate([1, 2], [0, 1], rule="distance")


def test_a_report_takes_several_evaluations(e, tmp_path):
    other = bt.evaluate([0.9, 0.8, 0.4], [0.1, 0.3, 0.5], measures=["EER", "AUC"], name="theirs")
    text = bt.write_report([e, other], tmp_path / "both.md").read_text()
    assert "theirs" in text
    assert "| measure |" in text
    with pytest.raises(bt.InputError, match="holds the single number 3"):
        bt.write_report([e, 3], tmp_path / "x.md")
    with pytest.raises(bt.InputError, match="holds nothing"):
        bt.write_report([], tmp_path / "x.md")


def test_samples_that_are_none_are_numbered():
    assert bt.TemplateTable([[0.1], [0.2]], ["a", "b"], sample=None).sample.tolist() == ["0", "1"]
