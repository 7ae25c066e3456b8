"""The operator's page, as an operator uses it: in a real browser, with nothing asked from elsewhere."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from web.conftest import Running, Start
from web.test_photos import MODULE, photo

from bertillon.extraction import Workers, face_model

Open = Callable[..., Any]


@pytest.fixture
def pictured(start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    """A service that takes photos, with more people than its policy is for."""
    (tmp_path / "colouring.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "colouring", raising=False)
    model = face_model("colouring:colour").fingerprint
    with Workers(model, number=1) as workers:
        yield start(model=model, workers=workers, gallery_size=2, target=0.01)


@pytest.fixture
def opened(browser: Any, pictured: Running) -> Iterator[Open]:
    """`opened(lang="it")` opens the page; what it complains of or asks for elsewhere fails the test."""
    contexts, faults = [], list[str]()
    address = f"http://127.0.0.1:{pictured.port}/"

    def open_it(lang: str = "en", expected: tuple[int, ...] = (), **options: Any) -> Any:
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)  # a disk may stall for seconds

        def complained(message: Any) -> None:
            if message.type in ("error", "warning") and not any(
                f"status of {code}" in message.text for code in expected
            ):
                faults.append(message.text)

        page.on("console", complained)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("dialog", lambda dialog: (faults.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: request.url.startswith((address, "blob:")) or faults.append(request.url))
        page.goto(f"{address}?lang={lang}")
        page.wait_for_selector("html[data-ready=true]")
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert faults == []


def sign_in(page: Any, service: Running, role: str = "operator") -> None:
    page.fill("#token", service.secrets[role])
    page.click("#entry button")
    page.wait_for_selector("#desk:not([hidden])" if role == "operator" else "#entry-error:not(:empty)")


def choose(page: Any, content: bytes, name: str = "photo.png", kind: str = "image/png") -> None:
    page.set_input_files("#file", {"name": name, "mimeType": kind, "buffer": content})


def test_a_photo_shows_candidates_threshold_reliability_and_policy(opened, pictured):
    page = opened()
    sign_in(page, pictured)
    choose(page, photo(200, 10, 12))
    page.wait_for_selector("#answer:not([hidden])")
    assert page.inner_text("#decision") == "Identified: anna"
    rows = page.locator("#candidates tr").all_inner_texts()
    assert rows[0].split("\t") == ["1", "anna", "2", "18", "yes"]
    assert len(rows) == 3
    facts = page.inner_text("#facts")
    assert "≤\u00a020" in facts
    assert "unknown" in facts, "the reliability, for which the policy has no threshold"
    assert pictured.gallery.policies["identification"].id in facts
    policy = page.inner_text("#policy")
    assert "FPIR" in policy
    assert "1 % (95 % interval: 0.5 % – 2 %)" in policy.replace("\u00a0", " ")
    assert "95\u00a0%" in policy, "no line breaks between a number and its unit"
    assert page.locator("#warnings li").count() == 2, "three people and a policy for two, of too few trials"
    assert page.locator("#policy dt").all_inner_texts()[3:] == ["FMR", "FNMR", "FPIR", "FNIR", "RR"]
    assert page.locator("#photo").is_visible()


def test_a_stranger_is_not_in_the_gallery(opened, pictured):
    page = opened()
    sign_in(page, pictured)
    choose(page, photo(120, 120, 120))
    page.wait_for_selector("#decision.none")
    assert page.inner_text("#decision") == "Not in gallery"
    assert {row.split("\t")[-1] for row in page.locator("#candidates tr").all_inner_texts()} == {"no"}


def test_people_who_were_enrolled_meanwhile_are_counted(opened, pictured):
    """On the page and in its warnings, each of which is shown once."""
    page = opened()
    sign_in(page, pictured)
    assert page.inner_text("#about") == "People enrolled: 3"
    new = {"template": [90.0, 90.0, 9.0], "model": pictured.gallery.records.settings.model}
    assert pictured.ask("POST", "/v1/people?person=carl", new, role="steward").status == 201
    choose(page, photo(200, 10, 12))
    page.wait_for_selector("#decision.found")
    assert page.inner_text("#about") == "People enrolled: 4"
    warnings = page.locator("#warnings li").all_inner_texts()
    assert [text[:4] for text in warnings if "are enrolled" in text] == ["4 pe"]


def test_a_template_can_be_dropped(opened, pictured):
    page = opened()
    sign_in(page, pictured)
    page.wait_for_selector("#desk:not([hidden])")
    content = json.dumps({"template": [10.0, 10.0, 200.0]})
    transfer = page.evaluate_handle(
        "(text) => { const held = new DataTransfer(); held.items.add(new File([text], 'a.json')); return held; }",
        content,
    )
    page.dispatch_event("#drop", "drop", {"dataTransfer": transfer})
    page.wait_for_selector("#decision.found")
    assert page.inner_text("#decision") == "Identified: <b>zoë</b>", "a name is text"
    assert page.locator("#decision b").count() == 0


def test_a_photo_without_a_face_says_so_and_the_next_one_is_answered(opened, pictured):
    page = opened(expected=(422,))
    sign_in(page, pictured)
    choose(page, photo(0, 0, 0))
    page.wait_for_selector("#status.bad")
    assert "the model gave no template" in page.inner_text("#status")
    assert page.locator("#answer").is_hidden()
    choose(page, photo(200, 10, 10), name="other.png")
    page.wait_for_selector("#decision.found")
    assert page.inner_text("#status") == ""


@pytest.mark.parametrize("role", ["steward", "auditor"])
def test_other_roles_do_not_get_in(opened, pictured, role):
    page = opened()
    sign_in(page, pictured, role)
    page.wait_for_selector("#entry-error:not(:empty)")
    assert page.locator("#desk").is_hidden()


def test_a_wrong_token_and_one_that_is_revoked_meanwhile(opened, pictured):
    page = opened(expected=(401,))
    page.fill("#token", "wrong")
    page.click("#entry button")
    page.wait_for_selector("#entry-error:not(:empty)")
    assert "refused" in page.inner_text("#entry-error")
    sign_in(page, pictured)
    page.wait_for_selector("#desk:not([hidden])")
    for token in pictured.tokens.all():
        pictured.tokens.revoke(token.id)
    choose(page, photo(200, 10, 10))
    page.wait_for_selector("#entry:not([hidden])")
    assert page.locator("#desk").is_hidden()


def test_the_token_is_kept_nowhere(opened, pictured):
    page = opened()
    sign_in(page, pictured)
    page.wait_for_selector("#desk:not([hidden])")
    assert page.evaluate(
        "[localStorage.length, sessionStorage.length, document.cookie, location.href.includes('-')]"
    ) == [
        0,
        0,
        "",
        False,
    ]
    assert page.input_value("#token") == ""
    page.reload()
    assert page.locator("#desk").is_hidden()


def test_scripts_put_into_the_page_do_not_run(browser, pictured):
    page = browser.new_context().new_page()
    page.goto(f"http://127.0.0.1:{pictured.port}/")
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.ran = 1\">')")
    page.evaluate(
        "{ const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s); }"
    )
    page.wait_for_timeout(200)
    assert page.evaluate("window.ran") is None
    page.context.close()


@pytest.mark.parametrize(
    ("lang", "words"), [("it", "Non in galleria"), ("es", "No está en la galería"), ("zh", "不在图库中")]
)
def test_the_page_speaks_every_language(opened, pictured, lang, words):
    page = opened(lang=lang)
    sign_in(page, pictured)
    choose(page, photo(120, 120, 120))
    page.wait_for_selector("#decision.none")
    assert page.inner_text("#decision") == words
    assert page.get_attribute("html", "lang") == lang


def test_it_fits_a_telephone(opened, pictured):
    page = opened(viewport={"width": 360, "height": 700})
    sign_in(page, pictured)
    choose(page, photo(200, 10, 10))
    page.wait_for_selector("#decision.found")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
