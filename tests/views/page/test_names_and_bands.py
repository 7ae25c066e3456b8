"""The page in either vocabulary, with bands, bounds, thresholds fixed elsewhere, and what was asked beside."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from views.page.cases import classified, searched, verified

import bertillon as bt
from bertillon.analysis import judge
from bertillon.core import LANGUAGES, catalogue
from bertillon.counting import Band
from bertillon.evaluation import bands_of
from bertillon.matching import FoldAccuracy
from bertillon.measures import CLASSIFICATION, IDENTIFICATION, VERIFICATION
from bertillon.stats import Interval, Settings, compare_systems
from bertillon.views import (
    SHADE_POINTS,
    Document,
    MeasureNames,
    Paragraphs,
    ReportContent,
    Table,
    Vocabulary,
    interval_fields,
    page_of,
    shaded_band,
)

FEW = Settings(resamples=50)


def tables(page: Document) -> dict[str, Table]:
    return {block.id: block for section in page.sections for block in section.blocks if isinstance(block, Table)}


def heads(table: Table) -> list[str]:
    return [column.heading for column in table.columns]


def test_k12_measures_go_by_the_names_of_machine_learning_where_these_are_wanted() -> None:
    """SPEC K12: what is copied keeps the canonical name."""
    page = page_of(ReportContent([verified()], vocabulary=Vocabulary.ML))
    rows = {row[0].exact: row[0].text for row in tables(page)["measures"].rows}
    assert rows["FNMR@FMR=0.01"] == "FNR@FPR=0.01"
    assert [card.name for card in page.cards][:2] == ["EER", "FNR@FPR=0.01"]
    [explorer] = page.explorers
    assert (explorer.words["matched"], explorer.words["missed_words"]) == ("FPR", "False negative rate (FNR)")
    assert "FPR=0.001" in [mark.name for mark in explorer.systems[0].marks]


def test_both_vocabularies_stand_side_by_side() -> None:
    page = page_of(ReportContent([verified("a"), verified("b", seed=4)], vocabulary=Vocabulary.BOTH))
    assert "FNMR@FMR=0.01 = FNR@FPR=0.01" in heads(page.headline)
    assert page.explorers[0].words["matched"] == "FMR = FPR"
    one = page_of(ReportContent([verified()], vocabulary=Vocabulary.BOTH))
    table = tables(one)["measures"]
    assert heads(table)[-1] == "machine learning"
    assert [row[-1].text for row in table.rows if row[0].exact == "FNMR@FMR=0.01"] == ["FNR@FPR=0.01"]


@pytest.mark.parametrize("vocabulary", [None, Vocabulary.BIOMETRIC])
def test_the_own_vocabulary_changes_nothing(vocabulary: Vocabulary | None) -> None:
    assert page_of(ReportContent([verified()], vocabulary=vocabulary)) == page_of(ReportContent([verified()]))


def test_a_classifier_in_the_words_of_biometrics() -> None:
    page = page_of(ReportContent(classification=[classified()], vocabulary=Vocabulary.BIOMETRIC))
    assert page.explorers[0].words["found"] == "TMR"
    assert any(row[0].text == "TMR" for row in tables(page)["measures-classes"].rows)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("measure_set", [VERIFICATION, IDENTIFICATION, CLASSIFICATION], ids=lambda one: one.mode)
def test_what_moves_has_the_same_words_in_every_vocabulary(lang: str, measure_set) -> None:
    words = catalogue(lang)
    own = MeasureNames.of(measure_set).live()
    for vocabulary in Vocabulary:
        live = MeasureNames.of(measure_set, vocabulary).live()
        assert live.keys() == own.keys()
        assert all(words.text(said) for said in live.values())


def test_bands_go_into_the_page_as_they_are_by_hand() -> None:
    band = Band([0.01, 0.1, 0.5], [0.2, np.nan, 0.0], [0.4, np.nan, 0.1], level=0.9, kind="simultaneous")
    page = page_of(ReportContent([verified()], bands={"verification": [{"det": band}]}))
    shade = page.explorers[0].systems[0].shade
    assert shade is not None
    assert (shade.x, shade.low, shade.high) == ((0.01, 0.5), (0.2, 0.0), (0.4, 0.1))
    assert shade.words == "shaded: 90 % band, for the whole curve"
    assert page_of(ReportContent([verified()])).explorers[0].systems[0].shade is None


def test_bands_of_every_mode_find_their_curves() -> None:
    searches, classes = (replace(one, settings=FEW) for one in (searched(), classified()))
    known = {one.measure_set.mode: [bands_of(one)] for one in (searches, classes)}
    page = page_of(ReportContent(identification=[searches], classification=[classes], bands=known))
    watched, called = (explorer.systems[0] for explorer in page.explorers)
    band = known["identification"][0]["watch-list"]
    assert watched.shade is not None
    assert watched.shade.high[-1] == 1.0 - band.low[-1]  # the page keeps misses, the figure shows detections
    assert called.shade is not None
    assert called.precision_shade is not None
    shaded = {chart.id: [line.shade is not None for line in chart.lines] for chart in page.charts}
    assert shaded == {"cmc": [True], "reliability": [False, True]}  # the diagonal has none


def test_long_bands_are_thinned_and_unknown_ones_left_out() -> None:
    ranks = np.arange(1, 100_001)
    shade = shaded_band(Band(ranks, np.linspace(0, 0.5, ranks.size), np.linspace(0.5, 1, ranks.size)))
    assert shade is not None
    assert len(shade.x) <= SHADE_POINTS
    assert (shade.x[0], shade.x[-1]) == (1.0, 100_000.0)
    assert shaded_band(Band([1.0], [np.nan], [np.nan])) is None


def test_numbers_that_move_have_intervals_only_where_trials_are_taken_as_independent() -> None:
    naive, shared = (
        replace(verified(), intervals={"EER": Interval(0.1, 0.2, 0.9, "by hand", naive=naive)})
        for naive in (True, False)
    )
    assert interval_fields(naive) == {"level": 0.9, "shared": False}
    assert interval_fields(shared) == {"level": None, "shared": True}
    assert interval_fields(verified()) == {"level": None, "shared": False}


def test_weights_are_no_trials() -> None:
    given = bt.Predictions.from_probabilities([0, 1, 1, 0], [0.1, 0.8, 0.3, 0.6], weights=[1.0, 2.0, 0.5, 1.0])
    evaluation = replace(bt.evaluate(given), intervals={"AUC": Interval(0.1, 0.9, 0.95, "by hand", naive=True)})
    assert page_of(ReportContent(classification=[evaluation])).explorers[0].systems[0].level is None


def test_what_a_stream_knows_within_bounds_is_said_under_the_table() -> None:
    scores = verified().trials
    counted = bt.evaluation.count_scores(bt.trials.ScoreStream([(scores.mated, scores.nonmated)], name="stream"))
    stream = bt.evaluate(counted, ["EER", "AUC"])
    bounded = replace(stream, bounds={"EER": (0.0612, 0.0634), "AUC": (0.9, 0.9)})
    assert tables(page_of(ReportContent([bounded])))["measures"].note == (
        "Scores were counted in parts: these values are known within bounds only, and the worse end is shown: "
        "EER 6.12 to 6.34\u00a0%."
    )
    several = page_of(ReportContent([bounded, verified("kept", seed=4)]))
    assert "stream: EER 6.12 to" in tables(several)["measures"].note
    assert tables(page_of(ReportContent([verified()])))["measures"].note == ""


def test_thresholds_fixed_elsewhere_and_folds_have_their_place() -> None:
    one = verified("here")
    judged = judge(verified("there", seed=9).trials, one, level=0.95)
    folds = FoldAccuracy((0.9, 0.92), (1.0, 1.1), 0.91, 0.01)
    page = page_of(ReportContent([one], development=[judged], folds=[folds]))
    table = tables(page)["development-0"]
    assert table.caption == "Thresholds set on there, evaluated on here"
    assert table.rows[0][0].text == "EER"
    assert table.rows[0][3].exact == judged.thresholds[0].evaluation.fnmr.value
    assert "\u00a0%" in table.rows[0][3].note[0]
    said = [block.sentences[0].text for block in page.sections[0].blocks if isinstance(block, Paragraphs)]
    assert said[-1].startswith("here: accuracy over 2 folds 0.9100 ± 0.0100")


@pytest.mark.parametrize("paired", [True, False])
def test_differences_are_said_to_be_paired_only_where_they_are(paired: bool) -> None:
    rng = np.random.default_rng(1)
    first = bt.ScoreSet(rng.normal(2, 1, 60), rng.normal(0, 1, 90), name="old")
    second = bt.ScoreSet(first.mated + 1.0, first.nonmated, name="new")
    old, new = (bt.evaluate(one, ["EER"]).with_intervals(resamples=50) for one in (first, second))
    found = compare_systems([first, second], ["EER"], by=["row"] if paired else None, paired=paired, settings=FEW)
    for lang in LANGUAGES:
        page = page_of(ReportContent.of([old, new], found), lang)
        [section] = [one for one in page.sections if one.id == "comparison"]
        said = next(block for block in section.blocks if isinstance(block, Paragraphs)).sentences[0].text
        assert (said == catalogue(lang)("paired.heading.unpaired")) == (not paired)
        warned = [said for said in page.warnings if said.text == catalogue(lang)("paired.unpaired")]
        assert bool(warned) == (not paired)
        assert not any(said.lang for said in warned)
