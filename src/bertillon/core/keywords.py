"""Values by name: keyword arguments that several functions share, declared once; the fields of a frozen dataclass.

Conventions: their types are a `TypedDict`, for type checkers and editors; their defaults stand beside it. A function
that takes them ends in `**given: Unpack[ThatDict]`, and finds each of them in `given`, as it was said or by default.
Help and documentation show them among its parameters, as if they were written there; any other name is refused, as
Python does it.

Holds `Keywords`, and `fill`, by which a frozen dataclass is filled.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Keywords:
    """A decorator for functions that take the keywords of a `TypedDict`.

    >>> from typing import TypedDict
    >>> class Ink(TypedDict, total=False):
    ...     colour: str
    ...     width: float
    >>> @Keywords(Ink, colour="black", width=1.0)
    ... def draw(what: str, **ink):
    ...     return what, ink
    >>> draw("a line", width=2.0)
    ('a line', {'colour': 'black', 'width': 2.0})
    >>> str(inspect.signature(draw))
    "(what: 'str', *, colour: 'str' = 'black', width: 'float' = 1.0)"
    """

    def __init__(self, types: type, **defaults: Any) -> None:
        said = {name: getattr(kind, "__forward_arg__", kind) for name, kind in types.__annotations__.items()}
        self.defaults = defaults
        self.parameters = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=said[name])
            for name, default in defaults.items()
        ]

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """The same function, with the defaults filled in."""
        plain = inspect.signature(function)
        own = [one for one in plain.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
        known = {one.name for one in own} | self.defaults.keys()

        @wraps(function)
        def called(*args: P.args, **given: P.kwargs) -> R:
            strange = [name for name in given if name not in known]
            if strange:
                raise TypeError(f"{function.__name__}() got an unexpected keyword argument {strange[0]!r}")
            every: Any = {**self.defaults, **given}
            return function(*args, **every)

        shown = plain.replace(parameters=[*own, *self.parameters])
        setattr(called, "__signature__", shown)  # noqa: B010 (functions have no such attribute for type checkers)
        return called


def fill(frozen: Any, **values: Any) -> None:
    """Give a frozen dataclass these fields, while it is made.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Point:
    ...     x: float = 0.0
    >>> point = Point()
    >>> fill(point, x=1.0)
    >>> point.x
    1.0
    """
    for name, value in values.items():
        object.__setattr__(frozen, name, value)
