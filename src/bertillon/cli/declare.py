"""How the parameters of a command are declared: groups of options are frozen dataclasses, their fields the options.

Conventions: only the standard library is imported here, and files of commands import other rooms from `rooms`, so that
`--help` takes milliseconds. A command is a function of arguments, annotated with `argument`, and of option groups; a
group in which some options make no sense for a command is annotated with `only` or `without`.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

MOST_FIELDS = 13  # of a group
MOST_PARAMETERS = 14  # of a command: its arguments and groups
OPTIONS, ARGUMENTS = "Options", "Arguments"  # panels of what names none
METAVARS = {bool: "", int: "NUMBER", float: "NUMBER", str: "TEXT", Path: "FILE"}
_KEY = "bertillon option"


class DeclarationError(TypeError):
    """A command or a group of options is declared wrongly: a fault of the program, not of its user."""


@dataclass(frozen=True, slots=True)
class Spec:
    """What is known of a parameter beside its name, type and default."""

    help: str
    flags: tuple[str, ...] = ()  # none for an argument
    metavar: str = ""
    panel: str = ""
    writes: bool = False  # a file that the command writes, which must be none that it reads
    updates: bool = False  # a file that the command may both read and write
    measures_of: tuple[str, ...] = ()  # modes whose measures a shell offers; of one that is chosen by --mode


def option(
    *flags: str,
    help: str,
    default: Any = None,
    metavar: str = "",
    panel: str = "",
    writes: bool = False,
    updates: bool = False,
    measures_of: tuple[str, ...] = (),
    required: bool = False,
) -> Any:
    """A field of an option group; without flags it is spelled as its name, `--max-memory` for `max_memory`.

    `--stream/--no-stream` is a flag that can be negated; a field of a tuple is an option that can be repeated.
    """
    spec = Spec(help, flags, metavar, panel, writes, updates, measures_of)
    return field(default=MISSING if required else default, kw_only=True, metadata={_KEY: spec})


def argument(metavar: str, help: str, *, writes: bool = False) -> Spec:
    return Spec(help, (), metavar, ARGUMENTS, writes)


@dataclass(frozen=True, slots=True)
class Adjusted:
    """How a command uses a group: which of its options, with which help and defaults."""

    only: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()
    help: Mapping[str, str] = field(default_factory=dict)
    default: Mapping[str, Any] = field(default_factory=dict)


def only(*names: str) -> Adjusted:
    """These options of the group, and no others."""
    return Adjusted(only=frozenset(names))


def without(*names: str) -> Adjusted:
    """All options of the group but these."""
    return Adjusted(without=frozenset(names))


def reworded(**help: str) -> Adjusted:
    """The group with another help for some of its options."""
    return Adjusted(help=help)


def with_default(**default: Any) -> Adjusted:
    """The group with other defaults for some of its options."""
    return Adjusted(default=default)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument or option of a command."""

    name: str
    spec: Spec
    kind: type  # of one value
    many: bool
    choices: tuple[str, ...]
    default: Any
    required: bool

    @property
    def is_argument(self) -> bool:
        return not self.spec.flags

    @property
    def is_flag(self) -> bool:
        return self.kind is bool

    @property
    def flags(self) -> list[str]:
        """Every spelling, that of the negation last."""
        return [flag for spelling in self.spec.flags for flag in spelling.split("/")]

    @property
    def label(self) -> str:
        """What an error calls it: its long spelling, or the name of its value."""
        return max(self.spec.flags, key=len).partition("/")[0] if self.spec.flags else self.spec.metavar

    @property
    def metavar(self) -> str:
        """What its value is, in a word."""
        return self.spec.metavar or "|".join(self.choices) or METAVARS[self.kind]

    @property
    def usage(self) -> str:
        """How it is typed: `--scheme NAME`, or `FILE...` for an argument."""
        return f"{self.metavar}{'...' * self.many}" if self.is_argument else f"{self.label} {self.metavar}".rstrip()

    def value(self, value_given: Any) -> Any:
        """What the command gets: the default where nothing was given, and tuples."""
        if value_given is None or value_given == ():
            return self.default
        return tuple(value_given) if self.many else value_given


@dataclass(frozen=True, slots=True)
class Declaration:
    """A command: its function, all of its parameters in order, and the groups that some of them belong to."""

    function: Callable[..., None]
    parameters: tuple[Parameter, ...]
    groups: Mapping[str, tuple[type, tuple[str, ...]]]  # by parameter of the function: class, and fields that are used

    @property
    def help(self) -> str:
        return inspect.cleandoc(self.function.__doc__ or "")

    @property
    def example(self) -> str:
        """The line to type that its help shows; "" where it shows none."""
        _, found, rest = self.help.partition("Example: ")
        return " ".join(rest.partition("\n\n")[0].split()) if found else ""

    def arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """What the function is called with: values of its arguments, and groups made of the values of options."""
        values = {parameter.name: parameter.value(given.get(parameter.name)) for parameter in self.parameters}
        made = {name: group(**{used: values[used] for used in fields}) for name, (group, fields) in self.groups.items()}
        return {parameter.name: values[parameter.name] for parameter in self.parameters if parameter.is_argument} | made


def declared(function: Callable[..., None]) -> Declaration:
    """A command's function resolved; what is declared wrongly raises `DeclarationError`."""
    hints = get_type_hints(function, include_extras=True)
    hints.pop("return", None)
    if len(hints) > MOST_PARAMETERS:
        raise DeclarationError(f"{function.__name__}: {len(hints)} parameters; expected at most {MOST_PARAMETERS}")
    parameters: list[Parameter] = []
    groups: dict[str, tuple[type, tuple[str, ...]]] = {}
    defaults = dict(zip(reversed(list(hints)), reversed(function.__defaults__ or ()), strict=False))
    for name, hint in hints.items():
        bare, marks = (get_args(hint)[0], get_args(hint)[1:]) if get_origin(hint) is Annotated else (hint, ())
        if isinstance(bare, type) and is_dataclass(bare):
            options = list(_options(bare, marks))
            groups[name] = (bare, tuple(parameter.name for parameter in options))
            parameters += options
        else:
            [spec] = [mark for mark in marks if isinstance(mark, Spec)] or [Spec("", (), name.upper(), ARGUMENTS)]
            parameters.append(_parameter(name, bare, spec, defaults.get(name, MISSING)))
    names = Counter(name for parameter in parameters for name in (parameter.name, *parameter.flags))
    if twice := [name for name, times in names.items() if times > 1]:  # groups share neither names nor flags
        raise DeclarationError(f"{function.__name__}: {twice[0]} is declared twice")
    return Declaration(function, tuple(parameters), groups)


def _options(group: Any, marks: Iterable[Any]) -> Iterator[Parameter]:
    """The options of a group, as far as a command uses them."""
    own = fields(group)
    if len(own) > MOST_FIELDS:
        raise DeclarationError(f"{group.__name__}: {len(own)} options; expected at most {MOST_FIELDS}")
    hints, adjusted = get_type_hints(group), [mark for mark in marks if isinstance(mark, Adjusted)]
    names = {declared_field.name for declared_field in own}
    for mark in adjusted:
        unknown = {*mark.only, *mark.without, *mark.help, *mark.default} - names
        if unknown:
            raise DeclarationError(f"{group.__name__}: has no option {', '.join(sorted(unknown))}")
    for declared_field in own:
        name, spec, default = declared_field.name, _spec(group, declared_field), declared_field.default
        if any((mark.only and name not in mark.only) or name in mark.without for mark in adjusted):
            continue
        for mark in adjusted:
            default = mark.default.get(name, default)
            spec = replace(spec, help=mark.help.get(name, spec.help))
        yield _parameter(name, hints[name], spec, default)


def _spec(group: Any, declared_field: Field[Any]) -> Spec:
    """What a field declares, with the usual spelling and the panel of its group where it names none."""
    spec = declared_field.metadata.get(_KEY)
    if not isinstance(spec, Spec):
        raise DeclarationError(f"{group.__name__}.{declared_field.name}: is no option; expected `= option(...)`")
    flags = spec.flags or (f"--{declared_field.name.replace('_', '-')}",)
    return replace(spec, flags=flags, panel=spec.panel or getattr(group, "PANEL", OPTIONS))


def _parameter(name: str, hint: Any, spec: Spec, default: Any) -> Parameter:
    """A parameter of a type: X, X | None, tuple[X, ...]; X a plain type or a Literal of texts."""
    bare, many = hint, False
    choices: tuple[str, ...] = ()
    if get_origin(bare) in (Union, UnionType):
        [bare] = [part for part in get_args(bare) if part is not NoneType]
    if get_origin(bare) is tuple:
        bare, many = get_args(bare)[0], True
    if get_origin(bare) is Literal:
        bare, choices = str, tuple(get_args(bare))
    if bare not in METAVARS:
        raise DeclarationError(f"{name}: no option is of type {hint}")
    required = default is MISSING
    empty: Any = () if many else None
    return Parameter(name, spec, bare, many, choices, empty if required or default is None else default, required)


def given_options(*groups: Any) -> list[str]:
    """The options of groups that differ from their defaults, as they are spelled."""
    return [
        max(_spec(type(group), declared_field).flags, key=len).partition("/")[0]
        for group in groups
        for declared_field in fields(group)
        if getattr(group, declared_field.name) != declared_field.default
    ]
