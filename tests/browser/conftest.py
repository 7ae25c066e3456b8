"""Open a page as a person would: from disk, with the network cut, in a real browser that nobody sees.

A page that complains on its console, asks for anything beyond itself or opens a dialog fails its test.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from bertillon.render import write_report
from bertillon.views import ReportContent

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
NAMES = ("chromium", "chromium-browser", "google-chrome")

Open = Callable[..., Any]


@pytest.fixture(scope="session")
def browser(missing: Callable[[str, str], NoReturn]) -> Iterator[Any]:
    """One browser for all tests of a process."""
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        missing("browser", "the package playwright is not installed")
    program = next((path for name in NAMES if (path := shutil.which(name))), None)
    if program is None:
        missing("browser", f"none of {', '.join(NAMES)} is installed")
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        yield started
        started.close()


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
