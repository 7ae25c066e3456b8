"""What every protocol asks of its input, and how randomness enters.

Conventions: a request that cannot be met raises `InputError`, which names the source of the templates where it is
their fault. Without a seed one is drawn and said, so that every partition can be repeated.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bertillon.core import InputError, Message, TemplateTable, say
from bertillon.core.lazy import pl


class RandomSource(NamedTuple):
    """A source of random numbers, and the sentence that says how to have it again."""

    generator: np.random.Generator
    sentence: Message


def draw_from(rng: int | np.random.Generator | None) -> RandomSource:
    """The generator of a seed, the generator itself, or one with a new seed."""
    if isinstance(rng, np.random.Generator):
        return RandomSource(rng, say("protocol.given_generator"))
    if rng is None:
        seed = int(np.random.SeedSequence().generate_state(1)[0])
    else:
        seed = whole_number(rng, "rng", least=0, hint="a seed of 0 or more, a numpy Generator or None")
    return RandomSource(np.random.default_rng(seed), say("protocol.seed", seed=str(seed)))


def check_templates(templates: TemplateTable) -> None:
    """At least one template, an owner for each, and no sample twice."""
    if not len(templates):
        raise InputError(f"{templates.source}: holds no templates; expected at least one for each of two people")
    samples, subjects = len(templates.sample), len(templates)
    if samples != subjects:
        raise InputError(f"{templates.source}: {samples:,} samples for {subjects:,} subjects; expected one of each")
    names, times = np.unique(templates.sample, return_counts=True)
    if names.size < len(templates):
        raise InputError(
            f"{templates.source}: sample {str(names[times.argmax()])!r} occurs {times.max():,} times; "
            "expected each sample once, so that it has one role only; rename or remove the others"
        )


def check_people(templates: TemplateTable) -> None:
    """A table that can be split: templates of at least two people."""
    check_templates(templates)
    first = templates.subject[0]
    if (templates.subject == first).all():
        raise InputError(
            f"{templates.source}: all {len(templates):,} templates are of subject {str(first)!r}; expected at least "
            "two people, since one alone has no impostors; add templates of others or check the column of subjects"
        )


def require_one_of(value: str, allowed: Sequence[str], what: str) -> str:
    """The value, if it is one of those allowed."""
    if value not in allowed:
        raise InputError(f"{what} is {value!r}; expected one of {', '.join(allowed)}")
    return value


def whole_number(value: int, what: str, *, least: int, hint: str = "") -> int:
    """The value as an int, if it is a whole number and not below the least."""
    wanted = hint or f"a whole number, {least} or more"
    try:
        number = operator.index(value)
    except TypeError:
        raise InputError(f"{what} is {value!r}; expected {wanted}") from None
    if isinstance(value, bool) or number < least:
        raise InputError(f"{what} is {value!r}; expected {wanted}")
    return number


def share(value: float, what: str, *, zero: bool = False) -> float:
    """The value as a share: below 1, and above 0 unless zero is allowed."""
    wanted = f"a share from 0 {'(nobody) up to, not including, 1' if zero else 'to 1, neither of them included'}"
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not math.isfinite(value):
        raise InputError(f"{what} is {value!r}; expected {wanted}")
    if not (0.0 <= value < 1.0) or (value == 0.0 and not zero):
        hint = f"; for {value:g} % give {value / 100:g}" if 1.0 < value < 100.0 else ""
        raise InputError(f"{what} is {value:g}; expected {wanted}{hint}")
    return float(value)


def texts_of(frame: pl.DataFrame, name: str, source: str, what: str) -> list[str]:
    """A column as texts, one in every row; `what` is expected there."""
    if name not in frame.columns:
        columns = ", ".join(frame.columns)
        problem = f"{source}: has no column {name!r} (its columns: {columns})"
        raise InputError(f"{problem}; expected {what}; name that column")
    texts = frame[name].cast(pl.String)
    if texts.null_count():
        row = int(texts.is_null().arg_max() or 0) + 1
        raise InputError(f"{source}: row {row:,} has no {name}; expected {what}; fill it in")
    return [str(text) for text in texts]
