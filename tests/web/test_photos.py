"""Photos at the service: made templates by the gallery's model, in processes of their own, and forgotten."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import bertillon as bt
from bertillon.extraction import Workers, face_model

MODULE = """
import os

def colour(photo):
    red, green, blue = photo.mean(axis=(0, 1))
    if red == 66:
        os.abort()
    return None if red + green + blue < 9 else [red, green, blue]
"""


def photo(*colour: int, size: tuple[int, int] = (8, 8), kind: str = "PNG") -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", size, colour).save(stream, kind)
    return stream.getvalue()


@pytest.fixture
def pictured(start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A service that takes photos, up to 10,000 pixels."""
    (tmp_path / "colouring.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "colouring", raising=False)
    model = face_model("colouring:colour").fingerprint
    with Workers(model, number=1, max_pixels=10_000) as workers:
        yield start(model=model, workers=workers)


def send(service, content: bytes, role: str = "operator", path: str = "/v1/identify", kind: str = "image/png"):
    return service.ask("POST", path, content, role=role, headers={"Content-Type": kind})


def test_a_photo_is_searched_for(pictured):
    found = send(pictured, photo(200, 10, 11)).json
    assert found["person"] == "anna"
    assert found["candidates"][0]["score"] == pytest.approx(1.0)
    assert found["photo"]["faces"] == 1
    assert send(pictured, photo(120, 120, 120, kind="JPEG"), kind="image/jpeg").json["person"] is None


def test_a_steward_enrols_a_photo(pictured):
    assert send(pictured, photo(99, 99, 0), "steward", "/v1/people?person=carl").status == 201
    assert send(pictured, photo(99, 99, 0)).json["person"] == "carl"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (photo(0, 0, 0), "no_template"),
        (photo(66, 0, 0), "crashed"),
        (b"", "not_picture"),
        (b"GIF89a", "not_picture"),
        (photo(1, 2, 3, size=(50, 50))[:60], "damaged"),
        (photo(9, 9, 9, size=(200, 100)), "too_large"),
    ],
)
def test_a_photo_that_gives_no_template_is_refused_with_the_reason(pictured, content, reason):
    before = pictured.gallery.records.head().seq
    answer = send(pictured, content)
    assert (answer.status, answer.json["reason"]) == (422, reason)
    assert pictured.gallery.records.head().seq == before, "no decision was taken"
    assert send(pictured, photo(200, 10, 10)).json["person"] == "anna", "the service goes on"


def test_a_service_without_a_model_says_so(service):
    answer = send(service, photo(1, 2, 3))
    assert answer.status == 415
    assert "templates only" in answer.json["error"]
    assert send(service, b"x", kind="text/plain").status == 415


def test_a_template_that_another_model_made_is_refused(pictured):
    answer = pictured.search([200.0, 10.0, 10.0], model="another")
    assert answer.status == 409


def test_a_gallery_refuses_templates_of_another_model(pictured, tmp_path):
    """SPEC G1: also where they come as a table that says its model."""
    table = bt.TemplateTable(np.ones((1, 3)), ["eve"], model="another")
    with pytest.raises(bt.InputError, match="another"):
        pictured.gallery.enrol_all(table)
