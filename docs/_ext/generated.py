"""`{generated} name` in a page becomes the Markdown that the generator of this name writes when the site is built.

The generators have a module each: measures (measure_pages), commands (command_pages), the names of the library
(name_pages), the schema (schema_pages) and the figures of the benchmarks (docs/refresh.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from command_pages import commands
from measure_pages import measures
from name_pages import names
from refresh import benchmarks_table
from schema_pages import schema
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

GENERATORS: dict[str, Callable[..., str]] = {
    "benchmarks": benchmarks_table,
    "commands": commands,
    "measures": measures,
    "names": names,
    "schema": schema,
}
PLACE = re.compile(r"```\{generated\} ([^\n]*)\n```")


def filled(text: str) -> str:
    """A page with what its places ask for."""
    return PLACE.sub(lambda place: _generate(*place[1].split()), text)


def _generate(name: str, *options: str) -> str:
    if name not in GENERATORS:
        raise ExtensionError(f"nothing generates {name!r}; expected {', '.join(GENERATORS)}")
    return GENERATORS[name](*options)


def _fill(_: Sphinx, __: str, source: list[str]) -> None:
    source[0] = filled(source[0])


def _outdated(_: Sphinx, env: Any, *__: set[str]) -> list[str]:
    """Generated pages follow the code, which is no source of theirs: they are made anew every time."""
    return [name for name in env.found_docs if PLACE.search(Path(env.doc2path(name)).read_text())]


def setup(app: Sphinx) -> dict[str, Any]:
    """Fill pages after they are read."""
    app.connect("source-read", _fill)
    app.connect("env-get-outdated", _outdated)
    return {"parallel_read_safe": True}
