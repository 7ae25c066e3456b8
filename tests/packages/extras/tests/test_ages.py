"""A kind of trial of an installed package gets what ours have: intervals, bands, tests, groups, files, languages."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import numpy as np
import pytest
from extras.ages import MEASURES, Ages, MeanAbsoluteError, Within

import bertillon as bt
from bertillon.core import catalogue, speaking
from bertillon.evaluation import bands_of
from bertillon.measures import Curve, Result, Spelling, measure_set_of
from bertillon.render import (
    SafeConsole,
    compared_frame,
    compared_json,
    save_figures,
    terminal_text,
    write_frames,
    write_report,
)
from bertillon.stats import Settings, Statistics, resampled, statistics_of, subject_weights
from bertillon.views import FIGURES, Axis, Line, Panel, ReportContent, alone, charts_of_evaluations, register_figure

ASKED = ["MAE", "MAE[person]", "Within@years=5"]
FEW = Settings(resamples=100)
NOTHING = {
    "en": "there are no estimates",
    "it": "non ci sono stime",
    "es": "no hay estimaciones",
    "zh": "没有估计值",
}


class Photos(Ages):
    """The same where nobody knows whose photos they are."""

    unit = ""


def simulated(people: int = 40, photos: int = 5, *, spread: float = 4.0, seed: int = 0, kind=Ages) -> Ages:
    """Estimates that are wrong by person and by photo; the same people whatever the seed."""
    person = np.repeat(np.arange(people), photos)
    age = np.random.default_rng(1).integers(18, 70, people)[person].astype(float)
    rng = np.random.default_rng(seed)
    wrong = rng.normal(0, spread, people)[person] + rng.normal(0, 2.0, person.size)
    return kind(age, age + wrong, person, name=f"spread {spread:g}")


AGES, OTHER = simulated(), simulated(spread=6.0, seed=3)


@pytest.fixture(scope="module")
def sure():
    return bt.evaluate(AGES, ASKED).with_intervals(resamples=200)


def shown(*parts: object) -> str:
    """What a terminal shows."""
    console = SafeConsole(width=100)
    with console.capture() as captured:
        console.print(*parts)
    return captured.get()


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
    assert methods["Within@years=5"] == "Wilson, effective trials by person, Student's t"
    assert all(interval.holds(sure[name].value) and not interval.naive for name, interval in sure.intervals.items())
    assert type(statistics_of(AGES, FEW)) is Statistics


def test_bounds_without_errors_speak_of_the_units_of_the_kind():
    perfect = bt.evaluate(replace(AGES, estimate=AGES.age), "Within@years=5").with_intervals()
    interval = perfect.intervals["Within@years=5"]
    assert (perfect["Within@years=5"].value, interval.high) == (1.0, 1.0)
    assert "if trials of the same unit (person) correlate by" in str(interval.reason)
    alone = bt.evaluate(AGES.select(AGES.person == 0), "Within@years=5").with_intervals()
    assert str(alone.intervals["Within@years=5"].reason) == "one unit (person) alone says nothing about others"


def test_trials_of_unknown_people_have_narrower_intervals_and_say_so(sure):
    photos = bt.evaluate(simulated(kind=Photos), ASKED).with_intervals(resamples=200)
    for name, interval in photos.intervals.items():
        assert photos[name] == sure[name]
        assert interval.naive
        assert interval.high - interval.low < 0.8 * (sure.intervals[name].high - sure.intervals[name].low)
    assert str(photos.intervals["Within@years=5"].method) == "clopper-pearson"
    assert str(photos.intervals["MAE[person]"].method).startswith("trials treated as independent resampled 200 times")


def test_an_interval_covers_the_truth_against_theory():
    truth, held = 4.0 * np.sqrt(2 / np.pi) * np.sqrt(1 + 0.25), 0  # both errors are normal, of 4 and of 2 years
    for seed in range(60):
        [interval] = bt.evaluate(simulated(seed=seed), "MAE").with_intervals(resamples=100).intervals.values()
        held += interval.holds(truth)
    assert held >= 51  # of 60 at 95 %: fewer by chance in less than one of 1000 such tests


@pytest.mark.parametrize("kind", ["pointwise", "simultaneous"])
def test_a_band_of_the_measures_along_a_curve(sure, kind):
    band = sure.band("cumulative-score", kind=kind)
    values = [sure[f"Within@years={x:g}"].value for x in band.x]
    assert band.x.tolist() == list(range(16))
    assert ((band.low <= values) & (values <= band.high)).all()
    if kind == "pointwise":
        own = sure.intervals["Within@years=5"]
        assert (band.low[5], band.high[5]) == (own.low, own.high)
    else:
        assert (np.diff(band.low) >= 0).all()
        assert band.low[5] < sure.intervals["Within@years=5"].low


@dataclass(frozen=True)
class ErrorQuantile(MeanAbsoluteError):
    """The error that a share of the estimates stay below, in years: a curve that is no rate."""

    share: float = 0.5

    @property
    def spelling(self):
        return Spelling("MAE", at={"share": self.share})

    def of(self, tally):
        return Result(float(np.quantile(tally, self.share)))


def test_a_band_of_years_everywhere_is_wider_than_at_each_place(sure, monkeypatch):
    curve = Curve(lambda share: ErrorQuantile(share=share), [0.1, 0.5, 0.9], rises=1)
    monkeypatch.setitem(MEASURES.curves, "quantiles", curve)
    each, whole = (sure.band("quantiles", kind=kind) for kind in ("pointwise", "simultaneous"))
    assert (whole.low < each.low).all()
    assert (whole.high > each.high).all()


def test_curves_belong_to_the_kind():
    assert isinstance(measure_set_of("age").curves["cumulative-score"], Curve)
    with pytest.raises(bt.InputError, match="curve 'det' of age has no band; expected one of cumulative-score"):
        bt.evaluate(AGES).band("det")


def test_two_systems_are_compared_paired_and_unpaired():
    [paired] = bt.stats.compare_systems([AGES, OTHER], ["MAE", "Within@years=5"], settings=FEW)
    [apart] = bt.stats.compare_systems([AGES, OTHER], ["MAE"], settings=FEW, paired=False)
    assert (str(paired.how), paired.trials, paired.n_units, paired.naive) == ("row by row", 200, 40, False)
    mae, within = paired.differences
    assert mae.difference == bt.evaluate(OTHER, "MAE")["MAE"].value - bt.evaluate(AGES, "MAE")["MAE"].value
    assert mae.interval.low > 0 > within.interval.high
    assert (mae.better, within.better) == (-1, 1)
    assert (apart.paired, apart.differences[0].difference) == (False, mae.difference)
    noisy = replace(AGES, estimate=AGES.estimate + 0.5 * np.sign(AGES.estimate - AGES.age), name="noisy")
    each = [
        bt.stats.compare_systems([AGES, noisy], ["MAE"], settings=FEW, paired=way)[0].differences[0] for way in (1, 0)
    ]
    assert each[0].error < 0.2 * each[1].error  # what both have in common is no difference


def test_groups_of_trials_are_evaluated_by_selecting_them():
    young = AGES.age < 40
    parts = [bt.evaluate(AGES.select(rows), "MAE")["MAE"].value for rows in (young, ~young)]
    assert np.average(parts, weights=[young.sum(), (~young).sum()]) == pytest.approx(bt.evaluate(AGES)["MAE"].value)
    assert resampled(AGES.select(young), [Within(5)], FEW).n_units == np.unique(AGES.person[young]).size


def test_json_frame_and_csv(sure, tmp_path):
    read = json.loads(sure.to_json())
    assert (read["mode"], read["counts"]) == ("age", {"trials": 200, "failed": 0})
    assert [row["name"] for row in read["measures"]] == ASKED == sure.to_frame()["name"].to_list()
    assert read["measures"][0]["interval"] == [sure.intervals["MAE"].low, sure.intervals["MAE"].high]
    assert read["signature"]["data"] == AGES.select(np.arange(200)[::-1]).fingerprint != OTHER.fingerprint
    [path] = write_frames([("", {"measures": sure.to_frame()})], tmp_path)
    header, mae, *_ = path.read_text().splitlines()
    assert header.startswith("name,value,threshold")
    assert mae.startswith(f"MAE,{sure['MAE'].value!r},")


def test_a_comparison_is_written_and_shown(tmp_path):
    pairs = bt.stats.compare_systems([AGES, OTHER], ["MAE"], settings=FEW)
    assert json.loads(compared_json(pairs, FEW, mode="age"))["pairs"][0]["measures"][0]["name"] == "MAE"
    assert (
        write_frames([("", {"comparison": compared_frame(pairs)})], tmp_path)[0]
        .read_text()
        .splitlines()[1]
        .startswith("spread 4,spread 6,MAE,")
    )
    with speaking("it"):
        assert "spread 6 è peggiore" in shown(terminal_text(ReportContent(versus=pairs, settings=FEW)))


@pytest.mark.parametrize("suffix", ["html", "md", "tex", "json", "csv"])
def test_a_report_shows_the_measures_of_the_kind(sure, suffix, tmp_path):
    text = write_report(sure, tmp_path / f"out.{suffix}").read_text(encoding="utf-8")
    assert all(name in text for name in ("MAE[person]", "Within@years=5"))
    assert "MAE[person]" in shown(terminal_text(sure))


@pytest.mark.parametrize("lang", NOTHING)
def test_measures_and_reasons_speak_the_languages_of_the_package(lang):
    nobody = bt.evaluate(AGES.select([]), "MAE")
    with speaking(lang):
        assert NOTHING[lang] in shown(terminal_text(nobody))
    summary = MEASURES.definitions["MAE"].summary
    words = {one: catalogue(one).text(summary) for one in NOTHING}
    assert len(set(words.values())) == len(NOTHING)
    assert words["it"] == "errore assoluto medio in anni"
    assert json.loads(nobody.to_json())["measures"][0]["reason"] == NOTHING["en"]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: AGES.align(AGES.select([0])), "200 trials and spread 4 1; expected the same trials"),
        (lambda: AGES.align(replace(OTHER, age=OTHER.age + 1)), "age differs between spread 4 and spread 6"),
        (lambda: AGES.align(replace(OTHER, person=OTHER.person + 1)), "person differs"),
        (lambda: resampled(replace(AGES, person=np.full(200, np.nan)), [Within(5)]), "some units have no id"),
        (lambda: bt.evaluate(AGES, "EER"), "'EER' in age: it is one of verification"),
    ],
)
def test_what_cannot_be_is_said(ask, message):
    with pytest.raises(bt.InputError, match=message):
        ask()


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
    monkeypatch.setattr(MEASURES, "curves", {})
    with pytest.raises(bt.InputError, match="age has no figures; register one, or give its measures curves"):
        charts_of_evaluations([sure])
