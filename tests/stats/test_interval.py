"""What an interval says of itself: what it claims, how it was found, and what was asked for, by hand."""

from __future__ import annotations

import math

import pytest

from bertillon.core import InputError, say
from bertillon.stats import LEAST_PEOPLE, Interval, Settings, proportion

OWN = Interval(0.1, 0.3, 0.9, "some way", naive=True)
BOUNDS = say("method.bounds_threshold")


def test_an_interval_of_bounds_claims_at_least_its_level():
    found = Interval.bounded((0.05, 1.0), BOUNDS, OWN, "few errors")
    assert (found.low, found.high, found.level, found.naive) == (0.05, 1.0, 0.9, True)
    assert (found.claim, found.reason) == ("at least", "few errors")
    assert found.ways == (BOUNDS, "some way")


def test_how_an_interval_was_found():
    assert OWN.ways == ("some way",)
    assert Interval(0.1, 0.3).ways == ()


def test_few_people_make_any_claim_rough():
    assert OWN.by_people(None) is OWN
    assert OWN.by_people(LEAST_PEOPLE) is OWN
    few = OWN.by_people(LEAST_PEOPLE - 1)
    assert (few.claim, few.low, few.high) == ("rough", 0.1, 0.3)
    assert few.reason == say("reason.few_subjects", n=LEAST_PEOPLE - 1, least=LEAST_PEOPLE)
    assert few.by_people(2) is few


def test_few_people_are_said_beside_another_reason():
    first = say("reason.coarse_scores")
    both = Interval.bounded((0.0, 1.0), BOUNDS, OWN, first).by_people(3)
    assert both.reason == say("reason.of_both", first=first, second=say("reason.few_subjects", n=3, least=LEAST_PEOPLE))


def test_where_there_is_no_interval_people_change_nothing():
    none = Interval.undefined("no trials", 0.8)
    assert none.by_people(2) is none
    assert (math.isnan(none.low), math.isnan(none.high), none.level) == (True, True, 0.8)
    assert (none.reason, none.claim) == ("no trials", "none")


@pytest.mark.parametrize(
    ("errors", "options", "claim"),
    [
        (3, {"method": "wilson"}, "level"),
        (0, {"method": "wilson"}, "at least"),
        (10, {"method": "wilson"}, "at least"),
        (3, {"method": "wilson", "side": "upper"}, "at least"),
        (3, {"method": "clopper-pearson"}, "at least"),
    ],
)
def test_what_a_proportion_claims(errors, options, claim):
    assert proportion(errors, 10, **options).claim == claim


@pytest.mark.parametrize(
    ("asked", "stated"),
    [
        ({"level": 0.4}, "level is 0.4; expected a share from 0.5 to just below 1, such as 0.95"),
        ({"level": 1.0}, "level is 1.0; expected a share from 0.5 to just below 1, such as 0.95"),
        ({"resamples": 19}, "resamples is 19; expected 20 to 1,000,000"),
        ({"resamples": 1_000_001}, "resamples is 1000001; expected 20 to 1,000,000"),
        ({"seed": -1}, "seed is -1; expected a whole number from 0 to 2**64 - 1"),
        ({"seed": 2**64}, f"seed is {2**64}; expected a whole number from 0 to 2**64 - 1"),
        ({"method": "magic"}, "method is 'magic'; expected one of auto, "),
    ],
)
def test_settings_that_make_no_sense_are_refused(asked, stated):
    with pytest.raises(InputError) as refused:
        Settings(**asked)
    assert str(refused.value).startswith(stated)


def test_settings_at_their_limits_are_taken():
    assert Settings(level=0.5, resamples=20, seed=2**64 - 1).tails == (0.25, 0.75)
    assert Settings(resamples=1_000_000, seed=0).level == 0.95
