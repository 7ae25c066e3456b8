"""What every finding can do with itself: be shown in a notebook, drawn, written and handed to other tools.

Conventions: rooms that measure know nothing of those that show. A finding asks for a way of showing by name, and the
module that has it is imported then.

Holds `Finding`, `Plots` and `shown_by`; `AROUND`, the keywords of a report (`Around`); `short_repr` for holders of
data.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypedDict, Unpack

from bertillon.core.arguments import Keywords
from bertillon.core.errors import InputError

if TYPE_CHECKING:
    import os

WAYS = {  # by name: the module and the function
    "html": ("bertillon.render.notebook", "html_fragment"),
    "lines": ("bertillon.render.notebook", "answer_lines"),
    "latex": ("bertillon.render.notebook", "latex_tables"),
    "report": ("bertillon.render.reports", "write_report"),
    "plots": ("bertillon.render.figures.plots", "plots_of"),
    "estimate": ("bertillon.views.numbers", "estimate_text"),
    "difference": ("bertillon.advice.paired", "difference_line"),
    "inspection": ("bertillon.render.console", "inspection_text"),
}


def shown_by(way: str) -> Callable[..., Any]:
    """The function that shows something in a way, imported when it is first asked for."""
    module, name = WAYS[way]
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function


def short_repr(thing: Any) -> str:
    """What a holder of data is, in a line: how many trials, or how large its arrays are; never the arrays themselves.

    >>> from bertillon.core.tables import TemplateTable
    >>> TemplateTable([[0.1, 0.2], [0.3, 0.4]], ["anna", "bob"])
    <TemplateTable: templates 2 x 2, subject 2, sample 2, kind 'vector'>
    """
    kind, name = type(thing).__name__, getattr(thing, "name", "")
    of = f" of {name}" if isinstance(name, str) and name else ""
    counts = getattr(thing, "counts", None)
    if isinstance(counts, dict):
        facts = [f"{number:,} {what}" for what, number in counts.items() if number or what != "failed"]
        rule = getattr(getattr(thing, "rule", None), "value", "")
        return f"<{kind}{of}: {', '.join(facts)}{f'; {rule}' if rule else ''}>"
    held = ((field.name, getattr(thing, field.name)) for field in fields(thing) if not field.name.startswith("_"))
    return f"<{kind}{of}: {', '.join(f'{name} {_size(value)}' for name, value in held if _is_told(name, value))}>"


def _is_told(name: str, value: Any) -> bool:
    plain = isinstance(value, bool | int | float | str) and value not in ("", "memory")
    sized = not isinstance(value, str) and hasattr(value, "__len__")
    return name not in ("name", "notes", "warnings") and (plain or sized)


def _size(value: Any) -> str:
    shape = getattr(value, "shape", None)
    if shape is not None:
        return " x ".join(f"{length:,}" for length in shape)
    return repr(value) if isinstance(value, bool | int | float | str) else f"{len(value):,}"


class Plots:
    """The figures of a finding by name: `e.plot.det()` draws into the current axes and returns them."""

    __slots__ = ("_finding",)

    def __init__(self, finding: Any) -> None:
        self._finding = finding

    def __call__(self, *_: Any, **__: Any) -> Any:
        names = [f".plot.{name}()" for name in dir(self)]
        raise InputError(f"name the figure to draw: {', '.join(names) or 'this finding has none'}")

    def __getattr__(self, name: str) -> Any:
        figures = shown_by("plots")(self._finding)
        if name.startswith("__") or name not in figures:
            raise AttributeError(f"no figure {name!r} of this finding; there are: {', '.join(figures) or 'none'}")
        return figures[name]

    def __dir__(self) -> list[str]:
        return [*shown_by("plots")(self._finding)]

    def __repr__(self) -> str:
        return f"<plots: {', '.join(dir(self)) or 'none'}>"


class Around(TypedDict, total=False):
    """What stands around the numbers of a report; the numbers are the same."""

    lang: str
    title: str
    author: str
    notes: str | os.PathLike[str]


AROUND = Keywords(Around, lang="en", title="", author="", notes="")


class Finding:
    """Something that was found and can be shown: in a notebook, as a report, as LaTeX, as figures."""

    __slots__ = ()
    shown_in: ClassVar[str] = ""  # the module that registers its view, where the room is above the views

    @property
    def plot(self) -> Plots:
        """Its figures: `finding.plot.det()` draws into the current axes; `dir(finding.plot)` lists them."""
        return Plots(self)

    @AROUND
    def report(
        self,
        path: str | os.PathLike[str],
        **around: Unpack[Around],
    ) -> Path:
        """Write the report; the suffix says which kind: .html, .md, .tex, .json or .csv.

        Parameters
        ----------
        path
            The file to write.
        **around
            The language `lang` (en, it, es or zh), and for people a `title`, an `author`, and `notes`: a text that
            stands before the numbers, or a `Path` to a file that holds it.

        Returns
        -------
        Path
            The file written.
        """
        written: Path = shown_by("report")(self, path, **around)
        return written

    def for_report(self) -> Any:
        """What a report shows of it: itself, or the same with more than the answer."""
        return self

    def to_pandas(self) -> Any:
        """Its table as a pandas DataFrame; without pandas use `to_frame`, which gives a polars one.

        Returns
        -------
        pandas.DataFrame
            One row per measure.
        """
        if not hasattr(self, "to_frame"):
            raise InputError(f"a {type(self).__name__} is no single table; use to_latex() or report()")
        try:
            pandas = import_module("pandas")
        except ImportError:
            raise InputError("pandas is not installed; use to_frame(), or install pandas") from None
        return pandas.DataFrame(self.to_frame().to_dict(as_series=False))

    def to_latex(self) -> str:
        """The tables of the answer as LaTeX, with the rules of `booktabs`."""
        text: str = shown_by("latex")(self)
        return text

    def __repr__(self) -> str:
        """What it is, and what it says, a line each; never its arrays."""
        name = getattr(self, "name", "")
        of = f" of {name}" if isinstance(name, str) and name else ""
        try:
            lines = shown_by("lines")(self)
        except InputError:  # of another package, which has registered no view
            lines = []
        return "\n  ".join([f"<{type(self).__name__}{of}", *lines]) + ">"

    def _repr_html_(self) -> str:
        text: str = shown_by("html")(self)
        return text
