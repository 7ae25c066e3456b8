"""Draw the one-way street of docs/architecture.md: the layers of pyproject.toml, in the words of the page's headings.

Run it after a change of layers; the tests compare the picture with what it would draw.
"""

from __future__ import annotations

import re
import tomllib
from html import escape
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "architecture.md"
PICTURE = ROOT / "docs" / "images" / "street.svg"
WIDTH, LINE, GAP, LEFT = 440, 22, 14, 8


def layers() -> list[list[str]]:
    """The layers as data pass them: what others stand on comes first; neighbours in one list do not know each other."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    [street] = [one for one in contracts if one["type"] == "layers"]
    return [entry.split(" | ") for entry in reversed(street["layers"])]


def headings() -> dict[str, str]:
    """What the page calls each layer."""
    return dict(re.findall(r"^### `(\w+)`: (.*)$", PAGE.read_text(), re.MULTILINE))


def picture() -> str:
    """The street as SVG, the layers from top to bottom."""
    words, parts, y = headings(), [], 4
    for number, band in enumerate(layers()):
        height = LINE * len(band) + 6
        if number:
            parts.append(f'<path d="M{WIDTH // 2} {y - GAP + 2}v{GAP - 6}" class="arrow" marker-end="url(#head)"/>')
        parts.append(f'<rect x="{LEFT}" y="{y}" width="{WIDTH - 2 * LEFT}" height="{height}" rx="5"/>')
        for row, name in enumerate(band):
            line = y + LINE * (row + 1) - 4
            parts.append(f'<text x="20" y="{line}" class="name">{name}</text>')
            parts.append(f'<text x="122" y="{line}">{escape(words[name])}</text>')
        y += height + GAP
    return _TEMPLATE.format(width=WIDTH, height=y - GAP + 4, parts="\n".join(parts))


_TEMPLATE = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">
<title>The rooms of bertillon, in the order in which data pass them</title>
<style>
rect {{ fill: #eef4f8; stroke: #0072b2; }}
text {{ font: 12.5px sans-serif; fill: #222222; }}
.name {{ font-family: monospace; font-weight: bold; }}
.arrow {{ stroke: #666666; fill: none; }}
</style>
<defs><marker id="head" markerWidth="8" markerHeight="8" refX="4" refY="3" orient="auto">
<path d="M0 0L4 3L0 6z" fill="#666666"/></marker></defs>
{parts}
</svg>
"""

if __name__ == "__main__":
    PICTURE.write_text(picture())
