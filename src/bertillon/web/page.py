"""The operator's page: its words in one language, everything else in two files beside it.

Conventions: the page asks for nothing but its script, its style and the service. The script makes no words: what it
shows stands in the page, in the language asked for.

Holds `page_of`.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from bertillon.core import LANGUAGES, catalogue, say

WORDS = (
    *("title", "token", "sign_in", "sign_out", "refused", "drop", "template", "searching"),
    *("identified", "not_in_gallery", "candidates", "rank", "person", "score", "margin", "passes", "threshold"),
    *("reliability", "reliable", "unreliable", "unknown", "policy", "people", "warning", "faces", "failed", "line"),
    *("measured", "yes", "no", "language", "offline", "interval"),
)
NAMES = {"en": "English", "it": "Italiano", "es": "Español", "zh": "中文"}


@cache
def page_of(lang: str, *, photos: bool) -> str:
    """The page in a language; without photos it takes templates only."""
    from jinja2 import Environment, StrictUndefined

    source = (files("bertillon.web") / "static" / "page.html").read_text(encoding="utf-8")
    made = Environment(autoescape=True, undefined=StrictUndefined).from_string(source)
    words = {name: catalogue(lang).text(say(f"web.{name}")) for name in WORDS}
    return made.render(lang=lang, words=words, photos=photos, languages={code: NAMES[code] for code in LANGUAGES})
