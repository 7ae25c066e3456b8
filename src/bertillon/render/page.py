"""The page as one file: the template filled, script, style and data put into it, and a policy that allows no others.

Conventions: every text is escaped by the template. The data is JSON in a block that no browser runs, with the signs
that could end the block written as escapes. The content-security policy names the script and the style by their
hashes and allows nothing else: no network, no other script, no frames, no forms.

Holds `html_text` and `policy`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from bertillon._version import __version__
from bertillon.core.messages import Catalogue, visible
from bertillon.core.messages import catalogue as load_catalogue
from bertillon.evaluation import plain
from bertillon.render.figures.style import PALETTE
from bertillon.views.assembling import MODES
from bertillon.views.document import Cell, Chart, Document, Explorer, Matrix, Paragraphs, Table
from bertillon.views.measures import LIVE

if TYPE_CHECKING:
    from jinja2 import Template

FORMAT = "bertillon-page"
SCRIPTS = ("format", "proportion", "scales", "plot", "charts", "systems", "views", "explorer", "tables", "page")
STYLES = ("colours", "page", "explorer", "print")
DARK_PALETTE = ("#5BB0E8", "#FF9142", "#2FC79B", "#E59BC5", "#F0B73C", "#9AD4F5", "#E8E8E8")
_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_PERCENT = re.compile(r"(?<=\d) %")
SHADES = 5  # of a confusion matrix
ON_PAPER = {"pen", "fact", "floor", "ceiling", "ticks", "tick_labels"}
SHORT = 40  # letters of a note that is not broken into lines


def html_text(page: Document) -> str:
    """The whole file, of a document in words."""
    script, style = _script(), _style()
    return _template().render(
        page=page,
        words=load_catalogue(page.lang),
        version=__version__,
        policy=policy(script, style),
        script=script,
        style=style,
        data=_safe_json(_data(page)),
        shade=_shade,
        under=_under,
    )


def policy(script: str, style: str) -> str:
    """What the browser may do with the page: run this script, use this style, and nothing else."""
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _data(page: Document) -> dict[str, Any]:
    """What the script reads, and what a reader can download."""
    return {
        "format": FORMAT,
        "version": page.version,
        "bertillon": __version__,
        "lang": page.lang,
        "title": page.title,
        "words": _script_texts(load_catalogue(page.lang)),
        "explorers": [_embedded(replace(explorer, beside=None)) for explorer in page.explorers],
        "charts": [_embedded(chart) for chart in page.charts],
        "results": list(page.results),
    }


def _embedded(block: Chart | Explorer) -> Any:
    """A block as JSON has it, without what only a drawing on paper asks for."""

    def kept(items: list[tuple[str, Any]]) -> dict[str, Any]:
        return {name: value for name, value in items if name not in ON_PAPER}

    return plain(asdict(block, dict_factory=kept))


def _script_texts(catalogue: Catalogue) -> dict[str, str]:
    """What the page's script says, whatever the mode, and how it sets thousands apart."""
    modes = tuple(f"{mode}." for mode in MODES)
    every = {name: text for name, text in catalogue.after(LIVE).items() if not name.startswith(modes)}
    return every | {"group": catalogue("list.thousands")}


def _safe_json(value: Any) -> str:
    """JSON that cannot end the block it stands in.

    >>> _safe_json("</script>")
    '"\\\\u003c/script\\\\u003e"'
    """
    text = visible(json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":")))
    for sign, escape in _ESCAPES.items():
        text = text.replace(sign, escape)
    return text


@cache
def _template() -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("bertillon.render", "assets")
    surroundings = Environment(
        loader=loader,
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    kinds = {Paragraphs: "words", Table: "table", Matrix: "matrix", Chart: "chart", Explorer: "explorer"}
    surroundings.globals["breakable"] = _breakable
    surroundings.globals["kind"] = lambda block: kinds[type(block)]
    return surroundings.get_template("page.html.j2")


def _shown(value: Any) -> Any:
    """Text with no name that turns the text beside it round, and no line that ends between a number and its sign."""
    return _PERCENT.sub("\u00a0%", visible(value)) if type(value) is str else value


def _breakable(name: Any) -> Any:
    """A name as HTML: it may be broken behind its @, and nowhere in a word."""
    from markupsafe import Markup, escape

    return escape(_shown(str(name))).replace("@", Markup("@<wbr>"))


@cache
def _script() -> str:
    """All script files as one, in a scope of their own."""
    return '"use strict";\n(() => {\n' + _joined([f"js/{name}.js" for name in SCRIPTS]) + "})();\n"


@cache
def _style() -> str:
    """All style files as one, with the colours of the figures."""
    light = "".join(f"--s{i}:{colour};" for i, colour in enumerate(PALETTE))
    dark = "".join(f"--s{i}:{colour};" for i, colour in enumerate(DARK_PALETTE))
    return _joined([f"css/{name}.css" for name in STYLES]).replace("/*light*/", light).replace("/*dark*/", dark)


def _joined(names: Sequence[str]) -> str:
    home = files("bertillon.render") / "assets"
    return "".join((home / name).read_text(encoding="utf-8") for name in names)


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _shade(share: float) -> int:
    """Which of the shades a share of a row gets; 0 only for nothing at all."""
    return 0 if share <= 0.0 else min(SHADES, 1 + int(share * SHADES))


def _under(cell: Cell) -> str:
    """What stands under the value of a cell, line by line; short lines are not broken."""
    lines = [str(line) for line in (cell.meaning, *cell.note) if line]
    return "\n".join(
        line.replace(" ", "\u00a0") if line in cell.note and len(line) <= SHORT else line for line in lines
    )
