"""The matchers by name.

Holds `MATCHERS`, `register`, `matcher` and `matcher_options`.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from bertillon.core.errors import InputError
from bertillon.core.plugins import Registry
from bertillon.core.spelling import unknown
from bertillon.matching.base import Matcher

MATCHERS: Registry[type[Matcher]] = Registry("matcher", "bertillon.matchers")


def register(*matchers: type[Matcher]) -> None:
    """Make matchers known under their names."""
    for kind in matchers:
        MATCHERS.add(kind.name, kind, kind.__module__)


def matcher(name: str, **options: Any) -> Matcher:
    """The matcher of that name with these options.

    >>> matcher("dtw", band=0.1).rule.value, matcher("cosine").rule.value
    ('distance', 'similarity')
    """
    if name not in MATCHERS:
        raise InputError(unknown("matcher", name, MATCHERS))
    known = matcher_options(name)
    for option in options:
        if option not in known:
            has = unknown(f"matcher {name}: option", option, known) if known else f"matcher {name} has no options"
            raise InputError(has)
    return MATCHERS[name](**options)


def matcher_options(name: str) -> tuple[str, ...]:
    """The names of the options of a matcher.

    >>> matcher_options("hamming")
    ('shifts', 'rows', 'step')
    """
    return tuple(field.name for field in fields(MATCHERS[name]) if field.init)  # type: ignore[arg-type]
