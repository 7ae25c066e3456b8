"""Put a mutant in the place of a function of the running process.

The function object stays and gets other code, so whoever holds it, by whatever name, calls the mutant. What was
compiled from it, and from functions that call it, is thrown away and compiled anew at the next call, past the cache on
disk.

Holds `apply`, `forget_results` and `compiled_functions`.
"""

from __future__ import annotations
import __future__

import functools
import sys
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

from numba.core.caching import NullCache
from numba.core.dispatcher import Dispatcher

from mutation.mutants import Mutant

FLAGS = __future__.annotations.compiler_flag


def apply(mutant: Mutant) -> None:
    """Make the function behave as the mutant, in this process from now on."""
    module = sys.modules[mutant.module]
    target: Any = module
    for name in mutant.function.split("."):
        target = vars(target)[name]
    function = _function_of(target)
    changed = _built(mutant, module)
    function.__code__ = changed.__code__
    function.__defaults__ = changed.__defaults__
    function.__kwdefaults__ = changed.__kwdefaults__
    if isinstance(target, Dispatcher):
        _compile_anew(mutant.function)


def forget_results() -> None:
    """Empty every cache of results: they come from the code before it was changed, or hold threads of the parent."""
    for module in _modules():
        for value in vars(module).values():
            if isinstance(value, functools._lru_cache_wrapper):
                value.cache_clear()


def compiled_functions() -> dict[str, Any]:
    """The compiled loops of the package, by name."""
    return {
        name: value
        for module in _modules()
        for name, value in vars(module).items()
        if isinstance(value, Dispatcher) and value.py_func.__module__ == module.__name__
    }


def callers_of(name: str, loops: dict[str, Any]) -> set[str]:
    """The compiled loop itself and all that call it, directly or through others."""
    found: set[str] = set()
    waiting = {name}
    while waiting:
        found |= waiting
        waiting = {other for other, loop in loops.items() if waiting & set(loop.py_func.__code__.co_names)} - found
    return found


def _modules() -> Iterator[ModuleType]:
    return (module for name, module in list(sys.modules.items()) if name.split(".")[0] == "bertillon")


def _function_of(target: Any) -> FunctionType:
    """The function behind a property, a class method, a cache, a compiled loop."""
    for inner in ("fget", "__func__", "py_func", "func", "__wrapped__"):
        while hasattr(target, inner):
            target = getattr(target, inner)
    if not isinstance(target, FunctionType):
        raise TypeError(f"{target!r} is no function")
    return target


def _built(mutant: Mutant, module: ModuleType) -> FunctionType:
    space = dict(vars(module))
    exec(compile(mutant.source, str(module.__file__), "exec", flags=FLAGS, dont_inherit=True), space)
    target: Any = space[mutant.function.split(".")[0]]
    for name in mutant.function.split(".")[1:]:
        target = vars(target)[name]
    return _function_of(target)


def _compile_anew(name: str) -> None:
    loops = compiled_functions()
    for other in callers_of(name, loops):
        loops[other]._make_finalizer()()
        loops[other]._reset_overloads()
        loops[other]._cache = NullCache()
