"""Bands on the command line: drawn and written unless there are too many systems. SPEC U1."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from matplotlib.collections import FillBetweenPolyCollection
from render.figures.drawing import make_class_figure, make_figure, make_search_figure

import bertillon as bt
from bertillon.evaluation import bands_of
from bertillon.stats import Settings
from bertillon.trials import simulate, simulate_searches
from bertillon.views import searches_of, system_of

QUICK = ("--resamples", 50)


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    made = simulate(mated=100, nonmated=400, rng=4).scores
    path = tmp_path / "scores.csv"
    values = np.concatenate([made.mated, made.nonmated])
    pl.DataFrame({"label": [1] * 100 + [0] * 400, "score": values}).write_csv(path)
    return path


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    truth = rng.random(200) < 0.4
    path = tmp_path / "predictions.csv"
    pl.DataFrame({"y_true": truth.astype(int), "p": 0.3 * truth + 0.7 * rng.random(200)}).write_csv(path)
    return path


def test_U1_curves_are_written_with_their_bands(bertillon, scores, tmp_path):
    assert bertillon("verify", scores, "--csv", tmp_path / "out", *QUICK).code == 0
    table = pl.read_csv(tmp_path / "out" / "curve-band.csv")
    assert table.columns == ["fmr", "fnmr_low", "fnmr_high", "level", "kind"]
    band = bt.stats.det_band(bt.read_scores(scores), settings=Settings(resamples=50))
    np.testing.assert_array_equal(table["fnmr_high"].to_numpy(), band.high)
    assert set(table["kind"]) == {"pointwise"}


def test_bands_of_a_classifier_and_of_the_whole_curve(bertillon, predictions, tmp_path):
    widths = {}
    for kind in ("pointwise", "simultaneous"):
        folder = tmp_path / kind
        assert bertillon("classify", predictions, "--csv", folder, "--bands", kind, *QUICK).code == 0
        for name, y in (("roc", "tpr"), ("precision-recall", "precision"), ("reliability", "observed")):
            table = pl.read_csv(folder / f"{name}-band.csv")
            widths.setdefault(name, []).append((table[f"{y}_high"] - table[f"{y}_low"]).mean())
    assert all(narrow < wide for narrow, wide in widths.values())


def test_bands_of_searches(bertillon, tmp_path):
    examples = Path(__file__).parents[2] / "examples"
    asked = ("identify", examples / "faces.npz", "--leave-out", 0.3, "--csv", tmp_path / "out", *QUICK)
    assert bertillon(*asked).code == 0
    ranks = pl.read_csv(tmp_path / "out" / "cmc-band.csv")
    assert ranks["k"].to_list()[:3] == [1, 2, 3]
    assert pl.read_csv(tmp_path / "out" / "watch-list-band.csv")["fpir"].max() == 1.0


@pytest.mark.parametrize("options", [("--bands", "none"), ("--no-intervals",)])
def test_no_bands_where_none_are_wanted(bertillon, scores, tmp_path, options):
    assert bertillon("verify", scores, "--csv", tmp_path / "out", *QUICK, *options).code == 0
    assert not list((tmp_path / "out").glob("*-band.csv"))


def test_more_than_three_systems_have_bands_only_when_asked_for(bertillon, scores, tmp_path):
    for number, (count, options) in enumerate([(3, ()), (4, ()), (4, ("--bands", "pointwise"))]):
        folder = tmp_path / str(number)
        names = [word for name in "abcd"[:count] for word in ("--name", name)]
        assert bertillon("verify", *[scores] * count, *names, "--csv", folder, *QUICK, *options).code == 0
        assert len(list(folder.glob("*-band.csv"))) == (0 if number == 1 else count)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--bands", "simultaneous"), "say where with --figures FOLDER"),
        (("--bands", "pointwise", "--no-intervals", "--csv", "out"), "exclude each other"),
        (("--bands", "wide", "--csv", "out"), "wide"),
    ],
)
@pytest.mark.parametrize("command", ["verify", "classify", "identify"])
def test_bands_that_cannot_be_are_refused(bertillon, scores, command, options, said):
    ran = bertillon(command, scores, *options)
    assert ran.code == 2
    assert said in ran.err
    assert not Path("out").exists()


def shaded(axes) -> int:
    """Fills on axes, where a word under them says what they mean."""
    said = "shaded: 95 % band, pointwise" in axes.get_xlabel()
    return sum(isinstance(fill, FillBetweenPolyCollection) for fill in axes.collections) if said else 0


def test_figures_show_the_bands_of_their_systems():
    one = bt.evaluate(simulate(mated=100, nonmated=300, rng=1).scores, "EER").with_intervals(resamples=50)
    bands = bands_of(one)
    for kind in ("roc", "roc-log", "det-normal", "det-log"):
        assert shaded(make_figure(kind, [system_of(one, bands)]).axes[0]) == 1, kind
        assert shaded(make_figure(kind, [system_of(one)]).axes[0]) == 0, kind
    people = {"subjects": 20, "strangers": 20, "probes": 2, "gallery": 30, "dprime": 2.5}
    found = bt.evaluate(simulate_searches(rng=1, **people).searches).with_intervals(resamples=50)
    for kind in ("cmc", "watch-list"):
        assert shaded(make_search_figure(kind, [searches_of(found, bands_of(found))]).axes[0]) == 1, kind


def test_figures_of_classifiers_show_their_bands_and_no_bars_beside_them(predictions):
    two = [bt.evaluate(bt.read_predictions(predictions)).with_intervals(resamples=50) for _ in range(2)]
    bands = [bands_of(one) for one in two]
    assert set(bands[0]) == {"roc", "det", "precision-recall", "reliability"}
    for kind in ("roc", "det"):
        assert shaded(make_class_figure(kind, two, bands=bands).axes[0]) == 2, kind
    alone = make_class_figure("reliability", two[:1], bands=bands[:1])
    assert len(alone.axes[0].collections) == 1
    assert "shaded: 95 % band, pointwise" in alone.axes[1].get_xlabel()
    assert "bars" not in "".join(text.get_text() for text in alone.axes[0].texts)


def test_labels_alone_have_no_bands_to_show():
    assert bands_of(bt.evaluate(bt.Predictions.from_labels([0, 1, 1], [0, 1, 0]))) == {}
    assert list(bands_of(bt.evaluate(bt.SearchSet.from_ranks([1, 2], gallery_size=4)))) == ["cmc"]
