"""Open a page as a person would: from disk, with the network cut, in a real browser that nobody sees.

A page that complains on its console, asks for anything beyond itself or opens a dialog fails its test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bertillon.render import write_report
from bertillon.views import ReportContent

Open = Callable[..., Any]


@pytest.fixture
def open_page(browser: Any, tmp_path: Path) -> Iterator[Open]:
    """`open_page(content, width=360)` writes a report, opens it and waits until it answers."""
    contexts, faults, address = [], [], (tmp_path / "report.html").as_uri()

    def opened(content: ReportContent, *, lang: str = "en", width: int = 1280, **options: Any) -> Any:
        write_report(content, tmp_path / "report.html", lang=lang)
        context = browser.new_context(viewport={"width": width, "height": 900}, offline=True, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(5000)
        page.on(
            "console", lambda message: faults.append(message.text) if message.type in ("error", "warning") else None
        )
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("dialog", lambda dialog: (faults.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: _note_request(request.url, address, faults))
        page.goto(address)
        page.wait_for_selector("html[data-ready=true]")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert faults == []


def _note_request(url: str, address: str, faults: list[str]) -> None:
    if url.split("#")[0] != address and not url.startswith("blob:"):
        faults.append(f"request: {url}")
