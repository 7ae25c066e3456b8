"""The terminal as tables and sentences reach it: nothing that comes from data acts on it.

Conventions: a message is put into words, and a text made visible, when it is made, before its width is measured. The
console makes plain strings visible too, and looks once more at whatever is about to be printed; the styles it adds
itself come after that.

Holds `Text` with `plain_text`, `SafeConsole`, `warned` and `named`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text as PlainText

from bertillon.core.escaping import visible
from bertillon.core.messages import Message, say, spoken
from bertillon.core.messages import Text as Words


class Text(PlainText):
    """A text of which nothing acts on a terminal."""

    def __init__(self, text: Words = "", *args: Any, **options: Any) -> None:
        super().__init__(plain_text(text), *args, **options)

    def append(self, text: Any, style: Any = None) -> Text:
        super().append(plain_text(text) if isinstance(text, Message | str) else text, style)
        return self


def plain_text(text: Words) -> str:
    """In words and visible; a space that does not break is one like others, so that it can be searched for."""
    return visible(spoken(text)).replace("\u00a0", " ")


def warned(warning: Words, about: Words = "") -> Message:
    """A warning as a line of the terminal, with the system it is about."""
    return say("terminal.warning", warning=named(warning, about))


def named(text: Words, about: Words) -> Words:
    """A sentence with the system it is about before it; without one where nobody is named."""
    return say("list.named", name=about, message=text) if about else text


class SafeConsole(Console):
    """A console that prints what it is given, and obeys nothing in it."""

    def render_str(self, text: str, **options: Any) -> PlainText:
        return super().render_str(visible(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else visible(text), style, control)
