"""Blocks of `console`: what follows `$ ` was typed, all else was printed, whatever signs it holds."""

from __future__ import annotations

from typing import Any, ClassVar

from pygments.lexer import RegexLexer, bygroups
from pygments.token import Generic, Text
from sphinx.application import Sphinx


class TerminalLexer(RegexLexer):
    """Two kinds of lines. The usual lexer takes any line with a % or # in it for a prompt."""

    name = "Terminal"
    tokens: ClassVar[dict[str, list[Any]]] = {
        "root": [(r"^(\$ )(.*\n?)", bygroups(Generic.Prompt, Generic.Strong)), (r".*\n", Generic.Output), (r".+", Text)]
    }


def setup(app: Sphinx) -> dict[str, Any]:
    """Use it in place of the usual one."""
    app.add_lexer("console", TerminalLexer)
    return {"parallel_read_safe": True}
