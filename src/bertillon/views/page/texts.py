"""What the page says: messages as its sentences, and the words of its script.

Holds `said` (a message on the page), `live_words` and `live_words_of` (a mode).
"""

from __future__ import annotations

from bertillon.core.messages import Catalogue, Message, Text
from bertillon.views.findings import MODES
from bertillon.views.page.model import Said

_LIVE = "page.live."


def said(message: Text, words: Catalogue, about: str = "") -> Said:
    """A message in the language of the page; words of others stay as they are and carry their language.

    >>> from bertillon.core.messages import catalogue, say
    >>> said(say("advice.no_interval"), catalogue("it")).text
    "Non sono stati calcolati intervalli, quindi l'incertezza di questi numeri non è mostrata."
    """
    foreign = not isinstance(message, Message) and words.lang != "en"
    return Said(words.text(message), about, "en" if foreign else "")


def live_words(words: Catalogue) -> dict[str, str]:
    """What the page's script says, whatever the mode, and how it sets thousands apart."""
    modes = tuple(f"{mode}." for mode in MODES)
    every = {name: text for name, text in words.after(_LIVE).items() if not name.startswith(modes)}
    return every | {"group": words("list.thousands")}


def live_words_of(mode: str, words: Catalogue) -> dict[str, str]:
    """What the script says of one mode."""
    return words.after(f"{_LIVE}{mode}.")
