"""A kind of trial of another package gets what ours have: intervals, bands, comparisons, groups, JSON and a frame."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import ages
import numpy as np
import pytest

import bertillon as bt
from bertillon.evaluation import bands_of
from bertillon.measures import Curve, Result, Spelling, measure_set_of, register_kind
from bertillon.render import save_figures
from bertillon.stats import Settings, Statistics, register_statistics, resampled, statistics_of, subject_weights
from bertillon.trials import RowTrials, align
from bertillon.views import FIGURES, Axis, Line, Panel, alone, charts_of_evaluations, register_figure

register_kind(ages.MEASURES)  # here and not in the module, which doctest imports once more

AGES = ages.simulated()
OTHER = ages.simulated(spread=6.0, seed=3)
ASKED = ["MAE", "MAE[person]", "Within@years=5"]
FEW = Settings(resamples=100)


@pytest.fixture(scope="module")
def sure():
    return bt.evaluate(AGES, ASKED).with_intervals(resamples=200)


def test_resamples_of_units_against_brute_force():
    found = resampled(AGES, measure_set_of("age").parse_all(ASKED), Settings(resamples=20, seed=4))
    errors = np.abs(AGES.estimate - AGES.age).reshape(40, 5)
    weights = subject_weights(40, 20, seed=4).astype(float)
    assert found.values[:, 0] == pytest.approx(weights @ errors.mean(axis=1) / 40)
    assert found.values[:, 2] == pytest.approx(weights @ (errors <= 5).mean(axis=1) / 40)
    assert (str(found.unit), found.n_units, found.naive) == ("trials grouped by person", 40, False)


def test_intervals_follow_the_plans_of_the_measures(sure):
    methods = {name: str(interval.method) for name, interval in sure.intervals.items()}
    assert methods["MAE"] == "trials grouped by person resampled 200 times, Student's t"
    assert methods["MAE[person]"] == "mean over 40 groups, Student's t"
    assert methods["Within@years=5"].startswith("Wilson, effective trials by subjects")
    assert all(interval.holds(sure[name].value) and not interval.naive for name, interval in sure.intervals.items())


def test_trials_of_unknown_people_have_narrower_intervals_and_say_so(sure):
    photos = bt.evaluate(ages.simulated(kind=ages.Photos), ASKED).with_intervals(resamples=200)
    for name, interval in photos.intervals.items():
        assert photos[name] == sure[name]
        assert interval.naive
        assert interval.high - interval.low < 0.8 * (sure.intervals[name].high - sure.intervals[name].low)
    assert str(photos.intervals["Within@years=5"].method) == "clopper-pearson"
    assert str(photos.intervals["MAE[person]"].method).startswith("trials treated as independent resampled 200 times")


def test_an_interval_covers_the_truth_against_theory():
    truth, held = 4.0 * np.sqrt(2 / np.pi) * np.sqrt(1 + 0.25), 0  # both errors are normal, of 4 and of 2 years
    for seed in range(60):
        [interval] = bt.evaluate(ages.simulated(seed=seed), "MAE").with_intervals(resamples=100).intervals.values()
        held += interval.holds(truth)
    assert held >= 51  # of 60 at 95 %: fewer by chance in less than one of 1000 such tests


@pytest.mark.parametrize("kind", ["pointwise", "simultaneous"])
def test_a_band_of_the_measures_along_a_curve(sure, kind):
    band = sure.band("cumulative-score", kind=kind)
    values = [bt.evaluate(AGES, f"Within@years={x:g}").results[f"Within@years={x:g}"].value for x in band.x]
    assert band.x.tolist() == list(range(16))
    assert ((band.low <= values) & (values <= band.high)).all()
    if kind == "pointwise":
        own = sure.intervals["Within@years=5"]
        assert (band.low[5], band.high[5]) == (own.low, own.high)
    else:
        assert (np.diff(band.low) >= 0).all()
        assert band.low[5] < sure.intervals["Within@years=5"].low


@dataclass(frozen=True)
class ErrorQuantile(ages.MeanAbsoluteError):
    """The error that a share of the estimates stay below, in years: a curve that is no rate."""

    share: float = 0.5

    @property
    def spelling(self):
        return Spelling("MAE", at={"share": self.share})

    def of(self, tally):
        return Result(float(np.quantile(tally, self.share)))


def test_a_band_of_years_everywhere_is_wider_than_at_each_place(sure, monkeypatch):
    curve = Curve(lambda share: ErrorQuantile(share=share), [0.1, 0.5, 0.9], rises=1)
    monkeypatch.setitem(measure_set_of("age").curves, "quantiles", curve)
    each, whole = (sure.band("quantiles", kind=kind) for kind in ("pointwise", "simultaneous"))
    assert (whole.low < each.low).all()
    assert (whole.high > each.high).all()


def test_two_systems_are_compared_paired_and_unpaired():
    [paired] = bt.compare_systems([AGES, OTHER], ["MAE", "Within@years=5"], settings=FEW)
    [apart] = bt.compare_systems([AGES, OTHER], ["MAE"], settings=FEW, paired=False)
    assert (str(paired.how), paired.trials, paired.n_units, paired.naive) == ("row by row", 200, 40, False)
    mae, within = paired.differences
    assert mae.difference == bt.evaluate(OTHER, "MAE")["MAE"].value - bt.evaluate(AGES, "MAE")["MAE"].value
    assert mae.interval.low > 0 > within.interval.high
    assert (apart.paired, apart.differences[0].difference) == (False, mae.difference)
    noisy = replace(AGES, estimate=AGES.estimate + 0.5 * np.sign(AGES.estimate - AGES.age), name="noisy")
    each = [bt.compare_systems([AGES, noisy], ["MAE"], settings=FEW, paired=way)[0].differences[0] for way in (1, 0)]
    assert each[0].error < 0.2 * each[1].error  # what both have in common is no difference


def test_groups_of_trials_are_evaluated_by_selecting_them():
    young = AGES.age < 40
    parts = [bt.evaluate(AGES.select(rows), "MAE")["MAE"].value for rows in (young, ~young)]
    assert np.average(parts, weights=[young.sum(), (~young).sum()]) == pytest.approx(bt.evaluate(AGES)["MAE"].value)
    assert resampled(AGES.select(young), [ages.Within(5)], FEW).n_units == np.unique(AGES.person[young]).size


def test_json_and_frame(sure):
    read = json.loads(sure.to_json())
    assert (read["mode"], read["counts"]) == ("age", {"trials": 200, "failed": 0})
    assert [row["name"] for row in read["measures"]] == ASKED == sure.to_frame()["name"].to_list()
    assert read["measures"][0]["interval"] == [sure.intervals["MAE"].low, sure.intervals["MAE"].high]
    assert read["signature"]["data"] == AGES.select(np.arange(200)[::-1]).fingerprint != OTHER.fingerprint


@dataclass(frozen=True, eq=False)
class Keyed(RowTrials):
    photo: list
    score: list
    light: str = "day"
    name: str = ""
    kind, key = "keyed", "photo"

    def count(self, needs):
        return self.score


def test_rows_are_aligned_by_their_key():
    first, second = Keyed(list("abcd"), [1, 2, 3, 4], name="A"), Keyed(list("dxb"), [40, 0, 20], name="B")
    both = align(first, second)
    assert (both.first.score.tolist(), both.second.score.tolist()) == ([2, 4], [20, 40])
    assert (both.only_first, both.only_second, str(both.how)) == (2, 1, "by photo")
    assert align(first, first, by=("row",)).trials == 4
    assert align(first, second, by=("photo",)).trials == 2
    assert not first.same_as(replace(first, light="night"))
    assert first.same_as(replace(first, name="B"))


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: Keyed(["a", "b"], [1]), r"columns are photo \(2,\), score \(1,\); expected the same length"),
        (lambda: align(Keyed(["a"], [1]), Keyed(["b"], [1])), "no photo in common"),
        (lambda: align(Keyed(["a", "a"], [1, 2]), Keyed(["a"], [1])), "photo repeats"),
        (lambda: align(Keyed(["a"], [1]), Keyed(["b"], [1]), by=("eye",)), "by eye; expected one of photo, score, row"),
        (lambda: AGES.align(AGES.select([0])), "200 trials and spread 4 1; expected the same trials"),
        (lambda: AGES.align(replace(OTHER, age=OTHER.age + 1)), "age differs between spread 4 and spread 6"),
        (lambda: AGES.align(replace(OTHER, person=OTHER.person + 1)), "person differs"),
        (lambda: resampled(replace(AGES, person=np.full(200, np.nan)), [ages.Within(5)]), "some units have no id"),
    ],
)
def test_what_cannot_be_is_said(ask, message):
    with pytest.raises(bt.InputError, match=message):
        ask()


def test_a_kind_may_know_more_than_resampling():
    class Exact(Statistics):
        def by_formula(self, measure, result, level):
            return bt.Interval(0.0, 1.0, level, "all there is")

    register_statistics("keyed", Exact)
    assert type(statistics_of(Keyed(["a"], [1]), FEW)) is Exact
    assert type(statistics_of(AGES, FEW)) is Statistics
    with pytest.raises(ValueError, match="'keyed' is registered twice"):
        register_statistics("keyed", Exact)


def test_curves_belong_to_a_kind():
    assert isinstance(measure_set_of("age").curves["cumulative-score"], Curve)
    with pytest.raises(bt.InputError, match="curve 'det' of age has no band; expected one of cumulative-score"):
        bt.evaluate(AGES).band("det")


def test_curves_of_its_measures_are_drawn_with_their_bands(sure, tmp_path):
    [path] = save_figures([sure], tmp_path, formats=["svg"], bands=[bands_of(sure)])
    assert path.name == "cumulative-score.svg"
    [panel] = charts_of_evaluations([sure], bands=[bands_of(sure)])["cumulative-score"]().panels
    [line] = panel.of(Line)
    assert (panel.x.label, panel.y.label, line.name) == ("years", "Within", "spread 4")
    assert line.y[5] == sure["Within@years=5"].value
    assert line.shade.low[5] == sure.intervals["Within@years=5"].low


def test_a_registered_figure_takes_the_place_of_its_curves(sure, monkeypatch, tmp_path):
    monkeypatch.setitem(FIGURES, "age", {})
    asked = []

    def chart(systems):
        asked.extend(one.evaluation for one in systems)
        return alone(Panel(Axis("age", 0.0, 90.0), Axis("error", 0.0, 9.0), (Line("", (20.0, 60.0), (3.0, 5.0)),)))

    register_figure("age", "by-age", chart)
    assert [path.name for path in save_figures([sure], tmp_path, formats=["png"])] == ["by-age.png"]
    assert asked == [sure]
    with pytest.raises(ValueError, match="figure 'by-age' of age is registered twice"):
        register_figure("age", "by-age", chart)


def test_a_kind_without_curves_has_no_figures(sure, monkeypatch):
    monkeypatch.setattr(ages.MEASURES, "curves", {})
    with pytest.raises(bt.InputError, match="age has no figures; register one, or give its measures curves"):
        charts_of_evaluations([sure])
