"""Nothing in the data runs, and nothing leaves the page. Requests, dialogs and complaints fail every test here."""

from __future__ import annotations

import pytest
from browser.reading import EXPLORER, press
from views.page.cases import EVIL, classified, everything, verified

from bertillon.views import ReportContent

NAMES = [
    EVIL,
    "</script><script>alert(1)</script>",
    "{{ 7 * 7 }}",
    "${alert(1)}",
    "'\"><svg onload=alert(1)>",
    "日本語 \u2028 \u202e",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_stays_text_wherever_it_is_shown(open_page, name: str) -> None:
    page = open_page(ReportContent([verified(name), verified("new", seed=5)], classification=[classified(name)]))
    press(page, "ArrowRight", 3)
    page.locator("#headline thead button").first.click()
    box = page.locator(f'{EXPLORER} [data-part="trade"] svg.draggable').bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert name.split("\u2028")[0].strip() in page.locator(f"{EXPLORER} .live-table").inner_text()
    assert page.locator("img, iframe, object, embed").count() == 0
    assert page.locator("script").count() == 2


def test_scripts_put_into_the_page_afterwards_do_not_run(browser, tmp_path) -> None:
    from bertillon.render import write_report

    path = write_report(everything(), tmp_path / "report.html")
    page = browser.new_context(offline=True).new_page()
    blocked: list[str] = []
    page.on("console", lambda message: blocked.append(message.text))
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready=true]")
    page.evaluate("""() => {
        const script = document.createElement("script");
        script.textContent = "window.ran = true";
        document.body.append(script);
        const picture = document.createElement("img");
        picture.setAttribute("onerror", "window.ran = true");
        picture.src = "https://example.invalid/x.png";
        document.body.append(picture);
    }""")
    page.wait_for_timeout(100)
    assert page.evaluate("window.ran") is None
    assert any("Content Security Policy" in words for words in blocked)
    page.context.close()


def test_every_mode_is_quiet_on_its_console(open_page) -> None:
    page = open_page(everything())
    for explorer in ("verification", "identification", "classification"):
        press(page, "ArrowRight", 2, f"#explore-{explorer}")
    assert page.locator(".explorer:visible").count() == 3
