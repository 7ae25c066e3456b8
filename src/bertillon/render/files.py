"""Reports as files: the suffix of the path says which kind.

Holds `check_report`, to be called before the work begins, and `write_report`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bertillon.core.errors import InputError
from bertillon.core.files import write_whole
from bertillon.core.messages import catalogue as load_catalogue

Path_ = str | os.PathLike[str]


def check_report(path: Path_ | None, lang: str) -> None:
    """Refuse a suffix or a language that is not known before anything is read or measured."""
    load_catalogue(lang)
    if path is not None:
        _writer(Path(path))


def write_report(finding: Any, path: Path_, *, lang: str = "en") -> Path:
    """Write the report on a finding, or on a `ReportContent` of several, whole or not at all."""
    target = Path(path)
    text = _writer(target)(finding, lang).encode()
    write_whole(target, lambda file: file.write(text))
    return target


def _html(finding: Any, lang: str) -> str:
    from bertillon.render.page import html_text
    from bertillon.views.assembling import page_of

    return html_text(page_of(finding, lang))


def _markdown(finding: Any, lang: str) -> str:
    from bertillon.render.papers import markdown_text
    from bertillon.views.assembling import page_of

    return markdown_text(page_of(finding, lang))


def _latex(finding: Any, lang: str) -> str:
    from bertillon.render.papers import latex_text
    from bertillon.views.assembling import page_of

    return latex_text(page_of(finding, lang))


def _json(finding: Any, lang: str) -> str:  # noqa: ARG001 - programs read one language
    from bertillon.render.records import finding_json

    return finding_json(finding)


def _csv(finding: Any, lang: str) -> str:  # noqa: ARG001
    from bertillon.render.records import finding_csv

    return finding_csv(finding)


WRITERS: dict[str, Callable[[Any, str], str]] = {
    ".html": _html,
    ".md": _markdown,
    ".tex": _latex,
    ".json": _json,
    ".csv": _csv,
}


def _writer(path: Path) -> Callable[[Any, str], str]:
    if path.suffix.lower() not in WRITERS:
        known = ", ".join(WRITERS)
        raise InputError(
            f"--report: {path}: the suffix {path.suffix!r} is not known; expected a file that ends in {known}"
        )
    return WRITERS[path.suffix.lower()]
