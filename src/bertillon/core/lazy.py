"""What is loaded when it is first used: packages that take long, and things by name, ours and those of other packages.

Conventions: a file registers what it holds when it is imported. Ours are named in the package they stand in; those of
other packages are named by entry points of the groups `bertillon.measures`, `bertillon.kinds` (of trials),
`bertillon.formats`, `bertillon.matchers` and `bertillon.catalogues`, each of which names a module. They are looked for
when a name is not known or all names are listed, never before. A module that cannot be imported, or takes a name that
is in use, is skipped with a `PluginWarning` that names the package; so is a thing of another package that fails when it
is asked what it is for.

Holds `pl`, which is polars, `h5py`, and `LazyPackage`, by which any other is loaded late; `Registry`, `load_plugins`
and `PluginWarning`.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

__all__ = ["LazyPackage", "PluginWarning", "Registry", "h5py", "load_plugins", "pl"]

T = TypeVar("T")

GROUPS = {  # and which modules of ours come first, so that nobody else takes their names
    "bertillon.measures": tuple(
        f"bertillon.measures.{mode}" for mode in ("identification", "classification", "attacks")
    ),
    "bertillon.kinds": (),
    "bertillon.formats": ("bertillon.io.templates",),
    "bertillon.matchers": ("bertillon.matching.vectors", "bertillon.matching.structured"),
    "bertillon.catalogues": (),
}
_loaded: set[str] = set()
_loading = threading.RLock()
_package: Distribution | None = None  # whose entry point is being loaded


class LazyPackage:
    """What a package offers, asked of it each time; a reader that needs none of it does not load it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)


if TYPE_CHECKING:
    import h5py
    import polars as pl
else:
    h5py, pl = LazyPackage("h5py"), LazyPackage("polars")


class PluginWarning(UserWarning):
    """Something another package offers cannot be used."""


class Registry(Mapping[str, T]):
    """Things of one kind by name, in the order of their registration."""

    def __init__(self, what: str, group: str) -> None:
        self.what, self.group = what, group
        self._things: dict[str, T] = {}
        self._homes: dict[str, str] = {}
        self._packages: dict[str, Distribution | None] = {}

    def add(self, name: str, thing: T, home: str) -> None:
        """Make a thing known; `home` is the module it comes from. Two things cannot share a name."""
        if name in self._things:
            raise ValueError(f"{self.what} {name!r} is registered twice: by {self._homes[name]} and by {home}")
        self._things[name], self._homes[name], self._packages[name] = thing, home, _package

    def home(self, name: str) -> str:
        """The module a registered thing comes from."""
        return self._homes[name]

    def passes(self, name: str, test: Callable[[], bool]) -> bool:
        """Whether a test that comes with a thing says yes; one of another package that fails says no."""
        try:
            return bool(test())
        except (Exception, SystemExit) as error:
            home = self._homes[name]
            if home.partition(".")[0] == "bertillon":
                raise
            problem = f"{self.what} {name!r} ({home}) failed with {type(error).__name__}: {error}"
            _warn_skipped(self._packages[name], problem)
            return False

    def __getitem__(self, name: str) -> T:
        if name not in self._things:
            _load_ours(self.group)
        if name not in self._things:
            load_plugins(self.group)
        return self._things[name]

    def __iter__(self) -> Iterator[str]:
        load_plugins(self.group)
        return iter(self._things)

    def __len__(self) -> int:
        load_plugins(self.group)
        return len(self._things)


def load_plugins(group: str) -> None:
    """Import what other packages offer, once in a process."""
    global _package
    with _loading:
        if group in _loaded:
            return
        _loaded.add(group)
        _load_ours(group)
        for entry in _entries(group):
            _package = entry.dist
            try:
                entry.load()
            except (Exception, SystemExit) as error:
                what = f"{type(error).__name__}: {error}"
                _warn_skipped(entry.dist, f"entry point {entry.name!r} of {group} ({entry.value}) failed with {what}")
            finally:
                _package = None


def _load_ours(group: str) -> None:
    """Import the modules of ours that hold things of a group; nothing happens the second time."""
    for module in GROUPS[group]:
        import_module(module)


def _entries(group: str) -> list[EntryPoint]:
    """The entry points of a group; a package whose list of them cannot be read does not hide those of the others."""
    from importlib.metadata import distributions, entry_points

    try:
        return list(entry_points(group=group))
    except Exception:
        entries: dict[tuple[str, str], EntryPoint] = {}
        for package in distributions():
            try:
                entries |= {(entry.name, entry.value): entry for entry in package.entry_points.select(group=group)}
            except Exception as error:
                _warn_skipped(package, f"its entry_points.txt cannot be read ({type(error).__name__}: {error})")
        return list(entries.values())


def _warn_skipped(package: Distribution | None, problem: str) -> None:
    who = "a package without a name" if package is None else f"package {package.name} {package.version}"
    warnings.warn(f"{who} is skipped: {problem}; fix, update or uninstall it", PluginWarning, stacklevel=2)
