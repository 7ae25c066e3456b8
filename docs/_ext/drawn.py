"""`{drawn} caption` runs the code it holds and shows the `figure` that the code leaves behind.

The figures are made when the site is built, into docs/_generated; the code stands folded beneath each.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).parent.parent.parent
FOLDER = "_generated"
BLOCK = re.compile(r"```\{drawn\} ([^\n]*)\n(.*?)```", re.DOTALL)


def draw(code: str, path: Path) -> Path:
    """Run the code where the examples are, and save its `figure`."""
    from matplotlib import pyplot

    from bertillon.render.figures.style import look

    names: dict[str, Any] = {}
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        with look():
            exec(compile(code, str(path), "exec"), names)
            path.parent.mkdir(parents=True, exist_ok=True)
            names["figure"].savefig(path, metadata={"Date": None})
    finally:
        pyplot.close("all")
        os.chdir(before)
    return path


class Drawn(SphinxDirective):
    """A figure, its caption and its code."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        caption, code = self.arguments[0], "\n".join(self.content)
        name = f"{self.env.docname.replace('/', '-')}-{self.env.new_serialno('drawn') + 1}.svg"
        draw(code, Path(self.env.srcdir) / FOLDER / name)
        image = nodes.image(uri=f"/{FOLDER}/{name}", alt=caption)
        figure = nodes.figure("", image, nodes.caption("", caption), classes=["drawn"])
        fold = nodes.raw("", "<details><summary>The code of this figure</summary>", format="html")
        return [
            figure,
            fold,
            nodes.literal_block(code, code, language="python"),
            nodes.raw("", "</details>", format="html"),
        ]


def setup(app: Sphinx) -> dict[str, Any]:
    """Teach Sphinx the directive."""
    app.add_directive("drawn", Drawn)
    return {"parallel_read_safe": True}
