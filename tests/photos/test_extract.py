"""SPEC G7: from raw samples to templates, acquisition failures counted (FTA, FTE), quality kept."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import types
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from photos.conftest import face
from PIL import Image

import bertillon as bt
from bertillon.core import speaking
from bertillon.extraction import Unusable, Workers, face_model, list_photos, sharpness_of
from bertillon.render import SafeConsole, terminal_text

SIZE = "276x336"


def begin(*arguments: object) -> subprocess.Popen[bytes]:
    """The command as a process of its own."""
    command = [sys.executable, "-c", "from bertillon.cli import main; main()", *map(str, arguments)]
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))})


def run(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from bertillon.cli import main; main()", *map(str, arguments)]
    paths = os.pathsep.join(filter(None, sys.path))
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env={**os.environ, "PYTHONPATH": paths})


def printed(found: bt.extraction.Extraction) -> str:
    """What the terminal shows."""
    console = SafeConsole(width=100, file=StringIO())
    console.print(terminal_text(found))
    return console.file.getvalue()


def colours(paint) -> Path:
    """Photos of anna, bob and dora that end in every way; nothing of dora's can be used."""
    paint("anna/1.png", (10, 20, 30))
    paint("anna/2.png", (0, 0, 0))
    paint("bob/1.png", (40, 50, 60))
    paint("bob/2.png", (66, 0, 0))
    paint("bob/3.png", (77, 0, 0))
    paint("bob/4.png", (88, 0, 0))
    folder = paint("dora/1.png", (5, 5, 5)).parent
    (folder / "1.png").write_bytes(b"")
    return folder.parent


REASONS = {
    "anna/2.png": "no_template",
    "bob/2.png": "crashed",
    "bob/3.png": "model_failed",
    "bob/4.png": "wrong_template",
    "dora/1.png": "empty",
}


def test_G7_every_failure_is_counted_with_its_reason_by_hand(paint, model):
    """G7: 5 of 7 photos give no template (FTA), 1 of 3 people none at all (FTE); a crash costs one photo only."""
    found = bt.extract(colours(paint), model)
    assert found.templates.templates.tolist() == [[10, 20, 30], [40, 50, 60]]
    assert found.templates.sample.tolist() == ["anna/1.png", "bob/1.png"]
    assert {photo.sample: photo.reason for photo in found.failed} == REASONS
    assert (found.photos, found.fta, found.fte, found.unenrolled) == (7, 5 / 7, 1 / 3, ("dora",))
    assert "SIGABRT" in next(photo.detail for photo in found.failed if photo.reason == "crashed")
    assert "seventy-seven" in next(photo.detail for photo in found.failed if photo.reason == "model_failed")


def test_rates_without_a_failure_are_bounded_alike_by_people_by_hand(paint):
    """Of 2 people with 2 photos each none failed: 1 - .025^(1/2) = .8419 for both, whatever the number of photos."""
    for photo in ("anna/1.png", "anna/2.png", "bob/1.png", "bob/2.png"):
        folder = paint(photo, (10, 20, 30)).parents[1]
    shown = printed(bt.extract(folder, lambda photo: photo.mean(axis=(0, 1)))).replace("\u00a0", " ")
    assert shown.count("0 (< 84 %)") == 2


def test_a_function_of_this_process_gives_the_same(paint):
    folder = colours(paint)
    (folder / "bob" / "2.png").unlink()

    def colour(photo):
        return photo.mean(axis=(0, 1)) if photo.mean() > 3 else None

    found = bt.extract(folder, colour)
    assert found.reasons == {"no_template": 1, "empty": 1}
    assert found.model.startswith("function:")


def test_the_archive_is_read_back_with_model_quality_and_failures(paint, model, tmp_path):
    found = bt.extract(colours(paint), model)
    found.write(tmp_path / "faces.npz")
    table = bt.read_templates(tmp_path / "faces.npz")
    assert table.templates.tolist() == found.templates.templates.tolist()
    assert table.subject.tolist() == ["anna", "bob"]
    assert table.sample.tolist() == found.templates.sample.tolist()
    assert table.model == found.model != ""
    assert set(table.metadata.columns) == {"sharpness", "faces"}
    assert "5 photos gave no template" in " ".join(map(str, table.notes))
    with np.load(tmp_path / "faces.npz", allow_pickle=False) as archive:
        failed = dict(zip(archive["failed_sample"].tolist(), archive["failed_reason"].tolist(), strict=True))
    assert failed == REASONS


def test_metadata_of_a_list_is_kept(paint, model, tmp_path):
    path = paint("1.png", (10, 20, 30))
    (path.parent / "list.csv").write_text("path,subject,session\n1.png,anna,spring\n")
    bt.extract(path.parent / "list.csv", model).write(tmp_path / "faces.npz")
    assert bt.read_templates(tmp_path / "faces.npz").metadata["session"].to_list() == ["spring"]


def test_no_template_at_all_is_an_error_that_says_why(paint, model):
    folder = paint("anna/1.png", (0, 0, 0)).parent.parent
    with pytest.raises(bt.InputError, match=r"no photo gave a template, of 1 \('anna/1.png': no_template\)"):
        bt.extract(folder, model)


def test_vectors_of_several_lengths_are_refused(paint):
    paint("anna/1.png", (9, 9, 9))
    folder = paint("anna/2.png", (90, 9, 9)).parent.parent
    with pytest.raises(bt.InputError, match=r"gave 4 numbers for 'anna/1.png' and 5 for 'anna/2.png'"):
        bt.extract(folder, lambda photo: np.ones(4 + (photo[0, 0, 0] > 50)))


def test_two_models_are_never_compared(paint, model, tmp_path):
    folder = paint("anna/1.png", (10, 20, 30)).parent.parent
    files = []
    for name in (model, "colours:other"):
        files.append(tmp_path / f"{name.partition(':')[2]}.npz")
        bt.extract(folder, name).write(files[-1])
    ours, theirs = map(bt.read_templates, files)
    with pytest.raises(bt.InputError, match="templates of two models cannot be compared"):
        bt.matching.match(ours, theirs, "euclidean")
    ran = run("identify", files[0], "--gallery", files[1])
    assert ran.returncode == 2
    assert "templates of two models cannot be compared" in ran.stderr


def test_a_fingerprint_depends_on_the_file_the_version_the_weights_and_the_size(model, tmp_path):
    first = face_model(model).fingerprint
    assert first.startswith("colours:colour file=")
    assert " version=1.2" in first
    assert face_model(first).fingerprint == first
    assert face_model(model, resize="8x9").fingerprint == f"{first} resize=8x9"
    assert face_model(f"{first} resize=8x9").size == (8, 9)

    class Weighted:
        fingerprint = "ab 12"

        def __call__(self, photo):
            return None

    assert face_model(Weighted()).fingerprint.endswith("weights=ab_12")
    with open(tmp_path / "modules" / "colours.py", "a") as file:
        file.write("# changed\n")
    assert face_model(model).fingerprint != first
    with pytest.raises(bt.InputError, match="is not what is installed here"):
        face_model(first)


def test_a_size_that_is_part_of_a_model_cannot_be_another_one(model):
    """It would be ignored, and the templates made otherwise than was asked for."""
    made = face_model(model, resize="8x9")
    assert face_model(made, resize="8x9") is made
    for name in (made, made.fingerprint):
        with pytest.raises(bt.InputError, match="resizes photos to 8x9"):
            face_model(name, resize="9x8")
    with pytest.raises(bt.InputError, match="resizes photos to no size"):
        face_model(face_model(model).fingerprint, resize="9x8")


def test_a_checkpoint_that_cannot_be_written_costs_nothing_and_is_said(paint, tmp_path, monkeypatch):
    folder = paint("anna/1.png", (10, 20, 30)).parent.parent

    def full(path, fill):
        raise bt.InputError("the disk is full")

    monkeypatch.setattr("bertillon.engine.jobs.write_whole", full)
    found = bt.extract(folder, lambda photo: photo.mean(axis=(0, 1)), checkpoint=tmp_path / "kept")
    assert len(found.templates) == 1
    assert "the disk is full" in re.sub(r"\s+", " ", printed(found))


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("dlbi", "did you mean 'dlib'"),
        ("nowhere:function", "cannot be loaded"),
        ("os:nothing", "cannot be loaded"),
        ("os:name", "not a function"),
    ],
)
def test_a_model_that_is_none(name, problem):
    with pytest.raises(bt.InputError, match=problem):
        face_model(name)


@pytest.mark.parametrize("there", [False, True])
def test_without_dlib_or_its_weights_it_is_said_what_to_install(monkeypatch, there):
    """In the words of who asks from Python, where there are no options."""
    monkeypatch.setitem(sys.modules, "dlib", types.ModuleType("dlib") if there else None)
    monkeypatch.setattr("bertillon.extraction.models.find_spec", lambda name: None)
    lacks = "the weights of face-recognition-models" if there else "dlib"
    problem = f"the model dlib needs {lacks}; install it with: pip install 'bertillon[face]'"
    with pytest.raises(bt.InputError, match=f"^{re.escape(problem)}$"):
        assert face_model("dlib").fingerprint


def test_work_that_was_cut_off_goes_on(paint, tmp_path):
    folder, asked = colours(paint), list[int]()

    def stopping(photo):
        asked.append(int(photo[0, 0, 0]))
        if asked.count(88) == 1 and asked[-1] == 88:
            raise KeyboardInterrupt
        return photo.mean(axis=(0, 1))

    with pytest.raises(KeyboardInterrupt):
        bt.extract(folder, stopping, checkpoint=tmp_path / "kept")
    found = bt.extract(folder, stopping, checkpoint=tmp_path / "kept")
    assert found.photos == 7
    assert found.reasons == {"empty": 1}
    assert asked.count(10) == asked.count(0) == 1, "the first round was kept"
    again = len(asked)
    same = bt.extract(folder, stopping, checkpoint=tmp_path / "kept")
    assert len(asked) == again, "everything was kept"
    assert same.templates.templates.tolist() == found.templates.templates.tolist()
    assert same.failed == found.failed
    os.utime(folder / "anna" / "1.png", (1, 1))
    with pytest.raises(bt.InputError, match="its list of photos is"):
        bt.extract(folder, stopping, checkpoint=tmp_path / "kept")


def test_work_that_was_killed_goes_on_and_leaves_no_process_behind(paint, tmp_path, model):
    """What was finished a few seconds before the end is not done again; processes end when nobody asks them."""
    calls = tmp_path / "calls"
    (tmp_path / "modules" / "noted.py").write_text(
        f"import os, time\ndef note(photo):\n    with open({str(calls)!r}, 'a') as file:\n"
        "        file.write(f'{os.getpid()} {photo[0, 0, 0]}\\n')\n    time.sleep(0.2)\n    return [1.0, 2.0]\n"
    )
    for number in range(40):
        folder = paint(f"anna/{number}.png", (number, 9, 9)).parent.parent
    arguments = [
        "extract",
        folder,
        "-o",
        tmp_path / "f.npz",
        "--model",
        "noted:note",
        "--checkpoint",
        tmp_path / "kept",
    ]
    process = begin(*arguments)
    while not (tmp_path / "kept" / "extract.npz").exists():
        assert process.poll() is None
        time.sleep(0.05)
    process.kill()
    process.wait()
    first = [line.split() for line in calls.read_text().splitlines()]
    for _ in range(200):  # the processes notice that their input has ended
        if not any(Path(f"/proc/{worker}").exists() for worker, _ in first):
            break
        time.sleep(0.05)
    assert not any(Path(f"/proc/{worker}").exists() for worker, _ in first)
    ran = run(*arguments)
    assert ran.returncode == 0, ran.stderr
    again = [line.split()[1] for line in calls.read_text().splitlines()[len(first) :]]
    assert len(again) < 40
    assert {photo for _, photo in first} | set(again) == {str(number) for number in range(40)}
    assert len(bt.read_templates(tmp_path / "f.npz")) == 40


def test_a_process_that_takes_too_long_is_replaced(tmp_path, paint, model):
    (tmp_path / "modules" / "slow.py").write_text(
        "import time\ndef wait(photo):\n    time.sleep(60 if photo[0, 0, 0] == 9 else 0)\n    return [1.0]\n"
    )
    slow, quick = paint("a.png", (9, 9, 9)), paint("b.png", (8, 8, 8))
    with Workers("slow:wait", number=1, patience=0.5) as workers:
        with pytest.raises(Unusable) as caught:
            workers.extract(slow)
        assert caught.value.reason == "crashed"
        assert workers.extract(quick).vector.tolist() == [1.0]
        assert workers.extract(quick.read_bytes()).vector.tolist() == [1.0]


def test_a_model_whose_process_ends_at_once(tmp_path, model):
    (tmp_path / "modules" / "ending.py").write_text("import os\nif os.environ.get('PYTHONPATH'):\n    os._exit(3)\n")
    with pytest.raises(bt.InputError, match="ended with status 3"):
        Workers("ending:function", number=1)


def test_without_pillow_it_is_said_once_what_to_install(paint, model, tmp_path, monkeypatch):
    """Before any photo is tried: it is no fault of the photos."""
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "PIL.py").write_text("raise ImportError")
    monkeypatch.syspath_prepend(tmp_path / "without")
    folder = paint("anna/1.png", (10, 20, 30)).parent.parent
    with pytest.raises(bt.InputError, match=r"pip install 'bertillon\[face\]'"):
        bt.extract(folder, model)


def test_sharpness_by_hand():
    """The Laplacian of one white point on black is -4, 1, 1, 1, 1 and 0: of 9 cells the variance is 20 / 9 x 255^2."""
    photo = np.zeros((5, 5, 3), np.uint8)
    photo[2, 2] = 255
    assert sharpness_of(photo) == pytest.approx(20 / 9 * 255**2, rel=1e-5)
    assert np.isnan(sharpness_of(photo[:2]))


def test_the_command_says_what_failed_and_escapes_names(paint, model, tmp_path):
    folder = colours(paint)
    paint("bob/new\nline\x1b[2J.png", (0, 0, 0))
    ran = run("extract", folder, "-o", tmp_path / "f.npz", "--model", model, "--json", tmp_path / "f.json")
    assert ran.returncode == 0, ran.stderr
    assert re.search(r"failure to acquire \(FTA\) +75\.0.% +6 +8\n", ran.stdout)
    assert "the file is empty" in ran.stdout
    assert "6 of 8 photos gave no template." in ran.stdout
    assert "dora cannot be enrolled" in ran.stdout
    assert "\x1b" not in ran.stdout
    assert "new\\u000aline\\u001b[2J.png" in ran.stdout or "new\nline" not in ran.stdout
    written = json.loads((tmp_path / "f.json").read_text())
    assert (written["FTA"], written["FTE"]) == (0.75, 1 / 3)
    assert written["failed"][0] == {"sample": "anna/2.png", "subject": "anna", "reason": "no_template", "detail": ""}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["nowhere", "-o", "f.npz", "--model", "os:getcwd"], "nowhere"),
        (["photos", "-o", "f.csv"], "templates are written as .npz"),
        (["photos", "-o", "f.npz", "--resize", "9"], "expected WIDTHxHEIGHT"),
        (["photos", "-o", "none/f.npz"], "there is no folder"),
    ],
)
def test_the_command_refuses_what_cannot_be(paint, tmp_path, arguments, problem):
    paint("anna/1.png", (10, 20, 30))
    ran = run("extract", *arguments, cwd=tmp_path)
    assert ran.returncode == 2
    assert problem in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize("lang", ["en", "it", "es", "zh"])
def test_it_is_shown_in_every_language(paint, lang):
    paint("anna/1.png", (10, 20, 30))
    folder = paint("bob/1.png", (0, 0, 0)).parent.parent
    found = bt.extract(folder, lambda photo: photo.mean(axis=(0, 1)) if photo.any() else None)
    with speaking(lang):
        shown = printed(found)
    assert "bob/1.png" in shown
    assert "extraction." not in shown


@pytest.mark.usefixtures("dlib")
@pytest.mark.realdata
class TestDlib:
    """The real network on real photos (STANDARDS 12)."""

    def test_a_few_photos_give_templates_that_tell_people_apart(self, faces, tmp_path):
        """The fast twin of the whole set: 2 photos of 3 people, of which dlib's threshold .6 accepts no other's."""
        lines = [f"{faces}/s{person:02d}/{photo:02d}.pgm,s{person}" for person in (1, 2, 3) for photo in (1, 2)]
        (tmp_path / "list.csv").write_text("\n".join(["path,subject", *lines]) + "\n")
        found = bt.extract(tmp_path / "list.csv", "dlib", resize=SIZE)
        distances = bt.matching.match(found.templates, found.templates, "euclidean").scores
        same = found.templates.subject[:, None] == found.templates.subject[None, :]
        assert distances[same & ~np.eye(6, dtype=bool)].max() < 0.6 < distances[~same].min()
        assert found.templates.metadata["faces"].to_list() == [1] * 6
        assert found.templates.templates.dtype == np.float32
        assert "threshold=-0.5 resize=276x336" in found.model
        assert face_model(found.model).fingerprint == found.model

    def test_no_face_and_five_faces(self, faces, tmp_path):
        """The best of several faces is taken and said to be; where there is none that is the reason."""
        row = np.concatenate([face(faces, person, 1) for person in range(1, 6)], axis=1)
        Image.fromarray(row).resize((1380, 336)).save(tmp_path / "five.png")
        Image.fromarray(np.full((100, 100), 128, np.uint8)).save(tmp_path / "wall.png")
        (tmp_path / "list.csv").write_text("path,subject\nfive.png,anna\nwall.png,bob\n")
        found = bt.extract(tmp_path / "list.csv", "dlib")
        assert found.several == ("five.png",)
        assert found.templates.metadata["faces"].to_list()[0] >= 4
        assert found.reasons == {"no_face": 1}
        assert "shows several faces" in printed(found)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("name", "templates", "eer", "at", "fnmr", "fmr"),
        [("orl", 400, ".3205", ".5388", "0", ".02154"), ("orl_tiny", 398, "3.253", ".5606", ".00729", ".09518")],
    )
    def test_G7_photos_reproduce_the_figures(self, real_data, tmp_path, name, templates, eer, at, fnmr, fmr):
        """G7, STANDARDS 12, through the command line: templates, EER (nearest), rank-1, errors at .6."""
        ran = run("extract", real_data / name, "-o", tmp_path / "faces.npz", "--model", "dlib", "--resize", SIZE)
        assert ran.returncode == 0, ran.stderr
        asked = ["-m", "EER[nearest]", "-m", "FNMR@t=0.6", "-m", "FMR@t=0.6", "--no-intervals", "--json", "-"]
        shown = run("verify", tmp_path / "faces.npz", "--matcher", "euclidean", *asked)
        measures = {row["name"]: row for row in _measures(json.loads(shown.stdout))}
        found = bt.read_templates(tmp_path / "faces.npz")
        assert len(found) == templates
        assert f"{100 * measures['EER[nearest]']['value']:.4g}" == f"{float(eer):.4g}"
        assert f"{measures['EER[nearest]']['threshold']:.4f}" == f"{float(at):.4f}"
        assert f"{measures['FNMR@t=0.6']['value']:.5f}" == f"{float(fnmr):.5f}"
        assert f"{measures['FMR@t=0.6']['value']:.5f}" == f"{float(fmr):.5f}"
        ranks = run(
            "identify", tmp_path / "faces.npz", "--matcher", "euclidean", "-m", "RR", "--no-intervals", "--json", "-"
        )
        assert _measures(json.loads(ranks.stdout))[0]["value"] == 1.0


def _measures(written: dict) -> list[dict]:
    """The measures of the one system in the JSON of a command."""
    return (written["systems"][0] if "systems" in written else written)["measures"]


def test_a_list_is_what_extract_takes(paint, model):
    folder = paint("anna/1.png", (10, 20, 30)).parent.parent
    assert len(bt.extract(list_photos(folder), model).templates) == 1
