"""The terminal as tables and sentences reach it: nothing that comes from data acts on it.

Conventions: a message is put into words, and a text made visible, when it is made, before its width is measured. The
console makes plain strings visible too, and looks once more at whatever is about to be printed; the styles it adds
itself come after that.

Holds `Text` and `SafeConsole`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text as PlainText

from bertillon.core.escaping import visible
from bertillon.core.messages import Message, spoken


class Text(PlainText):
    """A text of which nothing acts on a terminal."""

    def __init__(self, text: Message | str = "", *args: Any, **options: Any) -> None:
        super().__init__(visible(spoken(text)), *args, **options)

    def append(self, text: Any, style: Any = None) -> Text:
        super().append(visible(spoken(text)) if isinstance(text, Message | str) else text, style)
        return self


class SafeConsole(Console):
    """A console that prints what it is given, and obeys nothing in it."""

    def render_str(self, text: str, **options: Any) -> PlainText:
        return super().render_str(visible(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else visible(text), style, control)
