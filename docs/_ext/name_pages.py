"""The public names of the library by task: how each is called, and what it says of itself."""

from __future__ import annotations

import enum
import inspect
import re
from operator import attrgetter
from typing import Any

WIDTH = 88
LONGEST = 40  # of a default


TASKS = {  # a page of the reference each, and what stands on it; namespaces have a list of what they offer
    "evaluating": ("evaluate", "Evaluation", "eer", "auc", "Estimate", "evaluate_embeddings"),
    "comparing": ("compare", "Comparison"),
    "reading": ("read_scores", "read_systems", "stream_scores", "read_predictions", "read_templates", "inspect"),
    "trials": ("ScoreSet", "trials.ScoreStream", "SearchSet", "Predictions", "TrialIds", "Failures", "AcceptRule"),
    "templates": ("TemplateTable", "matcher", "Comparing", "extract", "extraction.face_model", "Gallery"),
    "measures": ("parse", "measures.Measure"),
    "intervals": ("Settings",),
    "showing": ("plot", "write_report", "save_figures"),
    "deciding": (
        *("advise", "fpir_by_gallery"),
        *("analysis.check_scheme", "analysis.by_condition", "analysis.transactions"),
        *("calibration", "simulate"),
    ),
    "errors": ("BertillonError", "InputError"),
    "namespaces": (
        "analysis",
        "counting",
        "evaluation",
        "extraction",
        "gallery",
        "io",
        "matching",
        "measures",
        "stats",
        "trials",
        "views",
    ),
}
IN_FULL = ("plot", "simulate")  # namespaces of which every name has an entry
_SECTION = re.compile(r"^(\w[\w ]*)\n-+$", re.MULTILINE)


def names(task: str = "") -> str:
    """The names of a task, or a table of all tasks."""
    import bertillon

    if not task:
        return _tasks()
    return "\n\n".join(_entry(name, attrgetter(name)(bertillon)) for name in TASKS[task]) + "\n"


def _tasks() -> str:
    """Each page with its names."""
    rows = [f"| [{task}](api/{task}.md) | {', '.join(f'`{name}`' for name in TASKS[task])} |" for task in TASKS]
    return "\n".join(["| task | names |", "|---|---|", *rows]) + "\n"


def _entry(name: str, named: Any) -> str:
    if inspect.ismodule(named):
        return "\n\n".join([f"## {name}", _first_paragraph(named), *_offered(name, named)])
    parts = [f"## {name}", f"```python\n{_signature(name, named)}\n```", *_documented(named)]
    if inspect.isclass(named):
        parts += _members(named)
    return "\n\n".join(parts)


def _offered(name: str, module: Any) -> list[str]:
    """What a namespace holds, in full or a line each."""
    own = [each for each, one in vars(module).items() if getattr(one, "__module__", "") == module.__name__]
    offered = getattr(module, "__all__", [each for each in own if not each.startswith("_")])
    held = {each: getattr(module, each) for each in offered}
    if name in IN_FULL:
        return [
            "\n\n".join([f"### {name}.{each}", f"```python\n{_signature(each, one)}\n```", *_documented(one)])
            for each, one in held.items()
        ]
    described = {each: one for each, one in held.items() if inspect.isclass(one) or inspect.isroutine(one)}
    return ["\n".join(f"- `{name}.{each}`: {_first_paragraph(one)}" for each, one in described.items())]


def _documented(named: Any) -> list[str]:
    """A docstring of NumPy's style as Markdown: sentences, parameters as a list, examples as code."""
    text = inspect.getdoc(named) or ""
    head, *rest = _SECTION.split(text)
    parts = [_plain(paragraph) for paragraph in head.strip().split("\n\n") if not paragraph.startswith(">>>")]
    parts += [_code(paragraph) for paragraph in head.strip().split("\n\n") if paragraph.startswith(">>>")]
    for title, body in zip(rest[::2], rest[1::2], strict=True):
        shown = _code(body.strip()) if title == "Examples" else _listed(body.strip("\n"))
        parts += [f"**{title}**", shown]
    return parts


def _code(text: str) -> str:
    return f"```pycon\n{text}\n```"


def _listed(body: str) -> str:
    """Lines of names, each with what is indented under it."""
    items: list[list[str]] = []
    for line in body.splitlines():
        if line[:1].strip():
            items.append([line])
        elif line.strip():
            items[-1].append(line.strip())
    return "\n".join(f"- `{name}`: {_plain(' '.join(words))}" for name, *words in items)


def _plain(text: str) -> str:
    """A paragraph in one line, signs of Markdown as they are."""
    line = " ".join(text.split())
    return re.sub(r"(?<![`\w])([*_<\[])|(?<=\w)([<])", r"\\\g<0>", line) if "`" not in line else line


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
    return _plain((inspect.getdoc(named) or "").partition("\n\n")[0])
