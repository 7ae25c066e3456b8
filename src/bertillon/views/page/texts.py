"""What the page says: messages as its sentences, and the words of its script.

Holds `sentence` (a message on the page), `script_texts` and `script_texts_of` (a mode).
"""

from __future__ import annotations

from bertillon.core.messages import Catalogue, Message, Text
from bertillon.views.page.model import Sentence
from bertillon.views.report_content import MODES

_LIVE = "page.live."


def sentence(message: Text, catalogue: Catalogue, about: str = "") -> Sentence:
    """A message in the language of the page; words of others stay as they are and carry their language.

    >>> from bertillon.core.messages import catalogue, say
    >>> sentence(say("advice.no_interval"), catalogue("it")).text
    "Non sono stati calcolati intervalli, quindi l'incertezza di questi numeri non è mostrata."
    """
    foreign = not isinstance(message, Message) and catalogue.lang != "en"
    return Sentence(catalogue.text(message), about, "en" if foreign else "")


def script_texts(catalogue: Catalogue) -> dict[str, str]:
    """What the page's script says, whatever the mode, and how it sets thousands apart."""
    modes = tuple(f"{mode}." for mode in MODES)
    every = {name: text for name, text in catalogue.after(_LIVE).items() if not name.startswith(modes)}
    return every | {"group": catalogue("list.thousands")}


def script_texts_of(mode: str, catalogue: Catalogue) -> dict[str, str]:
    """What the script says of one mode."""
    return catalogue.after(f"{_LIVE}{mode}.")
