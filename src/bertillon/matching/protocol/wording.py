"""Numbers of things in sentences.

Conventions: thousands are set apart by commas; a number of one has its noun in the singular.

Holds `many` and `people`.
"""

from __future__ import annotations


def many(number: int, noun: str) -> str:
    """A number of things.

    >>> many(1, "probe"), many(1200, "probe")
    ('1 probe', '1,200 probes')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def people(number: int) -> str:
    """A number of people.

    >>> people(1), people(12)
    ('1 person', '12 people')
    """
    return f"{number:,} {'person' if number == 1 else 'people'}"
