"""What callers pass: whatever holds numbers or labels as numpy arrays, and keywords that several functions share.

Conventions: lists, arrays, columns of pandas and polars, and torch tensors on any device are taken. A masked entry is a
missing one. A message says what was found and what to pass instead; numpy's own errors are never shown.

The types of shared keywords are a `TypedDict`, for type checkers and editors; their defaults stand beside it. A
function that takes them ends in `**given: Unpack[ThatDict]`, and finds each of them in `given`, as it was passed or by
default. Help and documentation show them among its parameters, as if they were written there; any other name is
refused, as Python does it.

Holds `as_array`, `as_floats`, `is_masked`, `is_missing` and `looks_like_labels`; `describe`, what something is, in a
few words; `require` and `as_path`, which refuse what is of another type; `Keywords`, and `fill`, by which a frozen
dataclass is filled.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable
from functools import wraps
from numbers import Number
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError, shortened

P = ParamSpec("P")
R = TypeVar("R")
WHOLE = (int, np.integer)
NUMBER = (*WHOLE, float, np.floating)
_SHOWN = 3


def describe(values: Any) -> str:
    """What something is, in a few words.

    >>> describe([0.1, 0.2, 0.3, 0.4]), describe("0.5"), describe(np.zeros((2, 3))), describe(None)
    ('a list of 4 ([0.1, 0.2, 0.3, ...])', "the text '0.5'", 'a float64 array of shape (2, 3)', 'None')
    """
    if values is None:
        return "None"
    if isinstance(values, str):
        return f"the text {shortened(values, 30)!r}"
    if isinstance(values, np.ndarray):
        return f"a {values.dtype} array of shape {values.shape}"
    kind = type(values).__name__
    if isinstance(values, list | tuple):
        more = ", ..." if len(values) > _SHOWN else ""
        first = ", ".join(shortened(repr(value), 20) for value in values[:_SHOWN])
        return f"a {kind} of {len(values):,} ([{first}{more}])"
    if isinstance(values, bool | int | float):
        return f"the single number {values!r}"
    return f"{'an' if kind[0] in 'AEIOUaeio' else 'a'} {kind}"


def require(value: Any, kinds: type | tuple[type, ...], what: str, expected: str) -> None:
    """Refuse what is of another type; True is no number.

    >>> require(0.95, float, "level", "a share")
    """
    if not isinstance(value, kinds) or (isinstance(value, bool) and kinds in (WHOLE, NUMBER)):
        raise InputError(f"{what} is {describe(value)}; expected {expected}")


def as_path(path: Any, what: str = "a file") -> Path:
    """The path of a file, from text or a path."""
    require(path, (str, os.PathLike), what, "its path, such as 'scores.csv'")
    return Path(path)


def as_array(values: Any, what: str, expected: str = "one number for each comparison, such as [0.9, 0.8]") -> Any:
    """Values as an array of any type; `what` names them in errors, and `expected` says what to pass.

    >>> as_array([1, 2], "scores").tolist()
    [1, 2]
    """
    if isinstance(values, np.ndarray):
        return values
    if values is None or isinstance(values, str | bytes | dict | set) or np.isscalar(values):
        raise InputError(f"{what} are {describe(values)}; expected {expected}")
    if hasattr(values, "detach") and hasattr(values, "cpu"):
        values = _from_tensor(values, what)
    if hasattr(values, "columns"):
        raise InputError(f"{what} are {describe(values)}, a whole table; pass one column of it: {_columns(values)}")
    if not hasattr(values, "__len__") and hasattr(values, "__iter__"):
        values = list(values)
    if isinstance(values, list | tuple):
        values = [_from_tensor(value, what) if hasattr(value, "detach") else value for value in values]
    try:
        return np.asarray(values)
    except (ValueError, TypeError, RuntimeError, OverflowError):
        raise InputError(f"{what} are {describe(values)} with rows of different lengths; expected {expected}") from None


def as_floats(values: Any, what: str, expected: str = "one number for each comparison, such as [0.9, 0.8]") -> Any:
    """Values as an array of floats: float32 and float64 as they are, others as float64, what is masked as NaN."""
    array = as_array(values, what, expected)
    kind = array.dtype.kind
    if kind == "b":
        raise InputError(f"{what} are booleans; expected numbers (were labels passed as scores?)")
    if kind in "cmM":  # numpy would turn complex numbers, durations and dates into floats
        raise InputError(f"{what} are not numbers but {array.dtype}; expected {expected}")
    if kind in "USTV":
        first = f" (the first is {array.flat[0]!s:.20})" if array.size else ""
        raise InputError(f"{what} are not numbers but text{first}; expected {expected}: convert them with float()")
    if is_masked(array):
        wide = array.astype(np.result_type(array.dtype, np.float32)) if kind in "iuf" else array.astype(np.float64)
        return np.ma.filled(wide, np.nan)
    if kind != "O":
        return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)
    return _floats_of_objects(array, what, expected)


def is_masked(array: Any) -> bool:
    """Is it a masked array of numpy? Nobody has made one where the module of these, slow to load, is not loaded."""
    return "numpy.ma" in sys.modules and isinstance(array, np.ma.MaskedArray)


def looks_like_labels(values: Any) -> bool:
    """Are these nothing but zeros and ones, both of them, and whole numbers by their type?

    >>> looks_like_labels([0, 1, 1]), looks_like_labels([0.0, 1.0]), looks_like_labels([0, 1, 2])
    (True, False, False)
    """
    array = np.asarray(values)
    return array.dtype.kind in "biu" and array.size > 1 and bool(array.min() == 0 and array.max() == 1)


def _floats_of_objects(array: NDArray[Any], what: str, expected: str) -> NDArray[np.float64]:
    """None and what pandas writes for it is NaN."""
    try:
        return np.array([np.nan if is_missing(value) else _number(value) for value in array.ravel()]).reshape(
            array.shape
        )
    except (TypeError, ValueError, OverflowError):
        wrong = next(value for value in array.ravel() if not _is_number(value))
        raise InputError(f"{what} are not numbers: they hold {describe(wrong)}; expected {expected}") from None


def _number(value: Any) -> float:
    if isinstance(value, str | bytes | bool | np.bool_):
        raise TypeError
    return float(value)


def _is_number(value: Any) -> bool:
    try:
        return is_missing(value) or _number(value) is not None
    except (TypeError, ValueError, OverflowError):
        return False


def is_missing(value: Any) -> bool:
    """None, NaN, and what pandas writes for them."""
    return (
        value is None or (isinstance(value, Number) and value != value) or type(value).__name__ in ("NAType", "NaTType")
    )


def _from_tensor(tensor: Any, what: str) -> NDArray[Any]:
    """A tensor on any device, without its gradients; a type that numpy lacks (bfloat16) as floats."""
    held = tensor.detach().cpu()
    try:
        return np.asarray(held.numpy())
    except (TypeError, AttributeError):
        return np.asarray(held.float().numpy())
    except RuntimeError as error:
        raise InputError(f"{what} are a tensor that cannot be read ({error}); pass tensor.detach().cpu()") from None


def _columns(frame: Any) -> str:
    return ", ".join(repr(name) for name in list(frame.columns)[:10])


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
