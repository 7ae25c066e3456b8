"""What is said of systems that were tested against each other. SPEC U2."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from bertillon.advice.paired import complaints, fold_sentence, verdict_sentences, versus_warnings
from bertillon.core.messages import say
from bertillon.stats.comparing.difference import SAME_TWICE, Difference
from bertillon.stats.comparing.folds import FoldDifference
from bertillon.stats.comparing.systems import Versus
from bertillon.stats.interval import Interval
from bertillon.stats.settings import Settings

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
    given = {"trials": 10, "how": "by probe and reference", "unit": say("unit.subjects"), "n_units": 500} | more
    return Versus("old", "new", differences, **given)


def said(one: Difference, **more) -> str:
    [sentence] = verdict_sentences(versus(one, **more))
    return sentence


def test_worse_and_better_in_words():
    assert said(WORSE) == (
        "new is worse than old: EER 2.367 % against 1.2 %, 1.2 points more (95 % interval 0.89 to 1.6), p = 0.004."
    )
    area = Difference(
        "AUC", "old", "new", 0.95, 0.97, Interval(0.01, 0.03, 0.9), p=0.00005, adjusted_p=0.00005, better=1
    )
    assert (
        said(area) == "new is better than old: AUC 0.97 against 0.95, 0.02 more (90 % interval 0.01 to 0.03), p = 5e-5."
    )
    assert said(replace(WORSE, better=0)).endswith("p = 0.004; neither way is the better one.")


def test_not_told_apart_says_what_could_have_been_seen():
    assert said(UNSURE) == (
        "new and old cannot be told apart: EER 1.4 % against 1.2 %, p = 0.6; a true difference must be about "
        "0.62 points to be seen four times in five."
    )


VALUES = "EER 1.4 % against 1.2 %"


@pytest.mark.parametrize(
    ("margin", "within", "expected"),
    [
        (
            0.01,
            (-0.001, 0.005),
            f"new is equivalent to old within 1 point: {VALUES}, the difference is -0.1 to +0.5 points with "
            "90 % confidence.",
        ),
        (
            0.01,
            (-0.02, 0.005),
            f"new is not worse than old by 1 point or more: {VALUES}, the difference is -2 to +0.5 points with "
            "90 % confidence.",
        ),
        (
            0.005,
            (-0.001, 0.006),
            f"new and old cannot be told apart: {VALUES}, p = 0.6; a true difference must be about 0.62 points to be "
            "seen four times in five; to show two equal systems to be alike within 0.5 points takes about 690 subjects "
            "(here are 500).",
        ),
        (0.0005, (-0.001, 0.006), "takes more than 20 times as many subjects (here are 500)."),
    ],
)
def test_margins_in_words(margin, within, expected):
    one = replace(UNSURE, margin=margin, within=Interval(*within, 0.9))
    assert said(one).endswith(expected)


def test_a_forecast_is_made_of_subjects_only():
    """How many more comparisons of the same people would help nobody knows."""
    one = replace(UNSURE, margin=0.005, within=Interval(-0.001, 0.006, 0.9))
    assert said(one, unit=say("unit.comparisons")).endswith("and that new is not worse by 0.5 points is not shown.")


def test_a_margin_beside_a_worse_system():
    beyond = replace(WORSE, margin=0.005, within=Interval(0.009, 0.015, 0.9))
    assert said(beyond).endswith("; that is more than the margin of 0.5 points.")
    unsure = replace(WORSE, margin=0.010, within=Interval(0.009, 0.015, 0.9))
    assert said(unsure).endswith("; whether that is more than the margin of 1 point is not sure.")
    small = replace(WORSE, margin=0.02, within=Interval(0.009, 0.015, 0.9))
    assert said(small).endswith("; it is measurably worse, but by less than that.")


def test_what_cannot_be_judged_and_what_is_the_same():
    nothing = replace(WORSE, p=math.nan, adjusted_p=math.nan, reason="old: no mated scores")
    assert said(nothing) == "EER of new and old cannot be compared: old: no mated scores."
    same = replace(WORSE, second_value=0.012, p=1.0, adjusted_p=1.0, interval=Interval(0, 0), reason=SAME_TWICE)
    assert said(same) == "new and old have the same EER in every resample: nothing tells them apart."
    assert verdict_sentences(versus(same, same, identical=True)) == [
        "old and new give the same scores throughout: nothing tells them apart."
    ]


def test_what_does_not_pass():
    """Worse; with a margin, not shown to be no worse; and whatever cannot be judged."""
    assert complaints([versus(WORSE, UNSURE)]) == [
        "new is worse than old: EER 1.2 points more (95 % interval 0.89 to 1.6), p = 0.004"
    ]
    margin = replace(UNSURE, margin=0.005, within=Interval(-0.001, 0.006, 0.9))
    assert complaints([versus(margin)]) == [
        "new is not shown to be no worse than old by 0.5 points: EER may be worse by 0.6 points"
    ]
    area = replace(margin, better=1, measure="AUC", shown_as="number", within=Interval(-0.03, 0.001, 0.9))
    assert complaints([versus(area)])[0].endswith("AUC may be worse by 0.03")
    assert complaints([versus(replace(margin, margin=0.01))]) == []
    undefined = replace(UNSURE, p=math.nan, reason="too few")
    assert complaints([versus(undefined)]) == ["new: EER cannot be judged (too few)"]
    assert "which way is better" in complaints([versus(replace(WORSE, better=0))])[0]
    assert complaints([versus(WORSE, identical=True)]) == []


def test_warnings():
    assert versus_warnings([versus(WORSE)], Settings()) == []
    [unpaired] = versus_warnings([versus(WORSE, paired=False)], Settings())
    assert "as unpaired, each resampled by itself" in unpaired
    [naive] = versus_warnings([versus(WORSE, naive=True, unit="rows")], Settings())
    assert naive == "resampled were rows: where several are of one person, intervals and p values are too small."
    many = replace(WORSE, tests=60)
    [few] = versus_warnings([versus(many)], Settings(resamples=1000))
    assert few.endswith("use --resamples 1199.")
    assert versus_warnings([versus(many)], Settings(resamples=1199)) == []


def test_folds_in_words():
    fold = FoldDifference(10, 0.988, 0.975, -0.013, Interval(-0.017, -0.01), 6e-6)
    assert fold_sentence(fold, versus(WORSE)) == (
        "new is worse than old: accuracy over 10 folds 97.5 % against 98.8 %, 1.3 points less (95 % interval 1 to "
        "1.7), p = 6e-6 (t over folds)."
    )
    assert "cannot be told apart over folds" in fold_sentence(replace(fold, p=0.4), versus(WORSE))
    nothing = replace(fold, p=math.nan, interval=Interval.undefined("the same in every fold"))
    assert fold_sentence(nothing, versus(WORSE)).endswith("the same in every fold.")
