"""`bertillon formats` and `bertillon matchers`: what files can be read, and how templates can be compared."""

from __future__ import annotations

from collections.abc import Iterable


def formats() -> None:
    """List the formats of files: of scores, and of templates."""
    from bertillon.io import FORMATS
    from bertillon.io.templates import TEMPLATE_FORMATS

    _show("scores", ((f"{name} ({_use(one.reads, one.writes)})", one.summary) for name, one in FORMATS.items()))
    known = TEMPLATE_FORMATS.items()
    _show("templates", ((f"{name} ({_use(one.reader is not None)})", one.summary) for name, one in known))


def matchers() -> None:
    """List the matchers: what they compare, how they answer, and their options."""
    from bertillon.matching import MATCHERS, matcher_options

    rows = []
    for name, one in MATCHERS.items():
        options = ", ".join(matcher_options(name)) or "none"
        meaning = (one.__doc__ or "").partition("\n")[0]
        rows.append((name, f"{meaning} A {one.rule.value} of {' or '.join(one.kinds)} templates; options: {options}"))
    _show("matchers", rows)


def _use(reads: bool, writes: bool = False) -> str:
    return ", ".join([*["read"] * reads, *["written"] * writes]) or "not read"


def _show(heading: str, rows: Iterable[tuple[str, str]]) -> None:
    from rich.padding import Padding

    from bertillon.render.console import SafeConsole, Text

    console = SafeConsole()
    console.print(Text(f"{heading}\n", style="bold underline"))
    for name, meaning in rows:
        console.print(Text(name, style="bold"))
        console.print(Padding(Text(meaning), (0, 0, 0, 4)))
    console.print()
