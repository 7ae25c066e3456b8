"""Galleries that are handed photos, and searches through an index, on the command line (SPEC G7, G2)."""

from __future__ import annotations

import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bertillon.cli import main
from bertillon.core import InputError
from bertillon.extraction import Extract, Workers, face_model
from bertillon.gallery import Gallery

image = pytest.importorskip("PIL.Image")
MODEL = '''
import numpy as np
def cells(photo):
    """The mean grey of 4 x 4 cells, none where a photo is dark."""
    grey = photo.mean(axis=2)
    return None if grey.max() < 10 else grey.reshape(4, 4, 4, 4).mean(axis=(1, 3)).ravel() - 100.0
'''


@pytest.fixture
def album(tmp_path: Path, monkeypatch) -> Path:
    """Photos of three people, two each, and a model that knows them apart."""
    (tmp_path / "cells_of_photos.py").write_text(MODEL)
    monkeypatch.syspath_prepend(tmp_path)
    rng = np.random.default_rng(4)
    for person in ("ann", "bob", "eve"):
        face = np.kron(rng.integers(20, 230, (4, 4)), np.ones((4, 4)))
        for folder, name in (("enrolled", "1.png"), ("later", "2.png")):
            (tmp_path / folder / person).mkdir(parents=True)
            noisy = (face + rng.normal(0, 5, face.shape)).clip(0, 255).astype(np.uint8)
            image.fromarray(noisy).convert("RGB").save(tmp_path / folder / person / name)
    image.fromarray(np.zeros((16, 16), np.uint8)).convert("RGB").save(tmp_path / "later" / "dark.png")
    return tmp_path


@pytest.fixture
def door(album: Path, key, policies, monkeypatch) -> Path:
    """A gallery of the model with the photos of `enrolled`."""
    monkeypatch.setenv("BERTILLON_GALLERY_KEY", key.secret.hex())
    model, place = face_model("cells_of_photos:cells").fingerprint, album / "door.gallery"
    Gallery.create(place, key=key, policies=policies(model=model)).close()
    assert run("enrol", place, album / "enrolled") == 0
    return place


def run(*words: object) -> int:
    """Exit status of a command of the gallery."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["bertillon", "gallery", *map(str, words)])
        with pytest.raises(SystemExit) as left:
            main()
    return int(left.value.code or 0)


def test_people_are_enrolled_and_identified_from_photos(door, album, capsys):
    assert run("list", door, "--json", "-") == 0
    assert json.loads(capsys.readouterr().out)["people"] == {"ann": 1, "bob": 1, "eve": 1}
    assert run("identify", door, album / "later" / "bob" / "2.png", "--json", "-") == 0
    [answer] = json.loads(capsys.readouterr().out)["answers"]
    assert (answer["probe"], answer["person"]) == ("2.png", "bob")
    assert run("claim", door, album / "later" / "bob" / "2.png", "--person", "eve", "--json", "-") == 0
    assert json.loads(capsys.readouterr().out)["answers"][0]["decision"] == "rejected"


def test_a_photo_of_several_faces_is_pointed_out(door, album, capsys, monkeypatch):
    """Whoever enrols it should know whose face was taken."""
    extract = Workers.extract
    monkeypatch.setattr(Workers, "extract", lambda own, photo: replace(extract(own, photo), faces=5))
    said = "shows several faces: the one with the highest score was used"
    assert run("identify", door, album / "later" / "bob" / "2.png") == 0
    assert f"2.png {said}" in " ".join(capsys.readouterr().out.split())
    assert run("update", door, album / "enrolled") == 0
    assert "3 photos show several faces (the first: ann/1.png)" in " ".join(capsys.readouterr().out.split())


def test_photos_are_enrolled_and_decided_about_in_python(door, album, key):
    """SPEC G1: a path, or the bytes of a photo, in place of a template, by the gallery's own model."""
    later = album / "later" / "bob" / "2.png"
    with Gallery.open(door, key=key) as gallery:
        gallery.erase("bob")
        gallery.enrol("bob", album / "enrolled" / "bob" / "1.png")
        gallery.update("bob", str(later))
        assert gallery.people()["bob"] == 2
        assert gallery.identify(later.read_bytes()).person == "bob"
        assert gallery.watch(later, list="allow").decision == "allowed"
        assert [gallery.claim(name, later).accepted for name in ("bob", "eve")] == [True, False]
        with pytest.raises(InputError, match=r"dark\.png: the model gave no template"):
            gallery.identify(album / "later" / "dark.png")
        with pytest.raises(InputError, match="a frame: not a picture in a known format"):
            gallery.claim("eve", b"nothing", name="a frame")


def test_a_network_is_made_once_and_decisions_go_on_while_it_runs(door, album, key, monkeypatch):
    made, begun, go_on = [], threading.Event(), threading.Event()
    monkeypatch.setattr("bertillon.gallery.session.face_model", lambda name: made.append(name) or face_model(name))
    with Gallery.open(door, key=key) as gallery, ThreadPoolExecutor() as pool:
        photo = album / "later" / "bob" / "2.png"
        for _ in range(3):
            assert gallery.identify(photo).person == "bob"
        assert made == [gallery.records.settings.model]
        cells = sys.modules["cells_of_photos"].cells(np.asarray(image.open(photo)))
        [network] = gallery._networks.values()
        monkeypatch.setattr(
            type(network), "extract", lambda model, photo: (begun.set(), go_on.wait(60), Extract(cells))[2]
        )
        try:
            seen = pool.submit(gallery.identify, photo)
            assert begun.wait(20)
            assert pool.submit(gallery.claim, "bob", cells).result(10).accepted
        finally:
            go_on.set()
        assert seen.result(20).person == "bob"


def test_the_first_photo_settles_the_model(album, path, key):
    """SPEC G1: named where the gallery states none; photos and templates of another model are refused after it."""
    photo = album / "enrolled" / "ann" / "1.png"
    with Gallery.create(path, key=key, matcher="cosine") as gallery:
        gallery.enrol("ann", photo, model="cells_of_photos:cells")
        assert gallery.records.settings.model == face_model("cells_of_photos:cells").fingerprint
        with pytest.raises(InputError, match="scores of two models"):
            gallery.enrol("bob", np.ones(16))


def test_a_folder_of_photos_is_watched_and_the_dark_one_named(door, album, capsys):
    capsys.readouterr()
    assert run("watch", door, album / "later", "--list", "alarm") == 0
    shown = capsys.readouterr().out
    assert "bob/2.png: alarm, looks like bob." in shown
    assert "1 photo gave no template: dark.png (the model gave no template)." in shown


def test_a_photo_alone_says_not_whose_it_is(door, album, capsys):
    assert run("enrol", door, album / "later" / "bob" / "2.png") == 2
    assert "does not say whose photo it is" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["hnsw", "ivf"])
def test_what_an_index_loses_is_said_with_the_answers(path, key, policies, tmp_path, monkeypatch, capsys, kind):
    """SPEC G2: an index of faiss on request, measured against the exact search at the policy's threshold."""
    pytest.importorskip("faiss")
    monkeypatch.setenv("BERTILLON_GALLERY_KEY", key.secret.hex())
    rng = np.random.default_rng(8)
    people = rng.normal(size=(1000, 16)).astype(np.float32)
    names = np.array([f"p{number}" for number in range(1000)])
    np.savez(tmp_path / "people.npz", embeddings=people, subject=names)
    again = people[:60] + 0.2 * rng.normal(size=(60, 16)).astype(np.float32)
    np.savez(tmp_path / "again.npz", embeddings=again, subject=names[:60])
    Gallery.create(path, key=key, policies=policies(size=1000)).close()
    assert run("enrol", path, tmp_path / "people.npz") == 0
    capsys.readouterr()
    assert run("identify", path, tmp_path / "again.npz", "--index", kind, "--json", "-") == 0
    held = json.loads(capsys.readouterr().out)
    [said] = [warning for warning in held["warnings"] if "through the index" in warning]
    assert f"index {kind}" in said
    with Gallery.open(path, key=key, index=kind) as near, Gallery.open(path, key=key) as exact:
        loss = near.measure_index(again)
        assert f"lost {loss.lost} of {loss.detections} detections" in said
        first = exact.identify_all(again)
        found = near.identify_all(again)
        assert loss.detections == sum(answer.person is not None for answer in first)
        assert loss.lost == sum(
            one.person is not None and one.person != other.candidates[0].person
            for one, other in zip(first, found, strict=True)
        )
        same = [one.score == pytest.approx(other.score, abs=1e-5) for one, other in zip(first, found, strict=True)]
        assert loss.agreement == np.mean(same)
        near.erase("p3")
        assert near.identify(again[3]).person != "p3"
        near.enrol("p3", again[3])
        assert near.identify(again[3]).person == "p3"


def test_an_index_that_misses_people_is_found_out(path, key, policies, monkeypatch):
    """An index that finds only every second person has lost the detections of the others."""
    pytest.importorskip("faiss")
    people = np.eye(16, dtype=np.float32)
    with Gallery.create(path, key=key, policies=policies()) as door:
        for number, vector in enumerate(people):
            door.enrol(f"p{number}", vector)
    with Gallery.open(path, key=key, index="hnsw") as door:
        whole = door._index._scan

        def halved(probes, kept):
            found, worst = whole(probes, kept)
            return (found if door._index.effort is None else np.where(found % 2, -1, found)), worst

        monkeypatch.setattr(door._index, "_scan", halved)
        loss = door.measure_index(people)
        assert (loss.sample, loss.detections, loss.lost, loss.agreement, loss.effort) == (16, 16, 8, 0.5, 512)
