"""What is said about intervals."""

from __future__ import annotations

from bertillon.advice import interval_sentences
from bertillon.core import say
from bertillon.stats import Interval

KNOWN = Interval(0.1, 0.2, method="subjects resampled 1,000 times")
NOBODY_KNOWS = Interval(0.0, 0.1, method="clopper-pearson", naive=True)


def test_where_all_are_naive_that_is_said_of_all_by_hand():
    assert interval_sentences([{"FTE": NOBODY_KNOWS, "EER": NOBODY_KNOWS}])[1:] == [say("intervals.naive")]


def test_where_some_are_naive_they_are_named_by_hand():
    [said] = interval_sentences([{"EER": KNOWN, "FTE": NOBODY_KNOWS}, {"FTE": NOBODY_KNOWS}])[1:]
    assert str(said).startswith("FTE: no subject IDs were given.")


def test_where_none_is_naive_nothing_is_said_by_hand():
    [said] = interval_sentences([{"EER": KNOWN}])
    assert str(said) == "95 % intervals: subjects resampled 1,000 times."
