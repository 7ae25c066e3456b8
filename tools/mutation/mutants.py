"""Small changes to the functions of a module, made with mutmut's operators.

mutmut's own runner copies the tree, routes every call through a switch and leaves out decorated functions: all
properties and all compiled loops. Here its operators are applied to every function, and a mutant is a piece of source
that takes the place of one function in a running process; nothing is written to disk.

Left out, as by mutmut: annotations, decorators, docstrings, the arguments of len and isinstance, and everything outside
functions. Left out besides: functions that only the module itself calls, while it is imported; the wording of errors,
which are the strings within a raise statement; and the arguments `strict` of zip and `copy` of astype, a guard that
never speaks up and a copy that is spared.

Holds `Mutant` and `mutants_of`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import libcst as cst
import libcst.matchers as m
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.file_mutation import MutationVisitor, deep_replace
from mutmut.mutation.mutators import mutation_operators
from mutmut.mutation.pragma_handling import IgnoredCode

Lines = range
SILENT = ("strict", "copy")  # arguments that change nothing that could be seen


@dataclass(frozen=True, eq=False)
class Mutant:
    """One change: the function it is in, and the lines of the statement. Its source is made when it is asked for."""

    module: str
    function: str  # with its class, where it has one
    number: int  # within the function
    lines: Lines
    _original: _Function
    _change: Any

    @cached_property
    def source(self) -> str:
        """The changed function without decorators, within its class."""
        return self._original.within_class(self._after)

    @cached_property
    def key(self) -> str:
        """What names the mutant, however its lines move: the function, and the line before and after."""
        old, new = _differing(self._original.source, self._after)
        change = " -> ".join(" ".join(line.strip() for line in lines) for lines in (old, new))
        return f"{self.module.removeprefix('bertillon.')}.{self.function}: {change}"

    @cached_property
    def _after(self) -> list[str]:
        return self._original.changed(self._change)


def mutants_of(path: Path, module: str) -> list[Mutant]:
    """Every mutant of every function of a module, in the order of the source."""
    wrapper = MetadataWrapper(cst.parse_module(path.read_text(encoding="utf-8")))
    changes = _Changes()
    wrapper.visit(changes)
    found: list[Mutant] = []
    importing = _called_on_import(wrapper.module)
    for node, owner in _functions(wrapper.module):
        if node.name.value in importing:
            continue
        function = _Function(wrapper.module, node.with_changes(decorators=[], leading_lines=[]), owner)
        found += [
            Mutant(module, function.name, number, lines, function, change)
            for number, (change, lines) in enumerate(changes.by_function.get(node, ()))
        ]
    return found


def _functions(module: cst.Module) -> Iterator[tuple[cst.FunctionDef, str]]:
    """The functions of a module and the methods of its classes, with the name of the class."""
    for statement in module.body:
        if isinstance(statement, cst.FunctionDef):
            yield statement, ""
        elif isinstance(statement, cst.ClassDef) and isinstance(statement.body, cst.IndentedBlock):
            for method in statement.body.body:
                if isinstance(method, cst.FunctionDef):
                    yield method, statement.name.value


def _called_on_import(module: cst.Module) -> set[str]:
    """The functions that statements outside functions call, and functions do not name."""
    outside: set[str] = set()
    inside: set[str] = set()
    for statement in module.body:
        if isinstance(statement, cst.FunctionDef | cst.ClassDef):
            inside |= _names(m.findall(statement.body, m.Name()))
        else:
            outside |= _names(call.func for call in m.findall(statement, m.Call()) if isinstance(call, cst.Call))
    return outside - inside


def _names(nodes: Iterable[cst.CSTNode]) -> set[str]:
    return {node.value for node in nodes if isinstance(node, cst.Name)}


@dataclass(frozen=True, eq=False)
class _Function:
    """A function of a module, and what becomes of its source."""

    module: cst.Module
    node: cst.FunctionDef
    owner: str

    @property
    def name(self) -> str:
        return f"{self.owner}.{self.node.name.value}" if self.owner else self.node.name.value

    @cached_property
    def source(self) -> list[str]:
        return self._lines(self.node)

    def changed(self, change: Any) -> list[str]:
        return self._lines(deep_replace(self.node, change.original_node, change.mutated_node))

    def within_class(self, lines: list[str]) -> str:
        head, margin = (f"class {self.owner}:\n", "    ") if self.owner else ("", "")
        return head + "\n".join(margin + line for line in lines)

    def _lines(self, node: Any) -> list[str]:
        return self.module.code_for_node(node).splitlines()


def _differing(before: list[str], after: list[str]) -> tuple[list[str], list[str]]:
    """The lines that are not the same, of each."""
    same = [old == new for old, new in zip(before, after, strict=False)]
    start = same.index(False) if False in same else len(same)
    same = [old == new for old, new in zip(before[:start:-1], after[:start:-1], strict=False)]
    kept = same.index(False) if False in same else len(same)
    return before[start : len(before) - kept], after[start : len(after) - kept]


class _Changes(MutationVisitor):
    """mutmut's walk through a module, into decorated functions too, noting the lines of each statement."""

    METADATA_DEPENDENCIES = MutationVisitor.METADATA_DEPENDENCIES

    def __init__(self) -> None:
        super().__init__(mutation_operators, IgnoredCode(set(), set(), set()))
        self.by_function: dict[cst.CSTNode, list[tuple[Any, Lines]]] = {}
        self._statements: list[cst.CSTNode] = []
        self._raising = 0

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.BaseStatement):
            self._statements.append(node)
        self._raising += isinstance(node, cst.Raise)
        return bool(super().on_visit(node))

    def on_leave(self, original_node: cst.CSTNode) -> None:
        super().on_leave(original_node)
        self._raising -= isinstance(original_node, cst.Raise)
        if isinstance(original_node, cst.BaseStatement):
            self._statements.pop()

    def _create_mutations(self, node: cst.CSTNode) -> None:
        if self._raising and isinstance(node, cst.BaseString):
            return
        self.mutations.clear()
        super()._create_mutations(node)
        for mutation in self.mutations:
            if isinstance(node, cst.Call) and _is_silent(node, mutation.mutated_node):
                continue
            function = mutation.contained_by_top_level_function
            if isinstance(function, cst.FunctionDef):
                self.by_function.setdefault(function, []).append((mutation, self._lines()))

    def _skip_node_and_children(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.Arg) and node.keyword is not None and node.keyword.value in SILENT:
            return True
        if isinstance(node, cst.FunctionDef) and node.decorators:
            return bool(super()._skip_node_and_children(node.with_changes(decorators=[])))
        return bool(super()._skip_node_and_children(node))

    def _lines(self) -> Lines:
        """The lines of the innermost statement, of its head alone where it has a body of statements."""
        statement = self._statements[-1]
        place = self.get_metadata(PositionProvider, statement)
        body = getattr(statement, "body", None)
        if isinstance(body, cst.IndentedBlock) and not isinstance(statement, cst.FunctionDef):
            first = self.get_metadata(PositionProvider, body.body[0]).start.line
            return range(place.start.line, max(first, place.start.line + 1))
        return range(place.start.line, place.end.line + 1)


def _is_silent(call: cst.Call, changed: cst.CSTNode) -> bool:
    """Was nothing changed or taken away but one of the silent arguments?"""
    assert isinstance(changed, cst.Call)
    kept = {id(arg) for arg in changed.args}
    gone = [arg for arg in call.args if id(arg) not in kept]
    return bool(gone) and all(arg.keyword is not None and arg.keyword.value in SILENT for arg in gone)
