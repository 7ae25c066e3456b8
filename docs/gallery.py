"""Draw the pictures of docs/figures.md: each is what the code above it draws.

Run it after a change of figures, and look at every picture that changed; the tests compare them.
"""

from __future__ import annotations

import doctest
import os
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "figures.md"
DPI = 110
PART = re.compile(r"```python\n(.*?)```|!\[[^\]]*\]\(images/([\w-]+\.png)\)", re.DOTALL)


def draw_all(folder: Path) -> list[Path]:
    """Run the page's examples in order, and save after each what it drew; the files in the order of the page."""
    names: dict[str, Any] = {}
    written = []
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        for code, picture in PART.findall(PAGE.read_text()):
            if picture:
                written.append(_save(names["ax"].figure, folder / picture))
            else:
                for example in doctest.DocTestParser().get_examples(code):
                    exec(compile(example.source, str(PAGE), "single"), names)
    finally:
        os.chdir(before)
    return written


def _save(figure: Any, path: Path) -> Path:
    from matplotlib import pyplot

    from bertillon.render.figures.style import look

    with look():
        figure.savefig(path, dpi=DPI, metadata={"Software": "bertillon"})
    pyplot.close(figure)
    return path


if __name__ == "__main__":
    sys.displayhook = lambda _: None
    for path in draw_all(ROOT / "docs" / "images"):
        print(path.relative_to(ROOT))
