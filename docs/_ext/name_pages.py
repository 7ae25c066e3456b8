"""The public names of the library, layer by layer: how each is called, and the first words it says of itself."""

from __future__ import annotations

import enum
import importlib
import inspect
import re
from typing import Any

from street import layers

WIDTH = 88
LONGEST = 40  # of a default


def names() -> str:
    """Every name of `bertillon.__all__`, under the layer it belongs to."""
    import bertillon

    by_layer: dict[str, list[str]] = {}
    offered = {name: getattr(bertillon, name) for name in bertillon.__all__ if not name.startswith("__")}
    namespaces = {name: named for name, named in offered.items() if inspect.ismodule(named)}
    for name, named in offered.items():
        if name not in namespaces:
            by_layer.setdefault(layer_of(named), []).append(name)
    parts = ["## Namespaces", *(f"### {name}\n\n{_first_paragraph(named)}" for name, named in namespaces.items())]
    for layer in (one for band in layers() for one in band if one in by_layer):
        members = by_layer[layer]
        first = _first_paragraph(importlib.import_module(f"bertillon.{layer}"))
        parts += [f"## {layer}", first, *(_entry(name, getattr(bertillon, name)) for name in members)]
    return "\n\n".join(parts) + "\n"


def layer_of(named: Any) -> str:
    """The layer that a class or function lives in."""
    return str(named.__module__).split(".")[1]


def _entry(name: str, named: Any) -> str:
    parts = [f"### {name}", f"```python\n{_signature(name, named)}\n```", _first_paragraph(named)]
    if inspect.isclass(named):
        parts += _members(named)
    return "\n\n".join(parts)


def _signature(name: str, named: Any) -> str:
    """How it is called, in one line where that is short enough, else with a parameter a line."""
    if inspect.isclass(named) and issubclass(named, enum.Enum | Exception):
        return f"class {name}"
    signature = inspect.signature(named)
    head = f"class {name}" if inspect.isclass(named) else name
    parameters, returned = _parameters(signature), _returned(signature)
    line = f"{head}({', '.join(parameters)}){returned}"
    if len(line) <= WIDTH:
        return line
    return f"{head}(\n" + "".join(f"    {one},\n" for one in parameters) + f"){returned}"


def _parameters(signature: inspect.Signature) -> list[str]:
    """The parameters in order, with a star before those that must be named."""
    found: list[str] = []
    for one in signature.parameters.values():
        if one.kind is one.KEYWORD_ONLY and not any(text.startswith("*") for text in found):
            found.append("*")
        stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        kind = "" if one.annotation is one.empty else f": {one.annotation}"
        found.append(f"{stars}{one.name}{kind}{'' if one.default is one.empty else f' = {_default(one.default)}'}")
    return found


def _default(value: Any) -> str:
    """A default as it is written; long ones and those made anew each time are left out."""
    text = str(value) if isinstance(value, enum.Enum) else repr(value)
    return "..." if len(text) > LONGEST or "<" in text else text


def _returned(signature: inspect.Signature) -> str:
    found = signature.return_annotation
    return "" if found in (inspect.Signature.empty, None, "None") else f" -> {found}"


def _members(named: type) -> list[str]:
    """Methods and properties that say what they are, one a line."""
    found = []
    for name, member in vars(named).items():
        inner = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        if name.startswith("_") or not getattr(inner, "__doc__", None) or not callable(inner):
            continue
        brackets = "" if isinstance(member, property) else "()"
        found.append(f"`.{name}{brackets}`\n: {_first_paragraph(inner)}")
    return ["\n\n".join(found)] if found else []


def _first_paragraph(named: Any) -> str:
    text = " ".join((inspect.getdoc(named) or "").partition("\n\n")[0].split())
    return re.sub(r"(?<![`\w])([*_<\[])|(?<=\w)([<])", r"\\\g<0>", text) if "`" not in text else text
