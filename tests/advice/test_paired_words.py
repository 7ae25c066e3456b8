"""What is said of systems that were tested against each other. SPEC U2."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest

from bertillon.advice import complaints, difference_text, fold_sentence, verdict_sentences, versus_warnings
from bertillon.core import LANGUAGES, catalogue
from bertillon.stats import ROWS, SAME_TWICE, SUBJECTS, Difference, FoldDifference, Interval, Settings, Versus

WORSE = Difference(
    "EER",
    "old",
    "new",
    0.012,
    0.02367,
    Interval(0.0089, 0.0159),
    p=0.002,
    adjusted_p=0.004,
    error=0.002,
    better=-1,
    shown_as="rate",
    n_units=500,
)
UNSURE = replace(WORSE, second_value=0.014, interval=Interval(-0.002, 0.006), p=0.3, adjusted_p=0.6, tests=2)


def versus(*differences: Difference, **more) -> Versus:
    given = {"trials": 10, "how": "by probe and reference", "unit": SUBJECTS, "n_units": 500} | more
    return Versus("old", "new", differences, **given)


def said(one: Difference, **more) -> str:
    [sentence] = verdict_sentences(versus(one, **more))
    return str(sentence)


def test_worse_and_better_in_words():
    assert said(WORSE) == (
        "new is worse than old: EER 2.367 % against 1.2 %, 1.17 points more (95 % interval 0.89 to 1.59), p = 0.004."
    )
    area = Difference(
        "AUC", "old", "new", 0.95, 0.97, Interval(0.01, 0.03, 0.9), p=0.00005, adjusted_p=0.00005, better=1
    )
    sure = "AUC 0.97 against 0.95, 0.020 more (90 % interval 0.010 to 0.030), p = 5e-5."
    assert said(area) == f"new is better than old: {sure}"
    assert said(replace(WORSE, better=0)).endswith("p = 0.004. This measure does not say which is better.")


def test_a_difference_of_counts_is_whole_and_an_end_without_difference_is_0():
    counts = replace(WORSE, measure="FM@t=1", shown_as="count", first_value=1200, second_value=4200)
    wide = replace(counts, interval=Interval(0.0, 3400.4))
    assert "3,000 more (95 % interval 0 to 3,400), p" in said(wide)
    assert difference_text(wide, 3000.0) == "+3000"
    assert difference_text(WORSE, -0.00001) == "0.00"  # no sign before nothing
    assert difference_text(replace(WORSE, interval=Interval.undefined("few")), -0.204167) == "-20.42"
    assert (difference_text(WORSE, 0.01167), difference_text(WORSE, 0.0), difference_text(WORSE, math.nan)) == (
        "+1.17",
        "0",
        "",
    )


def test_not_with_distinct_names_says_what_could_have_been_seen():
    assert said(UNSURE) == (
        "new and old cannot be distinguished: EER 1.4 % against 1.2 %, p = 0.6. A true difference of about 0.62 points "
        "would be detected four times in five."
    )


VALUES = "EER 1.4 % against 1.2 %"


@pytest.mark.parametrize(
    ("margin", "within", "expected"),
    [
        (
            0.01,
            (-0.001, 0.005),
            f"new is equivalent to old within 1 point: {VALUES}, difference -0.1 to +0.5 points with 90 % confidence.",
        ),
        (
            0.01,
            (-0.02, 0.005),
            f"new is not worse than old by 1 point or more: {VALUES}, difference -2 to +0.5 points with "
            "90 % confidence.",
        ),
        (
            0.005,
            (-0.001, 0.006),
            f"new and old cannot be distinguished: {VALUES}, p = 0.6. A true difference of about 0.62 points would be "
            "detected four times in five. Showing two equal systems equivalent within 0.5 points takes about 690 "
            "subjects (you have 500).",
        ),
        (0.0005, (-0.001, 0.006), "takes more than 20 times as many subjects (you have 500)."),
    ],
)
def test_margins_in_words(margin, within, expected):
    one = replace(UNSURE, margin=margin, within=Interval(*within, 0.9))
    assert said(one).endswith(expected)


def test_a_forecast_is_made_of_subjects_only():
    """How many more comparisons of the same people would help nobody knows."""
    one = replace(UNSURE, margin=0.005, within=Interval(-0.001, 0.006, 0.9))
    text = "The data do not rule out that new is worse than old by 0.5 points or more."
    assert said(one, unit=ROWS, naive=True).endswith(text)


def test_a_margin_beside_a_worse_system():
    beyond = replace(WORSE, margin=0.005, within=Interval(0.009, 0.015, 0.9))
    assert said(beyond).endswith("p = 0.004. The difference exceeds the margin of 0.5 points.")
    unsure = replace(WORSE, margin=0.010, within=Interval(0.009, 0.015, 0.9))
    assert said(unsure).endswith(". It is uncertain whether the difference exceeds the margin of 1 point.")
    small = replace(WORSE, margin=0.02, within=Interval(0.009, 0.015, 0.9))
    assert said(small).endswith(". It is significantly worse, but by less than the margin.")


def test_what_cannot_be_judged_and_what_is_the_same():
    nothing = replace(WORSE, p=math.nan, adjusted_p=math.nan, reason="old: no mated scores")
    assert said(nothing) == "EER of new and old cannot be compared: old: no mated scores."
    same = replace(WORSE, second_value=0.012, p=1.0, adjusted_p=1.0, interval=Interval(0, 0), reason=SAME_TWICE)
    assert said(same) == "new and old have the same EER in every resample: there is no difference."
    [identical] = verdict_sentences(versus(same, same, identical=True))
    assert str(identical) == "old and new give identical scores."


def failing(*differences: Difference) -> list[str]:
    return [str(complaint) for complaint in complaints([versus(*differences)])]


def test_what_does_not_pass():
    """Worse; with a margin, not shown to be no worse; and whatever cannot be judged."""
    assert failing(WORSE, UNSURE) == [
        "new is worse than old: EER 1.17 points more (95 % interval 0.89 to 1.59), p = 0.004."
    ]
    margin = replace(UNSURE, margin=0.005, within=Interval(-0.001, 0.006, 0.9))
    assert failing(margin) == [
        "new is not shown to be no worse than old by 0.5 points: EER may be worse by 0.6 points."
    ]
    area = replace(margin, better=1, measure="AUC", shown_as="number", within=Interval(-0.03, 0.001, 0.9))
    assert failing(area)[0].endswith("AUC may be worse by 0.03.")
    assert complaints([versus(replace(margin, margin=0.01))]) == []
    undefined = replace(UNSURE, p=math.nan, reason="too few")
    assert failing(undefined) == ["new: EER cannot be judged (too few)."]
    assert "which direction is better" in failing(replace(WORSE, better=0))[0]
    assert complaints([versus(WORSE, identical=True)]) == []


def test_warnings():
    assert versus_warnings([versus(WORSE)], Settings()) == []
    [unpaired] = versus_warnings([versus(WORSE, paired=False)], Settings())
    assert "as unpaired, each resampled on its own" in str(unpaired)
    [naive] = versus_warnings([versus(WORSE, naive=True, unit="rows")], Settings())
    assert str(naive) == (
        "Resampling unit: rows. Where several belong to one person, intervals are too narrow and p values too small."
    )
    many = replace(WORSE, tests=60)
    [few] = versus_warnings([versus(many)], Settings(resamples=1000))
    assert str(few).endswith("Use --resamples 1199.")
    assert versus_warnings([versus(many)], Settings(resamples=1199)) == []


def test_folds_in_words():
    fold = FoldDifference(10, 0.988, 0.975, -0.013, Interval(-0.017, -0.01), 6e-6)
    assert str(fold_sentence(fold, versus(WORSE))) == (
        "new is worse than old: accuracy over 10 folds 97.5 % against 98.8 %, 1.3 points less (95 % interval 1 to "
        "1.7), p = 6e-6 (t test over folds)."
    )
    assert "cannot be distinguished over folds" in str(fold_sentence(replace(fold, p=0.4), versus(WORSE)))
    nothing = replace(fold, p=math.nan, interval=Interval.undefined("the same in every fold"))
    assert str(fold_sentence(nothing, versus(WORSE))).endswith("the same in every fold.")


VERDICTS = {
    "better": replace(WORSE, better=1),
    "worse": WORSE,
    "worse than the margin": replace(WORSE, margin=0.005, within=Interval(0.009, 0.015, 0.9)),
    "perhaps worse than the margin": replace(WORSE, margin=0.010, within=Interval(0.009, 0.015, 0.9)),
    "different": replace(WORSE, better=0),
    "equivalent": replace(UNSURE, margin=0.01, within=Interval(-0.001, 0.005, 0.9)),
    "equivalent though worse": replace(WORSE, margin=0.02, within=Interval(0.009, 0.015, 0.9)),
    "not worse": replace(UNSURE, margin=0.01, within=Interval(-0.02, 0.005, 0.9)),
    "unclear": UNSURE,
    "unclear, so many are needed": replace(UNSURE, margin=0.005, within=Interval(-0.001, 0.006, 0.9)),
    "unclear, very many are needed": replace(UNSURE, margin=0.0005, within=Interval(-0.001, 0.006, 0.9)),
    "undefined": replace(WORSE, p=math.nan, adjusted_p=math.nan, reason=""),
    "same": replace(WORSE, second_value=0.012, p=1.0, adjusted_p=1.0, interval=Interval(0, 0), reason=SAME_TWICE),
    "area": replace(UNSURE, measure="AUC", shown_as="number", margin=0.1, within=Interval(-0.02, 0.005, 0.9)),
    "count": replace(WORSE, measure="FM@t=1", shown_as="count", first_value=1200, second_value=4200),
}
ENGLISH = re.compile(r"[^\W\d_]{3,}")
SHARED = {"Use", "old", "new", "EER", "AUC", "test", "resamples"}  # names, options, and words of both languages


@pytest.mark.parametrize("lang", LANGUAGES[1:])
@pytest.mark.parametrize("verdict", VERDICTS)
@pytest.mark.parametrize("naive", [False, True])
def test_no_english_is_left_in_any_verdict(verdict, lang, naive):
    """Verdicts, complaints and warnings, and the words within them."""
    found = versus(VERDICTS[verdict], naive=naive, paired=not naive)
    messages = [
        *verdict_sentences(found),
        *complaints([found]),
        *versus_warnings([found], Settings(resamples=20, level=0.99)),
    ]
    english = {word for message in messages for word in ENGLISH.findall(str(message))} - SHARED
    for message in messages:
        assert not english & set(ENGLISH.findall(catalogue(lang).text(message)))
        assert catalogue(lang).text(message).endswith(("。", "."))


@pytest.mark.parametrize("lang", LANGUAGES[1:])
@pytest.mark.parametrize("p", [0.4, 1e-5, math.nan])
def test_no_english_is_left_in_a_fold_sentence(lang, p):
    fold = FoldDifference(10, 0.988, 0.975, -0.013, Interval(-0.017, -0.01, reason=""), p)
    for one in (fold, replace(fold, difference=0.013)):
        message = fold_sentence(one, versus(WORSE))
        english = set(ENGLISH.findall(str(message))) - SHARED
        assert not english & set(ENGLISH.findall(catalogue(lang).text(message)))
