"""The site: Markdown pages, generated ones (_ext/generated.py) and figures drawn on the way (_ext/drawn.py).

`make docs` builds it with warnings as errors. Nothing is fetched: the pages need no network, to build or to read.
"""

from __future__ import annotations

import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS / "_ext"), str(DOCS)]

from bertillon._version import __version__  # noqa: E402

project = "bertillon"
author = "The bertillon developers"
project_copyright = f"2026, {author}"
version = release = __version__

extensions = ["myst_parser", "generated", "drawn", "terminal"]
exclude_patterns = ["_build", "_generated", "_ext"]
source_suffix = {".md": "markdown"}
myst_enable_extensions = ["deflist", "fieldlist"]
myst_heading_anchors = 3
nitpicky = True
smartquotes = False  # -- is an option, not a dash

html_theme = "furo"
html_title = f"bertillon {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
pygments_style = "tango"
pygments_dark_style = "native"
