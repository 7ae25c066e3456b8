"""The parts of the JSON schema as tables: each key, what it holds, and whether it is always there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SCHEMA = Path(__file__).parent.parent / "schema" / "bertillon-1.json"


def schema() -> str:
    """Every part of the schema that has keys."""
    document = json.loads(SCHEMA.read_text())
    return "\n\n".join(_section(name, part) for name, part in document["$defs"].items()) + "\n"


def _section(name: str, part: dict[str, Any]) -> str:
    keys = _keys(part)
    found = [f"## {name}", part.get("description", "") or ("" if keys else f"{_kind(part).capitalize()}.")]
    if keys:
        rows = [f"| `{key}` | {kind} | {always} | {words} |" for key, kind, always, words in keys]
        found.append("\n".join(["| key | holds | always | |", "|---|---|---|---|", *rows]))
    return "\n\n".join(text for text in found if text)


def _keys(part: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    required = part.get("required", ())
    rows = [
        (key, _kind(value), "yes" if key in required else "", value.get("description", "").replace("|", "/"))
        for key, value in part.get("properties", {}).items()
    ]
    for inner in part.get("allOf", ()):
        rows += _keys(inner)
    return rows


def _kind(value: dict[str, Any]) -> str:
    if "$ref" in value:
        name = value["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{name.lower()})"
    for several in ("anyOf", "oneOf"):
        if several in value:
            return " or ".join(_kind(one) for one in value[several])
    if "const" in value:
        return f"`{json.dumps(value['const'])}`"
    if "enum" in value:
        return " or ".join(f"`{json.dumps(one)}`" for one in value["enum"])
    kind = value.get("type", "anything")
    if kind == "array":
        return f"a list of {_kind(value.get('items', {}))}"
    return " or ".join(kind) if isinstance(kind, list) else kind
