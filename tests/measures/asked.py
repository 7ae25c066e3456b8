"""What a measure answers when it is asked for its interval, for tests of plans."""

from __future__ import annotations

from bertillon.measures import Result

FOUND = Result(0.25, 0.5)
COUNTED = Result(0.25, 0.5, 1, 4)


def plan(measures, name, result=FOUND):
    """The interval that a measure asks for where its value is this."""
    return measures.parse(name).interval(result)
